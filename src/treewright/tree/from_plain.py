"""The way back from plain values to the arrays of a tree, every value checked on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.encode.schema import Schema
from treewright.errors import ModelFileError
from treewright.tree.plain import FORMAT, MISSING_WORDS, VERSION, label_key
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEAF, LEVELS, THRESHOLD

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
