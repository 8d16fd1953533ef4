"""The penalty by cross-validation: which are tried, on which folds, and the error of each on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats
from treewright.learners.linear.least_squares import CentredRows, moments_of, put_together
from treewright.learners.regularized.penalty import Penalty
from treewright.learners.regularized.quadratic import Quadratic, Scaled, problem_of_moments, scaled_problem

# The λ that are tried: as given, or evenly spread in powers from the greatest one downwards.


_RIDGE_DECADES = 1e-7  # where no λ makes all coefficients 0, the grid reaches further on both sides


def alpha_grid(alphas: Any, ratio: float | None, penalty: Penalty, quadratic: Quadratic) -> Floats:
    """Give the λ from large to small.

    Examples
    --------
    >>> from treewright.learners.regularized.quadratic import ProductQuadratic
    >>> quadratic = ProductQuadratic(np.eye(2), np.array([2.0, 0.5]), 5.0)
    >>> alpha_grid(4, 1e-3, Penalty(1.0), quadratic).round(3)
    array([2.   , 0.2  , 0.02 , 0.002])
    >>> alpha_grid([0.1, 3.0], None, Penalty(1.0), quadratic)
    array([3. , 0.1])
    """
    if isinstance(alphas, int | np.integer):
        top = penalty.greatest(quadratic)
        if not 0 < top < np.inf:
            raise DataError(
                f"For q={penalty.q:g}, l1_ratio={penalty.l1_ratio:g} and a target of this size the alphas to try are "
                "beyond the range of numbers. Multiply the target so that its spread is near 1, or give alphas."
            )
        reach = ratio or (1e-3 if penalty.q <= 1 and penalty.l1_ratio > 0 else _RIDGE_DECADES)
        return np.geomspace(top, top * reach, int(alphas)) if alphas > 1 else np.array([top * reach])
    return read_alphas(alphas)


def read_alphas(alphas: Any) -> Floats:
    """Read λ that were given, and put them in order.

    Examples
    --------
    >>> read_alphas([1.0, -1.0])
    Traceback (most recent call last):
    treewright.errors.DataError: alphas holds -1.0. Every alpha is a finite number of 0 or more.
    """
    try:
        found = np.array(alphas, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise DataError("alphas is a number of alphas to try, or a list of them.") from None
    if not len(found):
        raise DataError("alphas is empty. Give some alphas to try, or their number.")
    wrong = ~(found >= 0) | np.isinf(found)
    if wrong.any():
        raise DataError(f"alphas holds {found[wrong][0]}. Every alpha is a finite number of 0 or more.")
    return np.asarray(np.unique(found)[::-1])


# λ by cross-validation: the error of each λ on rows that were held out.


@dataclass(frozen=True)
class HeldOut:
    """The mean squared error of each λ on held-out rows, its standard error from fold to fold, and the folds.

    Examples
    --------
    >>> held_out = HeldOut(np.array([9.0, 5.0, 4.0, 4.5]), np.array([1.0, 1.0, 1.2, 1.0]), 10)
    >>> held_out.choose("min"), held_out.choose("1se")
    (2, 1)
    """

    mean: Floats
    error: Floats
    n_folds: int

    def choose(self, rule: str) -> int:
        """The place of the best λ; with "1se" the largest whose error is within one standard error of the best."""
        best = int(np.argmin(self.mean))
        if rule == "min":
            return best
        return int(np.argmax(self.mean <= self.mean[best] + self.error[best]))


def held_out_errors(
    rows: CentredRows, folds: NDArray[np.int64], penalty: Penalty, alphas: Floats, standardize: bool
) -> HeldOut:
    """Learn without each fold in turn, and look at the errors on it.

    Columns are centred and scaled anew for each fold, by the rows that it is learnt from. Where there are more rows
    than columns, sums of products are made once a fold and put together: the rows are read once.
    """
    n_folds = int(folds.max()) + 1
    parts = [rows.take(np.flatnonzero(folds == fold)) for fold in range(n_folds)]
    by_sums = rows.n_rows - max(part.n_rows for part in parts) > rows.n_columns
    weights = np.array([part.weight for part in parts])
    squares = (_by_sums if by_sums else _by_rows)(rows, parts, folds, penalty, alphas, standardize)
    errors = squares / weights[:, None]
    mean = weights @ errors / weights.sum()
    spread = weights @ (errors - mean) ** 2 / weights.sum()
    return HeldOut(mean, np.sqrt(spread / max(n_folds - 1, 1)), n_folds)


def _by_sums(
    rows: CentredRows, parts: list[CentredRows], folds: Any, penalty: Penalty, alphas: Floats, standardize: bool
) -> Floats:
    sums = [moments_of(part) for part in parts]
    squares = []
    for fold, own in enumerate(sums):
        others = put_together([other for place, other in enumerate(sums) if place != fold], rows.has_intercept)
        coefficients, intercepts = _path(problem_of_moments(others, standardize), penalty, alphas)
        squares.append(own.squared_errors(intercepts, coefficients))
    return np.array(squares)


def _by_rows(
    rows: CentredRows,
    parts: list[CentredRows],
    folds: NDArray[np.int64],
    penalty: Penalty,
    alphas: Floats,
    standardize: bool,
) -> Floats:
    squares = []
    for fold, own in enumerate(parts):
        problem = scaled_problem(rows.take(np.flatnonzero(folds != fold)), standardize)
        coefficients, intercepts = _path(problem, penalty, alphas)
        wrong = own.target[:, None] - own.matrix @ coefficients.T - intercepts
        squares.append(wrong.T**2 @ (np.ones(own.n_rows) if own.weights is None else own.weights))
    return np.array(squares)


def _path(problem: Scaled, penalty: Penalty, alphas: Floats) -> tuple[Floats, Floats]:
    return problem.unscaled(penalty.solve(problem.quadratic, alphas).coefficients)
