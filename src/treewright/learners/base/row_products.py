"""Sums over the columns of rows that do not depend on how many rows are asked at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core


def row_products(rows: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """Give rows × weights, each sum added up from the first column to the last.

    The products of a matrix library take other ways for one row than for many, and their last digits differ.

    Examples
    --------
    >>> row_products(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    >>> row_products(np.array([[1.0, 2.0]]), np.array([3.0, 4.0]))
    array([11.])
    """
    if weights.ndim == 1:
        return np.asarray(row_products(rows, weights[:, None])[:, 0])
    kind = np.result_type(rows, weights)
    return _core.row_products(np.ascontiguousarray(rows, dtype=kind), np.ascontiguousarray(weights, dtype=kind))


def check_sums(fill: NDArray[Any], coefficients: NDArray[Any]) -> None:
    """Refuse coefficients of a file that cannot answer a row without a known value, which is made of the fills.

    `coefficients`: of the terms, or a row of them for each output.

    Examples
    --------
    >>> check_sums(np.array([2.0, 1.0]), np.array([1e308, 1.0]))
    Traceback (most recent call last):
    ValueError: its sums go beyond the largest number
    """
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.abs(np.atleast_2d(coefficients) * fill).sum(axis=1)
    if not np.isfinite(sums).all():
        raise ValueError("its sums go beyond the largest number")
