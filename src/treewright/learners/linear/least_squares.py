"""Least squares: centred rows, their sums of products, the factor R, and the coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, qr, solve_triangular

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.interruptible_algebra import cholesky

# The rows of a regression, centred and weighted block by block: what all sums and factors are made from.


_BLOCK_CELLS = 2**15  # 256 KiB of doubles


@dataclass(frozen=True)
class CentredRows:
    """A matrix, a target and weights, with the means that are taken off.

    Parameters
    ----------
    matrix : array of shape (n_rows, n_columns)
        The columns.
    target : array of length n_rows
        What is learnt.
    weights : array of length n_rows or None
        How much each row counts; None: all the same.
    has_intercept : bool
        Whether means are taken off at all.
    known_means : array or None
        The means of the columns, where they are known already.

    Examples
    --------
    >>> rows = CentredRows(np.array([[1.0], [3.0]]), np.array([5.0, 9.0]), None, True)
    >>> rows.means, rows.target_mean
    (array([2.]), 7.0)
    >>> list(rows.blocks())
    [(slice(0, 2, None), array([[-1.],
           [ 1.]]))]
    """

    matrix: Floats
    target: Floats
    weights: Floats | None
    has_intercept: bool
    known_means: Floats | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.target)

    @property
    def n_columns(self) -> int:
        """How many columns there are, the target left out."""
        return int(self.matrix.shape[1])

    @cached_property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @cached_property
    def means(self) -> Floats:
        """The mean of each column; 0 where there is no intercept."""
        if not self.has_intercept:
            return np.zeros(self.n_columns)
        return self._mean(self.matrix) if self.known_means is None else self.known_means

    @cached_property
    def target_mean(self) -> float:
        """The mean of the target; 0 where there is no intercept."""
        return float(self._mean(self.target[:, None])[0]) if self.has_intercept else 0.0

    def _mean(self, values: Floats) -> Floats:
        shares = np.full(self.n_rows, 1 / self.weight) if self.weights is None else self.weights / self.weight
        means: Floats = shares @ values
        return means

    def blocks(self, least: int = 64) -> Iterator[tuple[slice, Floats]]:
        """Give the centred columns block by block, with the place of the block; the next block takes its room."""
        step = max(_BLOCK_CELLS // max(self.n_columns, 1), least)
        room = np.empty((min(step, self.n_rows), self.n_columns))
        means = np.ascontiguousarray(np.broadcast_to(self.means, room.shape))  # one long loop beats many short ones
        for start in range(0, self.n_rows, step):
            part = slice(start, min(start + step, self.n_rows))
            size = part.stop - start
            yield part, np.subtract(self.matrix[part], means[:size], out=room[:size])

    @cached_property
    def roots(self) -> Floats | None:
        """The roots of the weights: what rows are multiplied with."""
        return None if self.weights is None else np.sqrt(self.weights)

    @cached_property
    def centred_target(self) -> Floats:
        """The target less its mean, each row times the root of its weight."""
        centred = self.target - self.target_mean
        return centred if self.roots is None else centred * self.roots

    def residuals(self, coefficients: Floats) -> Floats:
        """What the coefficients leave of the target: not weighted."""
        left = self.target - self.target_mean
        for part, block in self.blocks():
            left[part] -= block @ coefficients
        return left

    def against(self, residuals: Floats) -> Floats:
        """The sum of each centred column times residuals and weights."""
        weighed = residuals if self.weights is None else residuals * self.weights
        total: Floats = weighed @ self.matrix - weighed.sum() * self.means
        return total

    def take(self, rows: NDArray[Any] | slice) -> CentredRows:
        """Some of the rows, with means of their own."""
        weights = None if self.weights is None else self.weights[rows]
        return CentredRows(self.matrix[rows], self.target[rows], weights, self.has_intercept)


def refuse_overflow(sums: Floats) -> None:
    """Refuse numbers whose sums of squares are no numbers any more.

    Examples
    --------
    >>> refuse_overflow(np.array([np.inf]))
    Traceback (most recent call last):
    treewright.errors.DataError: Some numbers are so large that their squares are beyond the largest number. \
