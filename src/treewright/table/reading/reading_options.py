"""What a user may say about how a table is read, checked once: `tw.read(…, decimal=",")`, `--decimal ,`."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError, nearest
from treewright.table.column_kinds import check_column_kinds
from treewright.table.written.date_formats import ORDERS
from treewright.table.written.text_types import missing_cells
from treewright.table.written.written_column import Wishes

if TYPE_CHECKING:
    from treewright.table.schema import Column, Schema

# What people call a delimiter that is hard to type.
_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "space": " "}
_ISO = {"date": "2020-12-31", "datetime": "2020-12-31"}


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is to be read; `trained` are the columns of the model that it is read for."""

    missing_values: tuple[object, ...] = ()
    column_kinds: Mapping[str, Any] | None = None
    decimal: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    date_order: str | None = None
    trained: Schema | None = None

    def __post_init__(self) -> None:
        """Check every option that can be checked without the table."""
        if isinstance(self.missing_values, str):
            raise DataError(f"missing_values must be a list, for example missing_values=[{self.missing_values!r}].")
        if self.decimal not in (None, ".", ","):
            raise DataError(f"The mark before decimals is '.' or ',', not {self.decimal!r}.")
        if self.date_order not in (None, *ORDERS):
            raise DataError(f"The order of a date is {', '.join(ORDERS)} (day, month, year), not {self.date_order!r}.")
        if self.delimiter is not None:
            letter = _NAMED.get(self.delimiter, self.delimiter)
            if len(letter) != 1 or letter in '"\n\r':
                raise DataError(f"A delimiter is one letter, such as ';' or 'tab', not {self.delimiter!r}.")
            object.__setattr__(self, "delimiter", letter)
        if self.encoding is not None:
            _check_encoding(self.encoding)

    @property
    def missing_cells(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""
        return missing_cells(self.missing_values)

    def kinds(self, names: Iterable[str]) -> dict[str, str]:
        """Say of columns what they are: asked for by the user, or known from training."""
        names = list(names)
        kinds = {} if self.trained is None else {c.name: _kind(c) for c in self.trained.columns if c.name in set(names)}
        wishes = check_column_kinds(self.column_kinds, names)
        return {name: kind for name, kind in kinds.items() if kind} | wishes

    def wishes(self, name: str, kind: str | None, decimal: str | None) -> Wishes:
        """Say how one column is to be read."""
        trained = () if self.trained is None else self.trained.columns
        column = next((column for column in trained if column.name == name), None)
        if column is None:
            return Wishes(decimal, self.date_order, kind=kind, decimal_is_guess=self.decimal is None)
        return Wishes(decimal, self.date_order, column.written or _ISO.get(column.value_type, ""), kind, for_model=True)

    def sample(self, name: str) -> str:
        """The format that a column was written in when a model was trained; "" where it was a plain one."""
        columns = () if self.trained is None else self.trained.columns
        return next((column.written for column in columns if column.name == name), "")


def _kind(column: Column) -> str | None:
    """Say of a column of a model whether it is to be read as text or as numbers."""
    if column.value_type == "text":
        return "nominal"
    return "numeric" if column.kind == "numeric" and column.value_type == "number" else None


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError:
        known = ["utf-8", "utf-16", "latin-1", "windows-1252", "mac-roman", "shift-jis", "gb18030"]
        raise DataError(f"There is no encoding {name!r}. {nearest(name, known)}") from None
