"""A linear regression from sums alone: what they are asked of may be rows in memory, or rows that are elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from treewright.learners.base.design_matrix import Columns, Design, Floats, matrix_width, refuse_holes
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.row_products import row_products
from treewright.learners.base.sums_by_class import RowsByClass, Units, refuse_infinite
from treewright.learners.base.tallies import Tallies
from treewright.learners.base.whole_sums import Whole, weight_shift
from treewright.learners.linear.least_squares import (
    LeastSquares,
    Moments,
    QRFactor,
    independent_columns,
    kept_r_factor,
    qr_of_moments,
    scales_of,
)
from treewright.learners.linear.whole_products import Frame, WholeProducts, ends_of
from treewright.memory import Block
from treewright.table.schema import Schema

_MOST_FINE = 150  # whose triangle is made of such numbers: beyond, it takes longer than one of the rows
_MOST_COLUMNS = 500  # of a matrix: sums of products are Python's whole numbers
_BYTES_OF_A_PAIR, _BYTES_OF_A_ROW = 600, 20  # such numbers of two columns; residuals and roots of weights
_ROWS = 4096  # whose residuals are made at one time
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Residuals:
    """How residuals are made: each row by itself, so that it does not matter which rows are beside it."""

    design: Design
    means: Floats
    target_mean: float
    coefficients: Floats

    def of(self, matrix: Floats, target: Floats, roots: Floats | None) -> Floats:
        """The residual of each row, times the root of its weight."""
        left = target - self.target_mean
        means = np.ascontiguousarray(np.broadcast_to(self.means, (_ROWS, matrix.shape[1])))
        for start in range(0, len(left), _ROWS):
            rows = matrix[start : start + _ROWS]
            left[start : start + _ROWS] -= row_products(rows - means[: len(rows)], self.coefficients)
        return left if roots is None else left * roots


class AskedForSums(Protocol):
    """Rows that are asked. Weights are those of `weight_sums`; all rows are one class."""

    @property
    def heaviest(self) -> float:
        """The largest weight; 1 where every row counts the same."""
        ...

    @property
    def n_rows(self) -> int:
        """How many rows have some weight."""
        ...

    @property
    def target_ends(self) -> tuple[float, float]:
        """The smallest and the largest number of the target."""
        ...

    def tallies(self) -> Tallies:
        """Weights, levels, ends."""
        ...

    def sums(self, units: Units) -> Whole:
        """Sums of the columns of numbers."""
        ...

    def products(self, design: Design, frame: Frame) -> WholeProducts:
        """Sums of products of the columns of the matrix."""
        ...

    def residual_quarters(self, residuals: Residuals) -> Floats:
        """The least residual, the quartiles and the greatest."""
        ...


@dataclass(frozen=True)
class MemoryRows:
    """Rows in memory."""

    columns: Columns
    truth: Target
    heaviest: float
    n_rows: int
    target_ends: tuple[float, float]
    _made: dict[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Columns, truth: Target) -> MemoryRows:
        """Of rows as a learner has them."""
        heaviest = 1.0 if truth.weights is None else float(truth.weights.max(initial=0.0))
        low, high = (float(end) + 0.0 for end in (truth.values.min(), truth.values.max()))
        return cls(columns, truth, heaviest, len(truth.values), (low, high))

    def blocks(self, width: int) -> list[Block]:
        """What adding up a matrix of so many columns has in memory."""
        borrowed = width == self.columns.numbers.shape[1] and not self.columns.has_holes.any()
        return [
            Block(0 if borrowed else 8, rows=self.n_rows, columns=width),
            Block(_BYTES_OF_A_PAIR, columns=width, columns_=width),
            Block(_BYTES_OF_A_ROW, rows=self.n_rows),
        ]

    def tallies(self) -> Tallies:
        """Only columns with holes need a copy."""
        columns, weights = self.columns, self.truth.weights
        codes = [columns.codes[:, place] for place in range(len(columns.levelled))]
        sizes = [len(columns.schema.columns[j].levels) for j in columns.levelled]
        alike, shift = np.zeros(len(self.truth.values), dtype=np.int64), weight_shift(self.heaviest)
        found = Tallies.of(_NO_NUMBERS, codes, sizes, alike, weights, shift)
        known = np.tile(found.weight[:, None], (1, len(columns.numeric)))
        known[:, columns.has_holes] = self._with_holes.known(shift)
        low, high = ends_of(columns.numbers, self.truth.values)
        return replace(found, low=low[:-1], high=high[:-1], known=known)

    def sums(self, units: Units) -> Whole:
        """Of columns with holes: the others' follow from the products."""
        holes = self.columns.has_holes
        found = np.zeros((1, len(holes)), dtype=object)
        found[:, holes] = replace(units, low=units.low[holes], high=units.high[holes]).sums(self._with_holes)
        return found

    @cached_property
    def _with_holes(self) -> RowsByClass:
        columns, alike = self.columns, np.zeros(len(self.truth.values), dtype=np.int64)
        return RowsByClass.of(columns.numbers[:, columns.has_holes], alike, self.truth.weights, 1)

    def products(self, design: Design, frame: Frame) -> WholeProducts:
        """All at once."""
        return WholeProducts.of(self._matrix(design), self.truth.values, self._roots, frame)

    def _matrix(self, design: Design) -> Floats:
        """The matrix, made once: what holes are filled with stays the same."""
        if "matrix" not in self._made:
            self._made["matrix"] = design.matrix(self.columns)
        return self._made["matrix"]

    def residual_quarters(self, residuals: Residuals) -> Floats:
        """From all residuals."""
        found = residuals.of(self._matrix(residuals.design), self.truth.values, self._roots)
        places = quarter_places(len(found))
        found.partition(sorted({int(place) for place in places.ravel()}))
        return between_places(found[places], len(found))

    @property
    def _roots(self) -> Floats | None:
        return None if self.truth.weights is None else np.sqrt(self.truth.weights)


