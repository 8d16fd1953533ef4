"""The bandwidth by leaving out one row at a time, through the leverage of each row: nothing is fitted twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.local.kernels import relative_weights
from treewright.beside.local.local_fits import LocalRows, Queries
from treewright.errors import DataError

_MOST_PAIRS, _FEWEST_JUDGED = 2 * 10**7, 50
_COARSE = 2.0 ** np.arange(2, -8, -1)  # of the median distance
_ALONE = 1e-9  # a row whose leverage is as close to 1 is the only one that counts


def choose_bandwidth(rows: LocalRows, queries: Queries) -> tuple[Floats, Floats, float]:
    """Give the bandwidths that were tried (descending), their mean squared errors, and the best.

    Ten bandwidths from 4 median distances downward, each half of the one before, and then the two between the best and
    its neighbours. Of equals the widest is taken.
    """
    which = judged_rows(len(rows.target))
    judged = queries.take(which)
    middle = _median_distance(rows, judged, which)
    if middle == 0:
        raise DataError("All rows are at the same place, so that no bandwidth tells them apart. Give bandwidth a number.")
    errors = {float(tau): loo_error(rows, judged, which, float(tau)) for tau in middle * _COARSE}
    best = _best(errors)
    for tau in (best * np.sqrt(2), best / np.sqrt(2)):
        errors[float(tau)] = loo_error(rows, judged, which, float(tau))
    tried = sorted(errors, reverse=True)
    return np.array(tried), np.array([errors[tau] for tau in tried]), _best(errors)


def _best(errors: dict[float, float]) -> float:
    return min(errors, key=lambda tau: (errors[tau], -tau))


def judged_rows(n_rows: int) -> NDArray[np.int64]:
    """The rows that are left out in turn: all of a short table, even steps of a long one.

    Examples
    --------
    >>> len(judged_rows(300)), len(judged_rows(100_000))
    (300, 200)
    """
    most = max(_FEWEST_JUDGED, _MOST_PAIRS // n_rows)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.linspace(0, n_rows - 1, most).astype(np.int64)


def loo_error(rows: LocalRows, judged: Queries, which: NDArray[np.int64], bandwidth: float) -> float:
    """The mean squared error of rows that are left out; a row that nothing else counts for is answered by the mean."""
    total, weight = 0.0, 0.0
    overall = float(np.average(rows.target, weights=rows.weights))
    start = 0
    for block in rows.blocks(judged):
        own = which[start : start + len(block.design)]
        start += len(own)
        distances = rows.distances(block)
        widths = np.full(len(own), bandwidth)
        fits = rows.fit_block(block, distances, widths)
        share = fits.leverage * _own_weights(rows, distances, own, bandwidth)
        right = rows.target[own]
        alone = ~(share < 1 - _ALONE)
        errors = np.where(alone, right - overall, (right - fits.values) / np.where(alone, 1.0, 1 - share))
        total += float(rows.weights[own] @ errors**2)
        weight += float(rows.weights[own].sum())
    return total / weight


def _own_weights(rows: LocalRows, distances: Floats, own: NDArray[np.int64], bandwidth: float) -> Floats:
    """What one row of its own weighs at each judged row, on the scale of its fit; a weight of 3 counts as three rows."""
    relative = relative_weights(rows.kernel, distances, np.full((len(own), 1), bandwidth))
    return np.asarray(relative[np.arange(len(own)), own] * np.minimum(rows.weights[own], 1.0))


def _median_distance(rows: LocalRows, judged: Queries, which: NDArray[np.int64]) -> float:
    """The median over pairs, each as heavy as its two rows; of those that are apart, if half of them are not."""
    some = rows.blocks(judged)[0]
    distances = rows.distances(some)
    heavy = rows.weights[which[: len(some.design)], None] * rows.weights
    flat, heavy = distances.ravel(), heavy.ravel()
    middle = _weighted_median(flat, heavy)
    return middle if middle > 0 or not flat.any() else _weighted_median(flat[flat > 0], heavy[flat > 0])


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2 * (1 - 1e-12))])


