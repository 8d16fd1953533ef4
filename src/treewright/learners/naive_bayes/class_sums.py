"""Levels that come later: a table in parts may show a level that its first parts did not have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.sums_by_class import RowsByClass, Units
from treewright.learners.base.tallies import Tallies
from treewright.learners.base.whole_sums import Whole, as_weights, weight_shift
from treewright.table.schema import Column, Schema

# What naive Bayes keeps of its rows: sums by class that can be added to, so that rows may come in parts.


FEW_VALUES = 64  # different values of a column that are counted at least
_GLANCE = 4  # times as many rows mostly show them
_NEAR = 2**12  # whole numbers within such a range are counted by place


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
    """Sum the rows of a table by class: the same sums to the last bit for any order of the rows."""
    rows = RowsByClass.of(columns.numbers, truth.values, truth.weights, n_classes)
    codes = [columns.codes[:, place] for place in range(len(columns.levelled))]
    sizes = [len(columns.schema.columns[j].levels) for j in columns.levelled]
    heaviest = 1.0 if truth.weights is None else float(truth.weights.max(initial=0.0))
    tallies = Tallies.of(rows, codes, sizes, truth.values, truth.weights, weight_shift(heaviest))
    units = Units(tallies.low, tallies.high, heaviest)
    whole = units.sums(rows)
    mean = units.means(whole, tallies.known)
    sums = class_sums_of(tallies, units, whole, units.square_sums(rows, mean))
    most = values_that_tell(sums)
    values = [float(len(different_values(own, some))) for own, some in zip(rows.numbers, most, strict=True)]
    return replace(sums, distinct=np.array(values))


def class_sums_of(tallies: Tallies, units: Units, whole: Whole, square_sums: Whole) -> ClassSums:
    """Such sums of their parts; how many different values there are is not known yet."""
    weight, known, levels = (
        as_weights(sums, units.for_weights) for sums in (tallies.weight, tallies.known, tallies.levels)
    )
    mean = units.means(whole, tallies.known)
    squares = units.squares(square_sums, known, units.offsets(whole, tallies.known, mean))
    unknown = np.zeros(len(units.low))
    return ClassSums(weight, known, mean, squares, units.low, units.high, unknown, levels)


def values_that_tell(sums: ClassSums) -> Floats:
    """So many different values of each column are enough to know that their number changes no density.

    The number sets the least deviation, a sixth of the mean gap between values. Mostly a few values tell already that
    all deviations are above it.

    Examples
    --------
    >>> two, end = np.array([[4.0], [4.0]]), np.array([1e6])
    >>> values_that_tell(ClassSums(two[:, 0], two, two, 4.0 * two, 0 * end, end, 0 * end, two))
    array([83335.])
    """
    some = sums.known > 1
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        least = np.sqrt(np.where(some, sums.squares / sums.known, np.inf).min(axis=0, initial=np.inf))
        needed = np.floor((sums.high - sums.low) / (6 * least)) + 2
    return np.where(needed > FEW_VALUES, needed, FEW_VALUES)


def different_values(column: Floats, most: float) -> Floats:
    """Different values of a column: all of them, or as many as are asked for.

    Examples
    --------
    >>> different_values(np.array([5.0, 7.0, np.nan, 5.0]), 64.0)
    array([5., 7.])
    >>> len(different_values(np.arange(100.0), 64.0))
    64
    """
    found = np.empty(0)
    for part in (column[: _GLANCE * FEW_VALUES], column):
        known = part[~np.isnan(part)]
        places = _places(known) if len(known) > FEW_VALUES else None
        found = np.unique(known) if places is None else known.min() + np.flatnonzero(np.bincount(places))
        if len(found) >= most:
            return np.asarray(found[: int(most)])
    return np.asarray(found)


def _places(values: Floats) -> Any:
    """Where values stand that are whole and near each other, which need not be sorted then."""
    low = values.min()
    if not values.max() - low < _NEAR:
        return None
    places = (values - low).astype(np.int64)
    return places if (low + places == values).all() else None


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
