"""What the arrays of a stored tree have to obey, in plain numpy: the slow definition of the core's own check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

BY_NODE = {
    "n_children": "u2", "kind": "u1", "column": "i4", "threshold": "f8", "missing_branch": "i4", "n_rows": "i8",
    "weight": "f8", "impurity": "f8", "gain": "f8",
}  # fmt: skip
SLICES = {"level_start": ("level", "level_branch"), "count_start": ("count_class", "count_weight")}
OTHERS = {"level_start": "i8", "level": "u4", "level_branch": "u2", "count_start": "i8", "count_class": "u4",
          "count_weight": "f8", "prediction": "i4", "value": "f8"}  # fmt: skip


def problem_of(arrays: Arrays, n_columns: int, n_classes: int) -> str | None:
    """Give the first rule that is broken, or None."""
    for rules in (_shapes, _starts):
        broken = next((said for said, holds in rules(arrays, n_classes) if not holds), None)
        if broken:
            return broken
    return next((said for said, holds in _values(arrays, n_columns, n_classes) if not holds), None)


def _shapes(arrays: Arrays, n_classes: int) -> Iterator[tuple[str, bool]]:
    target = {"count_start", "count_class", "count_weight", "prediction"} if n_classes else {"value"}
    needed = {*BY_NODE, "level_start", "level", "level_branch", *target}
    yield "an array is missing", needed <= set(arrays)
    n = len(arrays["n_children"]) if "n_children" in arrays and arrays["n_children"].ndim == 1 else 0
    yield "there is no node", n > 0
    for name, array in arrays.items():
        dtype = {**BY_NODE, **OTHERS}.get(name, "f8")
        yield f"{name} is not a list of {dtype}", array.ndim == 1 and array.dtype == np.dtype(dtype)
        if name in SLICES:
            yield f"{name} has the wrong length", len(array) == n + 1
        elif name not in {part for parts in SLICES.values() for part in parts}:
            yield f"{name} has the wrong length", len(array) == n


def _starts(arrays: Arrays, n_classes: int) -> Iterator[tuple[str, bool]]:
    for start, parts in SLICES.items():
        if start in arrays:
            steps = arrays[start]
            yield f"{start} is not ascending from 0", steps[0] == 0 and bool((steps[1:] >= steps[:-1]).all())
            for part in parts:
                yield f"{part} has the wrong length", part in arrays and int(steps[-1]) == len(arrays[part])
    left = 1 + np.cumsum(arrays["n_children"].astype(np.int64) - 1)  # nodes still owed after each node
    yield "the nodes are no tree", bool((left[:-1] > 0).all()) and left[-1] == 0


def _values(arrays: Arrays, n_columns: int, n_classes: int) -> Iterator[tuple[str, bool]]:
    kind, children, missing = arrays["kind"], arrays["n_children"].astype(np.int64), arrays["missing_branch"]
    column, threshold = arrays["column"], arrays["threshold"]
    inner = children > 0
    yield "kind", bool(((kind <= 2) & ((kind > 0) == inner)).all())
    yield "column", bool((((column >= 0) & (column < n_columns)) | (~inner & (column == -1))).all())
    yield "column of a leaf", bool((column[~inner] == -1).all())
    yield "missing_branch", bool(((missing >= -2) & (missing < children)).all() and (missing[~inner] == -1).all())
    yield "threshold", not np.isnan(threshold[kind == 1]).any()
    third_is_missing = (children == 3) & (missing == 2)
    yield "branches of a threshold", bool(((children == 2) | third_is_missing)[kind == 1].all())
    yield "level is not ascending", _ascending(arrays, "level_start", "level")
    owner = np.repeat(children, np.diff(arrays["level_start"]))
    yield "level_branch", bool((arrays["level_branch"] < owner).all())
    yield "levels", bool(((np.diff(arrays["level_start"]) > 0) == (kind == 2)).all() and (arrays["level"] > 0).all())
    weight = arrays["weight"]
    with np.errstate(over="ignore"):
        most = weight[0] * (1 + 1e-6)
    yield "weight", bool((np.isfinite(weight) & (weight >= 0) & (weight <= most)).all())
    yield "n_rows", bool((arrays["n_rows"] >= 0).all())
    for name in ("impurity", "gain", *([] if n_classes else ["value"])):
        yield name, bool(np.isfinite(arrays[name]).all())
    if n_classes:
        yield "count_class is not ascending", _ascending(arrays, "count_start", "count_class")
        yield "count_class", bool((arrays["count_class"] < n_classes).all())
        yield "count_weight", bool((np.isfinite(arrays["count_weight"]) & (arrays["count_weight"] >= 0)).all())
        yield "prediction", bool(((arrays["prediction"] >= 0) & (arrays["prediction"] < n_classes)).all())


def _ascending(arrays: Arrays, start: str, part: str) -> bool:
    steps = np.diff(arrays[start])
    owner = np.repeat(np.arange(len(steps)), steps)
    codes = arrays[part].astype(np.int64)
    return bool((codes[1:] > codes[:-1])[owner[1:] == owner[:-1]].all())
