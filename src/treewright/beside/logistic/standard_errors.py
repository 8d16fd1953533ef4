"""Standard errors of a logistic model, and the deviance of a model without columns."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from treewright.beside.columns import Floats
from treewright.beside.logistic.first_guess import log_loss_of
from treewright.beside.logistic.rows import LogisticRows


def standard_errors(rows: LogisticRows, coefficients: Floats) -> Floats:
    """Give the standard errors at the maximum of the likelihood: constant first, one line a class after the first.

    They are the roots of the diagonal of the inverse of the second derivatives, taken against the first class, for
    columns that are not centred. Without a constant its error is NaN.

    Examples
    --------
    >>> rows = LogisticRows(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, 2)
    >>> standard_errors(rows, np.array([[-1.3623, 0.9082]])).round(3)
    array([[1.975, 1.085]])
    """
    hessian = log_loss_of(rows).slopes(coefficients, hessian=True).hessian
    assert hessian is not None
    if rows.n_units > 1:
        hessian = hessian[rows.width :, rows.width :]  # the first class stays where it is
    variances = _variances(hessian, rows)
    errors = np.sqrt(np.maximum(variances, 0.0)).reshape(-1, rows.width)
    if rows.intercept:
        return errors
    return np.column_stack([np.full(len(errors), np.nan), errors])


def null_deviance(rows: LogisticRows) -> float:
    """Give twice the log loss of the shares of the classes; without a constant, of equal shares.

    Examples
    --------
    >>> round(null_deviance(LogisticRows(np.zeros((2, 0)), np.array([0, 1]), None, 2)), 4)
    2.7726
    """
    counts = np.bincount(rows.codes, rows.weights, minlength=rows.n_classes)
    if not rows.intercept:
        return float(2 * counts.sum() * np.log(rows.n_classes))
    counts = counts[counts > 0]
    return float(-2 * counts @ np.log(counts / counts.sum()))


def _variances(hessian: Floats, rows: LogisticRows) -> Floats:
    """The diagonal of T H⁻¹ Tᵀ; T takes the constant of centred columns back to columns as they are."""
    diagonal = np.diagonal(hessian)
    if not (diagonal > 0).all():
        return np.full(len(hessian), np.nan)
    scale = 1 / np.sqrt(diagonal)
    try:
        factor = cho_factor(hessian * scale[:, None] * scale, lower=True)
    except LinAlgError:
        return np.full(len(hessian), np.nan)
    inverse = cho_solve(factor, np.eye(len(hessian))) * scale[:, None] * scale
    if not rows.intercept or rows.centre is None:
        return np.asarray(np.diagonal(inverse))
    back = np.eye(rows.width)
    back[0, 1:] = -rows.centre
    whole = np.kron(np.eye(len(hessian) // rows.width), back)
    return np.asarray(np.diagonal(whole @ inverse @ whole.T))
