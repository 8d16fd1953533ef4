"""The engine's model tree is the definition's: which nodes stay, and what every leaf answers, on random tables."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from oracle.model_tree import ModelTree
from properties.engine import frame_of
from properties.tables import tables
from treewright.reference.cart import Recipe, grow
from treewright.reference.table import Column, Table


def shapes(table: Table) -> dict[str, Any]:
    """The rules of growth. The smallest leaf is a matter of weight, and the definition counts rows: both agree on 1."""
    return {"min_samples_leaf": 2 if set(table.weights) == {1} else 1, "min_variance_share": 0.0025}


def fit(table: Table, **settings: Any) -> tw.ModelTreeRegressor:
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    model = tw.ModelTreeRegressor(**shapes(table), **settings, column_kinds=kinds, n_jobs=1)
    return model.fit(frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype=float))


def definition(table: Table, missing: str, **settings: Any) -> ModelTree:
    return ModelTree(table, grow(table, Recipe("squared_error", missing, **shapes(table))), **settings)


def assert_same(model: tw.ModelTreeRegressor, defined: ModelTree, rows: pd.DataFrame, cells: list[list[Any]]) -> None:
    kept = defined.kept_nodes()
    assert model.tree_.arrays["n_rows"].tolist() == [len(node.rows) for node in kept]
    ends = model.apply(rows)
    wanted = [defined.answer(kept[end], row) for end, row in zip(ends.tolist(), cells, strict=True)]
    assert model.predict(rows).tolist() == pytest.approx(wanted, rel=1e-7, abs=1e-7)


@given(data=st.data())
def test_a_model_tree_equals_the_definition(data: st.DataObject) -> None:
    table = data.draw(tables())
    missing = data.draw(st.sampled_from(["learn", "larger", "branch"]))
    settings = {
        "smoothing": data.draw(st.sampled_from([15.0, 0.0, 2.5])),
        "penalty": data.draw(st.sampled_from([2.0, 1.0])),
        "prune": data.draw(st.booleans()),
        "max_terms": data.draw(st.sampled_from([50, 2])),
    }
    defined = definition(table, missing, **settings)
    model = fit(table, missing=missing, clip=False, **settings)
    assert_same(model, defined, frame_of(table), [defined.row(i) for i in range(len(table.target))])


def long_table(seed: int, n_rows: int = 160) -> Table:
    """Two slopes that change at a level, with noise, holes, weights and a column of no use."""
    draw = Random(seed)
    first = [draw.choice([None, *range(30)] if draw.random() < 0.1 else range(30)) for _ in range(n_rows)]
    second = [draw.randint(1, 12) for _ in range(n_rows)]
    level = [draw.randint(1, 4) for _ in range(n_rows)]
    grade = [draw.randint(1, 3) for _ in range(n_rows)]
    target = tuple(
        round(10 * ((a or 15) * (2 if g < 3 else -1) + b * 0.7 + 5 * (g == 2) + 3 * o + draw.gauss(0, 3)))
        for a, b, g, o in zip(first, second, level, grade, strict=True)
    )
    columns = (
        Column("numeric", tuple(first)),
        Column("numeric", tuple(second)),
        Column("nominal", tuple(level)),
        Column("ordinal", tuple(grade)),
    )
    weights = tuple(draw.choice([1, 2]) if seed % 2 else 1 for _ in range(n_rows))
    return Table(columns, target, weights, n_classes=0)


@pytest.mark.parametrize("seed", range(6))
def test_model_trees_of_hundreds_of_rows_equal_the_definition(seed: int) -> None:
    table = long_table(seed)
    defined = definition(table, "learn")
    model = fit(table, clip=False)
    assert model.get_n_leaves() > 1
    assert any(defined.equations[path].coefficients for path in defined.leaves)
    assert_same(model, defined, frame_of(table), [defined.row(i) for i in range(len(table.target))])


@pytest.mark.parametrize("seed", range(2))
def test_new_rows_are_answered_by_the_definition_too(seed: int) -> None:
    table = long_table(seed)
    defined = definition(table, "learn")
    new: list[list[Any]] = [[None, 3, 2, 1], [12.5, -40, 4, 3], [29, 12, None, 2], [0, 1, 1, None]]
    rows = frame_of(
        Table(tuple(Column(c.kind, v) for c, v in zip(table.columns, zip(*new, strict=True), strict=True)), (), (), 0)
    )
    assert_same(fit(table, clip=False), defined, rows, new)


@pytest.mark.parametrize("seed", range(2))
def test_answers_stay_in_the_range_of_the_targets(seed: int) -> None:
    table = long_table(seed)
    free, kept = fit(table, clip=False), fit(table)
    far = frame_of(table).assign(x0=1e6)
    low, high = min(table.target), max(table.target)
    assert (np.abs(free.predict(far)) > 1e5).any()
    assert kept.predict(far).tolist() == np.clip(free.predict(far), low, high).tolist()
