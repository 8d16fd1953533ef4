"""Least squares from the triangle of a regression, in R's way where columns depend on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from treewright.beside.columns import Floats
from treewright.beside.linear.centred_rows import CentredRows
from treewright.beside.linear.triangle import Triangle, triangle_of

_DEPENDENT = 1e-7  # R's `tol` of lm: what is left of a column, beside the whole of it


@dataclass(frozen=True)
class LeastSquares:
    """The answer of a regression.

    Parameters
    ----------
    triangle : Triangle
        What it was made from.
    kept : array of truth values
        The columns that have a coefficient; the others are combinations of columns before them.
    root : array of shape (n_kept, n_kept)
        The upper triangle of the kept columns, brought to one spread.
    coefficients : array
        In the units of the table; 0 for columns that are not kept.
    residuals : array
        What is left of the target in each row.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [3.0, 6.0, 0.0], [4.0, 8.0, 0.0]])
    >>> found = least_squares(CentredRows(X, np.array([3.0, 6.0, 7.0, 9.0]), None, True))
    >>> found.kept.tolist(), found.coefficients.round(9).tolist(), round(found.intercept, 9)
    ([True, False, True], [2.0, 0.0, 1.0], 1.0)
    """

    triangle: Triangle
    kept: NDArray[np.bool_]
    root: Floats
    coefficients: Floats
    residuals: Floats

    @property
    def intercept(self) -> float:
        """What a row of zeros is answered with."""
        return float(self.triangle.target_mean - self.triangle.means @ self.coefficients)


def least_squares(rows: CentredRows) -> LeastSquares:
    """Solve a regression; coefficients from products are corrected by the rows until that changes no digit."""
    triangle = triangle_of(rows)
    kept = independent_columns(triangle)
    root, target = _kept_triangle(triangle, kept)
    scaled = np.zeros(rows.n_columns)
    scaled[kept] = solve_triangular(root, target, check_finite=False) if kept.any() else 0.0
    coefficients = scaled / triangle.scales
    residuals = rows.residuals(coefficients)
    if not triangle.from_rows:
        coefficients = coefficients + _correction(rows, triangle, root, residuals)
        residuals = rows.residuals(coefficients)
    return LeastSquares(triangle, kept, root, coefficients, residuals)


def independent_columns(triangle: Triangle) -> NDArray[np.bool_]:
    """Find the columns that are no combination of columns before them, as R's lm does.

    A column is dropped where the part of it that the columns before do not give is less than 10⁻⁷ of it. (R compares
    with the column before the mean is taken off, so that it drops a column of large numbers with a small spread.)
    """
    if not triangle.from_rows:
        return np.ones(triangle.columns.shape[1], dtype=bool)  # a condition below 10⁴ leaves no doubt
    columns, size = triangle.columns, np.sqrt(triangle.weight)
    most = columns.shape[0]
    basis = np.empty((most, most))
    kept = np.zeros(columns.shape[1], dtype=bool)
    for j in range(columns.shape[1]):
        found = int(kept.sum())
        if found == most:
            break
        left = columns[:, j]
        for _ in range(2):  # once more for what rounding put back
            left = left - basis[:, :found] @ (basis[:, :found].T @ left)
        length = float(np.linalg.norm(left))
        if length > _DEPENDENT * size:
            basis[:, found] = left / length
            kept[j] = True
    return kept


def _kept_triangle(triangle: Triangle, kept: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    if kept.all() and triangle.columns.shape[0] > len(kept):
        return triangle.columns[:-1], triangle.target[:-1]
    n_kept = int(kept.sum())
    whole = np.column_stack([triangle.columns[:, kept], triangle.target])
    again = qr(whole, mode="r", check_finite=False)[0]
    return again[:n_kept, :n_kept], again[:n_kept, n_kept]


def _correction(rows: CentredRows, triangle: Triangle, root: Floats, residuals: Floats) -> Floats:
    """One step of iterative refinement: what the rows still ask for."""
    asked = rows.against(residuals) / triangle.scales
    half = solve_triangular(root, asked, trans=1, check_finite=False)
    step: Floats = solve_triangular(root, half, check_finite=False) / triangle.scales
    return step
