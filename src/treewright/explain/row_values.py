"""One row as a tree reads it: a number or a level code for each column, NaN where there is none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np

from treewright.encode.input_frame import is_frame, open_frame
from treewright.encode.schema import Column, Schema
from treewright.encode.table import RowEncoder
from treewright.errors import DataError
from treewright.tree.wording import name_text, number_text

_NUMBER = (float, int, np.number)


@dataclass(frozen=True)
class RowValues:
    """One row: `numbers` as the tree reads them, `given` as the user wrote them, both in the order of the columns.

    Examples
    --------
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> row = read_row(RowEncoder(schema), {"age": 30, "job": "king"})
    >>> row.numbers, row.is_missing(1), row.is_new(1), row.shown(1)
    ([30.0, nan], False, True, 'king')
    """

    schema: Schema
    numbers: list[float]
    given: Sequence[Any]

    def is_missing(self, column: int) -> bool:
        """Whether the row has no value at all in a column."""
        return self.numbers[column] != self.numbers[column] and _is_nothing(self.given[column])

    def is_new(self, column: int) -> bool:
        """Whether the row has a level that no training row had."""
        return self.numbers[column] != self.numbers[column] and not _is_nothing(self.given[column])

    def shown(self, column: int) -> str:
        """The value in words."""
        if self.is_missing(column):
            return "missing"
        if self.is_new(column):
            return name_text(self.given[column])
        return value_text(self.schema.columns[column], self.numbers[column])


def value_text(column: Column, number: float) -> str:
    """Write a value of a column: a number, a date, or the level of a code.

    >>> value_text(Column("job", "nominal", "text", ("cook", "smith")), 2.0), value_text(Column("x", "numeric"), 2.5)
    ('smith', '2.5')
    """
    if number != number:
        return "missing"
    if column.kind != "numeric":
        return name_text(column.show(number))
    return number_text(number) if column.face == "number" else column.show(number)


def read_row(encoder: RowEncoder, row: Any) -> RowValues:
    """Read one row: a list or tuple in column order, a dict or a Series by column name, or a table of one row.

    A value that a dict does not have, None and NaN are missing.

    >>> read_row(RowEncoder(Schema((Column("x", "numeric"), Column("y", "numeric")))), [1, None]).numbers
    [1.0, nan]
    """
    given = _in_order(row, encoder.schema.names)
    try:
        numbers = [
            _number(value, column) if codes is None else float(codes.get(value, math.nan))
            for value, codes, column in zip(given, encoder.level_codes, encoder.schema.columns, strict=True)
        ]
    except (ValueError, TypeError):  # what the fast way cannot read, the slow one can, or it says what is wrong
        numbers = _by_frame(encoder, given)
    return RowValues(encoder.schema, numbers, given)


def _number(value: Any, column: Column) -> float:
    if value is None:
        return math.nan
    if column.face == "number" and isinstance(value, _NUMBER):
        return float(value)
    raise ValueError


def _in_order(row: Any, names: tuple[str, ...]) -> Sequence[Any]:
    if not isinstance(row, list | tuple | Mapping):
        row = _plain_row(row)
    if isinstance(row, Mapping):
        return [row.get(name) for name in names]
    if len(row) != len(names):
        raise DataError(
            f"The row has {len(row)} values, but the model has {len(names)} columns. "
            "Give one value for each column, None where there is none."
        )
    return cast(Sequence[Any], row)


def _plain_row(row: Any) -> Mapping[str, Any] | list[Any]:
    """Give a row of pandas, polars, pyarrow or numpy as a dict by column name, or as a list."""
    if is_frame(row) or (isinstance(row, np.ndarray) and row.ndim == 2):
        if len(row) != 1:
            raise DataError(f"Give one row to explain, not a table of {len(row):,} rows: table.iloc[0] is the first.")
        if isinstance(row, np.ndarray):
            return cast(list[Any], row[0].tolist())
        frame = nw.from_native(row, eager_only=True)
        return {str(column.name): column[0] for column in frame.iter_columns()}
    if hasattr(row, "to_dict") and hasattr(row, "index"):  # a Series of pandas
        return {str(name): value for name, value in row.to_dict().items()}
    if isinstance(row, str) or not isinstance(row, Iterable):
        raise DataError(f"One row is a list or a tuple of values, or a dict by column name. Got {row!r} instead.")
    return cast(list[Any], row.tolist()) if isinstance(row, np.ndarray) and row.ndim == 1 else list(row)


def _by_frame(encoder: RowEncoder, given: Sequence[Any]) -> list[float]:
    import pandas as pd

    values = {name: pd.Series([v], dtype=object) for name, v in zip(encoder.schema.names, given, strict=True)}
    rows = encoder.encode(open_frame(pd.DataFrame(values)))
    numbers = []
    for kind, part, mask in rows.parts:
        is_hole = part[0] == 0 if kind == "levels" else mask is not None and mask[0]
        numbers.append(math.nan if is_hole else float(part[0]))
    return numbers


def _is_nothing(value: Any) -> bool:
    return value is None or value != value or str(value) in ("NaT", "<NA>")
