"""CHAID trees of the engine beside those of the slow definition, on random tables."""

from __future__ import annotations

from dataclasses import asdict, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of
from thorough import examples
from treewright.reference.chaid import Recipe, grow
from treewright.reference.chaid_merging import MISSING
from treewright.reference.chaid_sampling import SampledClasses, SampledNumbers
from treewright.reference.group_tests import Classes, GroupTests, Numbers, OrderedClasses
from treewright.reference.growing import Node
from treewright.reference.table import Column, Table

KINDS = ("numeric", "nominal", "ordinal")


@st.composite
def tables(draw: st.DrawFn, classes: int) -> Table:
    """Tables of 30 to 90 rows whose target leans on the columns, so that there is something to split."""
    chance = Random(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(30, 90))
    holes = draw(st.sampled_from([0.0, 0.15]))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
    noise = draw(st.sampled_from([0, 1, 3]))
    raw = [[chance.randint(1, draw_top) for _ in range(n_rows)] for draw_top in (chance.randint(2, 6) for _ in kinds)]
    score = [sum(column[row] for column in raw) + chance.randint(0, noise) for row in range(n_rows)]
    target = tuple(s % classes for s in score) if classes else tuple(score)
    columns = []
    for kind, column in zip(kinds, raw, strict=True):
        values = [None if chance.random() < holes else v for v in column]
        seen = sorted({v for v in values if v is not None})
        codes = {v: (0.5 * v if kind == "numeric" else seen.index(v) + 1) for v in seen}
        columns.append(Column(kind, tuple(None if v is None else codes[v] for v in values)))
    weights = tuple(chance.randint(1, draw(st.sampled_from([1, 1, 3]))) for _ in range(n_rows))
    labels = sorted(set(target))
    if classes:
        target = tuple(labels.index(y) for y in target)
    return Table(tuple(columns), target, weights, len(labels) if classes else 0)


@st.composite
def stops(draw: st.DrawFn) -> Recipe:
    """Rules that let trees of this size grow."""
    exhaustive = draw(st.booleans())
    alpha = draw(st.sampled_from([0.05, 0.3]))
    return Recipe(
        alpha_merge=alpha,
        alpha_split=draw(st.sampled_from([0.05, 0.5])),
        alpha_resplit=None if exhaustive else draw(st.sampled_from([None, 0.5 * alpha])),
        exhaustive=exhaustive,
        exhaustive_adjust=draw(st.sampled_from(["biggs", "spss"])),
        bonferroni=draw(st.booleans()),
        min_segment=draw(st.sampled_from([0, 5])),
        max_depth=draw(st.sampled_from([None, 1, 2])),
        min_samples_split=draw(st.sampled_from([2, 10])),
        min_samples_leaf=draw(st.sampled_from([1, 5])),
        bins=draw(st.sampled_from([2, 4, 10])),
    )


def fit(table: Table, chosen: Recipe, factor: float = 1.0, **more: Any) -> Any:
    """The engine's model with the same numbers; weights may be in another unit."""
    estimator = tw.CHAIDClassifier if table.n_classes else tw.CHAIDRegressor
    params = {name: value for name, value in asdict(chosen).items() if name != "most_levels"}
    params["min_segment"] = params["min_segment"] or None
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    model = estimator(**params, column_kinds=kinds, n_jobs=1, **more)
    weights = factor * np.array(table.weights, dtype="float64")
    return model.fit(frame_of(table), np.array(table.target), sample_weight=weights)


def assert_same_tree(model: Any, table: Table, nodes: list[Node]) -> None:
    """Same nodes, columns, rows, branches and numbers; and every row is predicted where it was trained."""
    a = model.tree_.arrays
    assert a["n_rows"].tolist() == [len(node.rows) for node in nodes]
    assert a["column"].tolist() == [node.split.column if node.split else -1 for node in nodes]
    for i, node in enumerate(nodes):
        if node.split is None:
            assert np.isnan(a["statistic"][i])
            continue
        close, merged = {"rel": 1e-8, "abs": 1e-9}, node.candidates[node.choice.winner].merged
        assert a["statistic"][i] == pytest.approx(merged.test.statistic, **close)
        assert a["df"][i] == merged.test.degrees
        assert a["log_p"][i] == pytest.approx(merged.test.log_p, **close)
        assert a["log_p_adjusted"][i] == pytest.approx(merged.log_p_adjusted, **close)
        takes_missing = [b for b, group in enumerate(merged.groups) if MISSING in group]
        assert a["missing_branch"][i] == (takes_missing[0] if takes_missing else -1)
    leaf_of = {row: i for i, node in enumerate(nodes) if not node.children for row in node.rows}
    found = model.apply(frame_of(table))
    assert [int(found[row]) for row in sorted(leaf_of)] == [leaf_of[row] for row in sorted(leaf_of)]


