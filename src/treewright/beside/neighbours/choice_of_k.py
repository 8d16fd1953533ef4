"""The number of neighbours by cross-validation: one search for all k."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns, Floats
from treewright.beside.learner_model import Truth
from treewright.beside.neighbours.learn_metric import Factors, learn_metric
from treewright.beside.neighbours.search import Search
from treewright.beside.neighbours.votes import Neighbours, class_shares, count_neighbours, mean_values, settled_search
from treewright.estimators.folds import deal_folds

ROWS_AT_ONCE = 8_192
MOST_JUDGED = 10_000  # rows of a longer table are judged at even steps
Judged = tuple[Search, NDArray[np.int64], Floats, NDArray[np.int64], Truth]


@dataclass(frozen=True)
class Trial:
    """How neighbours are judged: the way to search, the folds (None: one row at a time), the most neighbours, votes."""

    make_search: Callable[[Columns, Truth], Search]
    n_folds: int | None
    most: int
    weights: str
    ties: str
    threads: int


def error_curve(trial: Trial, columns: Columns, truth: Truth) -> Floats:
    """The error of 1, 2, …, `most` neighbours on rows that had no say: share of wrong classes, or squared error.

    Leaving out one row at a time, the search is made once, with all rows. With folds everything, the ranges of the
    columns too, is learnt anew without each fold.
    """
    errors, total = np.zeros(trial.most), 0.0
    judge = _leave_one_out if trial.n_folds is None else _by_folds
    for search, rows, sums, near, learnt in judge(trial, columns, truth):
        weight = truth.row_weights[rows]
        total += float(weight.sum())
        for k in range(1, trial.most + 1):
            counted = count_neighbours(sums, near, search.metric, k, learnt.weights, trial.ties)
            errors[k - 1] += (weight * _losses(counted, trial.weights, learnt, truth.values[rows])).sum()
    return errors / total


def _losses(near: Neighbours, weights: str, learnt: Truth, right: NDArray[Any]) -> Floats:
    if learnt.classes is None:
        return np.asarray((mean_values(near, weights, learnt.values) - right) ** 2)
    shares = class_shares(near, weights, learnt.values, len(learnt.classes))
    return np.asarray(shares.argmax(axis=1) != right, dtype=np.float64)


def _leave_one_out(trial: Trial, columns: Columns, truth: Truth) -> Iterator[Judged]:
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


def _by_folds(trial: Trial, columns: Columns, truth: Truth) -> Iterator[Judged]:
    n_folds = trial.n_folds or 2
    folds = deal_folds(columns.n_rows, n_folds, 0, None if truth.classes is None else truth.values)
    judged = np.zeros(columns.n_rows, dtype=bool)
    judged[_judged_rows(columns.n_rows)] = True
    for fold in range(n_folds):
        kept = np.flatnonzero(folds != fold)
        learnt = truth.take(kept)
        search = trial.make_search(columns.take(kept), learnt)
        for rows in _parts(np.flatnonzero((folds == fold) & judged)):
            points = search.metric.points(columns.take(rows))
            found = settled_search(
                lambda which, k, s=search, p=points: s.nearest(p.take(which), k, trial.threads),  # type: ignore[misc]
                len(rows),
                trial.most,
                len(kept),
                learnt.weights,
                trial.ties,
            )
            yield search, rows, *found, learnt


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


def make_searcher(metric: str, factors: Factors, algorithm: str) -> Callable[[Columns, Truth], Search]:
    """What makes a search from rows: everything about the metric is learnt from them."""

    def make(columns: Columns, truth: Truth) -> Search:
        learnt = learn_metric(metric, factors, columns, truth)
        return Search(learnt, learnt.points(columns), algorithm)

    return make
