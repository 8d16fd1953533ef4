"""The widest margin of separable rows: what the convergence bound of the perceptron is measured with."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from treewright.beside.columns import Floats

_FIRST_ROWS, _NEW_ROWS, _MOST_ROUNDS = 40, 40, 200
_EXACT = 1e-9


def widest_margin(signed: Floats, separator: Floats) -> float | None:
    """Give the largest γ for which some u of length 1 has u · row ≥ γ for all rows, or None where there is none.

    Rows are signed: those of the negative class are turned round. `separator` is any vector that is above 0 on them
    all; it tells which rows are near the border. The least u with u · row ≥ 1 is a least distance problem, solved by
    non-negative least squares (Lawson and Hanson 1974) on few rows, to which those that it gets wrong are added until
    there are none.

    Examples
    --------
    >>> rows = np.array([[1.0, 1.0], [1.0, 3.0], [1.0, 9.0]])
    >>> round(widest_margin(rows, np.array([0.0, 1.0])), 4)
    1.4142
    """
    nearest = np.argsort(signed @ separator, kind="stable")
    chosen = list(nearest[:_FIRST_ROWS])
    for _ in range(_MOST_ROUNDS):
        u = _least_vector(signed[chosen])
        if u is None:
            return None
        margins = signed @ u
        wrong = np.flatnonzero(margins < 1 - _EXACT)
        if not len(wrong):
            return float(1 / np.linalg.norm(u))
        chosen += wrong[np.argsort(margins[wrong], kind="stable")[:_NEW_ROWS]].tolist()
    return None


def _least_vector(rows: Floats) -> Floats | None:
    """The shortest u with u · row ≥ 1 for these rows."""
    scale = float(np.abs(rows).max(initial=0.0)) or 1.0
    system = np.vstack([(rows / scale).T, np.ones(len(rows))])
    wanted = np.zeros(len(system))
    wanted[-1] = 1.0
    shares, _ = nnls(system, wanted, maxiter=100 * system.shape[1])
    left = system @ shares - wanted
    if np.linalg.norm(left) < 1e-12 or left[-1] >= 0:
        return None
    return np.asarray(-left[:-1] / left[-1] / scale)
