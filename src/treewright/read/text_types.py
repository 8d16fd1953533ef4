"""Which columns of text are really numbers, truth values, dates or times; decided by all cells, not by a guess.

A sample of the first rows gives each column a ladder of types that fit. The table is then read once with the first
type of each ladder, every cell is checked on the way, and only columns with a cell that does not fit are read again
with the next type. A column with no type left is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.read.engine import literal

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyConnection

MISSING_CELLS = ("", "?", "NA", "N/A", "nan", "NaN", "NULL", "null")
SAMPLE_ROWS = 1000
SAMPLE_CELLS = 1_000_000

# Codes that the engine gives each cell on the way.
MISSING, FITS, MISFIT = 0, 1, 2

# {c} is the cell, {t} the cell without the blanks around it. A digit after a leading 0 is found by comparing text, since
# '00' up to '0:' holds just these; text functions and patterns would take ten times as long.
_LEADING_ZERO = " OR ".join(f"({{t}} >= '{sign}00' AND {{t}} < '{sign}0:')" for sign in ("", "-", "+"))
# The engine also reads 1_000, +-5 and nan as numbers; people who write these in a table mean something else.
_ANY_NUMBER = (
    "coalesce(NOT isnan(try_cast({t} AS DOUBLE)), false) AND NOT contains({t}, '_') AND NOT ({t} >= '+-' AND {t} < '+.')"
)
_ZONE = "(suffix({t}, 'Z') OR contains({t}, '+') OR contains({t}[12:], '-'))"


@dataclass(frozen=True)
class TextType:
    """A type that text may have: the SQL condition that a cell fits, and the SQL value of a cell that does."""

    name: str
    fits: str
    value: str


NUMBER = TextType("number", f"{_ANY_NUMBER} AND NOT ({_LEADING_ZERO})", "try_cast({t} AS DOUBLE)")
INTEGER = TextType(
    "integer",
    "try_cast({t} AS BIGINT) IS NOT NULL AND NOT contains({t}, '.') AND NOT contains(lower({t}), 'e') "
    f"AND {NUMBER.fits}",
    "try_cast({t} AS BIGINT)",
)
ZERO_PADDED = TextType("number", _ANY_NUMBER, "try_cast({t} AS DOUBLE)")
BOOLEAN = TextType("boolean", "lower({t}) IN ('true', 'false')", "lower({t}) = 'true'")
# The engine reads 2024/01/02 and 2024-1-2 as dates too; these may be day first or no dates at all, so they stay text.
DATE = TextType(
    "date",
    "try_cast({t} AS DATE) IS NOT NULL AND strlen({t}) = 10 AND {t}[5] = '-' AND {t}[8] = '-'",
    "try_cast({t} AS DATE)",
)
DATE_TIME = TextType(
    "datetime",
    f"try_cast({{t}} AS TIMESTAMP) IS NOT NULL AND {{t}}[5] = '-' AND {{t}}[8] = '-' AND NOT {_ZONE}",
    "try_cast({t} AS TIMESTAMP)",
)
# A cast to TIMESTAMP forgets the zone, so these go by way of the moment in world time.
ZONED = TextType(
    "zoned",
    f"try_cast({{t}} AS TIMESTAMPTZ) IS NOT NULL AND {{t}}[5] = '-' AND {{t}}[8] = '-' AND strlen({{t}}) > 16 AND {_ZONE}",
    "make_timestamp(epoch_us(try_cast({t} AS TIMESTAMPTZ)))",
)
TIME = TextType(
    "time",
    "try_cast({t} AS TIME) IS NOT NULL AND {t}[3] = ':' AND {t} < '24'",
    "try_cast({t} AS TIME)",
)
TEXT = TextType("text", "true", "{c}")

LADDER = (INTEGER, NUMBER, BOOLEAN, DATE, DATE_TIME, ZONED, TIME)
CALENDAR = (DATE, DATE_TIME, ZONED, TIME)


@dataclass(frozen=True)
class TextTable:
    """Text columns c0, c1, … of an SQL relation, and which cells count as missing."""

    connection: DuckDBPyConnection
    relation: str
    width: int
    missing_cells: tuple[str, ...] = MISSING_CELLS

    def sample(self, types: Sequence[TextType] = LADDER) -> list[tuple[TextType, ...]]:
        """Give each column the types that fit all its cells in the first rows."""
        n_rows = max(1, min(SAMPLE_ROWS, SAMPLE_CELLS // self.width))
        head = f"(SELECT * FROM {self.relation} LIMIT {n_rows})"
        columns = ", ".join(f"c{i}" for i in range(self.width))
        # One long column of cells, so that a wide table does not mean thousands of expressions.
        long = f"(SELECT name, c, {_trimmed('c')} AS t FROM (UNPIVOT {head} ON {columns} INTO NAME name VALUE c))"
        fits = ", ".join(f"coalesce(bool_and({kind.fits.format(t='t', c='c')}), true)" for kind in types)
        known = f"SELECT name, {fits} FROM {long} WHERE NOT {self._is_missing('t')} GROUP BY name"
        found = {name: flags for name, *flags in self.connection.execute(known).fetchall()}
        every = [True] * len(types)
        return [
            tuple(kind for kind, fit in zip(types, found.get(f"c{i}", every), strict=True) if fit)
            for i in range(self.width)
        ]

    def fetch(self, wanted: Mapping[int, TextType]) -> dict[int, tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]]:
        """Read columns with one type each: values and, for every cell, whether it was missing, fitted or not."""
        parts = []
        for i, kind in wanted.items():
            value, fits = kind.value.format(t=f"t{i}", c=f"c{i}"), kind.fits.format(t=f"t{i}", c=f"c{i}")
            code = f"CASE WHEN {self._is_missing(f't{i}')} THEN {MISSING} WHEN {fits} THEN {FITS} ELSE {MISFIT} END"
            parts.append(f"{value} AS v{i}, ({code})::UTINYINT AS k{i}")
        trimmed = ", ".join(f"c{i}, {_trimmed(f'c{i}')} AS t{i}" for i in wanted)
        query = f"SELECT {', '.join(parts)} FROM (SELECT {trimmed} FROM {self.relation})"
        arrays = self.connection.execute(query).fetchnumpy()
        return {i: (np.ma.getdata(arrays[f"v{i}"]), np.ma.getdata(arrays[f"k{i}"])) for i in wanted}

    def _is_missing(self, trimmed: str) -> str:
        return f"coalesce({trimmed}, '') IN ({', '.join(map(literal, self.missing_cells))})"


def missing_cells(missing_values: Iterable[object] | None) -> tuple[str, ...]:
    """Give the texts that mean a missing value: the usual ones and those of the user.

    >>> missing_cells(["n/a", -999])[-2:]
    ('n/a', '-999')
    """
    return (*MISSING_CELLS, *(str(value).strip(" \t") for value in missing_values or ()))


def typed_series(table: TextTable, ladders: Mapping[int, Sequence[TextType]]) -> dict[int, pd.Series[Any]]:
    """Read the columns named by the ladders, each with the first of its types that fits every cell, else as text."""
    left = {i: [*ladder, TEXT] for i, ladder in ladders.items()}
    done: dict[int, pd.Series[Any]] = {}
    while left:
        for i, (values, codes) in table.fetch({i: ladder[0] for i, ladder in left.items()}).items():
            if (codes == MISFIT).any():
                left[i].pop(0)
            else:
                done[i] = _series(left.pop(i)[0], values, codes == MISSING)
    return done


def _trimmed(cell: str) -> str:
    """Remove blanks around a cell. Few cells have any, and to look first is much cheaper than to trim them all."""
    blanks = "' ' || chr(9)"
    return (
        f"CASE WHEN {cell} < '!' OR suffix({cell}, ' ') OR suffix({cell}, chr(9)) "
        f"THEN trim({cell}, {blanks}) ELSE {cell} END"
    )


def _series(kind: TextType, values: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> pd.Series[Any]:
    """Turn values and holes into the pandas type that an analyst expects."""
    import pandas as pd

    if missing.all() or (kind is INTEGER and missing.any()):
        # A column of holes only has no type of its own; numbers are the type that holes disturb least.
        values = np.zeros(len(values)) if missing.all() else values.astype(np.float64)
    if not missing.any() and kind is not TEXT:
        series = pd.Series(values)
    elif values.dtype == np.bool_:
        series = pd.Series(pd.array(values, dtype="boolean")).mask(missing)
    elif kind is TEXT and not missing.all():
        values[missing] = None
        series = pd.Series(values, dtype="str")
    else:
        series = pd.Series(values).mask(missing)
    return series.dt.tz_localize("UTC") if kind is ZONED and not missing.all() else series
