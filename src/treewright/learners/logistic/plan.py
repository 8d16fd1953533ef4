"""How a logistic model is fitted: penalty, loss and solver, checked together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats
from treewright.learners.logistic.loss import LogisticRows

MOST_FOR_NEWTON = 500  # coefficients; with more of them second derivatives cost more than they save
_USUAL_STEPS = {"newton": 100, "lbfgs": 1000, "coordinate_descent": 100, "gradient_descent": 10_000, "sgd": 200}
SOLVERS = ("auto", *_USUAL_STEPS)


@dataclass(frozen=True)
class LogisticPlan:
    """Penalty, loss and solver of a fit.

    Parameters
    ----------
    solver : str
        Any of `SOLVERS` but "auto".
    squared : bool
        Whether the loss is the squared one.
    ridge, corners : array, one a coefficient of a class
        What Σ coefficient² / 2 and Σ |coefficient| are multiplied by.
    learning_rate : float or None
    tol : float
    max_iter : int
    """

    solver: str
    squared: bool
    ridge: Floats
    corners: Floats
    learning_rate: float | None
    tol: float
    max_iter: int

    @property
    def is_penalised(self) -> bool:
        """Whether coefficients are kept small."""
        return bool(self.ridge.any() or self.corners.any())


def chosen_solver(solver: str, loss: str, penalty: str | None, n_coefficients: int) -> str:
    """Give the solver that does the work, or say why it cannot.

    Examples
    --------
    >>> chosen_solver("auto", "log", "l2", 20), chosen_solver("auto", "log", "l1", 20)
    ('newton', 'coordinate_descent')
    >>> chosen_solver("newton", "log", "l1", 20)
    Traceback (most recent call last):
    treewright.errors.DataError: solver='newton' ... penalty='l1' ... Choose solver='coordinate_descent' or 'auto'.
    """
    corners = penalty in ("l1", "elasticnet")
    if loss != "log":
        if corners:
            raise DataError(f"loss='{loss}' goes with penalty='l2' or None, not with penalty='{penalty}'.")
        if solver in ("newton", "coordinate_descent"):
            raise DataError(
                f"loss='{loss}' is not convex, and solver='{solver}' needs a loss that is. "
                "Choose solver='lbfgs', 'gradient_descent', 'sgd' or 'auto'."
            )
        return "lbfgs" if solver == "auto" else solver
    if corners:
        if solver not in ("auto", "coordinate_descent"):
            raise DataError(
                f"solver='{solver}' needs slopes everywhere, and penalty='{penalty}' has corners. "
                "Choose solver='coordinate_descent' or 'auto'."
            )
        return "coordinate_descent"
    if solver == "auto":
        return "newton" if n_coefficients <= MOST_FOR_NEWTON else "lbfgs"
    return solver


def usual_steps(solver: str) -> int:
    """Give the most steps of a solver where none are asked for.

    Examples
    --------
    >>> usual_steps("newton")
    100
    """
    return _USUAL_STEPS[solver]


def penalty_parts(
    penalty: str | None, C: float, l1_ratio: float, rows: LogisticRows, spread: Floats | None
) -> tuple[Floats, Floats]:
    """Give what squares and absolute values of coefficients cost; the constant costs nothing.

    Penalties are divided by C; where there is a `spread` they are those of columns divided by it.

    Examples
    --------
    >>> rows = LogisticRows(np.zeros((1, 2)), np.zeros(1), None, 2)
    >>> penalty_parts("elasticnet", 2.0, 0.25, rows, None)
    (array([0.   , 0.375, 0.375]), array([0.   , 0.125, 0.125]))
    """
    p = rows.matrix.shape[1]
    share = {None: 0.0, "l2": 0.0, "l1": 1.0, "elasticnet": l1_ratio}[penalty]
    price = 0.0 if penalty is None or not np.isfinite(C) else 1.0 / C
    scale = np.ones(p) if spread is None else spread
    before = np.zeros(int(rows.intercept))
    squares = np.concatenate([before, price * (1 - share) * scale**2])
    return squares, np.concatenate([before, price * share * scale])
