"""New rows for a fitted model of any kind: laid out as it was trained, many at once, or one.

Nothing of scikit-learn is imported here: a model that is only asked starts without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnWarning, DataError, nearest
from treewright.table.column_remarks import lines_of_ours
from treewright.table.encode import EncodedRows, RowEncoder
from treewright.table.frame import InputFrame, frame_of_values, open_frame
from treewright.table.schema import Column, Schema
from treewright.table.unknown_levels import meant_levels
from treewright.wording import set_words

_NUMBER = (float, int, np.number)
Rows = InputFrame | EncodedRows  # as they were given, or encoded already (for the first of many trees)


class TableLookup:
    """What all models share that answer rows. Subclasses have a door for one row, and answer frames.

    Parameters
    ----------
    schema : Schema
        The columns that the model was trained on.
    refuse_missing : bool
        Whether a missing value is an error.
    """

    def __init__(self, schema: Schema, refuse_missing: bool) -> None:
        self.schema = schema
        self.refuse_missing = refuse_missing
        self.encoder = RowEncoder(schema)

    @cached_property
    def _reader(self) -> Callable[[Any], Any]:
        """Answers a row of numbers and levels."""
        raise NotImplementedError

    def answers_to(self, frame: InputFrame) -> NDArray[Any]:
        """What each row is answered with."""
        raise NotImplementedError

    def encode(self, frame: Rows) -> EncodedRows:
        """Lay the rows out once, so that many trees with the same columns can be asked."""
        if isinstance(frame, EncodedRows):
            return frame
        rows = self.encoder.encode(frame)
        if self.refuse_missing:
            _refuse_missing(rows, self.schema.columns)
        return rows

    @cached_property
    def known_names(self) -> frozenset[str]:
        """The names of the columns."""
        return frozenset(self.schema.names)

    def refuse_misnamed(self, values: Mapping[str, Any]) -> None:
        """Refuse a row by name with a name that is probably a column's, misspelt; other names may be there too."""
        absent = [name for name in self.schema.names if name not in values]
        for name in values:
            if name not in self.known_names and absent:
                meant = nearest(str(name), absent)
                if "Did you mean" in meant or not any(key in self.known_names for key in values):
                    raise DataError(f"The model has no column {name!r}. {meant}")

    @cached_property
    def text_levels(self) -> list[tuple[str, int, frozenset[Any]]]:
        """The columns of text: name, place, and the levels with what stands for none."""
        return [
            (column.name, place, frozenset([*column.levels, None]))
            for place, column in enumerate(self.schema.columns)
            if column.kind != "numeric" and column.value_type == "text"
        ]

    def with_meant_levels(self, values: Any) -> Any:
        """Give a row with its levels as training wrote them, where they differ by case or blanks only, and tell it."""
        by_name = isinstance(values, dict)
        row: Any = dict(values) if by_name else list(values)
        for name, place, levels in self.text_levels:
            key = name if by_name else place
            given = row.get(name) if by_name else row[place]
            if not isinstance(given, str) or given in levels:
                continue
            for level in meant_levels([given], levels - {None}).values():
                row[key] = level
                warnings.warn(
                    ColumnWarning(
                        f"Column '{name}': {given!r} was never seen in training. It is taken as {level!r}, from which "
                        "it differs by case or blanks only."
                    ),
                    stacklevel=lines_of_ours(),
                )
        return row

    @cached_property
    def answer_one(self) -> Callable[[Any], Any]:
        """The door for one row: the fast one of the core where the columns are numbers and levels."""
        columns = self.schema.columns
        if any(column.kind == "numeric" and column.value_type != "number" for column in columns):
            return self.answer_by_frame
        return self._answer_known if self.refuse_missing else self._reader

    def _answer_known(self, values: Any) -> Any:
        """The core looks only at what the path asks for; a model that refuses holes must look at every value."""
        is_dict = isinstance(values, Mapping)
        row = [values.get(name) for name in self.schema.names] if is_dict else values
        for value, codes in zip(row, self.encoder.level_codes, strict=False):
            known = isinstance(value, _NUMBER) and value == value if codes is None else value in codes
            if not known:
                return self.answer_by_frame(values)  # which says what is wrong
        return self._reader(values)

    def answer_by_frame(self, values: Any) -> Any:
        """Answer one row as a table of one row: slower, and with the messages that a table gets."""
        answer = self.answers_to(self.frame_of_one(values))[0]
        return answer.item() if isinstance(answer, np.generic) else answer

    def frame_of_one(self, values: Any) -> InputFrame:
        """One row as a table of one row."""
        names = self.schema.names
        if isinstance(values, Mapping):
            row = [values.get(name) for name in names]
        elif isinstance(values, str) or not isinstance(values, Iterable):
            raise DataError(
                f"One row is a list or a tuple of values, or a dict by column name. Got {values!r} instead."
            )
        else:
            row = list(values)
        if len(row) != len(names):
            raise DataError(
                f"The row has {len(row)} values, but the model has {len(names)} columns. "
                "Give one value for each column, None where there is none."
            )
        return open_frame(frame_of_values(names, [row]))


def _refuse_missing(rows: EncodedRows, columns: tuple[Column, ...]) -> None:
    for j, column in enumerate(columns):
        row = rows.first_missing(j)
        if row is not None:
            raise DataError(
                f"Row {row + 1} has no known value in column '{column.name}', and the model was trained with "
                f"{set_words('missing', 'refuse')}. Fill it, or train with {set_words('missing', 'learn')}."
            )
