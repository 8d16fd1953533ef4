"""The engine's tree is the definition's tree: shape, tests, missing branches, counts, on random tables."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from properties.engine import assert_same_tree, frame_of, grow_with_engine
from properties.tables import NUMBER_CRITERIA, recipes, tables
from treewright.errors import DataError
from treewright.reference.cart import Cart, Recipe, grow
from treewright.reference.divisions import level_cut, subsets
from treewright.reference.split import Division, Split
from treewright.reference.table import Column, Place, Table

CLASS_CRITERIA = ("gini", "entropy", "error", "twoing", "hellinger")


def policies(criterion: str) -> tuple[str, ...]:
    """Twoing knows two branches only, so it has no branch of its own for missing rows."""
    return ("learn", "larger") if criterion == "twoing" else ("learn", "larger", "branch")


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@given(data=st.data())
def test_a_classification_tree_equals_the_definition(criterion: str, data: st.DataObject) -> None:
    table = data.draw(tables(classes=data.draw(st.sampled_from([2, 3, 4]))))
    recipe = data.draw(recipes(criterion, policies(criterion)))
    assert_same_tree(grow_with_engine(table, recipe), table, grow(table, recipe))


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@given(data=st.data())
def test_a_regression_tree_equals_the_definition(criterion: str, data: st.DataObject) -> None:
    table = data.draw(tables())
    assume(criterion != "poisson" or any(table.target))  # A rate of zero is refused.
    recipe = data.draw(recipes(criterion))
    assert_same_tree(grow_with_engine(table, recipe), table, grow(table, recipe))


def every_subset(table: Table, recipe: Recipe) -> tuple[Cart, list[float]]:
    """The scores of all divisions of a nominal column in two: what the ordered scan must reach."""
    cart = Cart(table.exact(), recipe)
    found = Place(cart.table, cart.table.cases()).values_of(0)
    cuts = (level_cut(0, found, left) for left in subsets(len(found.values)))
    return cart, [float(cart.measures(division)[cart.decides]) for division in cart.with_missing(0, found, cuts)]


@pytest.mark.parametrize("criterion", [c for c in CLASS_CRITERIA + NUMBER_CRITERIA if c != "absolute_error"])
@given(data=st.data())
def test_the_split_of_a_nominal_column_is_the_best_of_all_subsets(criterion: str, data: st.DataObject) -> None:
    classes = 2 if criterion in CLASS_CRITERIA else 0
    table = data.draw(tables(classes=classes, kinds=("nominal",)))
    assume(criterion != "poisson" or any(table.target))
    table = Table(table.columns[:1], table.target, table.weights, table.n_classes)
    policy = data.draw(st.sampled_from(policies(criterion)))
    cart, best = every_subset(table, Recipe(criterion, policy, max_depth=1))
    model = grow_with_engine(table, cart.recipe)
    chosen = model.apply(frame_of(table))
    branches = [[row for row in table.rows() if chosen[row] == leaf] for leaf in np.unique(chosen)]
    if policy == "larger":  # Only rows with a value are scored.
        known = set(table.columns[0].known(table.rows()))
        branches = [[row for row in branch if row in known] for branch in branches]
        best = [score for score in best if score]
    if len(branches) > 1 and all(branches):
        share = table.weight([row for b in branches for row in b]) / table.weight(table.rows())
        tallies = tuple(cart.table.tally(cart.table.cases(b)) for b in branches)
        reached = float(cart.measures(Division(Split(0), tallies, Decimal(share)))[cart.decides])
        assert reached == pytest.approx(max(best, default=0.0), rel=1e-12, abs=1e-12)
    else:
        assert len(set(table.target)) == 1 or not best


@given(table=tables(classes=3))
def test_missing_values_are_refused_only_when_there_are_some(table: Table) -> None:
    recipe = Recipe(missing="refuse")
    if any(column.missing(table.rows()) for column in table.columns):
        with pytest.raises(DataError):
            grow_with_engine(table, recipe)
    else:
        assert_same_tree(grow_with_engine(table, recipe), table, grow(table, recipe))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_an_outlier_does_not_hide_the_spread_of_the_other_rows(criterion: str) -> None:
    column = Column("numeric", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    table = Table((column,), target=(0, 1, 2, 3, 4, 10**9), weights=(1,) * 6, n_classes=0)
    assert_same_tree(grow_with_engine(table, Recipe(criterion)), table, grow(table, Recipe(criterion)))
