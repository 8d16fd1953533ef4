"""The row-effects model (Goodman 1979): the share of class j in group i goes to beta_j · gamma_i ^ score_j."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
_ROUNDS = 300


def shares_of_model(counts: Matrix, scores: Matrix, rates: Matrix | None = None) -> Matrix:
    """The share of each class in each group under the model; rates say how likely rows were drawn.

    A group whose rows all are at one end of the scale is fitted exactly, by a slope without bound, and says nothing
    about the others. It is put aside, with the classes that only such groups have, until none is left.

    >>> shares_of_model(np.array([[5.0, 0, 0], [0, 0, 7]]), np.array([1.0, 2, 3])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    shares = np.zeros(counts.shape)
    rates = np.ones(counts.shape) if rates is None else rates
    rows, classes = np.arange(len(counts)), np.arange(len(scores))
    while len(rows):
        classes = classes[counts[np.ix_(rows, classes)].any(0)]
        ends = [classes[np.argmin(scores[classes])], classes[np.argmax(scores[classes])]]
        aside = [row for row in rows if any(counts[row, end] == counts[row].sum() for end in ends)]
        if not aside:
            part = np.ix_(rows, classes)
            shares[part] = most_likely(counts[part], scores[classes], np.log(rates[part]))
            break
        for row in aside:
            shares[row, np.argmax(counts[row])] = 1.0
        rows = np.array([row for row in rows if row not in aside], dtype=np.intp)
    return shares


def most_likely(counts: Matrix, scores: Matrix, log_rates: Matrix) -> Matrix:
    """The shares that make the counts most likely, by Newton's steps, halved where they go too far.

    The likelihood is concave in the logarithms of beta and gamma. Where its top lies at infinity every step still takes
    away most of what is left to gain.

    >>> n = np.array([[20.0, 10, 5], [10, 12, 10], [4, 11, 18]])
    >>> m = most_likely(n, np.array([1.0, 2, 3]), np.zeros((3, 3))) * n.sum(1, keepdims=True)
    >>> np.allclose(m.sum(0), n.sum(0)), np.allclose(m @ [1, 2, 3], n @ [1, 2, 3])
    (True, True)
    """
    groups, classes = counts.shape
    # What each parameter adds to the logarithm of each cell: the classes first, then the groups by their scores.
    design = np.zeros((groups, classes, classes + groups))
    for i in range(groups):
        design[i, :, :classes] = np.eye(classes)
        design[i, :, classes + i] = scores - scores.mean()
    point = np.zeros(classes + groups)
    best, shares = _likelihood(counts, design @ point + log_rates)
    for _ in range(_ROUNDS):
        slope, bend = _slope_and_bend(counts, design, shares)
        step = np.linalg.lstsq(bend, slope, rcond=1e-13)[0]
        reached, moved = _likelihood(counts, design @ (point + step) + log_rates)
        while reached < best - 1e-12 * abs(best):
            step = step / 2
            reached, moved = _likelihood(counts, design @ (point + step) + log_rates)
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
