"""A tree as a data frame."""

from __future__ import annotations

import numpy as np
import pytest

from thorough import some
from treewright.tree import Tree, example_tree
from unit.tree.hand_made import CREDIT, chain_arrays, credit_root, cut, leaf, regression_of, tree_of
from unit.tree.stand_in import StandIn


def test_a_row_is_a_node() -> None:
    tree = tree_of(credit_root())
    frame = tree.to_frame()
    assert len(frame) == tree.n_nodes
    for node, row in zip(tree.nodes(), frame.itertuples(), strict=True):
        assert (row.id, row.depth, row.n_rows, row.prediction, row.is_leaf) == (
            node.id, node.depth, node.n, node.prediction, node.is_leaf,
        )  # fmt: skip
        assert node.counts == {"good": row.count_good, "bad": row.count_bad}
        assert node.parent is None or row.parent == node.parent.id
        assert node.branch_label is None or row.branch == node.branch_label
        assert node.test is None or row.test == node.test.text


def test_the_root_has_no_parent_and_leaves_have_no_test() -> None:
    frame = example_tree().to_frame()
    assert frame["parent"].isna().tolist() == [True, False, False, False, False]
    assert frame["branch"].isna().tolist() == [True, False, False, False, False]
    assert frame["test"].isna().tolist() == frame["is_leaf"].tolist()


def test_a_regression_has_means_in_place_of_counts() -> None:
    frame = regression_of(cut(0, 1.0, leaf(value=1, n=1), leaf(value=3, n=1))).to_frame()
    assert frame["mean"].tolist() == [2.0, 1.0, 3.0]
    assert "prediction" not in frame


def test_p_values_have_their_column() -> None:
    arrays = {**example_tree().arrays, "p_value": np.array([0.01, np.nan, 0.2, np.nan, np.nan])}
    frame = Tree(StandIn(arrays, 2, 2), example_tree().schema, ["no", "yes"]).to_frame()
    assert frame["p_value"].iloc[0] == 0.01


@pytest.mark.parametrize("depth", some([5_000, 100_000], 1))
def test_a_long_chain_has_its_rows(depth: int) -> None:
    tree = Tree(StandIn(chain_arrays(depth), len(CREDIT.columns), 2), CREDIT, ["good", "bad"])
    assert tree.to_frame()["depth"].max() == depth
