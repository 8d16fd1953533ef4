"""Levels that come later: a table in parts may show a level that its first parts did not have."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.matrix_model import Target
from treewright.table.schema import Column, Schema

# What naive Bayes keeps of its rows: sums by class that can be added to, so that rows may come in parts.


_BLOCK = 2048  # rows that stay in the cache
_FEW_CLASSES = 16
_LOST = 1e-6  # a share of the squares; less has lost more than six of sixteen digits
_FEW_ROWS = 64  # so many tell that a column has many different values


@dataclass(frozen=True)
class ClassSums:
    """Sums over the rows of each class (K of them), for numeric columns and for the levels of all other columns.

    `known`, `mean` and `squares` are K × numeric columns: the weight of the rows with a value, their mean, and the
    weighted squares of their distances from it. `levels` is K × all levels of all levelled columns, one after the
    other. `low`, `high` and `distinct` tell how finely the numbers of a column are spread, in all classes.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[20.0], [30.0]]), np.empty((2, 0), dtype=np.int32), (0,), ())
    >>> sums = sum_by_class(columns, Target(np.zeros(2, dtype=np.int32), None), 1)
    >>> both = sums.plus(sums)
    >>> both.mean, both.squares
    (array([[25.]]), array([[100.]]))
    """

    weight: Floats
    known: Floats
    mean: Floats
    squares: Floats
    low: Floats
    high: Floats
    distinct: Floats
    levels: Floats

    def plus(self, other: ClassSums) -> ClassSums:
        """The sums over the rows of both."""
        known = self.known + other.known
        share = np.divide(other.known, known, out=np.zeros_like(known), where=known > 0)
        gap = other.mean - self.mean
        return ClassSums(
            self.weight + other.weight,
            known,
            self.mean + gap * share,
            self.squares + other.squares + gap**2 * self.known * share,
            np.fmin(self.low, other.low),
            np.fmax(self.high, other.high),
            np.maximum(self.distinct, other.distinct),
            self.levels + other.levels,
        )

    @property
    def all_squares(self) -> Floats:
        """The weighted squares of the distances from the mean of all classes, of each numeric column."""
        total = np.maximum(self.known.sum(axis=0), np.finfo(np.float64).tiny)
        mean = (self.known * self.mean).sum(axis=0) / total
        return np.asarray((self.squares + self.known * (self.mean - mean) ** 2).sum(axis=0))


def sum_by_class(columns: Columns, truth: Target, n_classes: int) -> ClassSums:
    """Sum the rows of a table by class."""
    weight = np.bincount(truth.values, truth.weights, minlength=n_classes).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused when densities are made
        moments = _moments_by_product(columns.numbers, truth, weight) if n_classes <= _FEW_CLASSES else None
        known, mean, squares, low, high = moments or _moments_by_class(columns.numbers, truth, n_classes)
    distinct = _distinct(columns.numbers, low, high, known, squares)
    return ClassSums(weight, known, mean, squares, low, high, distinct, _count_levels(columns, truth, n_classes))


def _moments_by_product(numbers: Floats, truth: Target, weight: Floats) -> tuple[Floats, ...] | None:
    """All classes at once, by products with the membership of the rows, block by block; None where that is unsafe.

    Squares are taken around the mean of the first rows. Where a class lies so far from it that digits would be lost,
    and where values are missing, the classes are summed one by one.
    """
    shape = (len(weight), numbers.shape[1])
    centre = numbers[:_BLOCK].mean(axis=0)
    first, second = np.zeros(shape), np.zeros(shape)
    low, high = np.full(shape[1], np.inf), np.full(shape[1], -np.inf)
    gaps = np.empty((_BLOCK, shape[1]))
    for start in range(0, len(numbers), _BLOCK):
        block = numbers[start : start + _BLOCK]
        codes = truth.values[start : start + _BLOCK]
        members = (codes == np.arange(len(weight))[:, None]).astype(np.float64)
        if truth.weights is not None:
            members *= truth.weights[start : start + _BLOCK]
        gap = np.subtract(block, centre, out=gaps[: len(block)])
        first += members @ gap
        np.multiply(gap, gap, out=gap)
        second += members @ gap
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
    known = np.tile(weight[:, None], (1, shape[1]))
    shift = np.divide(first, known, out=np.zeros(shape), where=known > 0)
    squares = second - known * shift**2
    if not ((squares > _LOST * second) | (known == 0)).all():
        return None
    return known, np.where(known > 0, centre + shift, 0.0), np.where(known > 0, squares, 0.0), low, high


def _moments_by_class(numbers: Floats, truth: Target, n_classes: int) -> tuple[Floats, ...]:
    """One class after the other: exact around its own mean, holes left out."""
    codes = truth.values
    order = np.argsort(codes.astype(np.uint16) if n_classes < 2**16 else codes, kind="stable")
    edges = np.searchsorted(codes[order], np.arange(n_classes + 1))
    shape = (n_classes, numbers.shape[1])
    known, mean, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    low, high = np.full(shape[1], np.nan), np.full(shape[1], np.nan)
    for k in np.flatnonzero(np.diff(edges)):
        rows = order[edges[k] : edges[k + 1]]
        block = numbers[rows]
        weights = None if truth.weights is None else truth.weights[rows]
        known[k], mean[k], squares[k] = _moments(block, weights)
        low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
    return known, mean, squares, low, high


def _moments(block: Floats, weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Known weight, mean and squares of the columns of a block."""
    with np.errstate(over="ignore", invalid="ignore"):
        totals = block.sum(axis=0)
    if np.isnan(totals).any():
        return _moments_with_holes(block, np.ones(len(block)) if weights is None else weights)
    total = float(len(block)) if weights is None else float(weights.sum())
    mean = (totals if weights is None else weights @ block) / total
    gaps = block - mean
    squares = np.einsum("ij,ij->j", gaps, gaps) if weights is None else weights @ gaps**2
    return np.full(block.shape[1], total), mean, squares


