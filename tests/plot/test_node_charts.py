"""The charts inside nodes show the rows that are there, each on its side of the cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from thorough import examples
from treewright.plot.node_charts import WIDTH, NodeRows, node_chart
from treewright.plot.scene import Bars, Box, Dots, Stroke
from treewright.plot.style import class_colours

numbers = st.lists(st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1.0, 2.0]), min_size=2, max_size=40)


@given(numbers, st.data())
@settings(max_examples=examples(150), deadline=None)
def test_bars_left_of_the_cut_hold_just_the_rows_that_go_left(values: list[float], data: st.DataObject) -> None:
    classes = data.draw(st.lists(st.sampled_from(["a", "b"]), min_size=len(values), max_size=len(values)))
    X = np.array(values).reshape(-1, 1)
    model = tw.DecisionTreeClassifier(max_depth=1).fit(X, classes)
    tree = model.tree_
    if tree.n_nodes == 1:
        return
    chart = node_chart(NodeRows(tree, X, classes), 0, tree.root.test, class_colours([1, 1]))
    cut = next(mark.points[0][0] for mark in chart.marks if isinstance(mark, Stroke) and mark.dashed)
    bars = [bar for mark in chart.marks if isinstance(mark, Bars) for bar in mark.bars]
    left = sum(height for x, _, width, height in bars if x + width / 2 < cut)
    share = left / sum(height for *_, height in bars)
    assert share == pytest.approx(tree.node(1).n / len(values))
    assert all(x + width <= cut + 1e-6 or x >= cut - 1e-6 for x, _, width, _ in bars)
    assert 0 <= cut <= WIDTH


@pytest.mark.parametrize("table", ["titanic", "penguins", "vote"])
def test_rows_come_to_the_nodes_that_they_pass(table: str) -> None:
    X, y = getattr(tw.datasets, f"load_{table}")(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=5).fit(X, y)
    rows = NodeRows(model.tree_, X, y)
    paths = model.decision_path(X).toarray()
    for node in range(model.tree_.n_nodes):
        here, shares = rows.at(node)
        assert sorted(here.tolist()) == np.flatnonzero(paths[:, node]).tolist()
        assert len(here) == model.tree_.node(node).n
        assert (shares == 1).all()


def test_rows_that_are_spread_come_in_pieces() -> None:
    X, y = tw.datasets.load_vote(return_X_y=True)
    model = tw.C45Classifier(prune=False).fit(X, y)
    rows = NodeRows(model.tree_, X, y)
    for node in model.tree_.nodes():
        assert rows.at(node.id)[1].sum() == pytest.approx(node.weight)


def test_levels_have_bars_in_the_order_of_the_branches() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    tree = tw.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    chart = node_chart(NodeRows(tree, X, y), 0, tree.root.test, class_colours([1, 1]))
    names = [mark.text for mark in chart.marks if hasattr(mark, "text")]
    assert names == [str(level) for branch in tree.root.test.branches for level in branch.levels]
    widths: dict[float, float] = {}
    for mark in chart.marks:
        if isinstance(mark, Bars):
            for _, top, width, _ in mark.bars:
                widths[top] = widths.get(top, 0.0) + width
    counts = [int((X["sex"] == name).sum()) for name in names]
    drawn = [widths[top] for top in sorted(widths)]
    assert [width / max(drawn) for width in drawn] == pytest.approx([count / max(counts) for count in counts])


def test_many_levels_share_a_row() -> None:
    X = pd.DataFrame({"zip": [f"{i % 90:05d}" for i in range(900)]})
    y = np.arange(900) % 90 / 10.0
    tree = tw.DecisionTreeRegressor(max_depth=1).fit(X, y).tree_
    chart = node_chart(NodeRows(tree, X, y), 0, tree.root.test, [])
    names = [mark.text for mark in chart.marks if hasattr(mark, "text")]
    assert len(names) == 8  # six levels, and what is left of each branch
    assert sum(int(name.split()[0]) for name in names if name.endswith("others")) == 84
    assert sum(isinstance(mark, Box) for mark in chart.marks) == len(names)


def test_a_number_is_drawn_over_a_number_with_the_mean_of_each_side() -> None:
    X = np.arange(20.0).reshape(-1, 1)
    y = np.where(X[:, 0] < 5, 0.0, 10.0)
    tree = tw.DecisionTreeRegressor(max_depth=1).fit(X, y).tree_
    chart = node_chart(NodeRows(tree, X, y), 0, tree.root.test, [])
    dots = next(mark for mark in chart.marks if isinstance(mark, Dots))
    assert len(dots.points) == 20
    lines = [mark.points for mark in chart.marks if isinstance(mark, Stroke) and mark.stroke == "#d55e00"]
    heights: list[Any] = [{round(y, 6) for _, y in line} for line in lines]
    assert [len(height) for height in heights] == [1, 1]
    assert heights[0] == {round(max(y for _, y in dots.points), 6)}  # y grows downwards: the lower numbers
    assert heights[1] == {round(min(y for _, y in dots.points), 6)}
