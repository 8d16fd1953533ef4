"""The penalty of a logistic model by cross-validation: which C are tried, and the log loss of each on held-out rows."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, log_softmax

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.matrix_folds import folds_of
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.row_products import row_products
from treewright.learners.logistic.fit import fit_logistic

_DECADES = 4  # the C of a number of them lie between 10⁻⁴ and 10⁴, as scikit-learn's do
_LOOSE = 1e-4  # as `tol`: a loss on held-out rows needs no more
_PAST = 2  # C's in a row that are worse than the best: those above are worse still, and take longest
_LEAST = float(np.log(2.0**-52))  # a class that the fold's other rows do not have is not worth minus infinity


@dataclass(frozen=True)
class HeldOutLosses:
    """The mean log loss of each C that was tried on rows that were held out, and how many folds there were."""

    tried: Floats
    losses: Floats
    n_folds: int

    @property
    def best(self) -> float:
        """The C of the least loss; of equals the smallest, which keeps coefficients smallest."""
        return float(self.tried[int(np.argmin(self.losses))])


def choose_penalty(model: Any, matrix: Floats, truth: Target, names: tuple[str, ...]) -> HeldOutLosses:
    """Try one C after the other, from the smallest on; each fold goes on from its coefficients of the C before."""
    folds = folds_of(model.cv, matrix, truth.values, model._seed(), truth.rows)
    sides = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(int(folds.max()) + 1)]
    starts: list[Any] = [None] * len(sides)
    tried, losses = read_penalties(model.Cs), list[float]()
    for C in tried:
        one = copy(model)
        one.C, one.tol = float(C), max(float(model.tol), _LOOSE)
        loss = 0.0
        for place, (kept, held) in enumerate(sides):
            found = fit_logistic(one, matrix[kept], truth.take(kept), names, starts[place], lambda step, loss: None)
            starts[place] = _usable(found.fitted)
            loss += _log_loss(found.fitted, model.loss, matrix[held], truth.take(held))
        losses.append(loss / float(truth.row_weights.sum()))
        if len(losses) > _PAST and min(losses[-_PAST:]) > min(losses):
            break
    return HeldOutLosses(tried[: len(losses)], np.array(losses), len(sides))


def read_penalties(Cs: Any) -> Floats:
    """Give the C to try, the smallest first.

    Examples
    --------
    >>> read_penalties(3)
    array([1.e-04, 1.e+00, 1.e+04])
    >>> read_penalties([10, 0.1])
    array([ 0.1, 10. ])
    >>> read_penalties([0.0])
    Traceback (most recent call last):
    treewright.errors.DataError: Cs holds 0.0. Every C is a finite number above 0.
    """
    if isinstance(Cs, int | np.integer):
        return np.logspace(-_DECADES, _DECADES, int(Cs)) if Cs > 1 else np.ones(1)
    try:
        found = np.unique(np.array(Cs, dtype=np.float64).ravel())
    except (TypeError, ValueError):
        raise DataError("Cs is a number of C's to try, or a list of them.") from None
    if not len(found):
        raise DataError("Cs is empty. Give some C's to try, or their number.")
    wrong = ~(np.isfinite(found) & (found >= 1e-300))
    if wrong.any():
        raise DataError(f"Cs holds {found[wrong][0]}. Every C is a finite number above 0.")
    return found


def _usable(fitted: dict[str, Any]) -> tuple[Floats, Floats] | None:
    return (fitted["coef_"], fitted["intercept_"]) if np.isfinite(fitted["intercept_"]).all() else None


def _log_loss(fitted: dict[str, Any], loss: str, matrix: Floats, truth: Target) -> float:
    """The weighted sum over held-out rows."""
    sums = row_products(matrix, fitted["coef_"].T) + fitted["intercept_"]
    shares = log_shares(sums, loss)
    own = np.maximum(shares[np.arange(len(shares)), truth.values], _LEAST)
    return -float(own.sum() if truth.weights is None else truth.weights @ own)


def log_shares(sums: Floats, loss: str) -> NDArray[np.float64]:
    """The logarithm of each class's share, from the sums of a logistic model.

    Examples
    --------
    >>> np.exp(log_shares(np.zeros((1, 1)), "log")).round(3), np.exp(log_shares(np.zeros((1, 4)), "log")).round(3)
    (array([[0.5, 0.5]]), array([[0.25, 0.25, 0.25, 0.25]]))
    """
    if sums.shape[1] == 1:
        return np.column_stack([log_expit(-sums[:, 0]), log_expit(sums[:, 0])])
    if loss == "log":
        return np.asarray(log_softmax(sums, axis=1))
    each = log_expit(sums)
    return np.asarray(log_softmax(each, axis=1))
