"""Oblique trees: the engine's tree is the one that the definition gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.oblique_draws import DrawnOblique, Draws
from properties.oblique_tables import (
    engine_terms,
    oblique_model,
    oblique_recipes,
    oracle_terms,
    sloped_tables,
    stepped_tables,
)
from thorough import examples
from treewright.reference.growing import Node
from treewright.reference.oblique import Recipe, grow, price_of
from treewright.reference.sums import SumSplit
from treewright.reference.table import Column, Table

CLOSE = 1e-5  # sums are cut half way between rows, and their weights end at 24 bits


def assert_same_tree(model: Any, nodes: list[Node]) -> None:
    """The same tests, rows and prices at every node."""
    a = model.tree_.arrays
    assert a["n_rows"].tolist() == [len(node.rows) for node in nodes]
    for i, node in enumerate(nodes):
        assert (a["n_children"][i] > 0) == (node.split is not None)
        if node.split is None:
            continue
        assert engine_terms(model, i) == pytest.approx(oracle_terms(node.split), rel=CLOSE, abs=CLOSE)
        assert a["price"][i] == pytest.approx(price_of(node, len(node.place.table.columns)), abs=1e-6)
        assert a["missing_branch"][i] == node.split.missing
        if not np.isnan(a["threshold"][i]):
            threshold = node.split.threshold if isinstance(node.split, SumSplit) else node.split.cuts[0]
            assert a["threshold"][i] == pytest.approx(threshold, rel=CLOSE, abs=CLOSE)


def check(table: Table, recipe: Recipe) -> None:
    nodes = list(grow(table, recipe).preorder())
    for n_counted in (255, 1):  # every column counted; every ordered one kept in order
        assert_same_tree(oblique_model(table, recipe, n_counted), nodes)


@pytest.mark.parametrize("classes", [0, 2, 3])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_the_tree_is_the_one_of_the_definition(classes: int, data: st.DataObject) -> None:
    check(data.draw(sloped_tables(classes)), data.draw(oblique_recipes()))


@pytest.mark.parametrize("classes", [0, 2, 3])
@settings(max_examples=examples(15))
@given(data=st.data())
def test_levels_with_scores_give_the_tree_of_the_definition(classes: int, data: st.DataObject) -> None:
    check(data.draw(stepped_tables(classes)), replace(data.draw(oblique_recipes()), nominal_scores=True))


@pytest.mark.parametrize("classes", [0, 2, 3])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_nodes_that_draw_their_columns_give_the_tree_of_the_definition(classes: int, data: st.DataObject) -> None:
    table, recipe = data.draw(sloped_tables(classes)), replace(data.draw(oblique_recipes()), prune=None)
    draws = Draws(data.draw(st.integers(1, len(table.columns) + 1)), data.draw(st.integers(0, 2**31 - 1)))
    nodes = list(DrawnOblique(table.as_floats(), recipe, draws).grow().preorder())
    for n_counted in (255, 1):
        assert_same_tree(oblique_model(table, recipe, n_counted, draws), nodes)


def plane(n_classes: int) -> Table:
    """Points whose target depends on x0 + 2·x1 alone."""
    x = np.random.default_rng(n_classes).normal(size=(60, 3)).round(2)
    total = x[:, 0] + 2 * x[:, 1]
    cuts = np.quantile(total, np.arange(1, n_classes) / max(n_classes, 1))
    target = np.digitize(total, cuts) if n_classes else np.rint(9 * total)
    columns = tuple(Column("numeric", tuple(x[:, j].tolist())) for j in range(3))
    return Table(columns, tuple(int(t) for t in target), (1,) * 60, n_classes)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_a_border_that_leans_is_found_with_its_slope(classes: int) -> None:
    model = oblique_model(plane(classes), Recipe())
    terms = engine_terms(model, 0)
    assert set(terms) == {(0, 0), (1, 0)}
    assert terms[1, 0] == 1.0
    assert terms[0, 0] == pytest.approx(0.5, abs=0.15)
