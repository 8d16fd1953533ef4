"""Rows in an order that depends only on what is in them, to draw from and to add up in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats
from treewright.table.encode import EncodedRows, lay_out
from treewright.table.frame import open_frame, to_table


def content_order(columns: Columns, values: NDArray[Any], weights: Floats | None) -> NDArray[np.int64]:
    """The rows ordered by what is in them; equal ones by their weight.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[7.0], [8.0], [7.0]]), np.empty((3, 0), dtype=np.int32), (0,), ())
    >>> content_order(columns, np.zeros(3), np.array([2.0, 1.0, 1.5])).tolist()
    [1, 2, 0]
    """
    words = _words(np.column_stack([columns.numbers, columns.codes, values]))
    return stable_order(words) if weights is None else np.lexsort((weights, words))


def stable_order(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The places of words in ascending order, equal ones as they stand.

    The upper bits of each word are sorted with its place in the lower ones, which is ten times faster than an argsort.
    Where two words differ in other bits alone, all are sorted again.

    Examples
    --------
    >>> words = np.array([5, 3, 5, 3], dtype=np.uint64) << np.uint64(60)
    >>> stable_order(words).tolist(), stable_order(words + np.array([1, 0, 0, 0], dtype=np.uint64)).tolist()
    ([1, 3, 0, 2], [1, 3, 2, 0])
    """
    places = np.arange(len(words), dtype=np.uint64)
    lower = np.uint64((1 << max(1, len(words) - 1).bit_length()) - 1)
    together = np.sort((words & ~lower) | places)
    order = (together & lower).astype(np.int64)
    sorted_words = words.take(order)
    return order if (sorted_words[1:] >= sorted_words[:-1]).all() else np.argsort(words, kind="stable")


def order_of_table(X: Any, target: NDArray[Any], weights: Floats | None = None) -> NDArray[np.uint32]:
    """The rows of a table and what is to be learnt, ordered by what is in them; equal ones by their weight.

    A table that only learners of others can read is left as it stands.

    Examples
    --------
    >>> order_of_table([[3.0], [1.0], [2.0]], np.array(["a", "b", "a"])).tolist()
    [2, 0, 1]
    >>> order_of_table([[2.0], [3.0], [1.0]], np.array(["a", "a", "b"])).tolist()
    [0, 1, 2]
    """
    values = np.asarray(target)
    codes = values if values.dtype.kind in "biuf" else np.unique(values.astype(str), return_inverse=True)[1]
    try:
        rows = lay_out(open_frame(to_table(X)), warns=False).rows
    except (DataError, TypeError, ValueError):
        return np.arange(len(values), dtype=np.uint32)
    table = np.column_stack([_numbers(rows), codes.reshape(len(values), -1).astype(np.float64)])
    words = _words(table)
    order = stable_order(words) if weights is None else np.lexsort((weights, words))
    return order.astype(np.uint32)


def _numbers(rows: EncodedRows) -> Floats:
    if rows.matrix is not None:
        return np.asarray(rows.matrix, dtype=np.float64)
    table = np.empty((rows.n_rows, len(rows.parts)))
    for place, (kind, values, beside) in enumerate(rows.parts):
        table[:, place] = values
        if kind == "numeric" and beside is not None:
            table[np.asarray(beside) != 0, place] = np.nan
    return table


def _words(table: Floats) -> NDArray[np.uint64]:
    gone = np.isnan(table)
    if gone.any():
        table[gone] = np.nan  # every kind of NaN is a missing value
    return _core.row_words(np.ascontiguousarray(table), np.zeros(len(table), dtype=np.int32), 0)
