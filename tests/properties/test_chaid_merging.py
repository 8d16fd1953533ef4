"""CHAID's merge step in the core, beside its slow definition, on random tables of counts."""

from __future__ import annotations

import math
from dataclasses import asdict
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import _core
from treewright.reference.chaid_merging import MISSING, Merging, Rules
from treewright.reference.group_tests import Classes, GroupTests, Numbers, OrderedClasses
from treewright.reference.tally import ClassTally, NumberTally, Tally


def rules(draw: st.DrawFn) -> Rules:
    """Alphas on both sides of the usual ones; dividing again only where it can happen."""
    exhaustive = draw(st.booleans())
    alpha = draw(st.sampled_from([0.02, 0.05, 0.3, 0.7]))
    resplit = None if exhaustive else draw(st.sampled_from([None, 0.9, 0.5]))
    return Rules(
        alpha_merge=alpha,
        alpha_resplit=resplit and resplit * alpha,
        exhaustive=exhaustive,
        exhaustive_adjust=draw(st.sampled_from(["biggs", "spss"])),
        bonferroni=draw(st.booleans()),
        min_segment=draw(st.sampled_from([0, 0, 5, 30])),
        most_levels=draw(st.sampled_from([500, 500, 4])),
    )


def tallied(cells: list[Any]) -> list[ClassTally]:
    """Counts of classes as tallies."""
    return [ClassTally(int(sum(cell)), tuple(map(Fraction, cell))) for cell in cells]


def numbers_of(tally: Tally) -> list[float]:
    """A tally as the core takes it: the counts, or weight, sum and sum of squares."""
    sums = tally.counts if isinstance(tally, ClassTally) else (tally.weight, tally.total, tally.squares)
    return list(map(float, sums))


def compare(kind: str, cells: list[Tally], tests: GroupTests, statistic: str, chosen: Rules) -> None:
    """Same groups, same statistic, same p-values."""
    last = len(cells) - 1
    names = {k: MISSING if kind == "floating" and k == last else k for k in range(len(cells))}
    slow = Merging(kind, {names[k]: cell for k, cell in enumerate(cells)}, tests, chosen).run()
    scores = list(map(float, getattr(tests, "scores", ())))
    rows = [numbers_of(cell) for cell in cells]
    fast = _core.merge_categories(kind, statistic, rows, scores, asdict(chosen))
    assert [tuple(names[k] for k in group) for group in fast["groups"]] == list(slow.groups)
    assert fast["df"] == slow.test.degrees
    assert fast["statistic"] == pytest.approx(slow.test.statistic, rel=1e-8, abs=1e-9)
    assert fast["log_p"] == pytest.approx(slow.test.log_p, rel=1e-8, abs=1e-9)
    assert fast["log_p_adjusted"] == pytest.approx(slow.log_p_adjusted, rel=1e-8, abs=1e-9)


@st.composite
def counts(draw: st.DrawFn, classes: int) -> list[ClassTally]:
    """A table of 2 to 8 categories; small numbers, so that ties and empty cells are common."""
    chance = Random(draw(st.integers(0, 2**32)))
    top = draw(st.sampled_from([1, 3, 12, 60]))
    rows = [tuple(chance.randint(0, top) for _ in range(classes)) for _ in range(draw(st.integers(2, 8)))]
    return tallied([row if any(row) else (1, *row[1:]) for row in rows])


KINDS = st.sampled_from(["monotonic", "free", "floating"])


@pytest.mark.parametrize("statistic", ["pearson", "likelihood"])
@given(st.data())
def test_classes_merge_as_the_definition_says(statistic, data):
    classes = data.draw(st.integers(2, 4))
    cells = data.draw(counts(classes))
    compare(data.draw(KINDS), cells, Classes(statistic), statistic, rules(data.draw))


@given(st.data())
def test_ordered_classes_merge_as_the_definition_says(data):
    classes = data.draw(st.integers(2, 5))
    scores = data.draw(st.permutations(range(1, classes + 1)).map(lambda order: tuple(s * s for s in order)))
    cells = data.draw(counts(classes))
    compare(data.draw(KINDS), cells, OrderedClasses(scores), "row_effects", rules(data.draw))


@given(st.data())
def test_numbers_merge_as_the_definition_says(data):
    chance = Random(data.draw(st.integers(0, 2**32)))
    top, size = data.draw(st.sampled_from([1, 5, 1000])), data.draw(st.sampled_from([1, 3, 10]))
    samples = [
        [(chance.randint(0, top), chance.randint(1, 2)) for _ in range(chance.randint(1, size))]
        for _ in range(data.draw(st.integers(2, 8)))
    ]
    cells = [NumberTally.of([(Fraction(y), w) for y, w in sample]) for sample in samples]
    compare(data.draw(KINDS), cells, Numbers(), "f", rules(data.draw))


def test_a_nominal_group_of_more_than_twelve_levels_is_divided_along_the_order_of_its_rates():
    chance = Random(5)
    for _ in range(20):
        cells = [tuple(chance.randint(1, 30) for _ in range(3)) for _ in range(15)]
        compare("free", tallied(cells), Classes(), "pearson", Rules(alpha_merge=0.001, alpha_resplit=0.0009))


def test_multipliers_of_wide_columns_do_not_overflow():
    cells = [[10.0 * (k % 2), 10.0 * ((k + 1) % 2)] for k in range(2000)]
    found = _core.merge_categories("free", "pearson", cells, [], asdict(Rules()))
    assert len(found["groups"]) == 2
    assert found["log_p_adjusted"] - found["log_p"] == pytest.approx(1999 * math.log(2))  # S(2000, 2) = 2^1999 - 1
    ordinal = _core.merge_categories("monotonic", "pearson", cells, [], asdict(Rules(alpha_merge=1e-4)))
    assert len(ordinal["groups"]) == 2000
    assert ordinal["log_p_adjusted"] == ordinal["log_p"]
