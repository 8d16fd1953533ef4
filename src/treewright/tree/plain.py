"""A tree as plain values that say everything, the way back with every value checked, and a data frame of its nodes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.table.schema import Schema
from treewright.tree.node import Node
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEAF, LEVELS, NODE_ARRAYS, SPREADS, STOPS, THRESHOLD
from treewright.tree.test import bounds_of, codes_by_branch

if TYPE_CHECKING:
    import pandas as pd

    from treewright.tree.tree import Tree


# A tree as plain values: a dict of lists, numbers and texts that says everything, and the way back.


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
        *sorted(by_node),  # whatever order the tree has them in, so that a tree from its JSON has the same JSON
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


# The way back from plain values to the arrays of a tree, every value checked on the way.


_WRONG = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
_ADVICE = "Pass text that tree.to_json() wrote, or correct it."


class PlainTree:
    """The arrays, columns and classes that a dict of plain values describes.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> plain = PlainTree(example_tree().to_dict())
    >>> plain.arrays["n_children"].tolist(), plain.classes
    ([2, 0, 2, 0, 0], ['no', 'yes'])
    """

    def __init__(self, plain: Any) -> None:
        _check_format(plain)
        self.schema: Schema = _part("schema", lambda: Schema.from_json(plain["schema"]))
        self.classes: list[Any] | None = _part("classes", lambda: _classes(plain["classes"]))
        self.criterion: str | None = _part("criterion", lambda: _text_or_none(plain.get("criterion")))
        nodes = _part("nodes", lambda: _list_of_dicts(plain["nodes"]))
        self.children = _each("children", _ids, nodes)
        self.arrays: dict[str, NDArray[Any]] = {
            **self._numbers(nodes),
            **self._tests(nodes),
            **self._target(nodes),
            **_part("more numbers of the nodes", lambda: _more_numbers(plain, nodes)),
            **_part("more arrays", lambda: _more_arrays(plain.get("more_arrays", {}))),
        }

    def _numbers(self, nodes: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
        by_name = {name: _floats(name, nodes) for name in ("weight", "impurity", "gain")}
        n_rows = _part("n_rows of the nodes", lambda: np.array([int(n["n_rows"]) for n in nodes], np.int64))
        n_children = _part("children", lambda: np.array([len(ids) for ids in self.children], np.uint16))
        return {"n_rows": n_rows, "n_children": n_children, **by_name}

    def _tests(self, nodes: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
        place = {column.name: index for index, column in enumerate(self.schema.columns)}
        codes = [{label_key(level): code for code, level in enumerate(c.levels, 1)} for c in self.schema.columns]
        rows = _each("test", _test, nodes, place, codes)
        kind, column, threshold, missing, levels = zip(*rows, strict=True)
        return {
            "kind": np.array(kind, np.uint8),
            "column": np.array(column, np.int32),
            "threshold": np.array(threshold, np.float64),
            "missing_branch": np.array(missing, np.int32),
            "level_start": _starts([len(pairs) for pairs in levels]),
            "level": np.array([code for pairs in levels for code, _ in pairs], np.uint32),
            "level_branch": np.array([branch for pairs in levels for _, branch in pairs], np.uint16),
        }

    def _target(self, nodes: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
        if self.classes is None:
            return {"value": _floats("value", nodes)}
        place = {label_key(label): index for index, label in enumerate(self.classes)}
        counts = _each("counts", _counts, nodes, place)
        prediction = _each("prediction", lambda node: place[label_key(node["prediction"])], nodes)
        return {
            "count_start": _starts([len(pairs) for pairs in counts]),
            "count_class": np.array([index for pairs in counts for index, _ in pairs], np.uint32),
            "count_weight": np.array([weight for pairs in counts for _, weight in pairs], np.float64),
            "prediction": np.array(prediction, np.int32),
        }


def _part(name: str, read: Callable[..., Any], *given: Any) -> Any:
    """Read one part; whatever is wrong with it becomes a sentence that names the part."""
    try:
        return read(*given)
    except ModelFileError:
        raise
    except _WRONG as problem:
        raise _sentence(name, problem) from None


def _each(name: str, read: Callable[..., Any], nodes: list[dict[str, Any]], *given: Any) -> list[Any]:
    """Read the same part of every node; a sentence names the part and the node."""
    found: list[Any] = []
    try:
        for node in nodes:
            found.append(read(node, *given))
    except _WRONG as problem:
        raise _sentence(f"{name} of node {len(found)}", problem) from None
    return found


def _sentence(name: str, problem: Exception) -> ModelFileError:
    what = f"{problem.args[0]!r} is missing or unknown" if isinstance(problem, KeyError) else str(problem)
    return ModelFileError(f"The tree in JSON cannot be read: {name}: {what}. {_ADVICE}")


def _check_format(plain: Any) -> None:
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise ModelFileError(f'This JSON is not a tree: it does not say "format": "{FORMAT}". {_ADVICE}')
    if plain.get("version") != VERSION:
        raise ModelFileError(
            f"This tree in JSON has version {plain.get('version')!r} and this treewright reads version {VERSION}. "
            "Upgrade treewright."
        )


def _test(
    node: dict[str, Any], place: dict[str, int], codes: list[dict[str, int]]
) -> tuple[int, int, float, int, list[tuple[int, int]]]:
    test = node.get("test")
    if test is None:
        return LEAF, -1, math.nan, -1, []
    column = place[test["column"]]
    missing = next((code for code, word in MISSING_WORDS.items() if word == test["missing_branch"]), None)
    missing = int(test["missing_branch"]) if missing is None else missing
    if test.get("hyperplane"):
        return HYPERPLANE, column, float(test["threshold"]), missing, []
    if "intervals" in test:
        return INTERVALS, column, math.nan, missing, []
    if "levels" not in test:
        return THRESHOLD, column, float(test["threshold"]), missing, []
    pairs = [(codes[column][label_key(level)], b) for b, levels in enumerate(test["levels"]) for level in levels]
    return LEVELS, column, math.nan, missing, sorted(pairs)


def _counts(node: dict[str, Any], place: dict[str, int]) -> list[tuple[int, float]]:
    return sorted((place[label_key(label)], float(weight)) for label, weight in node["counts"])


def _starts(lengths: list[int]) -> NDArray[Any]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def _floats(name: str, nodes: list[dict[str, Any]]) -> NDArray[Any]:
    return np.array(_each(name, lambda node: float(node[name]), nodes), np.float64)


def _more_numbers(plain: dict[str, Any], nodes: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    return {name: _floats(name, nodes) for name in plain.get("more_node_numbers", [])}


def _more_arrays(more: dict[str, Any]) -> dict[str, NDArray[Any]]:
    return {name: np.array(m["values"]).astype(m["dtype"]).reshape(m["shape"]) for name, m in more.items()}


def _classes(classes: Any) -> list[Any] | None:
    if classes is not None and not isinstance(classes, list):
        raise TypeError("they are neither a list nor null")
    return classes


def _text_or_none(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("it is not text")
    return value


def _list_of_dicts(nodes: Any) -> list[dict[str, Any]]:
    if not isinstance(nodes, list) or not nodes or not all(isinstance(node, dict) for node in nodes):
        raise TypeError("they are not a list of at least one object")
    for place, node in enumerate(nodes):
        if node.get("id") != place:
            raise ValueError(f"node {place} has the id {node.get('id')!r}; nodes stand in order, from 0")
    return nodes


def _ids(node: dict[str, Any]) -> list[int]:
    return [int(child) for child in node.get("children", [])]


# A tree as a data frame: a row a node.


def tree_frame(tree: Tree) -> pd.DataFrame:
    """Put every node of a tree into a row.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> tree_frame(example_tree())[["id", "parent", "branch", "n_rows", "prediction"]]
       id  parent                    branch  n_rows prediction
    0   0    <NA>                      <NA>      14        yes
    1   1       0       outlook is overcast       4        yes
    2   2       0  outlook is sunny or rain      10        yes
    3   3       2          humidity <= 82.5       5        yes
    4   4       2           humidity > 82.5       5         no
    """
    import pandas as pd

    arrays = tree.arrays
    tests = [node.test for node in tree.nodes()]
    parents = tree.node_parent
    branches = [test.branches if test else () for test in tests]
    labels = [None, *(branches[p][b].label for p, b in zip(parents[1:], tree.node_branch[1:], strict=True))]
    columns: dict[str, Any] = {
        "id": np.arange(tree.n_nodes),
        "parent": pd.array([None, *parents[1:].tolist()], dtype="Int64"),
        "depth": tree.node_depth.astype(np.int64),
        "branch": pd.array(labels, dtype="string"),
        "test": pd.array([test.text if test else None for test in tests], dtype="string"),
        "is_leaf": arrays["n_children"] == 0,
        "n_rows": arrays["n_rows"],
        "weight": arrays["weight"],
        "impurity": arrays["impurity"],
        "gain": arrays["gain"],
        **_of_the_target(tree),
    }
    columns.update(_of_the_algorithm(tree))
    return pd.DataFrame(columns)


def _of_the_target(tree: Tree) -> dict[str, Any]:
    arrays = tree.arrays
    if tree.classes is None:
        return {"mean": arrays["value"]}
    prediction = [tree.classes[index] for index in arrays["prediction"].tolist()]
    weights = np.zeros((tree.n_nodes, len(tree.classes)))
    rows = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    weights[rows, arrays["count_class"]] = arrays["count_weight"]
    counts = {f"count_{label}": weights[:, index] for index, label in enumerate(tree.classes)}
    return {"prediction": prediction, **counts}


def _of_the_algorithm(tree: Tree) -> dict[str, Any]:
    """Give the arrays that only some algorithms keep, such as the p-value of a test."""
    return {
        name: array for name, array in tree.arrays.items() if name not in NODE_ARRAYS and array.shape == (tree.n_nodes,)
    }
