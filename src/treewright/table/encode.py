"""A table encoded for growing (`encode_table`), and new rows laid out for a model that exists (`RowEncoder`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.table.column_kinds import check_column_kinds, kind_of_column
from treewright.table.column_remarks import is_told, warn_of_columns
from treewright.table.frame import InputFrame, numbers_of
from treewright.table.level_order import orders_of
from treewright.table.levels import code_levels, find_levels, level_codes
from treewright.table.ordinary_columns import are_ordinary_levels, are_ordinary_numbers
from treewright.table.plain_columns import LearntColumn, plain_column
from treewright.table.schema import Column, Level, Schema
from treewright.table.time_zones import have_zone, refuse_other_clock
from treewright.table.unknown_levels import warn_of_unknown
from treewright.table.value_range import range_of

Part = tuple[str, NDArray[Any], Any]
BUCKET_SAMPLE = 4096  # rows that decide where long columns of numbers are cut into runs


@dataclass(frozen=True)
class EncodedTable:
    """What growing needs: the coded columns and what their codes mean."""

    core: _core.Table
    schema: Schema
    rows: EncodedRows | None = None  # what the core has borrowed, where it can be sent to others


@dataclass(frozen=True)
class EncodedRows:
    """Rows to predict: a matrix of numbers as it is, or the parts of each column."""

    n_rows: int
    matrix: NDArray[Any] | None
    parts: list[Part]

    def find_leaves(self, tree: _core.Tree, threads: int) -> NDArray[np.int32]:
        """The node of the tree where each row ends."""
        if self.matrix is not None:
            return _core.find_leaves_of_matrix(tree, self.matrix, threads)
        return _core.find_leaves(tree, self.n_rows, self.parts, threads)

    def find_leaf_shares(
        self, tree: _core.Tree, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """The nodes where each row ends when rows may be spread: where each row's slice starts, nodes, shares."""
        if self.matrix is not None:
            return _core.find_leaf_shares_of_matrix(tree, self.matrix, threads)
        return _core.find_leaf_shares(tree, self.n_rows, self.parts, threads)

    def equation_values(self, tree: _core.Tree, threads: int) -> NDArray[np.float64]:
        """What the equation of the node where each row ends gives for it."""
        if self.matrix is not None:
            return _core.equation_values_of_matrix(tree, self.matrix, threads)
        return _core.equation_values(tree, self.n_rows, self.parts, threads)

    def first_missing(self, column: int) -> int | None:
        """The first row that has no known value in a column."""
        if self.matrix is not None:
            kind, values, mask = "numeric", self.matrix[:, column], None
        else:
            kind, values, mask = self.parts[column]
        if kind == "levels":
            holes = values == 0
        elif values.dtype.kind == "f":
            holes = np.isnan(values)
        else:
            holes = np.zeros(0, dtype=bool) if mask is None else mask != 0
        return int(np.argmax(holes)) if holes.any() else None


def encode_table(
    frame: InputFrame,
    column_kinds: Mapping[Any, Any] | None = None,
    target: str | None = None,
    threads: int = 1,
    sample: int = BUCKET_SAMPLE,
    declared: bool = False,
) -> EncodedTable:
    """Code every column once: numbers as ranks or runs, levels as numbers from 1, missing as 0.

    `sample` rows decide where a long column of numbers is cut into runs; `declared` is as in `lay_out`.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> encoded = encode_table(open_frame(pd.DataFrame({"age": [20, 30], "job": ["cook", None]})))
    >>> [(column.name, column.kind, column.levels) for column in encoded.schema.columns]
    [('age', 'numeric', ()), ('job', 'nominal', ('cook',))]
    """
    laid_out = lay_out(frame, column_kinds, target, declared)
    return EncodedTable(code_columns(laid_out.rows, threads, sample), laid_out.schema, laid_out.rows)


def code_columns(rows: EncodedRows, threads: int = 1, sample: int = BUCKET_SAMPLE) -> _core.Table:
    """Code columns that are laid out to be learnt from, as the core has them."""
    if rows.matrix is not None:
        return _core.Table.from_matrix(rows.matrix, threads, sample)
    return _core.Table(rows.n_rows, rows.parts, threads, sample)


@dataclass(frozen=True)
class LaidOutTable:
    """A table to learn from, its columns in memory, and what they mean."""

    rows: EncodedRows
    schema: Schema


def lay_out(
    frame: InputFrame,
    column_kinds: Mapping[Any, Any] | None = None,
    target: str | None = None,
    declared: bool = False,
    warns: bool = True,
) -> LaidOutTable:
    """Find the kind of every column, and give its numbers or the numbers of its levels.

    With `declared`, levels that a frame lists (categories, enums, factors) count even where no row has them. With
    `warns`, what is odd about a column of a frame is a warning.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> lay_out(open_frame(pd.DataFrame({"job": ["cook", None]}))).rows.parts
    [('nominal', array([1, 0], dtype=int32), 1)]
    """
    wanted = _wanted_kinds(column_kinds, frame.names)
    orders = {_name(key, frame.names): order for key, order in orders_of(column_kinds).items()}
    if frame.matrix is not None and not wanted:
        schema = _numeric_schema(frame.names, target)
        return LaidOutTable(EncodedRows(frame.n_rows, frame.matrix, []), schema)
    if frame.sparse is not None and not wanted:
        schema = _numeric_schema(frame.names, target)
        return LaidOutTable(EncodedRows(frame.n_rows, None, _sparse_parts(frame)), schema)
    learnt = []
    for j, name in enumerate(frame.names):
        short = None if declared or name in wanted else plain_column(frame, j)
        learnt.append(short or _learn_column(frame.column(j), name, wanted.get(name), orders.get(name), declared))
    if warns:
        _warn(frame, learnt, wanted)
    parts: list[Part] = []
    columns: list[Column] = []
    for name, column in zip(frame.names, learnt, strict=True):
        if column.kind == "numeric":
            parts.append((column.kind, column.values, column.beside))
            found = None if frame.is_array else column.range
            written = frame.written.get(name, "")
            holes = not frame.is_array and column.has_holes
            columns.append(Column(name, column.kind, column.value_type, (), written, column.zoned, found, holes))
        else:
            levels = cast(tuple[Level, ...], column.beside)
            parts.append((column.kind, column.values, len(levels)))
            columns.append(Column(name, column.kind, column.value_type, levels, holes=column.has_holes))
    return LaidOutTable(EncodedRows(frame.n_rows, None, parts), Schema(tuple(columns), target))