_NO_NUMBERS = RowsByClass(np.empty((0, 0)), None, np.zeros(2, dtype=np.int64))


def quarter_places(n: int) -> NDArray[np.int64]:
    """The places of the quartiles in the order of n numbers: below and above each.

    Examples
    --------
    >>> quarter_places(4).tolist()
    [[0, 0, 1, 2, 3], [1, 1, 2, 3, 3]]
    """
    below = np.floor(np.array(QUARTERS) * (n - 1)).astype(np.int64)
    return np.array([below, np.minimum(below + 1, n - 1)])


def between_places(values: Floats, n: int) -> Floats:
    """The quartiles by the numbers at these places, as `numpy.quantile` has them.

    Examples
    --------
    >>> between_places(np.array([3.0, 5.0, 6.0, 8.0])[quarter_places(4)], 4)
    array([3. , 4.5, 5.5, 6.5, 8. ])
    """
    share = np.array(QUARTERS) * (n - 1) - quarter_places(n)[0]
    return np.asarray(values[0] + (values[1] - values[0]) * share + 0.0)


@dataclass(frozen=True)
class Summed:
    """What rows add up to: how they become a matrix, the products of its columns, and the triangle of these."""

    design: Design
    products: WholeProducts
    moments: Moments
    r_factor: QRFactor
    has_intercept: bool


def width_of(schema: Schema, contrasts: str, missing: str) -> int:
    """How many columns the matrix may have."""
    return matrix_width(schema, contrasts) * (2 if missing == "flag" else 1)


