"""A table encoded for growing (`encode_table`), and new rows laid out for a model that exists (`encode_rows`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.column_kinds import column_kind
from treewright.encode.input_frame import InputFrame
from treewright.encode.levels import code_levels, find_levels
from treewright.encode.numbers import numbers_of
from treewright.encode.schema import KINDS, Column, Schema
from treewright.errors import DataError, nearest

Part = tuple[str, NDArray[Any], Any]


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
    n_unseen: int = 0

    def find_leaves(self, tree: _core.Tree, threads: int) -> NDArray[np.int32]:
        """The node of the tree where each row ends."""
        if self.matrix is not None:
            return _core.find_leaves_of_matrix(tree, self.matrix, threads)
        return _core.find_leaves(tree, self.n_rows, self.parts, threads)


def encode_table(
    frame: InputFrame, column_kinds: Mapping[Any, str] | None = None, target: str | None = None, threads: int = 1
) -> EncodedTable:
    """Code every column once: numbers as dense ranks, levels as numbers from 1, missing as 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.encode.input_frame import open_frame
    >>> encoded = encode_table(open_frame(pd.DataFrame({"age": [20, 30], "job": ["cook", None]})))
    >>> [(column.name, column.kind, column.levels) for column in encoded.schema.columns]
    [('age', 'numeric', ()), ('job', 'nominal', ('cook',))]
    """
    wanted = check_kinds(column_kinds, frame.names)
    if frame.matrix is not None and not wanted:
        schema = Schema(tuple(Column(name, "numeric") for name in frame.names), target)
        return EncodedTable(_core.Table.from_matrix(frame.matrix, threads), schema)
    parts: list[Part] = []
    columns: list[Column] = []
    for j, name in enumerate(frame.names):
        part, column = _encode_column(_series(frame, j), name, wanted.get(name))
        parts.append(part)
        columns.append(column)
    return EncodedTable(_core.Table(frame.n_rows, parts, threads), Schema(tuple(columns), target))


def encode_rows(frame: InputFrame, schema: Schema) -> EncodedRows:
    """Lay new rows out as a model's schema asks; a level never seen in training counts as missing."""
    if frame.matrix is not None and all(c.kind == "numeric" and c.face == "number" for c in schema.columns):
        return EncodedRows(frame.n_rows, frame.matrix, [])
    parts: list[Part] = []
    n_unseen = 0
    for j, column in enumerate(schema.columns):
        series = _series(frame, j)
        if column.kind == "numeric":
            numbers, mask = numbers_of(series, column.name, column.face)
            parts.append(("numeric", numbers, mask))
        else:
            codes, unseen = code_levels(series, column.levels)
            n_unseen += unseen
            parts.append(("levels", codes, None))
    return EncodedRows(frame.n_rows, None, parts, n_unseen)


def check_kinds(column_kinds: Mapping[Any, str] | None, names: tuple[str, ...]) -> dict[str, str]:
    """Read the user's column_kinds: names (or, for arrays, positions) and kinds that exist."""
    wanted: dict[str, str] = {}
    for key, kind in (column_kinds or {}).items():
        name = names[key] if isinstance(key, int) and -len(names) <= key < len(names) else str(key)
        if name not in names:
            raise DataError(f"column_kinds names a column {key!r} that the table does not have. {nearest(name, names)}")
        if kind not in KINDS:
            raise DataError(f"column_kinds asks for kind {kind!r} of column '{name}'. {nearest(str(kind), KINDS)}")
        wanted[name] = kind
    return wanted


def _series(frame: InputFrame, j: int) -> nw.Series[Any]:
    if frame.matrix is None:
        return frame.columns[j]
    import pandas as pd

    return nw.from_native(pd.Series(frame.matrix[:, j]), series_only=True)


def _encode_column(series: nw.Series[Any], name: str, wanted: str | None) -> tuple[Part, Column]:
    kind, face = column_kind(series)
    if wanted is not None and wanted != kind:
        face = face if wanted == "numeric" and face != "text" else "number" if wanted == "numeric" else "text"
        kind = wanted
    if kind == "numeric":
        numbers, mask = numbers_of(series, name, face)
        return ("numeric", numbers, mask), Column(name, "numeric", face)
    codes, levels = find_levels(series)
    return (kind, codes, len(levels)), Column(name, kind, face, levels)
