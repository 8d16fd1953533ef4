"""The bandwidth by leaving out one row at a time, through the leverage of each row: nothing is fitted twice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats
from treewright.learners.local_regression.local_fits import LocalRows, Queries, relative_weights

_MOST_PAIRS, _FEWEST_JUDGED = 5 * 10**6, 50
_COARSE = 2.0 ** np.arange(2, -8, -1)  # of the median distance
_ALONE = 1e-9  # a row whose leverage is as close to 1 is the only one that counts


def choose_bandwidth(rows: LocalRows, queries: Queries) -> tuple[Floats, Floats, float]:
    """Give the bandwidths that were tried (descending), their mean squared errors, and the best.

    Ten bandwidths from 4 median distances downward, each half of the one before, and then the two between the best and
    its neighbours. Of equals the widest is taken.
    """
    judged = _measured(rows, queries)
    middle = _median_distance(rows, judged[0])
    if middle == 0:
        raise DataError("All rows are at the same place: no bandwidth tells them apart. Give bandwidth as a number.")
    errors = {float(tau): loo_error(rows, judged, float(tau)) for tau in middle * _COARSE}
    best = _best(errors)
    for tau in (best * np.sqrt(2), best / np.sqrt(2)):
        errors[float(tau)] = loo_error(rows, judged, float(tau))
    tried = sorted(errors, reverse=True)
    return np.array(tried), np.array([errors[tau] for tau in tried]), _best(errors)


def _best(errors: dict[float, float]) -> float:
    return min(errors, key=lambda tau: (errors[tau], -tau))


def judged_rows(n_rows: int) -> NDArray[np.int64]:
    """The rows that are left out in turn: all of a short table, even steps of a long one.

    Examples
    --------
    >>> len(judged_rows(300)), len(judged_rows(100_000))
    (300, 50)
    """
    most = max(_FEWEST_JUDGED, _MOST_PAIRS // n_rows)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.linspace(0, n_rows - 1, most).astype(np.int64)


@dataclass(frozen=True)
class Judged:
    """Some rows that are left out in turn: their numbers, what they ask, and their distances to all rows."""

    own: NDArray[np.int64]
    queries: Queries
    distances: Floats


def _measured(rows: LocalRows, queries: Queries) -> list[Judged]:
    """The rows to judge by, measured once for all bandwidths."""
    which = judged_rows(len(rows.target))
    found, start = [], 0
    for block in rows.blocks(queries.take(which)):
        own = which[start : start + len(block.design)]
        start += len(own)
        found.append(Judged(own, block, rows.distances(block)))
    return found


def loo_error(rows: LocalRows, judged: list[Judged], bandwidth: float) -> float:
    """The mean squared error of rows that are left out; a row that nothing else counts for is answered by the mean."""
    total, weight = 0.0, 0.0
    overall = float(np.average(rows.target, weights=rows.weights))
    for part in judged:
        own = part.own
        fits = rows.fit_block(part.queries, part.distances, np.full(len(own), bandwidth))
        share = fits.leverage * _own_weights(rows, part, bandwidth)
        right = rows.target[own]
        alone = ~(share < 1 - _ALONE)
        errors = np.where(alone, right - overall, (right - fits.values) / np.where(alone, 1.0, 1 - share))
        total += float(rows.weights[own] @ errors**2)
        weight += float(rows.weights[own].sum())
    return total / weight


def _own_weights(rows: LocalRows, judged: Judged, bandwidth: float) -> Floats:
    """What each judged row weighs in its own fit: one row's worth, since a weight of 3 counts as three rows."""
    nearest = judged.distances.min(axis=1)
    own = judged.distances[np.arange(len(judged.own)), judged.own]
    both = relative_weights(rows.kernel, np.column_stack([own, nearest]), np.full((len(own), 1), bandwidth))
    return np.asarray(both[:, 0] * np.minimum(rows.weights[judged.own], 1.0))


def _median_distance(rows: LocalRows, judged: Judged) -> float:
    """The median over pairs, each as heavy as its two rows; of those that are apart, if half of them are not."""
    heavy = (rows.weights[judged.own, None] * rows.weights).ravel()
    flat = judged.distances.ravel()
    middle = _weighted_median(flat, heavy)
    return middle if middle > 0 or not flat.any() else _weighted_median(flat[flat > 0], heavy[flat > 0])


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2 * (1 - 1e-12))])
