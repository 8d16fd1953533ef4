"""The short way of one row to a learner: numbers and known levels, without a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.learners.base.design_matrix import Columns
from treewright.table.schema import Schema

_NUMBER = (float, int, np.floating, np.integer)


class OneRow:
    """Lays out one row; what it cannot read is a TypeError, and then a data frame can, or says what is wrong.

    Parameters
    ----------
    schema : Schema
        The columns, numbers of the type "number" or levels.
    level_codes : list
        For each column its levels with their codes; None where it is numeric.
    needs_all : bool
        Whether a missing value is left to the long way, which refuses it.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> columns = OneRow(schema, [None, {"cook": 1, "smith": 2}], False).columns({"job": "smith"})
    >>> columns.numbers.tolist(), columns.codes.tolist()
    ([[nan]], [[2]])
    """

    def __init__(self, schema: Schema, level_codes: list[dict[Any, int] | None], needs_all: bool) -> None:
        self.schema = schema
        self.level_codes = level_codes
        self.needs_all = needs_all
        self.numeric = tuple(j for j, codes in enumerate(level_codes) if codes is None)
        self.levelled = tuple(j for j, codes in enumerate(level_codes) if codes is not None)

    def columns(self, values: Any) -> Columns:
        """Give the row as learners read it."""
        if isinstance(values, Mapping):
            values = [values.get(name) for name in self.schema.names]
        elif not isinstance(values, list | tuple) or len(values) != len(self.level_codes):
            raise TypeError("no row of so many values")
        numbers = np.array([[self._number(values[j]) for j in self.numeric]], dtype=np.float64)
        codes = np.array([[self._code(values[j], j) for j in self.levelled]], dtype=np.int32)
        return Columns(self.schema, numbers.reshape(1, -1), codes.reshape(1, -1), self.numeric, self.levelled)

    def _number(self, value: Any) -> float:
        if value is None and not self.needs_all:
            return np.nan
        if not isinstance(value, _NUMBER) or isinstance(value, bool) or value - value != 0:  # infinity, NaN, text
            raise TypeError("no plain number")
        return float(value)

    def _code(self, value: Any, column: int) -> int:
        if value is None and not self.needs_all:
            return 0
        codes = self.level_codes[column]
        if codes is None or value not in codes:
            raise TypeError("no known level")
        return codes[value]
