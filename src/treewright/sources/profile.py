"""The first look at a source: what its columns are, which levels they have, where numbers are cut into cells.

The kinds and levels of columns are decided by the same code that opens a table in memory: it is shown a small table
that has every level, and of numbers only the smallest and the largest, which is all that it looks at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError
from treewright.sources.even_cells import even_cells
from treewright.sources.questions import Numbers, Wishes
from treewright.table.frame import numbers_of, open_frame
from treewright.table.schema import Column
from treewright.table.value_range import range_of

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa

FEW_VALUES = 255  # a numeric column with at most so many is counted value by value
SAMPLE = 8192  # numbers of a column that its cells are cut by
MOST_LEVELS = 1_000_000
_DAY = 86_400_000_000


@dataclass
class NumberProfile:
    """A numeric column: its values while they are few, a sample of them else."""

    values: Numbers | None = field(default_factory=lambda: np.empty(0))
    sample: Numbers = field(default_factory=lambda: np.empty(0))
    few: int = field(default_factory=lambda: FEW_VALUES)  # below 0: neither, its range is all that is wanted
    even: bool = False  # whether cells of one width are better, where they hold about as many each
    low: float = np.inf  # of the finite ones
    high: float = -np.inf

    def see(self, numbers: Numbers) -> None:
        """Look at more rows."""
        known = numbers[~np.isnan(numbers)] + 0.0  # −0 is 0
        found = range_of(known, None)
        if found is not None:
            self.low, self.high = min(self.low, found[0]), max(self.high, found[1])
        if self.few < 0:
            self.values = None
            return
        step = max(1, -(-len(known) // SAMPLE))
        self.sample = _thinned(np.concatenate([self.sample, known[::step]]))
        if self.values is not None:
            self.values = self._few(np.concatenate([self.values, np.unique(known)]))

    def add(self, other: NumberProfile) -> None:
        """Add what was seen among other rows."""
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.sample = _thinned(np.concatenate([self.sample, other.sample]))
        together = self.values is not None and other.values is not None
        self.values = self._few(np.concatenate([self.values, other.values])) if together else None

    def _few(self, values: Numbers) -> Numbers | None:
        found = np.unique(values)
        return found if len(found) <= self.few else None

    def edges(self) -> Numbers:
        """The upper ends of the cells; the last one is open where not all values are known."""
        if self.values is not None:
            return self.values
        ordered = np.sort(self.sample)
        different = np.unique(ordered)
        if 0 < self.few < len(different):
            cells = even_cells(ordered, self.few) if self.even else None
            if cells is not None:
                return cells.ends()
            different = np.unique(ordered[np.linspace(0, len(ordered) - 1, self.few).astype(np.int64)])
        return np.append(different[:-1], np.inf)


def _thinned(sample: Numbers) -> Numbers:
    return sample if len(sample) <= 4 * SAMPLE else sample[:: -(-len(sample) // SAMPLE)]


@dataclass
class WeightProfile:
    """Facts about weights, exact whatever the order: see TargetFacts in core/table/target.hpp."""

    n_counted: int = 0
    all_one: bool = True
    largest: float = 0.0
    smallest: float = np.inf
    whole_shift: int = 0
    total: Fraction | None = Fraction(0)  # None: not known

    def see(self, weights: Numbers, where: str) -> None:
        """Look at more rows."""
        wrong = ~(weights >= 0) | np.isinf(weights)
        if wrong.any():
            found = weights[np.argmax(wrong)]
            raise DataError(f"{where}: a sample_weight is {found}. Weights are finite numbers of 0 or more.")
        counted = weights[weights > 0]
        if not len(counted):
            return
        self.n_counted += len(counted)
        self.all_one = self.all_one and bool((counted == 1).all())
        self.largest = max(self.largest, float(counted.max()))
        self.smallest = min(self.smallest, float(counted.min()))
        while self.whole_shift <= 20 and not _all_whole(np.ldexp(counted, self.whole_shift)):
            self.whole_shift += 1
        mantissas, exponents = np.frexp(counted)
        digits = np.ldexp(mantissas, 53).astype(np.int64)
        for exponent in np.unique(exponents).tolist():
            # halves of the digits, so that a sum of many stays within 64 bits
            part = digits[exponents == exponent]
            whole = (int((part >> 26).sum()) << 26) + int((part & (2**26 - 1)).sum())
            self.total = (self.total or 0) + Fraction(whole) * Fraction(2) ** (exponent - 53)

    def add(self, other: WeightProfile) -> None:
        """Add what was seen among other rows."""
        self.n_counted += other.n_counted
        self.all_one = self.all_one and other.all_one
        self.largest = max(self.largest, other.largest)
        self.smallest = min(self.smallest, other.smallest)
        self.whole_shift = max(self.whole_shift, other.whole_shift)
        self.total = None if self.total is None or other.total is None else self.total + other.total

    def facts(self) -> dict[str, Any]:
        """What the units of the target are chosen by."""
        if self.n_counted == 0:
            raise DataError("Every sample_weight is zero, so there is nothing to learn from. Give some rows a weight.")
        if not 2.0**-100 <= self.largest <= 2.0**99 or self.smallest < self.largest * 2.0**-199:
            raise DataError(
                f"The weights go from {self.smallest:g} to {self.largest:g}. With a source the largest must be "
                "between 2^-100 and 2^99, and none below 2^-199 of it: multiply the weights by one number."
            )
        names = ("n_counted", "all_one", "largest", "whole_shift")
        total = np.nan if self.total is None else float(self.total)
        return {**{name: getattr(self, name) for name in names}, "total": total}


def _all_whole(numbers: Numbers) -> bool:
    return bool((numbers == np.floor(numbers)).all())


@dataclass
class Profile:
    """What the first look found."""

    n_rows: int = 0
    levels: dict[str, Any] = field(default_factory=dict)  # name → array of Arrow with every value that occurs
    numbers: dict[str, NumberProfile] = field(default_factory=dict)
    examples: dict[str, list[Any]] = field(default_factory=dict)  # of dates: one, and one that is not at midnight
    class_rows: dict[Any, int] = field(default_factory=dict)
    with_holes: set[str] = field(default_factory=set)  # columns that have missing values
    low: float = np.inf  # of a numeric target, where the weight is above 0
    high: float = -np.inf
    weights: WeightProfile | None = None

    def add(self, other: Profile) -> None:
        """Add what was seen among other rows."""
        self.n_rows += other.n_rows
        for name, found in other.levels.items():
            self.levels[name] = _all_levels([self.levels[name], found], name) if name in self.levels else found
        for name, numbers in other.numbers.items():
            self.numbers.setdefault(name, NumberProfile(few=numbers.few)).add(numbers)
        for name, examples in other.examples.items():
            self.examples[name] = _examples([*self.examples.get(name, []), *examples])
        for label, rows in other.class_rows.items():
            self.class_rows[label] = self.class_rows.get(label, 0) + rows
        self.with_holes |= other.with_holes
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        if other.weights is not None:
            self.weights = self.weights or WeightProfile()
            self.weights.add(other.weights)


def profile_batch(table: pa.Table, wishes: Wishes, where: str) -> Profile:
    """Look at some rows."""
    found = Profile(n_rows=table.num_rows)
    frame = open_frame(table.select(list(wishes.features)))
    for name, series in zip(frame.names, frame.columns, strict=True):
        if name in wishes.levels:
            found.levels[name] = _all_levels([table.column(name)], name)
            if found.levels[name].null_count:
                found.with_holes.add(name)
            continue
        value_type = wishes.value_types[name]
        numbers = plain_numbers(series, name, value_type)
        found.numbers[name] = NumberProfile(few=wishes.few_values or FEW_VALUES)
        found.numbers[name].see(numbers)
        if np.isnan(numbers).any():
            found.with_holes.add(name)
        if value_type == "datetime":
            found.examples[name] = _date_examples(numbers)
    weights = None if wishes.weight is None else weights_of(table.column(wishes.weight), where)
    if weights is not None:
        found.weights = WeightProfile()
        found.weights.see(weights, where)
    see_target(found, table.column(wishes.target), weights, wishes, where)
    return found


def see_target(found: Profile, column: Any, weights: Numbers | None, wishes: Wishes, where: str) -> None:
    """Look at the target of some rows: its classes with their numbers of rows, or its range."""
    refuse_holes(column, where)
    if wishes.classifies:
        for entry in column.value_counts().to_pylist():
            label = entry["values"]
            found.class_rows[label] = found.class_rows.get(label, 0) + int(entry["counts"])
        return
    numbers = number_target(column, where)
    numbers = numbers if weights is None else numbers[weights > 0]
    if len(numbers):
        found.low, found.high = float(numbers.min()), float(numbers.max())


def refuse_holes(column: Any, where: str) -> None:
    """Refuse a target with holes, with the place."""
    import pyarrow.compute as pc

    holes = column.null_count
    if str(column.type) in ("float", "double"):
        holes += pc.sum(pc.is_nan(column)).as_py() or 0
    if holes:
        raise DataError(
            f"{where}: Input y contains NaN: {holes:,} rows have no target value. Drop the rows without a target "
            "before training."
        )


def number_target(column: Any, where: str) -> Numbers:
    """The target of some rows as numbers."""
    from treewright.table.target import encode_numbers, target_column

    try:
        return encode_numbers(target_column(column, len(column), "the regressor"))
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def weights_of(column: Any, where: str) -> Numbers:
    """The weights of some rows."""
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)):
        raise DataError(f"{where}: sample_weight is a column of {column.type}. Weights are numbers of 0 or more.")
    weights: Numbers = column.cast("double").to_numpy()
    return weights


def plain_numbers(series: nw.Series[Any], name: str, value_type: str) -> Numbers:
    """A numeric column as doubles, NaN where there is no value."""
    values, missing = numbers_of(series, name, value_type)
    numbers = np.asarray(values, dtype=np.float64)
    if missing is not None:
        numbers = np.where(missing != 0, np.nan, numbers)
    return np.ascontiguousarray(numbers)


def _all_levels(parts: list[Any], name: str) -> Any:
    import pyarrow as pa

    chunks = [chunk for part in parts for chunk in (part.chunks if isinstance(part, pa.ChunkedArray) else [part])]
    found = pa.chunked_array(chunks).unique() if chunks else pa.array([])
    if len(found) > MOST_LEVELS:
        raise DataError(
            f"Column '{name}' has more than {MOST_LEVELS:,} levels, each of which would be kept. Leave the column out."
        )
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _date_examples(moments: Numbers) -> list[float]:
    known = moments[~np.isnan(moments)]
    return _examples(known.tolist()[:1] + known[known % _DAY != 0].tolist()[:1])


def _examples(values: list[float]) -> list[float]:
    """One of them, and one that is not at midnight, if there is one."""
    odd = [value for value in values if value % _DAY != 0]
    return [*values[:1], *odd[:1]]


def few_values() -> int:
    """With how many values a numeric column is counted value by value; whoever looks at rows is told."""
    return FEW_VALUES


def kinds_by_type(empty: pa.Table, wanted: Mapping[str, str]) -> list[tuple[str, str]]:
    """The kinds and value types of columns as far as their types tell."""
    from treewright.table.column_kinds import column_kinds_of

    frame = open_frame(empty)
    kinds = column_kinds_of(frame, wanted)
    for name, series, (kind, _) in zip(frame.names, frame.columns, kinds, strict=True):
        if kind == "numeric" and not (series.dtype.is_numeric() or series.dtype.is_temporal() or _is_null(empty, name)):
            raise DataError(
                f"Column '{name}' is asked to be numeric, but holds {series.dtype}. With a source make it a column of "
                "numbers first."
            )
    return kinds


def _is_null(empty: pa.Table, name: str) -> bool:
    return str(empty.schema.field(name).type) == "null"


def with_cells(profile: Profile, column: Column, wishes: Wishes) -> tuple[Column, Numbers | None]:
    """A column with the range of its numbers, and the upper ends of its cells; None where these are its levels."""
    column = replace(column, holes=column.name in profile.with_holes)
    if column.kind != "numeric":
        return column, None
    numbers = profile.numbers[column.name]
    # moments that all turned out to be at midnight are days
    unit = _DAY if column.value_type == "date" and wishes.value_types[column.name] == "datetime" else 1
    ends = (np.floor(numbers.low / unit), np.floor(numbers.high / unit)) if unit > 1 else (numbers.low, numbers.high)
    known = (float(ends[0]), float(ends[1])) if numbers.low <= numbers.high else None
    edges = numbers.edges()
    return replace(column, range=known), np.floor(edges / unit) if unit > 1 else edges


def small_table(profile: Profile, empty: pa.Table, wishes: Wishes) -> pa.Table:
    """A table with every level and few numbers, whose columns are what those of the whole table are."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name in wishes.features:
        of_type = empty.schema.field(name).type
        if name in profile.levels:
            columns[name] = profile.levels[name]
        elif name in profile.examples:
            moments = pa.array(np.array(profile.examples[name], dtype="int64"), pa.timestamp("us"))
            columns[name] = moments.cast(pa.timestamp("us", of_type.tz))
        elif wishes.value_types.get(name) == "date":
            days = [int(day) for day in (profile.numbers[name].low,) if np.isfinite(day)]
            columns[name] = pa.array(days, pa.int32()).cast(pa.date32()).cast(of_type)
        else:
            columns[name] = pa.array([], of_type)
    longest = max(1, *(len(column) for column in columns.values()))
    padded = {
        name: pa.concat_arrays([column, pa.nulls(longest - len(column), column.type)])
        for name, column in columns.items()
    }
    return pa.table(padded)