def _moments_with_holes(block: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    there = ~np.isnan(block)
    weight = weights[:, None] * there
    known = weight.sum(axis=0)
    mean = (weight * np.where(there, block, 0.0)).sum(axis=0) / np.where(known > 0, known, 1.0)
    return known, mean, (weight * np.where(there, block - mean, 0.0) ** 2).sum(axis=0)


def _distinct(numbers: Floats, low: Floats, high: Floats, known: Floats, squares: Floats) -> Floats:
    """How many different values each column has; a smaller number where that is known to change no density.

    The number sets the least deviation, a sixth of the mean gap between values. Counting means sorting, so a few rows
    are looked at first: mostly they tell already that all deviations are above it.
    """
    counts = np.zeros(numbers.shape[1])
    for j, column in enumerate(numbers.T):
        counts[j] = _count_values(column[:_FEW_ROWS])
        some = known[:, j] > 1
        least = np.sqrt((squares[some, j] / known[some, j]).min(initial=np.inf)) if some.any() else 0.0
        if len(column) > _FEW_ROWS and not least > (high[j] - low[j]) / (6 * max(counts[j] - 1, 0.5)):
            counts[j] = _count_values(column)
    return counts


def _count_values(column: Floats) -> int:
    values = np.sort(column[~np.isnan(column)])
    return int((values[1:] != values[:-1]).sum()) + min(len(values), 1)


def _count_levels(columns: Columns, truth: Target, n_classes: int) -> NDArray[np.float64]:
    parts = []
    for place, j in enumerate(columns.levelled):
        n_levels = len(columns.schema.columns[j].levels)
        cells = truth.values.astype(np.int64) * (n_levels + 1) + columns.codes[:, place]
        counts = np.bincount(cells, truth.weights, minlength=n_classes * (n_levels + 1))
        parts.append(counts.reshape(n_classes, n_levels + 1)[:, 1:])
    return np.hstack([np.zeros((n_classes, 0)), *parts])


def joined_schema(old: Schema, new: Schema) -> Schema:
    """The old columns, with the levels that only the new ones have put behind.

    Examples
    --------
    >>> old, new = (Schema((Column("job", "nominal", "text", levels),)) for levels in (("cook",), ("king", "cook")))
    >>> joined_schema(old, new).columns[0].levels
    ('cook', 'king')
    """
    return replace(old, columns=tuple(_joined(a, b) for a, b in zip(old.columns, new.columns, strict=True)))


def _joined(old: Column, new: Column) -> Column:
    known = {_key(level) for level in old.levels}
    more = tuple(level for level in new.levels if _key(level) not in known)
    return replace(old, levels=old.levels + more) if more else old


def _key(level: object) -> tuple[bool, object]:
    return isinstance(level, bool), level  # 1 and True are two levels


def recoded(columns: Columns, schema: Schema) -> Columns:
    """Rows that were laid out by themselves, in the codes of another schema, which has all their levels."""
    codes = columns.codes.copy()
    for place, j in enumerate(columns.levelled):
        number = {_key(level): code for code, level in enumerate(schema.columns[j].levels, start=1)}
        new_code = [0, *(number[_key(level)] for level in columns.schema.columns[j].levels)]
        codes[:, place] = np.array(new_code, dtype=np.int32)[columns.codes[:, place]]
    return Columns(schema, columns.numbers, codes, columns.numeric, columns.levelled)


def widened(sums: ClassSums, old: Schema, new: Schema) -> ClassSums:
    """Sums over the levels of the old schema as sums over those of the new one."""
    parts, start = [], 0
    for before, after in zip(old.columns, new.columns, strict=True):
        if before.kind != "numeric":
            counts = sums.levels[:, start : start + len(before.levels)]
            parts.append(np.pad(counts, ((0, 0), (0, len(after.levels) - len(before.levels)))))
            start += len(before.levels)
    return replace(sums, levels=np.hstack([sums.levels[:, :0], *parts]))