def _learn_column(
    series: nw.Series[Any], name: str, wanted: str | None, order: Sequence[Any] | None, declared: bool
) -> LearntColumn:
    kind, value_type = kind_of_column(series, wanted)
    if kind == "numeric":
        values, holes = numbers_of(series, name, value_type)
        zoned = have_zone(series) if value_type in ("date", "datetime") else None
        return LearntColumn(kind, value_type, values, holes, range_of(values, holes), zoned)
    codes, levels = find_levels(series, kind == "ordinal", order, declared)
    return LearntColumn(kind, _type_of(levels), codes, levels)


class RowEncoder:
    """Lays new rows out as a schema asks; a level never seen in training counts as missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> encoder = RowEncoder(Schema((Column("job", "nominal", "text", ("cook", "smith")),)))
    >>> encoder.encode(open_frame(pd.DataFrame({"job": ["smith", "king"]}))).parts
    [('levels', array([2, 0], dtype=int32), None)]
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    @cached_property
    def level_codes(self) -> list[dict[Any, int] | None]:
        """For each column its levels with their codes; None where it is numeric."""
        return [None if c.kind == "numeric" else level_codes(c.levels) for c in self.schema.columns]

    @cached_property
    def takes_numbers_only(self) -> bool:
        """Whether a matrix of numbers can be used as it is."""
        return all(c.kind == "numeric" and c.value_type == "number" for c in self.schema.columns)

    def encode(self, frame: InputFrame) -> EncodedRows:
        """Lay out the rows of a frame whose columns are those of the schema, in the same order."""
        if frame.matrix is not None and self.takes_numbers_only:
            return EncodedRows(frame.n_rows, frame.matrix, [])
        if frame.sparse is not None and self.takes_numbers_only:
            return EncodedRows(frame.n_rows, None, _sparse_parts(frame))
        parts: list[Part] = []
        for j, (column, codes) in enumerate(zip(self.schema.columns, self.level_codes, strict=True)):
            series = frame.column(j)
            if codes is None:
                refuse_other_clock(series, column.name, column.zoned)
                parts.append(("numeric", *numbers_of(series, column.name, column.value_type, column.written)))
            else:
                coded = code_levels(series, codes)
                warn_of_unknown(column, series, coded)
                parts.append(("levels", coded, None))
        return EncodedRows(frame.n_rows, None, parts)


def _sparse_parts(frame: InputFrame) -> list[Part]:
    return [("numeric", frame.numbers(j), None) for j in range(frame.n_columns)]


@lru_cache(maxsize=16)
def _numeric_schema(names: tuple[str, ...], target: str | None) -> Schema:
    """Of a matrix. It is kept: a small tree is grown in less time than its columns are checked."""
    return Schema(tuple(Column(name, "numeric") for name in names), target)


def _wanted_kinds(column_kinds: Mapping[Any, Any] | None, names: tuple[str, ...]) -> dict[str, str]:
    """Read the user's column_kinds; columns of arrays may be given by their position too."""
    if isinstance(column_kinds, Mapping):
        column_kinds = {_name(key, names): kind for key, kind in column_kinds.items()}
    return check_column_kinds(column_kinds, names)


def _name(key: Any, names: tuple[str, ...]) -> Any:
    count = len(names)
    return names[key] if isinstance(key, int) and -count <= key < count else key


def _warn(frame: InputFrame, learnt: Sequence[LearntColumn], wanted: Mapping[str, str]) -> None:
    """Warn of columns that would be spoilt in silence, unless the user has decided what they are."""
    if frame.matrix is not None or frame.sparse is not None or is_told():
        return  # numbers of an array, which has no names
    columns = []
    for j, (name, column) in enumerate(zip(frame.names, learnt, strict=True)):
        if column.ordinary or name in wanted:
            continue
        series, texts = frame.column(j), None
        if column.kind == "numeric":
            ordinary = are_ordinary_numbers(series, column.values, cast(NDArray[np.uint8] | None, column.beside))
        else:
            levels = cast(tuple[Level, ...], column.beside)
            ordinary = are_ordinary_levels(series, column.values, len(levels))
            texts = None if ordinary else (column.values - 1, _all_texts(levels))
        if not ordinary:
            columns.append((name, series, column.kind, name in frame.written, texts))
    warn_of_columns(columns)


def _all_texts(levels: tuple[Level, ...]) -> list[str]:
    return cast(list[str], list(levels)) if all(isinstance(level, str) for level in levels) else []


def _type_of(levels: tuple[Level, ...]) -> str:
    if levels and all(isinstance(level, bool) for level in levels):
        return "boolean"
    return "number" if levels and not any(isinstance(level, str) for level in levels) else "text"
