"""Rows that are alike as one row of their joint weight, in an order that depends only on what is in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns
from treewright.beside.learner_model import Truth

Words = NDArray[np.uint64]
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def join_alike(columns: Columns, truth: Truth) -> tuple[Columns, Truth]:
    """Make one row of all rows with the same values and the same target, and put the rows in an order of their own.

    A learner that draws rows by their place then learns the same from a table whose rows stand in another order, and
    the same from a row of weight 2 as from two rows.

    Examples
    --------
    >>> from treewright.encode.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[7.0], [8.0], [7.0]]), np.empty((3, 0), dtype=np.int32), (0,), ())
    >>> joined, truth = join_alike(columns, Truth(np.array([1.0, 0.0, 1.0]), None))
    >>> sorted(zip(joined.numbers.ravel().tolist(), truth.weights.tolist()))
    [(7.0, 2.0), (8.0, 1.0)]
    """
    numbers = columns.numbers + 0.0  # -0 and 0 are one number
    parts = [_bits(numbers), columns.codes.astype(np.uint64), _bits(truth.values[:, None] + 0.0)]
    words = row_words(parts)
    order = np.argsort(words, kind="stable")
    new = np.ones(len(order), dtype=bool)
    same = words[order[1:]] == words[order[:-1]]
    if same.any():  # equal words are compared in full: two rows are joined only where they are alike
        for part in parts:
            same &= (part[order[1:]] == part[order[:-1]]).all(axis=1)
        new[1:] = ~same
    starts = np.flatnonzero(new)
    kept = order[starts]
    weights = None
    if truth.weights is not None or len(kept) < len(order):
        weights = np.add.reduceat(truth.row_weights[order], starts)
    return columns.take(kept), replace(truth, values=truth.values[kept], weights=weights)


def row_words(parts: list[NDArray[Any]]) -> Words:
    """Give each row a word of 64 bits that depends on all its values and nothing else.

    Examples
    --------
    >>> words = row_words([np.array([[1, 2], [2, 1], [1, 2]], dtype=np.uint64)])
    >>> bool(words[0] == words[2]), bool(words[0] == words[1])
    (True, False)
    """
    words = np.zeros(len(parts[0]), dtype=np.uint64)
    for part in parts:
        for column in part.T:
            words += column
            words += _ODD[0]
            words ^= words >> np.uint64(30)
            words *= _ODD[1]
            words ^= words >> np.uint64(27)
            words *= _ODD[2]
            words ^= words >> np.uint64(31)
    return words


def _bits(numbers: NDArray[np.float64]) -> Words:
    bits = np.ascontiguousarray(numbers, dtype=np.float64).view(np.uint64)
    missing = np.isnan(numbers)
    if missing.any():
        bits = bits.copy()
        bits[missing] = np.uint64(0x7FF8000000000000)  # every kind of NaN is a missing value
    return bits
