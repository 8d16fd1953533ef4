"""Lessons in ID3, C4.5, CHAID and conditional trees choose what the estimators chose, on random tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.tables import tables
from properties.test_lessons_follow_the_estimators import check, teach
from thorough import examples
from treewright.reference.table import Column, Table

ALPHAS = st.sampled_from([0.05, 0.3, 0.9])


def several_times(table: Table, times: int) -> Table:
    """The table with every row so many times, so that tests of significance find something."""
    columns = tuple(Column(column.kind, column.values * times) for column in table.columns)
    return Table(columns, table.target * times, table.weights * times, table.n_classes)


def without_holes(table: Table) -> Table:
    """The table with the first value of each column in the place of missing ones; columns without a value go."""
    columns = []
    for column in table.columns:
        known = [value for value in column.values if value is not None]
        if known:
            columns.append(replace(column, values=tuple(known[0] if v is None else v for v in column.values)))
    return replace(table, columns=tuple(columns))


@settings(max_examples=examples(100))
@given(data=st.data())
def test_a_lesson_in_id3_chooses_what_the_classifier_chose(data: st.DataObject) -> None:
    table = data.draw(tables(classes=4, kinds=("nominal",)))
    missing = data.draw(st.sampled_from(["refuse", "branch"]))
    table = without_holes(table) if missing == "refuse" else table
    if table.columns:
        check(teach(table, "id3", missing=missing, min_gain=data.draw(st.sampled_from([0.0, 0.0, 0.1]))))


@settings(max_examples=examples(150))
@given(data=st.data())
def test_a_lesson_in_c45_chooses_what_the_classifier_chose(data: st.DataObject) -> None:
    table = several_times(data.draw(tables(classes=4)), data.draw(st.sampled_from([1, 2])))
    parameters = {
        "min_samples_leaf": data.draw(st.sampled_from([1, 2, 5])),
        "binary": data.draw(st.booleans()),
        "mdl_correction": data.draw(st.booleans()),
        "collapse": False,
        "prune": data.draw(st.booleans()),
    }
    found = teach(table, "c45", **parameters)
    check(found)


@pytest.mark.filterwarnings("ignore:Column .* has only one value")
@settings(max_examples=examples(100))
@given(data=st.data())
def test_a_lesson_in_chaid_chooses_what_the_estimator_chose(data: st.DataObject) -> None:
    table = several_times(data.draw(tables(classes=data.draw(st.sampled_from([0, 2, 3])))), 3)
    parameters = {
        "alpha_merge": data.draw(ALPHAS),
        "alpha_split": data.draw(ALPHAS),
        "exhaustive": data.draw(st.booleans()),
        "bonferroni": data.draw(st.booleans()),
        "missing": data.draw(st.sampled_from(["branch", "larger", "stop"])),
        "min_samples_split": data.draw(st.sampled_from([2, 10])),
        "min_samples_leaf": data.draw(st.sampled_from([1, 5])),
        "bins": data.draw(st.sampled_from([2, 3, 10])),
    }
    check(teach(table, "chaid", **parameters))


@settings(max_examples=examples(100))
@given(data=st.data())
def test_a_lesson_in_ctree_chooses_what_the_estimator_chose(data: st.DataObject) -> None:
    table = several_times(data.draw(tables(classes=data.draw(st.sampled_from([0, 2, 3])))), 3)
    if sum(table.weights) < 2:
        return
    parameters = {
        "alpha": data.draw(ALPHAS),
        "test": data.draw(st.sampled_from(["bonferroni", "univariate"])),
        "min_samples_split": data.draw(st.sampled_from([2, 20])),
        "min_samples_leaf": data.draw(st.sampled_from([1, 7])),
    }
    check(teach(table, "ctree", **parameters))


@pytest.mark.parametrize(
    ("criterion", "missing"), [("gini", "surrogates"), ("entropy", "stop"), ("gain_ratio", "learn")]
)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_lesson_in_cart_follows_surrogates_stopping_rows_and_gain_ratio(
    criterion: str, missing: str, data: st.DataObject
) -> None:
    table = data.draw(tables(classes=2))
    check(teach(table, "cart", criterion=criterion, missing=missing))
