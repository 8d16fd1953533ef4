"""How much each neighbour counts, and what the neighbours answer together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.neighbours.metric import Metric

_EQUAL = 1e-12  # sums that differ by less, relatively, differ by rounding

Found = tuple[Floats, NDArray[np.int64]]
Look = Callable[[NDArray[np.int64], int], Found]  # which queries, how many rows → sums and rows


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each query, nearest first, their distances, and how many rows each of them counts as."""

    rows: NDArray[np.int64]
    distances: Floats
    taken: Floats

    def vote_weights(self, weights: str) -> Floats:
        """What each neighbour's vote weighs: the same, or less the farther it is.

        With "distance" a vote weighs 1/distance; where some neighbours are at distance 0, they alone vote. Only the
        ratios count, so the nearest distance is put in the place of 1: nothing overflows.

        Examples
        --------
        >>> near = Neighbours(np.array([[4, 2]]), np.array([[1.0, 2.0]]), np.ones((1, 2)))
        >>> near.vote_weights("distance")
        array([[1. , 0.5]])
        """
        if weights == "uniform":
            return self.taken
        nearest = self.distances[:, :1]
        exact = self.distances == 0
        ratio = np.divide(nearest, self.distances, out=np.zeros_like(self.distances), where=~exact)
        return np.asarray(np.where(nearest > 0, ratio, exact) * self.taken)


def count_neighbours(
    sums: Floats, rows: NDArray[np.int64], metric: Metric, k: int, weights: Floats | None, ties: str
) -> Neighbours:
    """Take rows, nearest first, until they count as k rows, and see how much of each counts.

    With ``ties="all"`` the rows as far away as the last one count too. With "first" the last one may count in part.
    Places without a row have an infinite sum.
    """
    if weights is None:
        taken = (sums <= sums[:, k - 1 : k] * (1 + _EQUAL)).astype(np.float64)
        taken[:, k:] *= ties == "all"
    else:
        weight = np.where(np.isfinite(sums), weights[rows], 0.0)
        before = np.cumsum(weight, axis=1) - weight
        whole = np.where(sums <= _reach(sums, before, k), weight, 0.0)
        taken = whole if ties == "all" else np.clip(k - before, 0.0, weight)
    used = int(taken.any(axis=0).sum())
    sums = np.where(np.isfinite(sums[:, :used]), sums[:, :used], 1.0)  # any number: nothing is taken of those
    return Neighbours(rows[:, :used], metric.distances(sums), taken[:, :used])


def _reach(sums: Floats, before: Floats, k: float) -> Floats:
    """The sum of the last row that is needed, and what counts as equal to it."""
    last = np.where((before < k) & np.isfinite(sums), sums, 0.0).max(axis=1, keepdims=True)
    return np.asarray(last * (1 + _EQUAL))


def settled_search(look: Look, n_queries: int, k: float, most: int, weights: Floats | None, ties: str) -> Found:
    """Look for as many rows as it takes to count as k, ties at the last place included.

    `look` is asked for the nearest rows of some queries, and asked again for more of them where they do not suffice.
    """
    asked = min(most, _first_guess(k, most, weights) + (ties == "all"))
    sums, rows = look(np.arange(n_queries), asked)
    open_queries = np.flatnonzero(~_settled(sums, rows, k, most, weights, ties))
    while len(open_queries):
        asked = min(most, 2 * asked)
        more_sums, more_rows = look(open_queries, asked)
        room = ((0, 0), (0, asked - sums.shape[1]))
        sums, rows = np.pad(sums, room, constant_values=np.inf), np.pad(rows, room)
        sums[open_queries], rows[open_queries] = more_sums, more_rows
        open_queries = open_queries[~_settled(more_sums, more_rows, k, most, weights, ties)]
    return sums, rows


def _first_guess(k: float, most: int, weights: Floats | None) -> int:
    if weights is None:
        return math.ceil(k)
    return min(most, 1 + int(k / max(float(np.median(weights)), k / most)))


def _settled(
    sums: Floats, rows: NDArray[np.int64], k: float, most: int, weights: Floats | None, ties: str
) -> NDArray[np.bool_]:
    if sums.shape[1] >= most:
        return np.ones(len(sums), dtype=bool)
    if weights is None:
        k = math.ceil(k)
        return np.asarray((sums[:, -1] > sums[:, k - 1] * (1 + _EQUAL)) | (ties == "first"))
    weight = weights[rows]
    before = np.cumsum(weight, axis=1) - weight
    enough = before[:, -1] + weight[:, -1] >= k
    if ties == "first":
        return np.asarray(enough)
    return np.asarray(enough & (sums[:, -1] > _reach(sums, before, k)[:, 0]))


def class_shares(near: Neighbours, weights: str, codes: NDArray[np.int32], n_classes: int) -> Floats:
    """The share of the votes that each class has; the winner of a tie is above the others by the last digit.

    Among classes with equally many votes the one with the smaller total distance wins, then the first one.

    Examples
    --------
    >>> near = Neighbours(np.array([[1, 0]]), np.array([[1.0, 2.0]]), np.ones((1, 2)))
    >>> shares = class_shares(near, "uniform", np.array([0, 1], dtype=np.int32), 2)
    >>> shares.round(6), int(shares.argmax())
    (array([[0.5, 0.5]]), 1)
    """
    n_queries = len(near.rows)
    cells = (codes[near.rows] + n_classes * np.arange(n_queries)[:, None]).ravel()
    votes = near.vote_weights(weights)
    totals = np.bincount(cells, votes.ravel(), minlength=n_queries * n_classes).reshape(n_queries, n_classes)
    shares = totals / totals.sum(axis=1, keepdims=True)
    highest = totals.max(axis=1, keepdims=True)
    tied = np.flatnonzero((totals == highest).sum(axis=1) > 1)
    if len(tied):
        far = np.bincount(cells, (near.taken * near.distances).ravel(), minlength=n_queries * n_classes)
        far = np.where(totals == highest, far.reshape(n_queries, n_classes), np.inf)[tied]
        winner = far.argmin(axis=1)
        shares[tied, winner] = np.nextafter(shares[tied, winner], 2.0)
    return np.asarray(shares)


def mean_values(near: Neighbours, weights: str, values: Floats) -> Floats:
    """The mean of the neighbours' values, each as heavy as its vote.

    Examples
    --------
    >>> near = Neighbours(np.array([[1, 0]]), np.array([[1.0, 2.0]]), np.ones((1, 2)))
    >>> mean_values(near, "distance", np.array([0.0, 3.0]))
    array([2.])
    """
    votes = near.vote_weights(weights)
    return np.asarray((votes * values[near.rows]).sum(axis=1) / votes.sum(axis=1))
