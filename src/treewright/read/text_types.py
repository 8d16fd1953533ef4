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
WIDE = 100

# {c} is the cell, {t} the cell without the blanks around it. A digit after a leading 0 is found by comparing text,
# since '00' up to '0:' holds just these; text functions and patterns would take ten times as long.
_LEADING_ZERO = " OR ".join(f"({{t}} >= '{sign}00' AND {{t}} < '{sign}0:')" for sign in ("", "-", "+"))
_ZONE = "(suffix({t}, 'Z') OR contains({t}, '+') OR contains({t}[12:], '-'))"
_DASHES = "{t}[5] = '-' AND {t}[8] = '-'"


@dataclass(frozen=True)
class TextType:
    """A type that text may have: the SQL value of a cell, NULL if it has none, and a condition that it must meet."""

    name: str
    value: str
    only_if: str

    def sql(self, cell: str, trimmed: str) -> str:
        """Write the value of a cell as SQL: NULL if the cell does not fit this type."""
        return f"CASE WHEN {self.only_if} THEN {self.value} END".format(c=cell, t=trimmed)


# The engine also reads 1_000, +-5 and nan as numbers; people who write these in a table mean something else.
_DOUBLE = "nullif(try_cast({t} AS DOUBLE), 'nan'::DOUBLE)"
_PLAIN = "NOT contains({t}, '_') AND NOT ({t} >= '+-' AND {t} < '+.')"
ZERO_PADDED = TextType("number", _DOUBLE, _PLAIN)
NUMBER = TextType("number", _DOUBLE, f"{_PLAIN} AND NOT ({_LEADING_ZERO})")
# Digits and a sign only: the engine would round 1.5, and read 1e5, 0x1F and 0b11.
_DIGITS = " AND ".join(f"NOT contains({{t}}, '{letter}')" for letter in ".eExXbB")
INTEGER = TextType("integer", "try_cast({t} AS BIGINT)", f"{NUMBER.only_if} AND {_DIGITS}")
BOOLEAN = TextType("boolean", "lower({t}) = 'true'", "lower({t}) IN ('true', 'false')")
# The engine reads 2024/01/02 and 2024-1-2 as dates too; these may be day first or no dates at all, so they stay text.
DATE = TextType("date", "try_cast({t} AS DATE)", f"strlen({{t}}) = 10 AND {_DASHES}")
DATE_TIME = TextType("datetime", "try_cast({t} AS TIMESTAMP)", f"{_DASHES} AND NOT {_ZONE}")
# A cast to TIMESTAMP forgets the zone, so these go by way of the moment in world time.
ZONED = TextType(
    "zoned",
    "make_timestamp(epoch_us(try_cast({t} AS TIMESTAMPTZ)))",
    f"{_DASHES} AND strlen({{t}}) > 16 AND {_ZONE}",
)
TIME = TextType("time", "try_cast({t} AS TIME)", "{t}[3] = ':' AND {t} < '24'")
TEXT = TextType("text", "{c}", "true")

LADDER = (INTEGER, NUMBER, BOOLEAN, DATE, DATE_TIME, ZONED, TIME)
CALENDAR = (DATE, DATE_TIME, ZONED, TIME)


@dataclass(frozen=True)
class Cells:
    """One column as it was read: its values (masked where there is none), and which cells are missing by their text."""

    values: npt.NDArray[Any]
    missing: npt.NDArray[np.bool_]

    def misfits(self) -> npt.NDArray[np.bool_]:
        """Tell which cells hold something that is not of the type."""
        return np.asarray(np.ma.getmaskarray(self.values) & ~self.missing)


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
        fits = ", ".join(f"bool_and(({kind.sql('c', 't')}) IS NOT NULL)" for kind in types)
        known = f"SELECT name, {fits} FROM {long} WHERE NOT {self._is_missing('t')} GROUP BY name"
        found = {name: flags for name, *flags in self.connection.execute(known).fetchall()}
        every = [True] * len(types)
        return [
            tuple(kind for kind, fit in zip(types, found.get(f"c{i}", every), strict=True) if fit)
            for i in range(self.width)
        ]

    def fetch(self, wanted: Mapping[int, TextType]) -> dict[int, Cells]:
        """Read columns with one type each."""
        if len(wanted) > WIDE:
            return self._fetch_stacked(wanted)
        parts = [
            f"{kind.sql(f'c{i}', f't{i}')} AS v{i}, {self._is_missing(f't{i}')} AS m{i}" for i, kind in wanted.items()
        ]
        trimmed = ", ".join(f"c{i}, {_trimmed(f'c{i}')} AS t{i}" for i in wanted)
        query = f"SELECT {', '.join(parts)} FROM (SELECT {trimmed} FROM {self.relation})"
        arrays = self.connection.execute(query).fetchnumpy()
        return {i: Cells(np.ma.asarray(arrays[f"v{i}"]), np.ma.getdata(arrays[f"m{i}"])) for i in wanted}

    def _fetch_stacked(self, wanted: Mapping[int, TextType]) -> dict[int, Cells]:
        """Read many columns: those of one type are laid end to end and converted as one long column.

        The engine needs milliseconds and megabytes to plan each expression, which is nothing for twenty columns and
        everything for ten thousand.
        """
        query = f"SELECT {', '.join(f'c{i}' for i in wanted)} FROM {self.relation}"
        texts = self.connection.execute(query).fetchnumpy()
        cells: dict[int, Cells] = {}
        for kind in set(wanted.values()):
            members = [i for i in wanted if wanted[i] is kind]
            long = np.concatenate([np.ma.filled(texts[f"c{i}"], None) for i in members])
            stacked = table_of_texts(self.connection, [long], self.missing_cells).fetch({0: kind})[0]
            values, missing = stacked.values, stacked.missing
            for k, i in enumerate(members):
                part = slice(k * len(long) // len(members), (k + 1) * len(long) // len(members))
                cells[i] = Cells(values[part], missing[part])
        return cells

    def _is_missing(self, trimmed: str) -> str:
        words = ", ".join(map(literal, self.missing_cells))
        return f"({trimmed} IS NULL OR {trimmed} IN ({words}))" if words else f"({trimmed} IS NULL)"


def table_of_texts(
    connection: DuckDBPyConnection, columns: Sequence[npt.NDArray[Any]], missing: tuple[str, ...] = MISSING_CELLS
) -> TextTable:
    """Make a table of texts that are already in memory."""
    import pandas as pd

    frame = pd.DataFrame({f"c{i}": pd.Series(column, dtype="str") for i, column in enumerate(columns)})
    connection.register("texts_in_memory", frame)
    return TextTable(connection, "texts_in_memory", len(columns), missing)


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
        for i, cells in table.fetch({i: ladder[0] for i, ladder in left.items()}).items():
            if cells.misfits().any():
                left[i].pop(0)
            else:
                done[i] = _series(left.pop(i)[0], np.ma.getdata(cells.values), cells.missing)
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
