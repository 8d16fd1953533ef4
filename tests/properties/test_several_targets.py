"""Trees of several targets equal their definition, on random tables with ties, holes, levels and weights."""

from __future__ import annotations

from dataclasses import asdict
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from properties.engine import engine_tests, frame_of, oracle_tests
from properties.tables import column, recipes
from treewright.reference.cart import Recipe
from treewright.reference.growing import Node
from treewright.reference.several_targets import SeveralTable, grow
from treewright.reference.table import Column


@st.composite
def several(draw: st.DrawFn, classes: bool) -> SeveralTable:
    """A table of up to 24 rows with two or three targets."""
    n_rows = draw(st.integers(2, 24))
    kinds = draw(st.lists(st.sampled_from(("numeric", "nominal", "ordinal")), min_size=1, max_size=4))
    holes = draw(st.sampled_from([0.0, 0.15, 0.4]))
    cells = Random(draw(st.integers(0, 2**32)))
    columns = tuple(column(cells, n_rows, kind, holes) for kind in kinds)
    n_targets, heaviest = draw(st.integers(2, 3)), draw(st.sampled_from([1, 3]))
    targets = [_target(cells, n_rows, classes) for _ in range(n_targets)]
    weights = tuple(cells.randint(1, heaviest) for _ in range(n_rows))
    (first, n_classes), *others = targets
    return SeveralTable(columns, first, weights, n_classes, others=tuple(others))


def _target(cells: Random, n_rows: int, classes: bool) -> tuple[tuple[int, ...], int]:
    drawn = [cells.randint(0, 3) for _ in range(n_rows)]
    if not classes:
        return tuple(drawn), 0
    number = {label: place for place, label in enumerate(sorted(set(drawn)))}
    return tuple(number[label] for label in drawn), len(number)


def fitted(table: SeveralTable, recipe: Recipe) -> Any:
    numbers = {name: value for name, value in asdict(recipe).items() if name != "min_variance_share"}
    kinds = {f"x{i}": each.kind for i, each in enumerate(table.columns)}
    estimator = tw.DecisionTreeClassifier if table.n_classes else tw.DecisionTreeRegressor
    targets = np.column_stack([table.target, *(other for other, _ in table.others)])
    model = estimator(**numbers, column_kinds=kinds, n_jobs=1)
    return model.fit(frame_of(table), targets, sample_weight=np.array(table.weights, dtype=float))


def assert_same(model: Any, nodes: list[Node]) -> None:
    for t, single in enumerate(model.targets_):
        assert engine_tests(single) == oracle_tests(nodes)
        tallies: Any = [node.tally for node in nodes]
        arrays = single.tree_.arrays
        for i, tally in enumerate(tallies):
            if not hasattr(tally.each[t], "counts"):
                assert arrays["value"][i] == pytest.approx(float(tally.each[t].mean), rel=1e-9, abs=1e-9)
                continue
            part = slice(*arrays["count_start"][i : i + 2])
            held = dict(zip(arrays["count_class"][part].tolist(), arrays["count_weight"][part].tolist(), strict=True))
            assert held == {k: float(count) for k, count in enumerate(tally.each[t].counts) if count > 0}


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@given(data=st.data())
def test_a_tree_of_several_targets_equals_the_definition(criterion: str, data: st.DataObject) -> None:
    table = data.draw(several(classes=criterion != "squared_error"))
    recipe = data.draw(recipes(criterion, ("learn",)))
    recipe = Recipe(**{**asdict(recipe), "min_variance_share": 0.0})
    assert_same(fitted(table, recipe), grow(table, recipe))


@given(seed=st.integers(0, 2**32), n_targets=st.integers(2, 3))
def test_many_levels_are_grouped_along_each_target(seed: int, n_targets: int) -> None:
    cells = Random(seed)
    codes = tuple(cells.sample(range(1, 15), 14)) + tuple(cells.randint(1, 14) for _ in range(10))
    targets = [_target(cells, 24, classes=False) for _ in range(n_targets)]
    table = SeveralTable((Column("nominal", codes),), targets[0][0], (1,) * 24, 0, others=tuple(targets[1:]))
    recipe = Recipe("squared_error", max_depth=2)
    assert_same(fitted(table, recipe), grow(table, recipe))


@given(data=st.data())
def test_the_order_of_rows_and_a_weight_for_a_repeated_row_change_nothing(data: st.DataObject) -> None:
    table = data.draw(several(classes=data.draw(st.booleans())))
    frame, n_rows = frame_of(table), len(table.target)
    targets = np.column_stack([table.target, *(other for other, _ in table.others)])
    weights = np.array(table.weights)
    order = np.array(data.draw(st.permutations(range(n_rows))))
    kinds = {f"x{i}": each.kind for i, each in enumerate(table.columns)}
    for kind in _estimators(bool(table.n_classes)):
        model = kind.set_params(column_kinds=kinds)
        fitted_by_weights = clone(model).fit(frame, targets, weights)
        reordered = clone(model).fit(frame.iloc[order], targets[order], weights[order])
        assert reordered.fingerprint() == fitted_by_weights.fingerprint()
        repeated = np.repeat(np.arange(n_rows), weights)  # n_rows of nodes differ, so trees are compared by answers
        again = clone(model).fit(frame.iloc[repeated], targets[repeated])
        assert np.array_equal(again.predict(frame), fitted_by_weights.predict(frame))
        assert np.array_equal(again.apply(frame), fitted_by_weights.apply(frame))


def _estimators(classes: bool) -> list[Any]:
    if classes:
        kinds = (tw.DecisionTreeClassifier, tw.RandomForestClassifier, tw.ExtraTreesClassifier)
    else:
        kinds = (tw.DecisionTreeRegressor, tw.RandomForestRegressor, tw.ExtraTreesRegressor)
    return [kind() if kind.__name__.startswith("Decision") else kind(n_estimators=3) for kind in kinds]
