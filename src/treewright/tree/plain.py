"""A tree as plain values: a dict of lists, numbers and texts that says everything, and the way back.

The nodes are a flat list with the ids of their children, not nested, so a deep tree is no problem for any reader.
Numbers are written so that they come back as the same floats.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from treewright.tree.node import Node
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEVELS, NODE_ARRAYS, SPREADS, STOPS
from treewright.tree.test import bounds_of, codes_by_branch

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

FORMAT = "treewright tree"
VERSION = 1
MISSING_WORDS = {STOPS: None, SPREADS: "all"}  # a missing_branch that is no branch


def tree_dict(tree: Tree) -> dict[str, Any]:
    """Turn a tree into JSON values.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> plain = tree_dict(example_tree())
    >>> plain["classes"], len(plain["nodes"])
    (['no', 'yes'], 5)
    >>> plain["nodes"][2]["test"]
    {'column': 'humidity', 'threshold': 82.5, 'missing_branch': 1}
    """
    extra = {name: array for name, array in tree.arrays.items() if name not in NODE_ARRAYS}
    by_node = {name: array for name, array in extra.items() if array.dtype == float and array.shape == (tree.n_nodes,)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "schema": tree.schema.to_json(),
        "classes": list(tree.classes) if tree.classes is not None else None,
        "criterion": tree.criterion,
        "nodes": list(_node_dicts(tree, by_node)),
        "more_node_numbers": sorted(by_node),
        "more_arrays": {
            name: {"dtype": str(array.dtype), "shape": list(array.shape), "values": _values(array)}
            for name, array in sorted(extra.items())
            if name not in by_node
        },
    }


def _values(array: NDArray[Any]) -> list[Any]:
    return [number(value) if isinstance(value, float) else value for value in array.reshape(-1).tolist()]


def number(value: float) -> float | str:
    """Write a float for JSON, which has no word for infinity and none for "not a number".

    >>> number(0.1), number(math.inf), number(math.nan)
    (0.1, 'inf', 'nan')
    """
    return float(value) if math.isfinite(value) else str(float(value))


def label_value(label: Any) -> Any:
    """Write a level or class for JSON: as it is, but infinity in words, as the schema has it.

    >>> label_value("low"), label_value(1.5), label_value(math.inf)
    ('low', 1.5, {'float': 'inf'})
    """
    return {"float": repr(label)} if isinstance(label, float) and math.isinf(label) else label


def label_key(label: Any) -> str:
    """Tell labels apart that Python takes for equal: 1, 1.0 and True.

    >>> label_key(1), label_key(1.0), label_key(True), label_key("1")
    ('1', '1.0', 'true', '"1"')
    """
    return json.dumps(label_value(label))


def _node_dicts(tree: Tree, by_node: dict[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    arrays = {**tree.arrays, "parent": tree.node_parent, "depth": tree.node_depth}
    names = [
        "parent",
        "depth",
        "n_rows",
        "weight",
        "impurity",
        "gain",
        *(["value"] if tree.classes is None else []),
        *by_node,
    ]
    # Whole columns become Python numbers at once; one numpy number at a time would take several times as long.
    for id, values in enumerate(zip(*(_values(arrays[name]) for name in names), strict=True)):
        plain = {"id": id, **dict(zip(names, values, strict=True))}
        if id == 0:
            plain["parent"] = None
        node = Node(tree, id)
        if tree.classes is not None:
            plain["prediction"] = node.prediction
            plain["counts"] = [[tree.classes[index], number(weight)] for index, weight in node.class_weights()]
        if not node.is_leaf:
            plain["test"] = _test_dict(node)
            plain["children"] = tree.child_ids(id)
        yield plain


def _test_dict(node: Node) -> dict[str, Any]:
    arrays = node.tree.arrays
    column = node.tree.schema.columns[int(arrays["column"][node.id])]
    missing = int(arrays["missing_branch"][node.id])
    plain: dict[str, Any] = {"column": column.name}
    if arrays["kind"][node.id] == HYPERPLANE:  # its terms are among the more_arrays
        plain |= {"hyperplane": True, "threshold": number(arrays["threshold"][node.id])}
    elif arrays["kind"][node.id] == INTERVALS:  # to read; the tree is made from the more_arrays
        plain["intervals"] = [number(bound) for bound in bounds_of(arrays, node.id)]
    elif arrays["kind"][node.id] == LEVELS:
        plain["levels"] = [
            [label_value(column.levels[c - 1]) for c in codes.tolist()] for codes in codes_by_branch(arrays, node.id)
        ]
    else:
        plain["threshold"] = number(arrays["threshold"][node.id])
    return {**plain, "missing_branch": missing if missing >= 0 else MISSING_WORDS[missing]}
