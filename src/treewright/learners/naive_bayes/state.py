"""The sums of naive Bayes as arrays of a model file and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.naive_bayes.class_sums import ClassSums
from treewright.learners.naive_bayes.densities import KernelValues
from treewright.table.schema import Schema

_NAMES = {
    "weight": "class_count_",
    "known": "known_weight_",
    "mean": "mean_",
    "squares": "squares_",
    "low": "lowest_",
    "high": "highest_",
    "distinct": "distinct_",
    "levels": "level_counts_",
}


def stored_sums(sums: ClassSums) -> dict[str, Any]:
    """The sums by the names that they have in a model."""
    return {stored: getattr(sums, name) for name, stored in _NAMES.items()}


def sums_of(fitted: Mapping[str, Any]) -> ClassSums:
    """The sums, back from their names in a model."""
    return ClassSums(**{name: fitted[stored] for name, stored in _NAMES.items()})


def stored_kernels(kept: KernelValues) -> dict[str, Any]:
    """The values of kernel densities by the names that they have in a model."""
    return {"kernel_values_": kept.values, "kernel_weights_": kept.weights, "kernel_start_": kept.start}


def level_starts(schema: Schema) -> NDArray[np.int64]:
    """Where the levels of each levelled column start among all levels; one number more than columns.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> level_starts(Schema((Column("a", "nominal", "text", ("x", "y")), Column("b", "numeric"))))
    array([0, 2])
    """
    sizes = [len(column.levels) for column in schema.columns if column.kind != "numeric"]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def check_stored(schema: Schema, n_classes: int, fitted: dict[str, Any]) -> None:
    """Refuse with a ValueError sums that do not belong to such columns and classes."""
    n_numeric = sum(column.kind == "numeric" for column in schema.columns)
    if not fitted["class_count_"].sum() > 0:
        raise ValueError("it has no rows")
    if any(f"kernel_{name}_" in fitted for name in ("start", "values", "weights")):
        _check_kernels(n_classes * n_numeric, fitted)


def _check_kernels(n_lists: int, fitted: dict[str, Any]) -> None:
    start, values, weights = (fitted.get(f"kernel_{name}_") for name in ("start", "values", "weights"))
    if start is None or values is None or weights is None:
        raise ValueError("its densities are not whole")
    if start.shape != (n_lists + 1,) or start[0] != 0 or (np.diff(start) < 0).any() or start[-1] != len(values):
        raise ValueError("its densities do not fit its columns and classes")
    if not (weights > 0).all():
        raise ValueError("its densities have a number that none can have")
