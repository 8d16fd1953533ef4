"""A tree as a dict and as JSON, and back."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thorough import some
from treewright import _core
from treewright.errors import ModelFileError
from treewright.table.schema import Column, Schema
from treewright.tree import Tree, example_tree
from unit.tree.hand_made import CREDIT, Made, chain_arrays, credit_root, cut, leaf, regression_of, split_levels, tree_of
from unit.tree.stand_in import StandIn


def assert_same(left: Tree, right: Tree) -> None:
    assert (left.schema, left.classes, left.criterion) == (right.schema, right.classes, right.criterion)
    assert set(left.arrays) == set(right.arrays)
    for name, array in left.arrays.items():
        assert array.dtype == right.arrays[name].dtype, name
        assert array.tobytes() == right.arrays[name].tobytes(), name


@pytest.mark.parametrize("root", [credit_root(), leaf(3, 1), cut(0, 1.0, leaf(2), leaf(0, 1), leaf(1), missing=2)])
def test_json_gives_back_the_same_classification(root: Made) -> None:
    tree = tree_of(root)
    assert_same(Tree.from_json(tree.to_json()), tree)


def test_json_gives_back_the_same_regression() -> None:
    tree = regression_of(cut(0, np.inf, leaf(value=0.1, n=3), leaf(value=1e-310, n=2), missing=1))
    assert_same(Tree.from_json(tree.to_json()), tree)


@given(st.floats(allow_nan=False), st.floats(0, allow_infinity=False))
def test_every_float_survives_json(threshold: float, weight: float) -> None:
    tree = tree_of(cut(0, threshold, leaf(weight, n=1), leaf(1, 1)))
    again = Tree.from_json(tree.to_json())
    assert again.arrays["threshold"].tobytes() == tree.arrays["threshold"].tobytes()
    assert again.arrays["count_weight"].tobytes() == tree.arrays["count_weight"].tobytes()


def test_numbers_of_an_algorithm_ride_along() -> None:
    arrays = {**tree_of(credit_root()).arrays, "p_value": np.append(0.25, np.full(9, np.nan))}
    tree = Tree(_core.Tree(arrays, len(CREDIT.columns), 2), CREDIT, ["good", "bad"])
    again = Tree.from_json(tree.to_json())
    assert again.root.p_value == 0.25
    assert again.node(1).p_value is None


def test_labels_that_python_takes_for_equal_stay_apart() -> None:
    schema = Schema((Column("x", "nominal", "text", ("1", "true", "1.0")),), "y")
    root = split_levels(0, [[1, 3], [2]], leaf(1), leaf(0, 1), missing=0)
    assert_same(Tree.from_json(tree_of(root, schema, [1, "1"]).to_json()), tree_of(root, schema, [1, "1"]))


def test_levels_that_are_infinite_survive_json() -> None:
    schema = Schema((Column("x", "nominal", "number", (1.0, float("inf"), float("-inf"))),), "y")
    tree = tree_of(split_levels(0, [[1, 3], [2]], leaf(1), leaf(0, 1), missing=0), schema)
    assert_same(Tree.from_json(tree.to_json()), tree)


def test_the_nodes_are_a_flat_list() -> None:
    plain = tree_of(credit_root()).to_dict()
    assert [node["id"] for node in plain["nodes"]] == list(range(10))
    assert plain["nodes"][4]["children"] == [5, 6, 9]
    assert plain["nodes"][4]["test"] == {"column": "age", "threshold": 41.5, "missing_branch": 2}
    assert plain["nodes"][0]["test"]["levels"] == [["cook", "pilot"], ["clerk", "manager"]]


@pytest.mark.parametrize("depth", some([5_000, 100_000], 1))
def test_a_long_chain_is_written_and_read(depth: int) -> None:
    tree = Tree(StandIn(chain_arrays(depth), len(CREDIT.columns), 2), CREDIT, ["good", "bad"])
    again = Tree.from_json(tree.to_json())
    assert again.depth == depth
    assert again.arrays["threshold"].tobytes() == tree.arrays["threshold"].tobytes()


def changed(**values: Any) -> dict[str, Any]:
    plain = copy.deepcopy(example_tree().to_dict())
    plain.update(values)
    return plain


def with_node(number: int, **values: Any) -> dict[str, Any]:
    plain = changed()
    plain["nodes"][number].update(values)
    return plain


@pytest.mark.parametrize(
    ("plain", "sentence"),
    [
        ([], "not a tree"),
        (changed(format="onnx"), "not a tree"),
        (changed(version=2), "version 2 .* Upgrade treewright"),
        (changed(schema=None), "schema"),
        (changed(classes="yes"), "classes: they are neither a list nor null"),
        (changed(classes=["yes"]), "'\"no\"' is missing or unknown"),
        (changed(nodes=[]), "at least one object"),
        (changed(nodes=[1]), "at least one object"),
        (changed(criterion=3), "criterion: it is not text"),
        (with_node(2, id=7), "node 2 has the id 7"),
        (with_node(2, weight="much"), "weight of node 2"),
        (with_node(2, n_rows=2**70), "n_rows"),
        (with_node(2, test={"column": "wind"}), "test of node 2: 'wind' is missing or unknown"),
        (with_node(2, children=[3]), "cannot be read"),
        (with_node(2, children=[4, 3]), "not in preorder"),
        (with_node(1, counts=[["maybe", 3]]), "counts of node 1"),
        (with_node(1, prediction="maybe"), "prediction of node 1"),
    ],
)
def test_a_wrong_value_is_named_with_its_node(plain: Any, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        Tree.from_json(json.dumps(plain))


@pytest.mark.parametrize("text", ["", "{", b"\xff\xfe\x00", "[" * 100_000])
def test_text_that_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ModelFileError, match="This text is not JSON"):
        Tree.from_json(text)