Divide the column, or the target, by a power of 10.
    """
    if not np.isfinite(sums).all():
        raise DataError(
            "Some numbers are so large that their squares are beyond the largest number. "
            "Divide the column, or the target, by a power of 10."
        )


# Centred sums of squares and products of columns and target; those of parts of the rows can be put together.


_NEAR = 10.0  # a mean is near 0 if its square is not above so many variances
_SOME_ROWS = 1000
_MULTIPLICATIONS = 2**31  # in one call: about a tenth of a second


@dataclass(frozen=True)
class Moments:
    """What least squares has to know of a set of rows. The last place of `means` and `products` is the target's.

    Examples
    --------
    >>> rows = CentredRows(np.array([[1.0], [3.0]]), np.array([5.0, 9.0]), None, True)
    >>> moments_of(rows)
    Moments(weight=2.0, means=array([2., 7.]), products=array([[2., 4.],
           [4., 8.]]))
    """

    weight: float
    means: Floats
    products: Floats

    def squared_errors(self, intercepts: Floats, coefficients: Floats) -> Floats:
        """The weighted sum of squared errors of each row of coefficients on these rows."""
        both = np.column_stack([-coefficients, np.ones(len(coefficients))])  # target minus what is predicted
        bias = both @ self.means - intercepts
        spread = np.einsum("ij,ij->i", both @ self.products, both)
        return np.asarray(np.maximum(spread, 0.0) + self.weight * bias**2)


def moments_of(rows: CentredRows) -> Moments:
    """Add up the products of the centred rows; the sums of what rounding left off centre are taken off."""
    return _moments_near_zero(rows) or _moments_by_blocks(rows)


def _moments_near_zero(rows: CentredRows) -> Moments | None:
    """The same without centring, where no mean is far from 0: that costs no digit worth a copy of the rows."""
    if rows.weights is not None or not rows.has_intercept:
        return None
    size = rows.n_columns
    products = np.empty((size + 1, size + 1))
    with np.errstate(over="ignore", invalid="ignore"):
        if (rows.means**2 > _NEAR * np.var(rows.matrix[:_SOME_ROWS], axis=0)).any():
            return None
        squares = _products(rows.matrix)
        products[:size, :size] = squares - rows.weight * np.outer(rows.means, rows.means)
        products[size, :size] = products[:size, size] = rows.against(rows.centred_target)
        products[size, size] = rows.centred_target @ rows.centred_target
        if (squares.diagonal() > 2 * (1 + _NEAR) * products.diagonal()[:size]).any():
            return None
    refuse_overflow(products)
    return Moments(rows.weight, np.append(rows.means, rows.target_mean), products)


def _products(matrix: Floats) -> Floats:
    """The products of all pairs of columns, of so many rows at a time that Ctrl-C is heard in between."""
    step = max(_MULTIPLICATIONS // max(matrix.shape[1], 1) ** 2, 64)
    total = matrix[:step].T @ matrix[:step]
    for start in range(step, len(matrix), step):
        total += matrix[start : start + step].T @ matrix[start : start + step]
    return total


def _moments_by_blocks(rows: CentredRows) -> Moments:
    size = rows.n_columns
    products, sums = np.zeros((size + 1, size + 1)), np.zeros(size + 1)
    roots, target = rows.roots, rows.centred_target
    ones = np.ones(rows.n_rows) if roots is None else roots
    with np.errstate(over="ignore", invalid="ignore"):
        for part, block in rows.blocks():
            if roots is not None:
                block *= roots[part, None]
            products[:size, :size] += block.T @ block
            products[:size, size] += target[part] @ block
            sums[:size] += ones[part] @ block
        products[size, size] = target @ target
        sums[size] = ones @ target
    products[size, :size] = products[:size, size]
    refuse_overflow(products)
    means = np.append(rows.means, rows.target_mean)
    if rows.has_intercept:
        means += sums / rows.weight
        products -= np.outer(sums / rows.weight, sums)
    return Moments(rows.weight, means, products)


def put_together(parts: Sequence[Moments], has_intercept: bool) -> Moments:
    """The moments of all rows of some parts.

    Examples
    --------
    >>> one = Moments(1.0, np.array([1.0, 5.0]), np.zeros((2, 2)))
    >>> two = Moments(1.0, np.array([3.0, 9.0]), np.zeros((2, 2)))
    >>> put_together([one, two], True).products.tolist()
    [[2.0, 4.0], [4.0, 8.0]]
    """
    weights = np.array([part.weight for part in parts])
    products = parts[0].products.copy()
    for part in parts[1:]:  # one at a time: Ctrl-C is heard between them
        products += part.products
    centres = np.array([part.means for part in parts])
    if not has_intercept:
        return Moments(float(weights.sum()), centres[0], products)  # nothing was taken off
    means = weights @ centres / weights.sum()
    off = centres - means
    return Moments(float(weights.sum()), means, products + (off * weights[:, None]).T @ off)


def scales_of(squares: Floats, means: Floats, weight: float) -> tuple[Floats, NDArray[np.bool_]]:
    """The spread of each column, with 1 for columns that are constant but for rounding, and which those are.

    Examples
    --------
    >>> scales_of(np.array([8.0, 1e-40]), np.array([3.0, 0.1]), 2.0)
    (array([2., 1.]), array([False,  True]))
    """
    spreads = np.sqrt(np.maximum(squares, 0.0) / weight)
    constant = spreads <= 64 * np.finfo(np.float64).eps * np.abs(means)
    return np.where(constant, 1.0, spreads), constant


# The triangle R of a regression, with RᵀR the products of its columns and target: by Cholesky, else by Householder.


_PANEL = 256  # columns that are turned at one time
_WELL_CONDITIONED = 1e-8  # the inverse condition of the products: the square of that of the columns


@dataclass(frozen=True)
class QRFactor:
    """Columns and target of a regression as an upper triangle, columns brought to one spread.

    `factor` has a column for each column of the matrix and one for the target. Columns that are `constant` are zero
    in it. `from_rows` tells that it was made of the rows, not of products.

    Examples
    --------
    >>> rows = CentredRows(np.array([[1.0], [3.0], [5.0]]), np.array([5.0, 9.0, 13.0]), None, True)
    >>> r_factor = qr_of(rows)
    >>> np.round(np.abs(r_factor.factor), 6).tolist(), r_factor.scales.round(6).tolist()
    ([[1.732051, 5.656854], [0.0, 0.0]], [1.632993])
    """

    means: Floats
    target_mean: float
    weight: float
    scales: Floats
    constant: NDArray[np.bool_]
    factor: Floats
    from_rows: bool

    @property
    def columns(self) -> Floats:
        """The part of the columns."""
        return self.factor[:, :-1]

    @property
    def target(self) -> Floats:
        """The part of the target."""
        return self.factor[:, -1]


def qr_of(rows: CentredRows) -> QRFactor:
    """Make the triangle: by products if they keep enough digits and rows are many, otherwise of the rows."""
    if rows.n_rows > 2 * rows.n_columns:
        made = qr_of_moments(moments_of(rows))
        if made is not None:
            return made
    return qr_of_rows(rows)


def qr_of_moments(moments: Moments) -> QRFactor | None:
    """Make the triangle of products; None where that would cost too many digits."""
    squares = moments.products.diagonal()[:-1]
    means = moments.means[:-1]
    scales, constant = scales_of(squares, means, moments.weight)
    if constant.any() or not len(means):
        return None  # rare, and the rows tell such columns best
    size = np.append(scales * np.sqrt(moments.weight), 1.0)
    correlations = moments.products / np.outer(size, size)
    columns = correlations[:-1, :-1]
    root, failed = cholesky(columns)
    if failed or lapack.dpocon(root, np.abs(columns).sum(axis=0).max())[0] < _WELL_CONDITIONED:
        return None
    target, _ = lapack.dtrtrs(root, correlations[:-1, -1], trans=1)
    left = correlations[-1, -1] - target @ target
    factor = np.zeros_like(correlations)
    factor[:-1, :-1], factor[:-1, -1], factor[-1, -1] = np.triu(root), target, np.sqrt(max(left, 0.0))
    factor[:, :-1] *= np.sqrt(moments.weight)
    return QRFactor(means, float(moments.means[-1]), moments.weight, scales, constant, factor, False)


def qr_of_rows(rows: CentredRows) -> QRFactor:
    """Householder's triangle of one block after the other, each below the triangle of those before."""
    factor = np.zeros((0, rows.n_columns + 1))
    for part, block in rows.blocks(max(64, rows.n_columns // 4)):  # else each call would be nearly all triangle
        if rows.roots is not None:
            block *= rows.roots[part, None]
        below = np.column_stack([block, rows.centred_target[part]])
        factor = triangle_of(np.vstack([factor, below]))[: rows.n_columns + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->j", factor, factor)
    refuse_overflow(squares)
    scales, constant = scales_of(squares[:-1], rows.means, rows.weight)
    factor = np.array(factor)
    factor[:, :-1] /= scales
    factor[:, :-1][:, constant] = 0.0
    return QRFactor(rows.means, rows.target_mean, rows.weight, scales, constant, factor, True)


def triangle_of(rows: Floats) -> Floats:
    """Householder's triangle; of many columns a panel at a time, so that Ctrl-C is heard in between.

    Examples
    --------
    >>> np.abs(triangle_of(np.array([[3.0], [4.0]]))).round(9).tolist()
    [[5.0], [0.0]]
    """
    if rows.shape[1] <= _PANEL:
        return np.asarray(qr(rows, mode="r", check_finite=False, overwrite_a=True)[0])
    left = np.asfortranarray(rows)
    for start in range(0, min(left.shape), _PANEL):
        here = slice(start, start + _PANEL)
        packed, factors, _, _ = lapack.dgeqrf(left[start:, here])
        left[start:, here], reflectors = np.triu(packed), packed[:, : len(factors)]
        for beside in range(start + _PANEL, left.shape[1], 4 * _PANEL):
            others = slice(beside, beside + 4 * _PANEL)
            turned = lapack.dormqr("L", "T", reflectors, factors, left[start:, others], 64 * 4 * _PANEL)
            left[start:, others] = turned[0]
    return left


# Least squares from the triangle of a regression, in R's way where columns depend on each other.


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

    r_factor: QRFactor
    kept: NDArray[np.bool_]
    root: Floats
    coefficients: Floats
    residuals: Floats

    @property
    def intercept(self) -> float:
        """What a row of zeros is answered with."""
        return float(self.r_factor.target_mean - self.r_factor.means @ self.coefficients)


def least_squares(rows: CentredRows) -> LeastSquares:
    """Solve a regression; coefficients from products are corrected by the rows until that changes no digit."""
    r_factor = qr_of(rows)
    kept = independent_columns(r_factor)
    root, target = kept_r_factor(r_factor, kept)
    scaled = np.zeros(rows.n_columns)
    scaled[kept] = solve_triangular(root, target, check_finite=False) if kept.any() else 0.0
    coefficients = scaled / r_factor.scales
    residuals = rows.residuals(coefficients)
    if not r_factor.from_rows:
        coefficients = coefficients + _correction(rows, r_factor, root, residuals)
        residuals = rows.residuals(coefficients)
    return LeastSquares(r_factor, kept, root, coefficients, residuals)


def independent_columns(r_factor: QRFactor) -> NDArray[np.bool_]:
    """Find the columns that are no combination of columns before them, as R's lm does.

    A column is dropped where the part of it that the columns before do not give is less than 10⁻⁷ of it. (R compares
    with the column before the mean is taken off, so that it drops a column of large numbers with a small spread.)
    """
    if not r_factor.from_rows:
        return np.ones(r_factor.columns.shape[1], dtype=bool)  # a condition below 10⁴ leaves no doubt
    columns, size = r_factor.columns, np.sqrt(r_factor.weight)
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


def kept_r_factor(r_factor: QRFactor, kept: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The triangle of the columns that are kept, and what of the target it is set against."""
    if kept.all() and r_factor.columns.shape[0] > len(kept):
        return r_factor.columns[:-1], r_factor.target[:-1]
    n_kept = int(kept.sum())
    whole = np.column_stack([r_factor.columns[:, kept], r_factor.target])
    again = triangle_of(whole)
    return again[:n_kept, :n_kept], again[:n_kept, n_kept]


def _correction(rows: CentredRows, r_factor: QRFactor, root: Floats, residuals: Floats) -> Floats:
    """One step of iterative refinement: what the rows still ask for."""
    asked = rows.against(residuals) / r_factor.scales
    half = solve_triangular(root, asked, trans=1, check_finite=False)
    step: Floats = solve_triangular(root, half, check_finite=False) / r_factor.scales
    return step
