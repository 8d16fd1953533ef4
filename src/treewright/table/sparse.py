"""A sparse matrix as a table of numbers: column by column, each in the fewest bytes that hold its values exactly."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WHOLE = (np.uint8, np.int8, np.uint16, np.int16, np.int32)
_EXACT = 2.0**24  # whole numbers up to here are the same in every type that is tried


def is_sparse(X: Any) -> bool:
    """Tell whether X is a sparse matrix or array of scipy.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> is_sparse(csr_array([[0, 1]])), is_sparse([[0, 1]])
    (True, False)
    """
    loaded = sys.modules.get("scipy.sparse")  # whoever has a sparse matrix has loaded it
    return loaded is not None and bool(loaded.issparse(X))


def by_columns(X: Any) -> Any:
    """A sparse matrix of any format by columns (CSC), every cell stored once.

    Examples
    --------
    >>> from scipy.sparse import coo_array
    >>> by_columns(coo_array(([1, 2], ([0, 0], [0, 0])), shape=(1, 1))).data
    array([3])
    """
    columns = X.tocsc()
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    return columns


def sparse_column(columns: Any, j: int) -> NDArray[Any]:
    """Column j of a matrix by columns (CSC), whole: 0 where nothing is stored.

    Examples
    --------
    >>> from scipy.sparse import csc_array
    >>> sparse_column(csc_array([[0.0], [3.0]]), 0)
    array([0, 3], dtype=uint8)
    """
    part = slice(columns.indptr[j], columns.indptr[j + 1])
    values = columns.data[part]
    whole = np.zeros(columns.shape[0], dtype=_narrowest(values))
    whole[columns.indices[part]] = values
    return whole


def _narrowest(values: NDArray[Any]) -> Any:
    """The type of fewest bytes that holds these values, and 0, exactly."""
    if not len(values):
        return np.uint8
    low, high = min(values.min(), 0), max(values.max(), 0)
    if values.dtype.kind == "b" or (low >= -_EXACT and high <= _EXACT and (values == np.trunc(values)).all()):
        return next(kind for kind in _WHOLE if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    if values.dtype.kind != "f":
        return values.dtype if values.dtype.itemsize <= 8 else np.float64
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    is_exact = (single == values) | np.isnan(values)
    return np.float32 if is_exact.all() else np.float64
