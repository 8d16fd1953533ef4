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

# Folds by what is in the rows: equal rows share a fold, so neither the order of rows nor doubled rows matter.


def content_folds(matrix: Floats, target: Floats, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Give every row the number of its fold; the numbers of different rows in folds differ by at most one.

    Examples
    --------
    >>> content_folds(np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([5.0, 6.0, 5.0, 7.0]), 3, seed=0)
    array([0, 1, 0, 2])
    """
    drawn = np.random.default_rng(seed).integers(0, 2**63, matrix.shape[1] + 1, dtype=np.uint64)
    words = drawn * np.uint64(2) + np.uint64(1)
    mixed = _bits(matrix) @ words[:-1] + _bits(target) * words[-1]
    mixed ^= mixed >> np.uint64(32)
    mixed *= words[-1]
    different, place = np.unique(mixed, return_inverse=True)
    if len(different) < 2:
        raise DataError(
            f"alpha is to be chosen by cross-validation, but there is 1 sample (n_samples = {len(target)} rows, all "
            "alike): nothing can be held out. Give more rows, or give alpha as a number."
        )
    return np.asarray(place % min(n_folds, len(different)), dtype=np.int64)


def _bits(values: Floats) -> NDArray[np.uint64]:
    return (values + 0.0).view(np.uint64)  # −0 and 0 are one number


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


def folds_of(cv: Any, rows: CentredRows, seed: int, places: NDArray[Any] | None = None) -> NDArray[np.int64]:
    """The fold of each row: by content for a number of folds, or as a splitter or a list of splits deals them.

    `places` tells which rows of the table as it was given these are, for a list of splits.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> rows = CentredRows(np.zeros((4, 1)), np.arange(4.0), None, True)
    >>> folds_of(KFold(2), rows, 0)
    array([0, 0, 1, 1])
    """
    if cv is None or isinstance(cv, int | np.integer):
        return content_folds(rows.matrix, rows.target, int(cv or 10), seed)
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        in_table = np.arange(rows.n_rows) if places is None else np.argsort(places)  # a splitter sees them so
        splits = list(cv.split(rows.matrix[in_table], rows.target[in_table]))
        places = np.argsort(in_table)
    else:
        splits = list(cv)
    try:
        held_out = [np.asarray(held, dtype=np.int64) for _, held in splits]
    except (TypeError, ValueError):
        raise DataError(
            f"cv={cv!r} is no way to make folds. Give a number of folds, a splitter such as scikit-learn's KFold, or a "
            "list of pairs: the numbers of the rows to learn from, and of those to hold out."
        ) from None
    every = np.concatenate([np.zeros(0, dtype=np.int64), *held_out])
    asked = np.arange(rows.n_rows) if places is None else places
    if len(np.unique(every)) != len(every) or not np.isin(asked, every).all():
        raise DataError("cv has to hold out every row exactly once, as scikit-learn's KFold does, or be a number.")
    fold_of = np.zeros(int(every.max()) + 1, dtype=np.int64)
    fold_of[every] = np.repeat(np.arange(len(held_out)), [len(part) for part in held_out])
    different, folds = np.unique(fold_of[asked], return_inverse=True)
    if len(different) < 2:
        raise DataError("cv makes one fold of all rows, so that none are left to learn from. Give two folds or more.")
    return np.asarray(folds, dtype=np.int64)
