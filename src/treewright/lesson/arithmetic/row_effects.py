"""Groups against classes that have an order: does the target shift along its scale? (Goodman 1979)

The row-effects model says that the share of class j in group i is proportional to beta_j * gamma_i ** score_j.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.lesson.arithmetic.group_test import ALIKE, GroupTest
from treewright.lesson.arithmetic.upper_tail import log_chi_square_tail

Matrix = NDArray[np.float64]
_ROUNDS = 300


def row_effects_test(table: Sequence[Sequence[float]], scores: Sequence[float]) -> GroupTest:
    """Compare the row-effects model with independence by its likelihood ratio, with groups − 1 degrees of freedom.

    Examples
    --------
    >>> found = row_effects_test([(20, 10, 5), (10, 12, 10), (4, 11, 18)], (1, 2, 3))
    >>> round(found.statistic, 4), found.degrees, round(math.exp(found.log_p) * 1e5, 1)
    (19.6466, 2, 5.4)
    """
    counts = np.array(table, dtype=float)
    counts = counts[counts.sum(1) > 0]
    kept = counts.sum(0) > 0
    if len(counts) < 2 or kept.sum() < 2:
        return ALIKE
    counts, places = counts[:, kept], np.array(scores, dtype=float)[kept]
    fitted, shares = _fit(counts, places), counts.sum(0) / counts.sum()
    seen = counts > 0
    gained = counts[seen] * (np.log(fitted[seen]) - np.log(np.broadcast_to(shares, counts.shape)[seen]))
    statistic = max(0.0, 2 * math.fsum(gained.tolist()))
    return GroupTest(statistic, len(counts) - 1, log_chi_square_tail(statistic, len(counts) - 1))


def _fit(counts: Matrix, scores: Matrix) -> Matrix:
    """The class shares of each group that make the counts most likely, by Newton's steps, halved if they go too far."""
    groups, classes = counts.shape
    # What each parameter adds to the logarithm of each cell: the classes first, then the groups by their scores.
    design = np.zeros((groups, classes, classes + groups))
    for i in range(groups):
        design[i, :, :classes] = np.eye(classes)
        design[i, :, classes + i] = scores - scores.mean()
    point = np.zeros(classes + groups)
    best, shares = _likelihood(counts, design @ point)
    for _ in range(_ROUNDS):
        slope, bend = _slope_and_bend(counts, design, shares)
        step = np.linalg.lstsq(bend, slope, rcond=1e-13)[0]
        reached, moved = _likelihood(counts, design @ (point + step))
        while reached < best - 1e-12 * abs(best):
            step = step / 2
            reached, moved = _likelihood(counts, design @ (point + step))
        gained, best, point, shares = reached - best, reached, point + step, moved
        if abs(gained) < 1e-14 * max(1.0, abs(best)):
            break
    return shares


def _likelihood(counts: Matrix, logs: Matrix) -> tuple[float, Matrix]:
    logs = logs - logs.max(1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(1, keepdims=True))
    return float((counts * logs).sum()), np.exp(logs)


def _slope_and_bend(counts: Matrix, design: Matrix, shares: Matrix) -> tuple[Matrix, Matrix]:
    totals = counts.sum(1)
    slope = np.einsum("ij,ijp->p", counts - totals[:, None] * shares, design)
    mean = np.einsum("ij,ijp->ip", shares, design)
    squares = np.einsum("i,ij,ijp,ijq->pq", totals, shares, design, design)
    return slope, squares - np.einsum("i,ip,iq->pq", totals, mean, mean)
