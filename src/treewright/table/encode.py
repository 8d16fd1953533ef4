"""A table encoded for growing (`encode_table`), and new rows laid out for a model that exists (`RowEncoder`)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import ColumnWarning
from treewright.table.column_kinds import check_column_kinds, column_kinds_of
from treewright.table.frame import InputFrame, numbers_of
from treewright.table.level_order import orders_of
from treewright.table.levels import code_levels, find_levels, level_codes
from treewright.table.schema import Column, Level, Schema
from treewright.table.text_remarks import text_remark
from treewright.table.time_zones import have_zone, refuse_other_clock

Part = tuple[str, NDArray[Any], Any]
_MANY_LEVELS = 20  # fewer levels than this are levels, whatever they look like


@dataclass(frozen=True)
class EncodedTable:
    """What growing needs: the coded columns and what their codes mean."""

    core: _core.Table
    schema: Schema


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
    sample: int = 4096,
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
    rows = laid_out.rows
    if rows.matrix is not None:
        return EncodedTable(_core.Table.from_matrix(rows.matrix, threads, sample), laid_out.schema)
    return EncodedTable(_core.Table(rows.n_rows, rows.parts, threads, sample), laid_out.schema)


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
) -> LaidOutTable:
    """Find the kind of every column, and give its numbers or the numbers of its levels.

    With `declared`, levels that a frame lists (categories, enums, factors) count even where no row has them.

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
        schema = Schema(tuple(Column(name, "numeric") for name in frame.names), target)
        return LaidOutTable(EncodedRows(frame.n_rows, frame.matrix, []), schema)
    if frame.sparse is not None and not wanted:
        schema = Schema(tuple(Column(name, "numeric") for name in frame.names), target)
        return LaidOutTable(EncodedRows(frame.n_rows, None, _sparse_parts(frame)), schema)
    names, kinds = frame.names, column_kinds_of(frame, wanted)
    coded = [
        numbers_of(series, name, value_type)
        if kind == "numeric"
        else find_levels(series, kind == "ordinal", orders.get(name), declared)
        for series, name, (kind, value_type) in zip(frame.all_columns(), names, kinds, strict=True)
    ]
    parts: list[Part] = []
    columns: list[tuple[str, str, str, tuple[Level, ...], str, bool | None]] = []
    clocks = {
        name: have_zone(series) if kind == "numeric" and value_type in ("date", "datetime") else None
        for series, name, (kind, value_type) in zip(frame.all_columns(), names, kinds, strict=True)
    }
    for name, (kind, value_type), (values, beside) in zip(names, kinds, coded, strict=True):
        if kind == "numeric":
            parts.append((kind, values, beside))
            columns.append((name, kind, value_type, (), frame.written.get(name, ""), clocks[name]))
        else:
            levels = cast(tuple[Level, ...], beside)
            if name not in wanted:
                _warn_of_text(name, values, levels)
            parts.append((kind, values, len(levels)))
            columns.append((name, kind, _type_of(levels), levels, "", None))
    return LaidOutTable(EncodedRows(frame.n_rows, None, parts), Schema(tuple(starmap(Column, columns)), target))


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
                parts.append(("levels", code_levels(series, codes), None))
        return EncodedRows(frame.n_rows, None, parts)


def _sparse_parts(frame: InputFrame) -> list[Part]:
    return [("numeric", frame.numbers(j), None) for j in range(frame.n_columns)]


def _wanted_kinds(column_kinds: Mapping[Any, Any] | None, names: tuple[str, ...]) -> dict[str, str]:
    """Read the user's column_kinds; columns of arrays may be given by their position too."""
    if isinstance(column_kinds, Mapping):
        column_kinds = {_name(key, names): kind for key, kind in column_kinds.items()}
    return check_column_kinds(column_kinds, names)


def _name(key: Any, names: tuple[str, ...]) -> Any:
    count = len(names)
    return names[key] if isinstance(key, int) and -count <= key < count else key


def _warn_of_text(name: str, codes: NDArray[Any], levels: tuple[Level, ...]) -> None:
    """Warn of a column of many texts that are nearly all numbers or dates: as levels they tell next to nothing."""
    if len(levels) < _MANY_LEVELS or not all(isinstance(level, str) for level in levels[:_MANY_LEVELS]):
        return
    texts = cast(list[str], list(levels))
    remark = text_remark(name, codes - 1, texts) if all(isinstance(text, str) for text in texts) else None
    if remark is not None and "on purpose" not in remark:
        warnings.warn(ColumnWarning(f"Column '{name}': {remark}."), stacklevel=2)


def _type_of(levels: tuple[Level, ...]) -> str:
    if levels and all(isinstance(level, bool) for level in levels):
        return "boolean"
    return "number" if levels and not any(isinstance(level, str) for level in levels) else "text"
