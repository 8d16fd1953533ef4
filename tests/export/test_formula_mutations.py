"""A proof of a model without trees can fail: a coefficient moved by one unit, a sign, a level are caught."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import treewright as tw
from export.exported_formulas import fitted_formulas, narrow_bayes
from export.formula_mutations import CHANGES
from export.formulas_alike import is_shown_to_be_none
from treewright.export.code.formula_files import formula_python
from treewright.export.expected import Answers, expected_answers
from treewright.export.formula import Formula, evaluate
from treewright.export.formula_probes import codes_of, score_slack
from treewright.export.formula_spots import all_spots, moved
from treewright.export.model_formula import formula_of
from treewright.export.proof import chosen_probes, first_difference, units_allowed
from treewright.export.runtimes import PythonRuntime, Questions
from treewright.export.telling_rows import _Search

MUTATIONS = 100
ROWS = 2_000  # drawn rows that decide whether a change that was not caught changes anything
PART = 6  # of the models in `make test`


@dataclass(frozen=True)
class Known:
    """A model as a formula, what its proof asks, and what the model answers."""

    formula: Formula
    asked: Questions
    expected: Answers
    units: int


def known_formula(model: Any) -> Known:
    formula = formula_of(model)
    rows = chosen_probes(formula, 0)[0][::-1]  # those for last bits stand last
    asked = Questions([], rows, formula.labels, n_scores=0 if formula.labels is None else len(formula.outputs))
    expected = expected_answers(model, formula, rows)
    return Known(formula, asked, expected, units_allowed(asked, expected, formula.is_exact, PythonRuntime.units))


def is_caught(mutant: Formula, known: Known) -> bool:
    """Run the text of the export on one probe after the other, as `runtimes.PythonRuntime` does, up to a difference.

    A probe at which the export differs before it is changed catches nothing.
    """
    changed, whole = _written(mutant), _written(known.formula)
    places = range(len(known.asked.rows))
    return any(_differs(changed, known, place) and not _differs(whole, known, place) for place in places)


def _written(formula: Formula) -> dict[str, Any]:
    written: dict[str, Any] = {}
    exec(formula_python(formula), written)
    return written


def _differs(written: dict[str, Any], known: Known, place: int) -> bool:
    asked, expected, row = known.asked, known.expected, known.asked.rows[place]
    found = Answers(
        [[]],
        [written["predict_proba"](row)],
        None if asked.labels is None else [written["predict"](row)],
        None if asked.labels is None else [written["scores"](row)],
    )
    parts = [getattr(expected, name) for name in ("nodes", "numbers", "labels", "scores", "slack")]
    one = Answers(*(None if part is None else part[place : place + 1] for part in parts))
    return first_difference(replace(asked, rows=[row]), one, found, known.units) is not None


def tells(formula: Formula, mutant: Formula, rng: np.random.Generator) -> bool:
    """Say whether some of many drawn rows has another score, by more than tanh leaves open."""
    rows = np.full((ROWS, len(formula.columns)), np.nan)
    for place in formula.used:
        column = formula.columns[place]
        drawn = rng.integers(1, len(column.levels) + 1, ROWS) if column.levels else rng.normal(size=ROWS) * 3
        rows[:, place] = np.where(rng.random(ROWS) < 0.1, np.nan, drawn)
    slack = score_slack(formula, rows)
    for place, row in enumerate(rows.tolist()):
        pairs = zip(evaluate(formula, row), evaluate(mutant, row), strict=True)
        off = [abs(a - b) for a, b in pairs if a != b]
        if off and max(off) > (0.0 if slack is None else slack[place].max()):
            return True
    return False


def is_swamped(known: Known, mutant: Formula) -> bool:
    """Say whether the changed unit, or what a changed weight reads, is next to nothing beside other terms."""
    formula = known.formula
    changed = [at for at, unit in enumerate(formula.units) if unit != mutant.units[at]]
    if not changed:
        return False
    pairs = zip(formula.units[changed[0]].terms, mutant.units[changed[0]].terms, strict=True)
    here = {len(formula.inputs) + changed[0], *(a[0] for a, b in pairs if a != b)}
    codes = codes_of(formula, known.asked.rows)
    values = _Search(formula).pool_of(codes).values
    for unit in formula.units:
        for source, weight in unit.terms:
            if source in here and source >= len(formula.inputs):
                largest = np.max([np.abs(w * values[:, s]) for s, w in unit.terms], axis=0)
                if (np.abs(weight * values[:, source]) <= 1e-6 * largest).all():
                    return True
    return False


def outcomes(known: dict[str, Known], n: int, seed: int) -> Counter[tuple[str, str, str]]:
    """Give how many changes of each model and kind are caught, none, swamped, missed, or told by no row."""
    rng, drawn, found = random.Random(seed), np.random.default_rng(seed), Counter[tuple[str, str, str]]()
    while found.total() < n:
        name, change = rng.choice(list(known)), rng.choice(CHANGES)
        one = known[name]
        mutant = change(one.formula, rng)
        if mutant is None or mutant == one.formula:  # a weight of 0 with the other sign, a column swapped with itself
            continue
        if is_caught(mutant, one):
            assert not is_shown_to_be_none(one.formula, mutant), (name, change.__name__)  # a proof that proves too much
            found["caught", "", ""] += 1
        elif is_shown_to_be_none(one.formula, mutant):
            found["none", name, change.__name__] += 1
        else:
            word = "missed" if tells(one.formula, mutant, drawn) else "told by no row"
            word = "swamped" if word != "missed" and is_swamped(one, mutant) else word
            found[word, name, change.__name__] += 1
    return found


def test_less_than_what_libraries_leave_open_is_shown_to_be_none_and_more_is_not() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    formula = formula_of(tw.LinearRegression(basis="radial:3").fit(X, np.sin(X[:, 0]) + 2))
    at = formula.outputs[0] - len(formula.inputs)
    for spot in (spot for spot in all_spots(formula) if spot.place == at and spot.name == "terms"):
        source, weight = formula.units[at].terms[spot.term]
        # Far from all bells the constant is the answer, to its last bit.
        assert is_shown_to_be_none(formula, moved(formula, spot, np.inf)) == (source != 0)
        assert not is_shown_to_be_none(formula, moved(formula, spot, np.inf, weight * (1 + 1e-9)))


@pytest.mark.parametrize("kind", ["kernel", "gaussian"])
def test_a_class_of_bayes_that_is_moved_by_more_is_not_shown_to_be_none(kind: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)), np.repeat(["a", "b"], 30)
    formula = formula_of(tw.NaiveBayesClassifier(numeric=kind).fit(X, y))
    for spot in (spot for spot in all_spots(formula) if spot.name == "terms"):
        weight = formula.units[spot.place].terms[spot.term][1]
        assert not is_shown_to_be_none(formula, moved(formula, spot, np.inf, weight * (1 + 1e-9)))


@pytest.mark.random_examples
@pytest.mark.timeout(3000)
def test_nearly_every_mutation_of_a_formula_is_caught() -> None:
    models = [("narrow bayes", narrow_bayes()), *fitted_formulas()][::PART]
    found = outcomes({name: known_formula(model) for name, model in models}, MUTATIONS, 7)
    missed = {key: n for key, n in found.items() if key[0] in ("missed", "told by no row")}
    assert sum(missed.values()) <= MUTATIONS // 1000, missed
    # One of the networks has a unit that answers 0 unless numbers are ten million times as large as usual, and then
    # is lost beside the others: some last bits of its weights show in no probe. They are counted apart, not caught.
    assert {key[1] for key in found if key[0] == "swamped"} <= {"network of numbers"}, found


def test_a_bell_that_is_moved_by_a_filler_beside_its_centre_is_shown_to_be_none_and_by_more_is_not() -> None:
    formula = formula_of(dict(fitted_formulas())["radial of two of numbers"])
    spots = [spot for spot in all_spots(formula) if spot.name == "fill"]
    at_centre = [spot for spot in spots if formula.inputs[spot.place].fill == formula.inputs[spot.place].center]
    assert at_centre
    for spot in at_centre:
        assert is_shown_to_be_none(formula, moved(formula, spot, np.inf))
        assert not is_shown_to_be_none(formula, moved(formula, spot, np.inf, formula.inputs[spot.place].fill + 1e-6))


def test_a_weight_of_a_unit_that_answers_0_unless_numbers_are_far_out_is_told_at_ties_of_the_rounding() -> None:
    formula = formula_of(dict(fitted_formulas())["network of numbers"])
    search = _Search(formula)
    spots = [spot for spot in all_spots(formula) if spot.of == "unit" and spot.place == 3]
    told = 0
    for spot in spots[:2]:
        for towards in (-np.inf, np.inf):
            mutant = moved(formula, spot, towards)
            told += any(search.telling(pool, spot, mutant) is not None for pool in search.pools(spot))
    assert told == 4
