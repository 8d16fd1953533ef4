"""Explanations say what the model does: the walk, the merged conditions, and the smallest change."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from oracle.nearest_change import all_changes, least_change, level_choices, number_choices
from properties.explained_models import CLASSIFIERS, OTHERS, REGRESSORS, Explained, explained_models
from treewright.inspection.change import all_scales
from treewright.inspection.conditions import conditions_of
from treewright.inspection.decision_path import answer, read_row, walk

EVERY = {**CLASSIFIERS, **OTHERS}
NAMES = ["number", "grade", "colour"]


def numbers_of(case: Explained, rows: pd.DataFrame) -> list[list[float]]:
    encoder = case.model._lookup.encoder
    return [read_row(encoder, rows.iloc[i]).numbers for i in range(len(rows))]


def changed_frame(case: Explained, rows: list[list[float]]) -> pd.DataFrame:
    """Encoded rows as a table again."""
    columns = {}
    for j, column in enumerate(case.model.tree_.schema.columns):
        values = [row[j] for row in rows]
        if column.kind == "numeric":
            columns[column.name] = pd.Series(values, dtype=float)
        else:
            levels = [None if x != x else column.levels[int(x) - 1] for x in values]
            columns[column.name] = pd.Series(levels, dtype=object)
    return pd.DataFrame(columns)


@given(case=explained_models(EVERY))
def test_a_row_is_walked_to_the_node_and_the_answer_that_the_core_gives(case: Explained) -> None:
    tree = case.model.tree_
    for table in (case.X, case.rows):
        ends, answers = case.model.apply(table), case.model.predict(table)
        for i, values in enumerate(numbers_of(case, table)):
            assert walk(tree, values)[1] == ends[i]
            assert answer(tree, values) == answers[i]
            assert case.model.why(table.iloc[i]).prediction == answers[i]


@given(case=explained_models(REGRESSORS, numbers=True))
def test_numbers_are_those_that_the_model_predicts(case: Explained) -> None:
    answers = case.model.predict(case.rows)
    for i, values in enumerate(numbers_of(case, case.rows)):
        assert answer(case.model.tree_, values) == pytest.approx(answers[i], rel=1e-12)


@given(case=explained_models({**CLASSIFIERS, "oblique": OTHERS["oblique"], "c45 subsets": OTHERS["c45 subsets"]}))
def test_merged_conditions_hold_for_exactly_the_rows_that_come_to_the_node(case: Explained) -> None:
    tree = case.model.tree_
    for table in (case.X, case.rows):
        for values in numbers_of(case, table):
            steps, end = walk(tree, values)
            passed = {step.node for step in steps} | {end}
            spreads = any(step.branch == -2 for step in steps)
            for node in range(tree.n_nodes if not spreads else 0):
                assert all(c.holds(values) for c in conditions_of(tree, node)) == (node in passed)


@given(case=explained_models({**EVERY}))
def test_the_smallest_change_really_changes_the_answer(case: Explained) -> None:
    for i in range(len(case.rows)):
        why = case.model.why(case.rows.iloc[i], fixed=["grade"])
        if why.change is not None:
            row = case.model.tree_.schema.names
            given_again = case.model.why(why.change.row).prediction
            assert case.model.predict(pd.DataFrame([why.change.row])[list(row)])[0] == why.change.answer == given_again
            assert why.change.answer != why.prediction
            assert "grade" not in why.change.columns


def oracle_price(case: Explained, values: list[float], fixed: set[str], wanted: Any) -> tuple[int, float] | None:
    tree = case.model.tree_
    scales = all_scales(tree, values, {})
    columns = []
    for j, column in enumerate(tree.schema.columns):
        is_fixed = column.name in fixed
        if column.kind == "numeric":
            asked = (tree.arrays["column"] == j) & np.isfinite(tree.arrays["threshold"])
            cuts = tree.arrays["threshold"][asked].tolist()
            if "interval_start" in tree.arrays:
                owner = np.repeat(tree.arrays["column"], np.diff(tree.arrays["interval_start"]))
                cuts += tree.arrays["interval_upper"][owner == j].tolist()
            columns.append(number_choices(cuts, values[j], scales[j], is_fixed))
        else:
            ordinal = column.kind == "ordinal"
            columns.append(level_choices(len(column.levels), values[j], ordinal, scales[j], is_fixed))
    rows = all_changes(columns)
    answers = case.model.predict(changed_frame(case, [row for _, row in rows]))
    return least_change(rows, answers, wanted)


@given(case=explained_models(CLASSIFIERS))
def test_no_row_with_another_answer_needs_a_smaller_change(case: Explained) -> None:
    for i, values in enumerate(numbers_of(case, case.rows)):
        for fixed in (set(), {"colour"}):
            why = case.model.why(case.rows.iloc[i], fixed=fixed)
            expected = oracle_price(case, values, fixed, lambda found, own=why.prediction: found != own)
            found = None if why.change is None else (len(why.change.columns), why.change.size)
            assert (found is None) == (expected is None)
            if expected is not None and found is not None:
                assert found[0] == expected[0]
                assert math.isclose(found[1], expected[1], abs_tol=1e-9)


@given(case=explained_models(CLASSIFIERS))
def test_asking_for_a_class_leads_to_this_class_by_the_smallest_change(case: Explained) -> None:
    for i, values in enumerate(numbers_of(case, case.rows)):
        prediction = case.model.why(case.rows.iloc[i]).prediction
        for label in set(case.model.classes_) - {prediction}:
            change = case.model.why(case.rows.iloc[i], not_class=label).change
            expected = oracle_price(case, values, set(), lambda found, label=label: found == label)
            assert (None if change is None else len(change.columns)) == (None if expected is None else expected[0])
            assert change is None or change.answer == label


@given(case=explained_models(REGRESSORS, numbers=True))
def test_a_bound_is_really_crossed(case: Explained) -> None:
    for i in range(len(case.rows)):
        prediction = case.model.why(case.rows.iloc[i]).prediction
        for question in ({"below": prediction - 0.5}, {"above": prediction + 0.5}):
            change = case.model.why(case.rows.iloc[i], **question).change
            if change is not None:
                found = case.model.predict(pd.DataFrame([change.row])[NAMES])[0]
                assert found == pytest.approx(change.answer, rel=1e-12)
                assert found < prediction - 0.5 if "below" in question else found > prediction + 0.5
