"""The distance between two rows: what each column adds, learnt from the training rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from treewright.errors import DataError, nearest
from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.matrix_model import Target
from treewright.learners.neighbors.metric_choice import Factors, MetricChoice, given_scale, given_whitening

# Rows as distances read them: ordered columns as numbers, nominal ones as level codes.


@dataclass(frozen=True)
class Points:
    """Rows to measure distances between: `numbers` (NaN is missing) and `codes` (0 is missing, or never seen).

    Examples
    --------
    >>> Points(np.array([[1.0], [2.0]]), np.array([[1], [0]], dtype=np.int32)).take(np.array([1])).numbers
    array([[2.]])
    """

    numbers: Floats
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[Any] | slice) -> Points:
        """Some of the rows: a slice, a mask, or numbers in any order."""
        return Points(self.numbers[rows], self.codes[rows])

    def gather(self, rows: NDArray[np.int64]) -> Points:
        """The rows of these numbers, which are known to be right: faster than `take`."""
        codes = np.take(self.codes, rows, axis=0, mode="clip") if self.codes.shape[1] else self.codes[: len(rows)]
        return Points(np.take(self.numbers, rows, axis=0, mode="clip"), codes)


@dataclass(frozen=True)
class Layout:
    """Which columns of a table a metric orders and which it only tells apart, by their places in `Columns`.

    `numeric` are places in `Columns.numbers`, `scored` and `nominal` are places in `Columns.codes`; the scores of an
    ordinal column are the numbers of its levels, 1, 2, …

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> columns = Columns(schema, np.array([[20.0]]), np.array([[2]], dtype=np.int32), (0,), (1,))
    >>> layout_of(columns, every_level=False).names(columns)
    ('age', 'job')
    """

    numeric: tuple[int, ...]
    scored: tuple[int, ...]
    nominal: tuple[int, ...]

    def points(self, columns: Columns) -> Points:
        """The rows of a table as points."""
        scores = columns.codes[:, list(self.scored)].astype(np.float64)
        scores[scores == 0] = np.nan
        whole = not self.scored and len(self.numeric) == columns.numbers.shape[1]
        numbers = columns.numbers if whole else np.hstack([columns.numbers[:, list(self.numeric)], scores])
        return Points(np.ascontiguousarray(numbers), np.ascontiguousarray(columns.codes[:, list(self.nominal)]))

    def sources(self, columns: Columns) -> tuple[int, ...]:
        """The column of the table that each ordered and each nominal coordinate comes from."""
        levelled = columns.levelled
        ordered = [columns.numeric[k] for k in self.numeric] + [levelled[k] for k in self.scored]
        return (*ordered, *(levelled[k] for k in self.nominal))

    def names(self, columns: Columns) -> tuple[str, ...]:
        """The name of each coordinate."""
        return tuple(columns.schema.columns[j].name for j in self.sources(columns))

    def without(self, ignored: NDArray[np.bool_]) -> Layout:
        """The layout without those of its coordinates that count for nothing."""
        parts, start = [], 0
        for part in (self.numeric, self.scored, self.nominal):
            parts.append(tuple(k for k, out in zip(part, ignored[start : start + len(part)], strict=True) if not out))
            start += len(part)
        return Layout(*parts)


def layout_of(columns: Columns, every_level: bool) -> Layout:
    """Lay the columns out; with `every_level` ordinal columns are only told apart, as nominal ones are."""
    kinds = [columns.schema.columns[j].kind for j in columns.levelled]
    scored = tuple(k for k, kind in enumerate(kinds) if kind == "ordinal" and not every_level)
    nominal = tuple(k for k in range(len(kinds)) if k not in scored)
    return Layout(tuple(range(len(columns.numeric))), scored, nominal)


# The distance between two rows: what each column adds, and what a missing value adds.


_PAIRS_AT_ONCE = 8192  # a block of differences stays in the cache


@dataclass(frozen=True)
class Metric:
    """How far two rows are apart: a sum over the columns, of which `distances` takes the root.

    An ordered column adds ``|scale · (a − b)| ** power``, a nominal one `apart` where the levels differ, or, where
    `rates` are given, the squared distance of the shares of the classes at the two levels. Where one of the two
    values is missing, an ordered column adds `hole` and a nominal one `apart`. An `averaged` metric leaves such
    columns out instead and divides by the weight of the others. Where the power is infinite ("chebyshev") the largest
    part stands in the place of the sum.

    Differences are taken before they are scaled, so that equal differences stay equal to the last digit: ties are ties.

    Examples
    --------
    >>> layout = Layout((0,), (), (0,))
    >>> heom = Metric("heom", layout, 2, np.array([1 / 8]), np.array([1.0]), np.array([1.0]))
    >>> rows = Points(np.array([[1.0], [2.0]]), np.array([[1], [2]], dtype=np.int32))
    >>> sums = heom.pair_sums(rows, np.array([0]), rows, np.array([1]))
    >>> heom.distances(sums).round(4)
    array([1.0078])
    """

    name: str
    layout: Layout
    power: float
    scale: Floats
    hole: Floats | None  # None: the metric takes no missing numbers
    apart: Floats
    averaged: bool = False
    mixing: Floats | None = None  # upper triangle; ordered differences are multiplied by it
    rates: tuple[Floats, ...] | None = None  # of each nominal column: levels (row 0: unknown, NaN) × classes

    def points(self, columns: Columns) -> Points:
        """Rows of a table as points of this metric; a missing number is refused where the metric has no use for it."""
        points = self.layout.points(columns)
        if self.hole is None and np.isnan(points.numbers.sum()):
            refuse_holes(points.numbers, self.layout.names(columns), self.name, columns.given_rows)
        return points

    def distances(self, sums: Floats) -> Floats:
        """The distances that the sums stand for."""
        if self.power == 2:
            return np.sqrt(sums)
        return sums if self.power in (1, np.inf) else np.asarray(sums ** (1 / self.power))

    def sums_to(self, queries: Points, columns: Floats, near: NDArray[np.int64]) -> Floats | None:
        """The same sums for numbers only: each query to the rows of its line, which are given by columns.

        The same operations in the same order, so the same digits as `pair_sums`; None where it would take more.
        """
        if self.mixing is not None or self.averaged or len(self.apart):
            return None
        sums = np.zeros(near.shape)
        for place, scale in enumerate(self.scale):
            gap = queries.numbers[:, place, None] - np.take(columns[place], near, mode="clip")
            gap *= scale
            self._add(sums, self._raised(gap))
        return sums

    def pair_sums(self, left: Points, i: NDArray[np.int64], right: Points, j: NDArray[np.int64]) -> Floats:
        """The sum of each pair (row i of `left`, row j of `right`), columns added one by one in their order."""
        sums = np.empty(len(i))
        for start in range(0, len(i), _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            sums[part] = self._block_sums(left.gather(i[part]), right.gather(j[part]))
        return sums

    def _block_sums(self, left: Points, right: Points) -> Floats:
        sums, known = np.zeros(len(left)), np.zeros(len(left))
        for place, added in enumerate(self._ordered_parts(left.numbers, right.numbers)):
            holes = None if self.hole is None else np.isnan(added)
            if holes is not None and self.hole is not None and holes.any():
                added[holes] = 0.0 if self.averaged else self.hole[place]
            self._add(sums, added)
            if self.averaged and self.hole is not None:
                known += self.hole[place] if holes is None else np.where(holes, 0.0, self.hole[place])
        for place, apart in enumerate(self.apart):
            a, b = left.codes[:, place], right.codes[:, place]
            both = (a > 0) & (b > 0)
            if self.averaged:
                sums += np.where(both & (a != b), apart, 0.0)
                known += np.where(both, apart, 0.0)
            elif self.rates is None:
                self._add(sums, np.where(both & (a == b), 0.0, apart))
            else:
                sums += self._rate_part(place, a, b)
        if self.averaged:
            return np.where(known > 0, sums / np.where(known > 0, known, 1.0), 1.0)
        return sums

    def _ordered_parts(self, left: Floats, right: Floats) -> list[Floats]:
        """What each ordered coordinate adds; NaN where a value is missing."""
        gaps = ((left - right) * self.scale).T
        if self.mixing is not None:
            gaps = _mix(gaps, self.mixing)
        with np.errstate(over="ignore"):
            return [self._raised(gap) for gap in gaps]

    def _raised(self, gap: Floats) -> Floats:
        """What a difference adds, in its own place."""
        if self.power == 2:
            return np.multiply(gap, gap, out=gap)
        size = np.abs(gap, out=gap)
        return size if self.power in (1, np.inf) else np.power(size, self.power, out=size)

    def _add(self, sums: Floats, parts: Floats) -> None:
        """Put what a column adds to the sums, in their own place."""
        (np.maximum if self.power == np.inf else np.add)(sums, parts, out=sums)

    def _rate_part(self, place: int, a: NDArray[np.int32], b: NDArray[np.int32]) -> Floats:
        rates = self.rates[place] if self.rates is not None else np.empty((0, 0))
        added = np.zeros(len(a))
        for of_class in rates.T:
            gap = of_class[a] - of_class[b]
            added += gap * gap
        return np.asarray(np.where(np.isnan(added), 1.0, added) * self.apart[place])


def _mix(gaps: Floats, mixing: Floats) -> Floats:
    """Multiply by the triangle one number at a time: a product by BLAS depends on how many rows there are."""
    mixed = np.zeros_like(gaps)
    for to in range(len(mixing)):
        for place in range(to + 1):
            mixed[to] += gaps[place] * mixing[place, to]
    return mixed


def refuse_holes(
    numbers: Floats, names: tuple[str, ...], metric: str, given_rows: NDArray[np.int64] | None = None
) -> None:
    """Say where the first missing number is, and which metrics take it; `given_rows` are the numbers of the rows.

    Examples
    --------
    >>> refuse_holes(np.array([[1.0], [np.nan]]), ("age",), "euclidean")
    Traceback (most recent call last):
    treewright.errors.DataError: Row 2 has no value (NaN) in column 'age', and metric='euclidean' takes none. Fill ...
    """
    holes = np.argwhere(np.isnan(numbers))
    if len(holes):
        numbered = holes[:, 0] if given_rows is None else given_rows[holes[:, 0]]
        first = int(np.argmin(numbered))
        row, place = int(numbered[first]), holes[first, 1]
        raise DataError(
            f"Row {row + 1} has no value (NaN) in column '{names[place]}', and metric='{metric}' takes none. "
            "Fill it, or choose metric='heom', 'gower' or 'hvdm'."
        )


# From a name to a distance: ranges, spreads and shares of classes of the rows that were learnt from.


METRICS = (
    "heom",
    "gower",
    "hvdm",
    "euclidean",
    "manhattan",
    "minkowski",
    "chebyshev",
    "standardised",
    "weighted",
    "mahalanobis",
    "hamming",
)
METRICS_WITH_HOLES = ("heom", "gower", "hvdm")  # take missing numbers
_BY_ONE = ("gower", "manhattan", "hamming")  # add differences, the others their squares
_RAW = ("euclidean", "manhattan", "minkowski", "chebyshev", "weighted")  # take numbers in their own units
_RIDGE = 1e-8  # on the diagonal of the correlations, so that columns that say the same do no harm


def learn_metric(choice: MetricChoice, columns: Columns, truth: Target) -> Metric:
    """Learn the metric that was asked for from the rows of a table.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[20.0], [30.0]]), np.empty((2, 0), dtype=np.int32), (0,), ())
    >>> learn_metric(MetricChoice("heom"), columns, Target(np.zeros(2), None)).scale
    array([0.1])
    """
    choice = choice.checked()
    name, factors, params = choice.name, choice.factors, choice.params or {}
    _check_use(name, factors, columns, truth)
    layout = layout_of(columns, every_level=name == "hamming")
    factor = _factors_by_place(factors, columns, layout)
    points = layout.points(columns)
    n_ordered = points.numbers.shape[1]
    if name not in METRICS_WITH_HOLES:
        refuse_holes(points.numbers, layout.names(columns), name, columns.given_rows)
    scale = _unit_scale(name, points.numbers, truth.row_weights, layout.names(columns), params) * factor[:n_ordered]
    kept = np.flatnonzero(scale)
    power = _power(choice)
    levelled = factor[n_ordered:] > 0
    ignored = np.concatenate([scale == 0, ~levelled])
    apart = factor[n_ordered:][levelled] ** (1 if power == np.inf else power)
    hole = factor[:n_ordered][kept] ** power if name in METRICS_WITH_HOLES else None
    mixing = None
    if name == "mahalanobis" and params:
        mixing = given_whitening(params, n_ordered)
    elif name == "mahalanobis":
        mixing = _whitening(points.numbers[:, kept] * scale[kept], truth.row_weights)
    rates = None
    if name == "hvdm":
        used = [k for k, kept_level in zip(layout.nominal, levelled, strict=True) if kept_level]
        sizes = [len(columns.schema.columns[columns.levelled[k]].levels) for k in used]
        rates = tuple(_class_shares(columns.codes[:, k], n, truth) for k, n in zip(used, sizes, strict=True))
    return Metric(name, layout.without(ignored), power, scale[kept], hole, apart, name == "gower", mixing, rates)


def _power(choice: MetricChoice) -> float:
    named = {"minkowski": choice.p, "chebyshev": np.inf}
    return named.get(choice.name, 1 if choice.name in _BY_ONE else 2)


def _check_use(name: str, factors: Factors, columns: Columns, truth: Target) -> None:
    kinds = {column.kind: column.name for column in reversed(columns.schema.columns)}
    if name == "hamming" and "numeric" in kinds:
        raise DataError(
            f"metric='hamming' counts the columns that differ, but column '{kinds['numeric']}' holds numbers. "
            "Choose metric='heom', or call its values levels: column_kinds="
            f"{{'{kinds['numeric']}': 'nominal'}}."
        )
    if name == "mahalanobis" and "nominal" in kinds:
        raise DataError(
            f"metric='mahalanobis' takes numbers, but column '{kinds['nominal']}' is nominal. Choose metric='heom', "
            "or leave the column out."
        )
    if name == "mahalanobis" and factors is not None:
        raise DataError("metric='mahalanobis' finds its own factors. Leave factors out, or choose metric='weighted'.")
    if name == "hvdm" and truth.classes is None:
        raise DataError("metric='hvdm' compares levels by their classes, and the target is a number. Choose 'heom'.")
    if name == "weighted" and factors is None:
        raise DataError("metric='weighted' needs a factor for each column. Pass factors={'column': 2.0}.")


def _factors_by_place(factors: Factors, columns: Columns, layout: Layout) -> Floats:
    """The factor of each coordinate of the layout; 1 where none is given."""
    names = columns.schema.names
    if factors is None:
        by_column = np.ones(len(names))
    elif isinstance(factors, Mapping):
        unknown = [str(name) for name in factors if str(name) not in names]
        if unknown:
            raise DataError(
                f"factors names the column '{unknown[0]}', which is not there. {nearest(unknown[0], names)}"
            )
        given = {str(name): value for name, value in factors.items()}
        by_column = _as_numbers([given.get(name, 1.0) for name in names])
    else:
        by_column = _as_numbers(list(factors))
        if len(by_column) != len(names):
            raise DataError(
                f"factors has {len(by_column)} numbers, but the table has {len(names)} columns. Give one for each."
            )
    if not np.isfinite(by_column).all() or (by_column < 0).any():
        wrong = int(np.argmax(~np.isfinite(by_column) | (by_column < 0)))
        raise DataError(
            f"In factors, the factor of column '{names[wrong]}' is {by_column[wrong]:g}. Factors are 0 (the column is "
            "left out) or above."
        )
    return np.asarray(by_column[list(layout.sources(columns))], dtype=np.float64)


def _as_numbers(values: list[Any]) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"factors must be numbers, one a column. Got {values!r}.") from None


def _unit_scale(
    name: str, numbers: Floats, weights: Floats, names: tuple[str, ...], params: Mapping[str, Any]
) -> Floats:
    """What a difference is multiplied by; 0 where all values are the same, so that the column is ignored."""
    if name in _RAW or not numbers.size:
        return np.ones(numbers.shape[1])
    if name == "mahalanobis" and params:  # they are in the units of the columns
        return np.ones(numbers.shape[1])
    if name == "standardised" and params:
        return given_scale(params["V"], numbers.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        spread = _range(numbers) if name in ("heom", "gower") else _deviation(name, numbers, weights)
        spread = 4 * spread if name == "hvdm" else spread
    if not np.isfinite(spread).all():
        wrong = names[int(np.argmax(~np.isfinite(spread)))]
        raise DataError(f"The numbers of column '{wrong}' are too far apart to measure. Divide them by a power of 10.")
    return np.asarray(np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > np.finfo(np.float64).tiny))


def _range(numbers: Floats) -> Floats:
    known = ~np.isnan(numbers)
    highest = np.where(known, numbers, -np.inf).max(axis=0)
    lowest = np.where(known, numbers, np.inf).min(axis=0)
    return np.asarray(np.where(known.any(axis=0), highest - lowest, 0.0))


def _deviation(name: str, numbers: Floats, weights: Floats) -> Floats:
    """The standard deviation; weights count rows. Heterogeneous distances divide by n, the others by n − 1."""
    known = ~np.isnan(numbers)
    weight = np.where(known, weights[:, None], 0.0)
    total = weight.sum(axis=0)
    some = np.where(total > 0, total, 1.0)
    centre = np.where(known, numbers, 0.0)
    mean = (weight * centre).sum(axis=0) / some
    squares = (weight * np.where(known, numbers - mean, 0.0) ** 2).sum(axis=0)
    freedom = some if name == "hvdm" else np.maximum(total - 1, 0.0)
    spread = np.sqrt(np.divide(squares, freedom, out=np.zeros_like(squares), where=freedom > 0))
    constant = _range(numbers) == 0  # rounding of the mean must not make a spread of nothing
    return np.asarray(np.where(constant, 0.0, spread))


def _whitening(standardised: Floats, weights: Floats) -> Floats:
    """The triangle that turns standardised differences into uncorrelated ones."""
    n_columns = standardised.shape[1]
    if not n_columns:
        return np.empty((0, 0))
    centred = standardised - np.average(standardised, axis=0, weights=weights)
    correlations = (centred * weights[:, None]).T @ centred / (weights.sum() - 1)
    factor = cholesky(correlations + _RIDGE * np.eye(n_columns), lower=True)
    return np.asarray(solve_triangular(factor, np.eye(n_columns), lower=True).T)


def _class_shares(codes: Any, n_levels: int, truth: Target) -> Floats:
    """The share of each class among the rows of each level; NaN for a level without rows, and for code 0."""
    n_classes = len(truth.classes if truth.classes is not None else ())
    cells = codes.astype(np.int64) * n_classes + truth.values
    counts = np.bincount(cells, truth.row_weights, minlength=(n_levels + 1) * n_classes)
    counts = counts.reshape(n_levels + 1, n_classes)
    counts[0] = 0
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))
