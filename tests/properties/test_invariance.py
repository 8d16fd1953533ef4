"""What must not change a tree: the scale of a column, the order of rows, how a weight is written, the threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import treewright as tw
from properties.engine import engine_tests, frame_of, grow_with_engine
from properties.tables import recipes, tables
from treewright.reference.cart import Recipe
from treewright.reference.table import Column, Table

INCREASING: dict[str, Callable[[float], float]] = {
    "cube": lambda x: x**3,
    "exponential": lambda x: float(np.exp(5 * x)),
    "tiny": lambda x: x * 1e-300,
    "huge": lambda x: x * 1e300,
    "shifted": lambda x: x + 2.0**40,
}


def reordered(table: Table, order: list[int]) -> Table:
    """The table with its rows in this order; a row named twice comes twice."""
    return Table(
        tuple(Column(c.kind, tuple(c.values[row] for row in order)) for c in table.columns),
        tuple(table.target[row] for row in order),
        tuple(table.weights[row] for row in order),
        table.n_classes,
    )


def partition(leaves: Any) -> list[int]:
    """The leaf of every row, renamed by first appearance, so that two partitions can be compared."""
    names: dict[int, int] = {}
    return [names.setdefault(int(leaf), len(names)) for leaf in leaves]


@pytest.mark.parametrize("name", INCREASING)
@given(data=st.data())
def test_an_increasing_transform_of_a_column_gives_the_same_partition_of_the_rows(
    name: str, data: st.DataObject
) -> None:
    table = data.draw(tables(classes=data.draw(st.sampled_from([0, 3])), kinds=("numeric",)))
    recipe = data.draw(recipes("gini" if table.n_classes else "squared_error"))
    moved = Table(
        tuple(
            Column("numeric", tuple(None if v is None else INCREASING[name](v) for v in column.values))
            for column in table.columns
        ),
        table.target,
        table.weights,
        table.n_classes,
    )
    before, after = grow_with_engine(table, recipe), grow_with_engine(moved, recipe)
    assert partition(before.apply(frame_of(table))) == partition(after.apply(frame_of(moved)))
    assert [node["column"] for node in engine_tests(before)] == [node["column"] for node in engine_tests(after)]


@given(data=st.data())
def test_the_order_of_the_rows_gives_the_same_model(data: st.DataObject) -> None:
    table = data.draw(tables(classes=data.draw(st.sampled_from([0, 2, 3]))))
    recipe = data.draw(recipes("gini" if table.n_classes else "squared_error"))
    shuffled = reordered(table, data.draw(st.permutations(range(len(table.target)))))
    assert grow_with_engine(table, recipe).fingerprint() == grow_with_engine(shuffled, recipe).fingerprint()


@given(data=st.data())
def test_a_doubled_row_and_a_row_of_weight_two_give_the_same_tree(data: st.DataObject) -> None:
    table = data.draw(tables(classes=data.draw(st.sampled_from([0, 2, 3]))))
    criterion = data.draw(st.sampled_from(["gini", "entropy"] if table.n_classes else ["squared_error", "poisson"]))
    assume(criterion != "poisson" or any(table.target))
    size = len(table.target)
    heavy = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    twice = reordered(table, [row for row in range(size) for _ in range(1 + heavy[row])])
    weighted = Table(
        table.columns,
        table.target,
        tuple(w * (1 + h) for w, h in zip(table.weights, heavy, strict=True)),
        table.n_classes,
    )
    one, other = (grow_with_engine(t, Recipe(criterion)).tree_.arrays for t in (twice, weighted))
    assert one.keys() == other.keys()
    for name in one.keys() - {"n_rows"}:  # The rows are not as many; everything else is the same.
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def mixed_table(n_rows: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers, levels, ties and holes in enough rows to occupy several threads."""
    draw = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "smooth": draw.normal(size=n_rows),
            "rounded": draw.normal(size=n_rows).round(1),
            "text": draw.choice(list("abcdefgh"), size=n_rows),
            "holes": np.where(draw.random(n_rows) < 0.2, np.nan, draw.normal(size=n_rows)),
        }
    )
    shift = frame["smooth"] + (frame["text"] < "d") + frame["holes"].fillna(1.5)
    numbers = (shift + draw.normal(size=n_rows)).to_numpy()
    return frame, np.digitize(numbers, [0.0, 1.5]), numbers


@pytest.mark.parametrize("estimator", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
@pytest.mark.parametrize("max_leaf_nodes", [None, 40])
def test_any_number_of_threads_writes_the_same_bytes(
    tmp_path: Path, estimator: str, max_leaf_nodes: int | None
) -> None:
    frame, labels, numbers = mixed_table(6000)
    target = labels if estimator == "DecisionTreeClassifier" else numbers
    weights = np.random.default_rng(1).random(len(target)) + 0.5
    found = set()
    for threads in (1, 2, 3, 8):
        model = getattr(tw, estimator)(n_jobs=threads, max_leaf_nodes=max_leaf_nodes)
        model.fit(frame, target, sample_weight=weights)
        path = tmp_path / f"{threads}.tw"
        tw.save(model, path)
        found.add((model.fingerprint(), path.read_bytes()))
    assert len(found) == 1
