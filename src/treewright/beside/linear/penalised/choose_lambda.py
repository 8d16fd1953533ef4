"""λ by cross-validation: the error of each λ on rows that were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.linear.centred_rows import CentredRows
from treewright.beside.linear.moments import moments_of, put_together
from treewright.beside.linear.penalised.content_folds import content_folds
from treewright.beside.linear.penalised.penalty import Penalty
from treewright.beside.linear.penalised.quadratic import Scaled, problem_of_moments, scaled_problem
from treewright.errors import DataError


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
    rows: CentredRows, folds: NDArray[np.int64], penalty: Penalty, lambdas: Floats, standardize: bool
) -> HeldOut:
    """Learn without each fold in turn, and look at the errors on it.

    Columns are centred and scaled anew for each fold, by the rows that it is learnt from. Where there are more rows
    than columns, sums of products are made once a fold and put together: the rows are read once.
    """
    n_folds = int(folds.max()) + 1
    parts = [rows.take(np.flatnonzero(folds == fold)) for fold in range(n_folds)]
    by_sums = rows.n_rows - max(part.n_rows for part in parts) > rows.n_columns
    weights = np.array([part.weight for part in parts])
    squares = (_by_sums if by_sums else _by_rows)(rows, parts, folds, penalty, lambdas, standardize)
    errors = squares / weights[:, None]
    mean = weights @ errors / weights.sum()
    spread = weights @ (errors - mean) ** 2 / weights.sum()
    return HeldOut(mean, np.sqrt(spread / max(n_folds - 1, 1)), n_folds)


def _by_sums(
    rows: CentredRows, parts: list[CentredRows], folds: Any, penalty: Penalty, lambdas: Floats, standardize: bool
) -> Floats:
    sums = [moments_of(part) for part in parts]
    squares = []
    for fold, own in enumerate(sums):
        others = put_together([other for place, other in enumerate(sums) if place != fold], rows.has_intercept)
        coefficients, intercepts = _path(problem_of_moments(others, standardize), penalty, lambdas)
        squares.append(own.squared_errors(intercepts, coefficients))
    return np.array(squares)


def _by_rows(
    rows: CentredRows,
    parts: list[CentredRows],
    folds: NDArray[np.int64],
    penalty: Penalty,
    lambdas: Floats,
    standardize: bool,
) -> Floats:
    squares = []
    for fold, own in enumerate(parts):
        problem = scaled_problem(rows.take(np.flatnonzero(folds != fold)), standardize)
        coefficients, intercepts = _path(problem, penalty, lambdas)
        wrong = own.target[:, None] - own.matrix @ coefficients.T - intercepts
        squares.append(wrong.T**2 @ (np.ones(own.n_rows) if own.weights is None else own.weights))
    return np.array(squares)


def _path(problem: Scaled, penalty: Penalty, lambdas: Floats) -> tuple[Floats, Floats]:
    return problem.unscaled(penalty.solve(problem.quadratic, lambdas).coefficients)


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
    if hasattr(cv, "split"):
        splits, places = list(cv.split(rows.matrix, rows.target)), None
    else:
        splits = list(cv)
    held_out = [np.asarray(split[1]) for split in splits]
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
