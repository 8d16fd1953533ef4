"""A fully grown tree knows its training rows by heart unless two equal rows have different targets."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of, grow_with_engine
from properties.tables import tables
from thorough import examples
from treewright.reference.cart import Recipe
from treewright.reference.table import Table

MOST_INPUTS = 10


def without_conflicts(table: Table) -> Table:
    """The table where rows that look alike have the target of the first of them."""
    first: dict[tuple[float | int | None, ...], int] = {}
    looks = [tuple(column.values[row] for column in table.columns) for row in range(len(table.target))]
    target = tuple(first.setdefault(look, y) for look, y in zip(looks, table.target, strict=True))
    return replace(table, target=target, n_classes=len(set(target)) if table.n_classes else 0)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "twoing", "hellinger"])
@given(data=st.data())
def test_rows_without_conflict_are_learnt_without_error(criterion: str, data: st.DataObject) -> None:
    table = without_conflicts(data.draw(tables(classes=3)))
    labels = np.unique(table.target, return_inverse=True)[1]
    table = replace(table, target=tuple(int(k) for k in labels))
    model = grow_with_engine(table, Recipe(criterion, "learn"))
    rows = table.rows()
    np.testing.assert_array_equal(model.predict(frame_of(table))[rows], np.array(table.target)[rows])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@given(data=st.data())
def test_numbers_without_conflict_are_learnt_without_error(criterion: str, data: st.DataObject) -> None:
    table = without_conflicts(data.draw(tables()))
    assume(criterion != "poisson" or any(table.target))
    model = grow_with_engine(table, Recipe(criterion, "learn"))
    rows = table.rows()
    np.testing.assert_allclose(model.predict(frame_of(table))[rows], np.array(table.target)[rows], atol=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "twoing", "hellinger"])
def test_xor_is_learnt_although_no_first_split_gains_anything(criterion: str) -> None:
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    model = tw.DecisionTreeClassifier(criterion=criterion).fit(corners, [0, 1, 1, 0])
    assert model.predict(corners).tolist() == [0, 1, 1, 0]
    assert model.tree_.arrays["gain"][0] == 0
    assert model.tree_.n_leaves == 4


@pytest.mark.parametrize("inputs", range(1, MOST_INPUTS + 1))
@settings(max_examples=examples(12))
@given(data=st.data())
def test_any_boolean_function_is_learnt_from_its_truth_table(inputs: int, data: st.DataObject) -> None:
    assignments = np.array(list(product([0, 1], repeat=inputs)))
    bits = data.draw(st.integers(0, 2 ** (2**inputs) - 1))
    truth = np.array([bits >> place & 1 for place in range(2**inputs)])
    model = tw.DecisionTreeClassifier().fit(assignments, truth)
    np.testing.assert_array_equal(model.predict(assignments), truth)


@pytest.mark.parametrize("inputs", range(2, MOST_INPUTS + 1))
def test_parity_needs_a_leaf_for_every_row_and_gets_it(inputs: int) -> None:
    assignments = np.array(list(product([0, 1], repeat=inputs)))
    parity = assignments.sum(axis=1) % 2
    model = tw.DecisionTreeClassifier().fit(assignments, parity)
    np.testing.assert_array_equal(model.predict(assignments), parity)
    assert model.tree_.n_leaves == 2**inputs
