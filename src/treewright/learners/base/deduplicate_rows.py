"""Rows that are alike as one row of their joint weight, in an order that depends only on what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.matrix_model import Target


def join_alike(columns: Columns, truth: Target) -> tuple[Columns, Target]:
    """Make one row of all rows with the same values and the same target, and put the rows in an order of their own.

    A learner that draws rows by their place then learns the same from a table whose rows stand in another order, and
    the same from a row of weight 2 as from two rows.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[7.0], [8.0], [7.0]]), np.empty((3, 0), dtype=np.int32), (0,), ())
    >>> joined, truth = join_alike(columns, Target(np.array([1.0, 0.0, 1.0]), None))
    >>> sorted(zip(joined.numbers.ravel().tolist(), truth.weights.tolist()))
    [(7.0, 2.0), (8.0, 1.0)]
    """
    values = np.column_stack([columns.numbers, columns.codes, truth.values])
    values[np.isnan(values)] = np.nan  # every kind of NaN is a missing value
    words = _core.row_words(values, np.zeros(len(values), dtype=np.int32), 0)
    kept, joint = one_of_each(words, [values], truth.weights)
    whole = truth.weights is None and len(kept) == len(values)
    return columns.take(kept), replace(truth.take(kept), weights=None if whole else joint)


def one_of_each(
    words: NDArray[np.uint64], parts: Sequence[NDArray[Any]], weights: Floats | None
) -> tuple[NDArray[np.int64], Floats]:
    """Give the first row of every group of alike rows, in the order of their words, and the weight of the group.

    Rows of equal words are compared in full, part by part: two rows are joined only where they are alike.

    Examples
    --------
    >>> one_of_each(np.array([9, 4, 9], dtype=np.uint64), [np.array([7.0, 8.0, 7.0])], None)
    (array([1, 0]), array([1., 2.]))
    """
    each = np.ones(len(words)) if weights is None else weights
    order = np.argsort(words) if weights is None else np.lexsort((weights, words))  # sums in an order of their own
    same = words[order[1:]] == words[order[:-1]]
    if not same.any():
        return order, each[order]
    pairs = np.flatnonzero(same)
    for part in parts:
        same[pairs] &= _alike(part[order[pairs + 1]], part[order[pairs]])
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    return np.minimum.reduceat(order, starts), np.add.reduceat(each[order], starts)


def _alike(some: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    alike = (some == others) | ((some != some) & (others != others))  # missing is like missing
    return np.asarray(alike.reshape(len(some), -1).all(axis=1))
