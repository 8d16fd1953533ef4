"""What near rows answer together, and the number of neighbours by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.folds import Units
from treewright.learners.base.matrix_model import Target
from treewright.learners.neighbors.metric import Metric, learn_metric
from treewright.learners.neighbors.metric_choice import MetricChoice
from treewright.learners.neighbors.search import Search

# How much each neighbour counts, and what the neighbours answer together.


_EQUAL = 1e-12  # sums that differ by less, relatively, differ by rounding

Weighing = str | Callable[[Floats], Any] | None
Found = tuple[Floats, NDArray[np.int64]]
Look = Callable[[NDArray[np.int64], int], Found]  # which queries, how many rows → sums and rows


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each query, nearest first, their distances, and how many rows each of them counts as."""

    rows: NDArray[np.int64]
    distances: Floats
    taken: Floats

    def vote_weights(self, weights: Weighing) -> Floats:
        """What each neighbour's vote weighs: the same, less the farther it is, or what a function makes of distances.

        With "distance" a vote weighs 1/distance; where some neighbours are at distance 0, they alone vote. Only the
        ratios count, so the nearest distance is put in the place of 1: nothing overflows.

        Examples
        --------
        >>> near = Neighbours(np.array([[4, 2]]), np.array([[1.0, 2.0]]), np.ones((1, 2)))
        >>> near.vote_weights("distance")
        array([[1. , 0.5]])
        """
        if weights is None or weights == "uniform":
            return self.taken
        if callable(weights):
            return self._votes_by(weights)
        nearest = self.distances[:, :1]
        exact = self.distances == 0
        ratio = np.divide(nearest, self.distances, out=np.zeros_like(self.distances), where=~exact)
        return np.asarray(np.where(nearest > 0, ratio, exact) * self.taken)

    def _votes_by(self, weights: Callable[[Floats], Any]) -> Floats:
        """The votes as a function of the user's weighs them; each row has some vote."""
        votes = np.asarray(weights(self.distances), dtype=np.float64)
        if votes.shape != self.distances.shape or not (np.isfinite(votes) & (votes >= 0)).all():
            raise DataError(
                "The function of `weights` is given distances, rows × neighbours, and gives a finite number of 0 or "
                "more for each of them."
            )
        counted = votes * self.taken
        if not counted.any(axis=1).all():
            row = int(np.argmin(counted.any(axis=1)))
            raise DataError(
                f"All neighbors of some sample is getting zero weights: of row {row + 1} no neighbour counts. Let the "
                "function of `weights` give the nearest some weight."
            )
        return np.asarray(counted)


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


def class_shares(near: Neighbours, weights: Weighing, codes: NDArray[np.int32], n_classes: int) -> Floats:
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


def mean_values(near: Neighbours, weights: Weighing, values: Floats) -> Floats:
    """The mean of the neighbours' values, each as heavy as its vote.

    Examples
    --------
    >>> near = Neighbours(np.array([[1, 0]]), np.array([[1.0, 2.0]]), np.ones((1, 2)))
    >>> mean_values(near, "distance", np.array([0.0, 3.0]))
    array([2.])
    """
    votes = near.vote_weights(weights)
    # One after the other: the zeros behind a row's last neighbour, which depend on the other rows, then change nothing.
    return np.asarray(np.cumsum(votes * values[near.rows], axis=1)[:, -1] / np.cumsum(votes, axis=1)[:, -1])


# The number of neighbours by cross-validation: one search for all k.


ROWS_AT_ONCE = 8_192
MOST_JUDGED = 10_000  # rows of a longer table are judged at even steps
Judged = tuple[Search, NDArray[np.int64], Floats, NDArray[np.int64], Target]


@dataclass(frozen=True)
class Trial:
    """How neighbours are judged: the way to search, the folds (None: one row at a time), the most neighbours, votes."""

    make_search: Callable[[Columns, Target], Search]
    n_folds: int | None
    most: int
    weights: Weighing
    ties: str
    threads: int