def has_no_constant_column(table: Table) -> bool:
    """Whether no warning is due, which is tested elsewhere."""
    return all(len(set(column.values)) > 1 for column in table.columns)


def compare(table: Table, chosen: Recipe, tests: GroupTests, **more: Any) -> None:
    """Grow both trees."""
    assume(has_no_constant_column(table))
    assert_same_tree(fit(table, chosen, **more), table, grow(table, tests, chosen))


@pytest.mark.parametrize("statistic", ["pearson", "likelihood"])
@settings(max_examples=examples(100))
@given(tables(3), stops())
def test_trees_of_classes_are_those_of_the_definition(statistic, table, chosen):
    compare(table, chosen, Classes(statistic), statistic=statistic)


@settings(max_examples=examples(100))
@given(tables(4), stops(), st.randoms(use_true_random=False))
def test_trees_of_ordered_classes_are_those_of_the_definition(table, chosen, chance):
    order = list(range(table.n_classes))
    chance.shuffle(order)
    scores = tuple(float(order.index(k) + 1) for k in range(table.n_classes))
    compare(table, chosen, OrderedClasses(scores), target_order=order)


@settings(max_examples=examples(100))
@given(tables(0), stops())
def test_trees_of_numbers_are_those_of_the_definition(table, chosen):
    compare(table, chosen, Numbers())


@pytest.mark.parametrize("statistic", ["pearson", "likelihood"])
@settings(max_examples=examples(60))
@given(tables(3), stops())
def test_trees_of_sampled_classes_are_those_of_the_definition(statistic, table, chosen):
    tests = SampledClasses(statistic)
    compare(table, chosen, tests, statistic=statistic, weights="sampling")


@settings(max_examples=examples(60))
@given(tables(4), stops())
def test_trees_of_sampled_ordered_classes_are_those_of_the_definition(table, chosen):
    scores = tuple(float(k + 1) for k in range(table.n_classes))
    tests = SampledClasses(scores=scores)
    compare(table, chosen, tests, target_order=list(range(table.n_classes)), weights="sampling")


@settings(max_examples=examples(60))
@given(tables(0), stops())
def test_trees_of_sampled_numbers_are_those_of_the_definition(table, chosen):
    compare(table, chosen, SampledNumbers(), weights="sampling")


@settings(max_examples=examples(60))
@given(tables(3), stops(), st.sampled_from([0.001, 7.0]))
def test_the_unit_of_sampling_weights_is_of_no_matter(table, chosen, factor):
    assume(has_no_constant_column(table))
    model = fit(table, chosen, weights="sampling")
    other = fit(table, chosen, factor, weights="sampling")
    np.testing.assert_array_equal(model.tree_.arrays["column"], other.tree_.arrays["column"])
    np.testing.assert_allclose(model.tree_.arrays["statistic"], other.tree_.arrays["statistic"], rtol=1e-9)


@settings(max_examples=examples(100))
@given(tables(2), stops())
def test_a_doubled_row_and_a_weight_of_two_are_the_same(table, chosen):
    doubled = [row for row in table.rows() for _ in range(table.weights[row])]
    columns = tuple(Column(c.kind, tuple(c.values[row] for row in doubled)) for c in table.columns)
    longer = Table(columns, tuple(table.target[row] for row in doubled), (1,) * len(doubled), table.n_classes)
    assume(has_no_constant_column(table))
    one, two = fit(table, chosen), fit(longer, chosen)
    for name in ("column", "statistic", "df", "log_p_adjusted", "weight", "missing_branch"):
        np.testing.assert_array_equal(one.tree_.arrays[name], two.tree_.arrays[name])


@settings(max_examples=examples(100))
@given(tables(2), stops(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(table, chosen, chance):
    order = list(range(len(table.target)))
    chance.shuffle(order)
    columns = tuple(Column(c.kind, tuple(c.values[row] for row in order)) for c in table.columns)
    mixed = replace(
        table,
        columns=columns,
        target=tuple(table.target[row] for row in order),
        weights=tuple(table.weights[row] for row in order),
    )
    assume(has_no_constant_column(table))
    assert fit(table, chosen).fingerprint() == fit(mixed, chosen).fingerprint()
