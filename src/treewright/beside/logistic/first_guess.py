"""Where Newton's method starts on a long table: at the answer of a sixteenth of its rows."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.logistic.log_loss import BinaryLogLoss, SoftmaxLogLoss
from treewright.beside.logistic.newton import Ridge, Start, newton
from treewright.beside.logistic.rows import LogisticRows

_EVERY, _ROWS_A_COEFFICIENT = 16, 30
_LOOSE, _FEW_STEPS = 0.1, 8


def log_loss_of(rows: LogisticRows) -> BinaryLogLoss | SoftmaxLogLoss:
    """Give the log loss that fits the number of classes.

    Examples
    --------
    >>> type(log_loss_of(LogisticRows(np.zeros((1, 1)), np.zeros(1), None, 5))).__name__
    'SoftmaxLogLoss'
    """
    return BinaryLogLoss(rows) if rows.n_units == 1 else SoftmaxLogLoss(rows)


def first_guess(rows: LogisticRows, ridge: Floats) -> Start:
    """Give where to start from: zeros for a short table, else what some of its rows say.

    Examples
    --------
    >>> first_guess(LogisticRows(np.zeros((3, 1)), np.array([0, 1, 1]), None, 2), np.zeros(2)).coefficients
    array([[0., 0.]])
    """
    zeros = Start(np.zeros((rows.n_units, rows.width)))
    if len(rows.codes) < _EVERY * _ROWS_A_COEFFICIENT * rows.n_units * rows.width:
        return zeros
    thin = rows.thinned(_EVERY)
    if not np.bincount(thin.codes, minlength=rows.n_classes).all():
        return zeros
    found = newton(Ridge(log_loss_of(thin), ridge), zeros, _LOOSE, _FEW_STEPS, lambda step, loss: None)
    return Start(found.coefficients, found.hessian) if found.converged and not found.runs_away else zeros
