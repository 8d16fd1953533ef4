"""Least squares and penalised least squares by their definitions: slow, plain, and not clever anywhere."""

from __future__ import annotations

import numpy as np


def mixed_matrix(
    numbers: list[list[float | None]], levels: list[list[str | None]], weights: list[float], full: bool
) -> np.ndarray:
    """Rows of numbers and levels as a matrix: means and shares for holes, a column of 0 and 1 a level.

    The first level of each nominal column is left out unless `full`.
    """
    columns = []
    for column in zip(*numbers, strict=True):
        known = [(value, w) for value, w in zip(column, weights, strict=True) if value is not None]
        total = sum(w for _, w in known)
        mean = sum(value * w for value, w in known) / total if total else 0.0
        columns.append([mean if value is None else value for value in column])
    for column in zip(*levels, strict=True):
        names = sorted({value for value in column if value is not None})
        total = sum(w for value, w in zip(column, weights, strict=True) if value is not None)
        for name in names if full else names[1:]:
            share = sum(w for value, w in zip(column, weights, strict=True) if value == name) / total
            columns.append([share if value is None else float(value == name) for value in column])
    return np.array(columns).T.reshape(len(weights), len(columns))


def fitted_values(X: np.ndarray, y: np.ndarray, weights: np.ndarray, intercept: bool) -> np.ndarray:
    """What least squares answers to its own rows: the same, whichever of the best coefficients are taken."""
    whole = np.column_stack([np.ones(len(y)), X]) if intercept else X
    roots = np.sqrt(weights)
    best = np.linalg.lstsq(whole * roots[:, None], y * roots, rcond=None)[0]
    return whole @ best


def kept_columns(X: np.ndarray, weights: np.ndarray, intercept: bool) -> list[bool]:
    """Which columns are no combination of those before: R's rule, by the rank of all that are kept so far."""
    roots = np.sqrt(weights)[:, None]
    taken = [np.ones(len(X))] if intercept else []
    kept = []
    for column in X.T:
        more = [*taken, column]
        kept.append(bool(np.linalg.matrix_rank(np.column_stack(more) * roots, tol=1e-7) == len(more)))
        if kept[-1]:
            taken = more
    return kept


def standard_errors(X: np.ndarray, y: np.ndarray, weights: np.ndarray, intercept: bool) -> np.ndarray:
    """The roots of the diagonal of s² (XᵀWX)⁻¹, for columns that do not depend on each other."""
    whole = np.column_stack([np.ones(len(y)), X]) if intercept else X
    left = y - fitted_values(X, y, weights, intercept)
    variance = weights @ left**2 / (len(y) - whole.shape[1])
    return np.sqrt(variance * np.linalg.inv(whole.T @ (whole * weights[:, None])).diagonal())


def spreads(X: np.ndarray, weights: np.ndarray, intercept: bool) -> np.ndarray:
    """The standard deviation of each column; about 0 where there is no intercept."""
    means = weights @ X / weights.sum() if intercept else np.zeros(X.shape[1])
    return np.sqrt(weights @ (X - means) ** 2 / weights.sum())


def objective(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, b: np.ndarray, intercept: float, penalty: np.ndarray
) -> float:
    """1/(2n) of the weighted squared errors plus the price of all coefficients."""
    return float(0.5 * weights @ (y - intercept - X @ b) ** 2 / weights.sum() + penalty.sum())


def price(b: np.ndarray, sizes: np.ndarray, q: float, lam: float, l1_ratio: float = 1.0) -> np.ndarray:
    """What each coefficient costs; `sizes` are the spreads of the columns, or ones."""
    own = np.abs(b * sizes)
    return lam * (own**q if l1_ratio == 1 else l1_ratio * own + (1 - l1_ratio) * own**2 / 2)


def least_objective(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, intercept: bool, cost: object, start: np.ndarray
) -> float:
    """The least objective near a start, by trying steps up and down in every coordinate, halved when none helps."""

    def height(b: np.ndarray) -> float:
        middle = weights @ (y - X @ b) / weights.sum() if intercept else 0.0
        return objective(X, y, weights, b, middle, cost(b))  # type: ignore[operator]

    b, step = np.array(start, dtype=float), 1.0
    best = height(b)
    while step > 1e-7:
        improved = False
        for j in range(len(b)):
            for way in (step, -step):
                trial = b.copy()
                trial[j] += way
                if height(trial) < best:
                    b, best, improved = trial, height(trial), True
        if not improved:
            step /= 2
    return best
