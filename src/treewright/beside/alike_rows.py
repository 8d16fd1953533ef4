"""Rows that are alike as one row of their joint weight, in an order that depends only on what is in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright import _core
from treewright.beside.columns import Columns, Floats
from treewright.beside.learner_model import Truth


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
    values = np.column_stack([columns.numbers, columns.codes, truth.values])
    values[np.isnan(values)] = np.nan  # every kind of NaN is a missing value
    words = _core.row_words(values, np.zeros(len(values), dtype=np.int32), 0)
    weights = truth.row_weights
    order = np.argsort(words, kind="stable") if truth.weights is None else np.lexsort((weights, words))
    same = words[order[1:]] == words[order[:-1]]
    if same.any():  # equal words are compared in full: two rows are joined only where they are alike
        same &= _alike(values[order[1:]], values[order[:-1]])
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    kept = order[starts]
    joint = None
    if truth.weights is not None or len(kept) < len(order):
        joint = np.add.reduceat(weights[order], starts)
    return columns.take(kept), replace(truth.take(kept), weights=joint)


def _alike(some: Floats, others: Floats) -> np.ndarray:
    return np.asarray(((some == others) | (np.isnan(some) & np.isnan(others))).all(axis=1))