def error_curve(trial: Trial, columns: Columns, truth: Target) -> Floats:
    """The error of 1, 2, …, `most` neighbours on rows that had no say: share of wrong classes, or squared error.

    Leaving out one row at a time, the search is made once, with all rows. With folds everything, the ranges of the
    columns too, is learnt anew without each fold.
    """
    errors, total = np.zeros(trial.most), 0.0
    judge = _leave_one_out if trial.n_folds is None else _by_folds
    for search, rows, sums, near, fitted in judge(trial, columns, truth):
        weight = truth.row_weights[rows]
        total += float(weight.sum())
        for k in range(1, trial.most + 1):
            counted = count_neighbours(sums, near, search.metric, k, fitted.weights, trial.ties)
            errors[k - 1] += (weight * _losses(counted, trial.weights, fitted, truth.values[rows])).sum()
    return errors / total


def _losses(near: Neighbours, weights: Weighing, fitted: Target, right: NDArray[Any]) -> Floats:
    if fitted.classes is None:
        return np.asarray((mean_values(near, weights, fitted.values) - right) ** 2)
    shares = class_shares(near, weights, fitted.values, len(fitted.classes))
    return np.asarray(shares.argmax(axis=1) != right, dtype=np.float64)


def _leave_one_out(trial: Trial, columns: Columns, truth: Target) -> Iterator[Judged]:
    search = trial.make_search(columns, truth)
    for rows in _parts(_judged_rows(columns.n_rows)):
        found = settled_search(
            lambda which, k, rows=rows: nearest_others(search, rows[which], k, trial.threads),  # type: ignore[misc]
            len(rows),
            trial.most,
            columns.n_rows - 1,
            truth.weights,
            trial.ties,
        )
        yield search, rows, *found, truth


def _by_folds(trial: Trial, columns: Columns, truth: Target) -> Iterator[Judged]:
    n_folds = trial.n_folds or 2
    classes = None if truth.classes is None else truth.values
    folds = Units.of(np.arange(columns.n_rows, dtype=np.uint32), None, classes).folds(n_folds, seed=0)
    judged = np.zeros(columns.n_rows, dtype=bool)
    judged[_judged_rows(columns.n_rows)] = True
    for fold in range(n_folds):
        kept = np.flatnonzero(folds != fold)
        fitted = truth.take(kept)
        search = trial.make_search(columns.take(kept), fitted)
        for rows in _parts(np.flatnonzero((folds == fold) & judged)):
            points = search.metric.points(columns.take(rows))
            found = settled_search(
                lambda which, k, s=search, p=points: s.nearest(p.take(which), k, trial.threads),  # type: ignore[misc]
                len(rows),
                trial.most,
                len(kept),
                fitted.weights,
                trial.ties,
            )
            yield search, rows, *found, fitted


def _parts(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Few rows at once: with many ties each of them has many neighbours."""
    return [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]


def _judged_rows(n_rows: int) -> NDArray[np.int64]:
    if n_rows <= MOST_JUDGED:
        return np.arange(n_rows)
    return np.linspace(0, n_rows - 1, MOST_JUDGED).astype(np.int64)


def nearest_others(search: Search, rows: NDArray[np.int64], k: int, threads: int) -> tuple[Floats, NDArray[np.int64]]:
    """The k nearest rows of rows that were learnt, each without itself."""
    sums, near = search.nearest(search.all_rows.take(rows), k + 1, threads)
    other = near != rows[:, None]
    other[other.all(axis=1), -1] = False  # the row itself is not among them: it is not the nearest to itself
    shape = (len(rows), k)
    return sums[other].reshape(shape), near[other].reshape(shape)


def make_searcher(choice: MetricChoice, algorithm: str) -> Callable[[Columns, Target], Search]:
    """What makes a search from rows: everything about the metric is learnt from them."""

    def make(columns: Columns, truth: Target) -> Search:
        fitted = learn_metric(choice, columns, truth)
        return Search(fitted, fitted.points(columns), algorithm)

    return make
