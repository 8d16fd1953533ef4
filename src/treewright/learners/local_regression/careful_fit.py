"""One weighted regression with care: by QR, with a ridge where it is singular, the mean where nothing else is left."""

from __future__ import annotations

import numpy as np

from treewright.learners.base.design_matrix import Floats

RIDGE = 1e-6  # of the mean square of the slopes' columns, where rows are too few
_SINGULAR = 1e-10  # a diagonal of R so small beside the largest


def fit_one(x: Floats, y: Floats, weights: Floats, few: bool) -> tuple[float, float]:
    """Give the value at x = 0, and what a weight of 1 there adds to it.

    Examples
    --------
    >>> value, leverage = fit_one(np.array([[-1.0], [1.0]]), np.array([1.0, 3.0]), np.ones(2), few=False)
    >>> round(value, 9), round(leverage, 9)
    (2.0, 0.5)
    """
    root = np.sqrt(weights)[:, None]
    ridge = RIDGE / max(x.shape[1], 1)
    if x.shape[1] > len(x):  # the slopes that a ridge leaves are sums of rows, so as many directions as rows tell all
        x = np.asarray(np.linalg.qr(x.T, mode="r")).T
    n_slopes = x.shape[1]
    rows = np.column_stack([np.ones(len(x)), x]) * root
    right = y * root[:, 0]
    squares = float((rows[:, 1:] ** 2).sum())
    if squares == 0:
        total = float(weights.sum())
        return float(weights @ y) / total, 1 / total
    if few or len(rows) <= n_slopes or _is_singular(rows):
        held = np.sqrt(ridge * squares) * np.eye(n_slopes)
        rows = np.vstack([rows, np.column_stack([np.zeros(n_slopes), held])])
        right = np.concatenate([right, np.zeros(n_slopes)])
    q, r = np.linalg.qr(rows)
    solution = _solve(r, q.T @ right)
    first = np.zeros(n_slopes + 1)
    first[0] = 1
    back = _solve(r.T, first)
    return float(solution[0]), float(back @ back)


def _is_singular(rows: Floats) -> bool:
    diagonal = np.abs(np.diag(np.linalg.qr(rows, mode="r")))
    return bool(diagonal.min() < _SINGULAR * diagonal.max())


def _solve(r_factor: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(r_factor, right, rcond=None)[0])
