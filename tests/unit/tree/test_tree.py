"""The view of a tree and its nodes."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import _core
from treewright.tree import Tree, example_tree
from unit.tree.hand_made import CREDIT, credit_root, leaf, regression_of, tree_of
from unit.tree.stand_in import StandIn


@pytest.fixture(params=[StandIn, _core.Tree], ids=["stand-in", "core"])
def credit(request: pytest.FixtureRequest) -> Tree:
    return tree_of(credit_root(), core=request.param)


def test_the_view_counts_nodes_leaves_and_depth(credit: Tree) -> None:
    assert (credit.n_nodes, credit.n_leaves, credit.depth) == (10, 6, 3)


def test_nodes_are_given_parents_first_and_know_their_family(credit: Tree) -> None:
    for node in credit.nodes():
        assert all(child.parent == node for child in node.children)
        assert all(child.id > node.id and child.depth == node.depth + 1 for child in node.children)
        assert [child.branch_label for child in node.children] == list(node.branch_labels)
        assert node.is_leaf == (not node.children) == (node.test is None)


def test_the_root_has_no_parent_no_branch_and_no_branch_label(credit: Tree) -> None:
    assert (credit.root.parent, credit.root.branch, credit.root.branch_label) == (None, None, None)


def test_counts_list_every_class_and_the_share_is_that_of_the_prediction(credit: Tree) -> None:
    node = credit.node(3)
    assert node.counts == {"good": 20.0, "bad": 0.0}
    assert (node.prediction, node.share, node.n, node.weight, node.mean) == ("good", 1.0, 20, 20.0, None)


def test_numbers_of_labels_are_plain_python_values() -> None:
    tree = Tree(StandIn({**example_tree().arrays}, 2, 2), example_tree().schema, np.array([0, 1]))
    assert type(tree.root.prediction) is int
    assert list(tree.root.counts or {}) == [0, 1]


def test_a_regression_node_has_a_mean_and_neither_counts_nor_share() -> None:
    node = regression_of(leaf(value=2.5, n=4)).root
    assert (node.mean, node.prediction, node.counts, node.share) == (2.5, 2.5, None, None)


def test_a_node_that_no_row_reached_has_no_share() -> None:
    assert tree_of(leaf()).root.share is None


def test_the_p_value_is_none_where_the_tree_has_none_and_at_leaves() -> None:
    arrays = {**example_tree().arrays, "p_value": np.array([0.01, np.nan, 0.2, np.nan, np.nan])}
    tree = Tree(StandIn(arrays, 2, 2), example_tree().schema, ["no", "yes"])
    assert [node.p_value for node in tree.nodes()] == [0.01, None, 0.2, None, None]
    assert example_tree().root.p_value is None


@pytest.mark.parametrize("number", [-1, 10])
def test_a_number_that_is_no_node_is_refused(credit: Tree, number: int) -> None:
    with pytest.raises(IndexError, match=r"no node .* 10 nodes are numbered from 0"):
        credit.node(number)


def test_the_arrays_cannot_be_changed_through_the_view(credit: Tree) -> None:
    with pytest.raises(ValueError, match="read-only"):
        credit.arrays["threshold"][0] = 1.0
    with pytest.raises(TypeError):
        credit.arrays["threshold"] = np.zeros(1)  # type: ignore[index]


def test_equal_numbers_in_different_trees_are_different_nodes() -> None:
    one, other = example_tree(), example_tree()
    assert one.node(1) == one.node(1)
    assert one.node(1) != other.node(1)
    assert len({one.node(1), one.node(1), other.node(1)}) == 2


def test_a_tree_that_is_one_leaf_is_a_tree() -> None:
    tree = tree_of(leaf(3, 1))
    assert (tree.n_nodes, tree.n_leaves, tree.depth, tree.root.is_leaf) == (1, 1, 0, True)
    assert repr(tree) == "<Tree of 1 node, 1 leaf, depth 0>"
    assert tree.schema is CREDIT
