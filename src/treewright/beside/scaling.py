"""Columns of a matrix on one scale: mean 0 and spread 1."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.design import Design


def learn_scaling(
    design: Design, matrix: Floats, weights: Floats | None, scaling: str = "standard"
) -> tuple[Floats, Floats]:
    """Give the centre and the scale of each column: "standard" mean and spread, "unit" least value and range.

    Columns of levels and flags stay 0 and 1.

    A rare level divided by its small spread would be a huge number in the few rows that have it.

    Examples
    --------
    >>> from treewright.encode.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> design = Design(schema, "treatment", np.zeros(2, dtype=bool), np.zeros(2))
    >>> learn_scaling(design, np.array([[10.0, 0.0], [30.0, 1.0]]), None)
    (array([20.,  0.]), array([10.,  1.]))
    """
    center, spread = moments(matrix, weights) if scaling == "standard" else _range(matrix)
    kept = ~_measured(design)
    center[kept], spread[kept] = 0.0, 1.0
    return center, spread


def moments(matrix: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Give the mean and the spread of each column; the spread of a column of one value counts as 1.

    Examples
    --------
    >>> moments(np.array([[1.0, 7.0], [3.0, 7.0]]), None)
    (array([2., 7.]), array([1., 1.]))
    """
    shares = np.full(len(matrix), 1.0 / len(matrix)) if weights is None else weights / weights.sum()
    size = np.abs(matrix).max(axis=0, initial=0.0)
    size = np.where((size > 1e100) | ((size > 0) & (size < 1e-100)), size, 1.0)  # whose squares are no numbers
    scaled = matrix / size if (size != 1).any() else matrix
    center = shares @ scaled
    centered = scaled - center
    spread = np.sqrt(np.einsum("i,ij,ij->j", shares, centered, centered))
    constant = spread <= 1e-13 * np.abs(center)  # nothing but rounding
    return center * size, np.where(constant, 1.0, spread * size)


def _range(matrix: Floats) -> tuple[Floats, Floats]:
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    with np.errstate(over="ignore"):
        width = high - low
    return low, np.where((width > 0) & np.isfinite(width), width, 1.0)


def _measured(design: Design) -> np.ndarray:
    columns = design.schema.columns
    measured = np.array([columns[j].kind != "nominal" for j in design.sources], dtype=bool)
    n_flags = int(design.flagged.sum())
    if n_flags:
        measured[-n_flags:] = False
    return measured
