"""The nearest rows found so far, of each query, in the order (distance, row)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Floats


class BestRows:
    """Up to `k` rows for each of `n_queries`; empty places hold an infinite sum and row -1.

    Examples
    --------
    >>> best = BestRows(1, 2)
    >>> best.add(np.array([0, 0, 0]), np.array([7, 3, 5]), np.array([1.0, 1.0, 0.5]))
    >>> best.rows, best.sums
    (array([[5, 3]]), array([[0.5, 1. ]]))
    """

    def __init__(self, n_queries: int, k: int) -> None:
        self.sums = np.full((n_queries, k), np.inf)
        self.rows = np.full((n_queries, k), -1, dtype=np.int64)

    @property
    def last(self) -> Floats:
        """The largest sum that is kept of each query."""
        return np.asarray(self.sums[:, -1])

    def add(self, queries: NDArray[np.int64], rows: NDArray[np.int64], sums: Floats) -> None:
        """Take in pairs that were not offered before; `queries` need no order."""
        near = sums <= self.last[queries]
        queries, rows, sums = queries[near], rows[near], sums[near]
        kept = np.nonzero(self.rows >= 0)
        queries = np.concatenate([kept[0], queries])
        rows = np.concatenate([self.rows[kept], rows])
        sums = np.concatenate([self.sums[kept], sums])
        order = _in_order(queries, sums, rows, len(self.sums))
        queries = queries[order]
        starts = np.searchsorted(queries, np.arange(len(self.sums)))
        rank = np.arange(len(queries)) - starts[queries]
        first = rank < self.sums.shape[1]
        place = (queries[first], rank[first])
        self.sums[place] = sums[order][first]
        self.rows[place] = rows[order][first]


def _in_order(queries: NDArray[np.int64], sums: Floats, rows: NDArray[np.int64], n_queries: int) -> NDArray[np.int64]:
    """The order by (query, sum, row)."""
    if n_queries < 2**16:  # two fast sorts, right unless sums are equal
        order = np.argsort(sums)
        order = order[np.argsort(queries[order].astype(np.uint16), kind="stable")]
        tied = (sums[order[1:]] == sums[order[:-1]]) & (queries[order[1:]] == queries[order[:-1]])
        if not tied.any():
            return np.asarray(order)
    return np.lexsort((rows, sums, queries))