def are_enough(asked: AskedForSums, width: int) -> bool:
    """Whether sums tell all of a matrix of so many columns; of more columns there are too many pairs."""
    return 0 < width <= min(_MOST_COLUMNS, asked.n_rows // 2)


def sum_up(asked: AskedForSums, schema: Schema, contrasts: str, missing: str, has_intercept: bool) -> Summed | None:
    """Ask for the sums; None where columns are too many for them."""
    if not are_enough(asked, width_of(schema, contrasts, missing)):
        return None
    tallies = asked.tallies()
    units = Units(tallies.low, tallies.high, asked.heaviest)
    refuse_infinite(units, schema)
    design, filled = _design_of(asked, schema, contrasts, missing, tallies, units)
    frame = Frame.of(_ends(design, units, asked.target_ends), asked.heaviest, has_intercept)
    products = asked.products(design, frame)
    moments = products.moments(has_intercept)
    learnt = replace(design, fill=np.where(filled, design.fill, products.means[:-1]))
    r_factor = qr_of_moments(moments) or _qr_of_products(products, moments, has_intercept)
    return None if r_factor is None else Summed(learnt, products, moments, r_factor, has_intercept)


def _qr_of_products(products: WholeProducts, moments: Moments, has_intercept: bool) -> QRFactor | None:
    """The triangle where doubles would lose too many digits; None where columns are too many for that."""
    if len(moments.means) > _MOST_FINE:
        return None
    squares, size = moments.products.diagonal(), float(np.sqrt(moments.weight))
    means, target_mean = moments.means[:-1], float(moments.means[-1])
    scales, constant = scales_of(squares[:-1], means, moments.weight)
    factor = products.triangle(has_intercept) * np.append(np.where(constant, 0.0, size), np.sqrt(squares[-1]))
    return QRFactor(means, target_mean, moments.weight, scales, constant, factor, True)


def _design_of(
    asked: AskedForSums, schema: Schema, contrasts: str, missing: str, tallies: Tallies, units: Units
) -> tuple[Design, NDArray[np.bool_]]:
    """The matrix, and for which of its columns it is known already what holes are filled with."""
    total = tallies.weight[0]
    numeric = iter(range(len(tallies.low)))
    whole = (
        units.means(asked.sums(units), tallies.known)[0]
        if (tallies.known < total).any()
        else np.zeros(len(tallies.low))
    )
    fill, known, holes = [np.empty(0)], [np.empty(0, dtype=bool)], np.zeros(len(schema.columns), dtype=bool)
    start = 0
    for j, column in enumerate(schema.columns):
        if column.kind == "numeric":
            place = next(numeric)
            holes[j] = tallies.known[0, place] < total
            fill.append(whole[place : place + 1])
            known.append(holes[j : j + 1])
            continue
        counts = tallies.levels[0, start : start + len(column.levels)]
        start += len(column.levels)
        some = counts.sum() or 1
        holes[j] = counts.sum() < total
        shares = (counts / some).astype(np.float64)
        if column.kind == "ordinal":
            shares = np.array([float((counts @ np.arange(1, len(counts) + 1, dtype=object)) / some)])
        elif contrasts == "treatment":
            shares = shares[1:]
        fill.append(shares)
        known.append(np.ones(len(shares), dtype=bool))
    if missing == "refuse":
        refuse_holes(schema, holes)
    flagged = holes if missing == "flag" else np.zeros_like(holes)
    flags = int(flagged.sum())
    design = Design(schema, contrasts, flagged, np.concatenate([*fill, np.zeros(flags)]))
    return design, np.concatenate([*known, np.ones(flags, dtype=bool)])


def _ends(design: Design, units: Units, target: tuple[float, float]) -> Floats:
    """The ends of the columns of the matrix: those of numbers as they were seen, of levels as they can be."""
    low, high = np.zeros(len(design.names)), np.ones(len(design.names))
    starts = np.concatenate([[0], np.cumsum(design.widths)])
    numeric = [int(starts[j]) for j, column in enumerate(design.schema.columns) if column.kind == "numeric"]
    low[numeric], high[numeric] = np.nan_to_num(units.low), np.nan_to_num(units.high)
    for j, column in enumerate(design.schema.columns):
        if column.kind == "ordinal":
            high[starts[j]] = len(column.levels)
    return np.array([np.append(low, target[0]), np.append(high, target[1])])


@dataclass(frozen=True)
class FromSums:
    """Least squares from sums: the answer, the squares that are left, those of the target, quartiles of residuals."""

    answer: LeastSquares
    residual_square: float
    target_square: float
    quarters: Floats


def least_squares_from(asked: AskedForSums, summed: Summed) -> FromSums:
    """Solve a regression; its coefficients are corrected once by what they leave, which sums tell exactly."""
    r_factor = summed.r_factor
    kept = independent_columns(r_factor)
    root, target = kept_r_factor(r_factor, kept)
    coefficients = np.zeros(len(kept))
    coefficients[kept] = solve_triangular(root, target, check_finite=False) if kept.any() else 0.0
    coefficients /= r_factor.scales
    slopes, _ = summed.products.slopes(coefficients, summed.has_intercept)
    if kept.any():
        half = solve_triangular(root, (slopes / r_factor.scales)[kept], trans=1, check_finite=False)
        coefficients[kept] += solve_triangular(root, half, check_finite=False) / r_factor.scales[kept]
    _, square = summed.products.slopes(coefficients, summed.has_intercept)
    answer = LeastSquares(r_factor, kept, root, coefficients, np.empty(0))
    residuals = Residuals(summed.design, r_factor.means, r_factor.target_mean, coefficients)
    quarters = asked.residual_quarters(residuals)
    return FromSums(answer, square, float(summed.moments.products[-1, -1]), quarters)
