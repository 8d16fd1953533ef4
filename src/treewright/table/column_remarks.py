"""What is odd about a column, in sentences with a cure: `profile` lists them, verbs tell them as notes, `fit` warns.

A look at all values would cost more than growing a tree on a large table, so each question is first put to the first
thousand rows: a column is seldom constant, and seldom an identifier.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from treewright.errors import ColumnWarning
from treewright.table.written.date_formats import find_date_format
from treewright.table.written.mixed_remarks import mixed_remark
from treewright.table.written.text_remarks import text_remark
from treewright.wording import leave_out_words, on_command_line, read_words

FEW_ROWS = 20
MOSTLY = 0.5
ROUND_SHARE = 0.5
SKEWED = 2.0  # times as wide is the upper half of the middle of amounts as the lower one
MANY_LEVELS = 20  # fewer levels than this are levels, whatever they look like
SELDOM_AGAIN = 2 / 3  # of the known rows: with more levels than these a new row has seldom one that was seen
MOST_WARNINGS = 10
MANY_DIGITS = 100_000  # numbers as long as these are given out, rather than counted
NUMBERING = {"id", "ids", "nr", "no", "num", "number", "key", "code"}  # words of names of identifiers
FIRST = 1000  # rows that are asked first
DAYS = (18_000_101, 21_991_231)  # the whole numbers that may be a day
_OURS = ("treewright.", "sklearn.", "joblib.", "contextlib")

Texts = tuple[npt.NDArray[Any], Sequence[str]]  # for each row the place of its text, -1 where missing; the texts


def column_remarks(
    name: str,
    column: nw.Series[Any],
    kind: str,
    written: bool = False,
    texts: Texts | None = None,
    asked: bool = False,
) -> list[str]:
    """Say what is odd about a column, and what to do about it.

    Parameters
    ----------
    name : str
        The column.
    column : series
        Its values.
    kind : str
        What it is taken as: numeric, nominal or ordinal.
    written : bool, default False
        Whether it is known to be an amount such as 3.50 €, which is no identifier.
    texts : codes and texts, optional
        The different texts of a column of text, where they are known.
    asked : bool, default False
        Whether the user has said that it is of this kind: that it could be read in another way is then no remark.

    Examples
    --------
    >>> import pandas as pd
    >>> column_remarks("a", nw.from_native(pd.Series([1, 1]), series_only=True), "numeric")
    ["the same value in every row: it cannot split anything; drop(columns='a') leaves it out"]
    """
    n_rows, n_missing = len(column), int(_is_missing(column).sum())
    if n_missing == n_rows:
        return [f"no value at all: the column cannot be used; {leave_out_words(name)} leaves it out"] if n_rows else []
    remarks = []
    if _all_alike(column):
        remarks.append(f"the same value in every row: it cannot split anything; {leave_out_words(name)} leaves it out")
    if n_missing > MOSTLY * n_rows:
        share = 100 * n_missing / n_rows
        remarks.append(f"{share:.0f} % of the values are missing; {leave_out_words(name)} leaves it out")
    return remarks + _value_remarks(name, column, kind, written, texts, asked)


def known_values(column: nw.Series[Any]) -> nw.Series[Any]:
    """Leave out what is missing.

    >>> import pandas as pd
    >>> known_values(nw.from_native(pd.Series([1.5, None]), series_only=True)).to_list()
    [1.5]
    """
    return column.filter(~_is_missing(column))


def _is_missing(column: nw.Series[Any]) -> nw.Series[Any]:
    missing = column.is_null()
    return missing | column.is_nan() if column.dtype.is_float() and not _is_pandas(column) else missing


def _is_pandas(column: nw.Series[Any]) -> bool:
    """To pandas a NaN is missing like any other hole."""
    return nw.dependencies.is_pandas_series(column.to_native())


def _all_alike(column: nw.Series[Any]) -> bool:
    first = known_values(column.head(FIRST))
    return (first.n_unique() if len(first) else 1) == 1 and known_values(column).n_unique() == 1


def _value_remarks(
    name: str, column: nw.Series[Any], kind: str, written: bool, texts: Texts | None, asked: bool
) -> list[str]:
    mixed = None
    if column.dtype == nw.String and kind != "numeric":
        codes, different = _distinct_texts(column) if texts is None else texts
        if not asked and (remark := text_remark(name, codes, different)) is not None:
            return [remark]
        mixed = None if asked else mixed_remark(codes, different)
        levels = _levels_remark(name, codes, different)
        if levels is not None:
            return [levels] if mixed is None else [mixed, levels]
    if not asked and column.dtype.is_integer() and kind == "numeric" and _are_days(column):
        cure = read_words("date_order", "ymd")
        return [f"whole numbers that look like dates, such as {known_values(column)[0]}: {cure} reads them as dates"]
    remarks = [] if mixed is None else [mixed]
    if not written and _may_identify(name, column):
        remarks.append(
            "all values differ, so this looks like an identifier, which tells nothing about new rows: "
            f"{leave_out_words(name)} leaves it out of training"
        )
    return remarks


def _levels_remark(name: str, codes: npt.NDArray[Any], texts: Sequence[str]) -> str | None:
    """Names, tickets, addresses: texts of which most stand in one row. That all differ is told in other words."""
    n_known, n_levels = int((codes >= 0).sum()), len(texts)
    if n_levels < MANY_LEVELS or n_levels <= SELDOM_AGAIN * n_known or n_levels == len(codes):
        return None
    return (
        f"{n_levels:,} different texts in {n_known:,} rows that have one: as levels they tell little about new rows; "
        f"{leave_out_words(name)} leaves it out"
    )


def _distinct_texts(column: nw.Series[Any]) -> Texts:
    from treewright.table.levels import distinct_values

    codes, texts = distinct_values(column)
    return codes - 1, texts


def _may_identify(name: str, column: nw.Series[Any]) -> bool:
    """Texts, or whole numbers, that all differ; but amounts of money and counts differ too, and describe a row."""
    is_whole = column.dtype.is_integer()
    if not (column.dtype == nw.String or is_whole) or not _all_differ(column):
        return False
    return not (is_whole and (_are_round(column) or _are_amounts(column) or _differ_by_chance(name, column)))


def _differ_by_chance(name: str, column: nw.Series[Any]) -> bool:
    """Counts of a few rows, such as votes: of numbers drawn from so wide a range less than one pair would be equal.

    Numbers that are given out to rows have a name that says so, go up from row to row, or have many digits.
    """
    if set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())) & NUMBERING:
        return False
    values = column.to_numpy()
    low, high = int(values.min()), int(values.max())
    if max(abs(low), abs(high)) >= MANY_DIGITS or bool((np.diff(values) > 0).all()):
        return False
    return len(values) * (len(values) - 1) / 2 < high - low + 1


def _all_differ(column: nw.Series[Any]) -> bool:
    first = column.head(FIRST)
    if len(column) < FEW_ROWS or first.n_unique() < len(first) or column.is_null().any():
        return False
    return bool(column.n_unique() == len(column))


def _are_round(column: nw.Series[Any]) -> bool:
    """Amounts are often multiples of ten; numbers of customers are so one time in ten."""
    return bool((column % 10 == 0).mean() >= ROUND_SHARE)


def _are_amounts(column: nw.Series[Any]) -> bool:
    """Amounts and counts have many small values and a few large ones; numbers that are given out lie evenly."""
    low, middle, high = np.quantile(column.to_numpy(), [0.25, 0.5, 0.75]).tolist()
    return bool(high - middle > SKEWED * (middle - low))


def _are_days(column: nw.Series[Any]) -> bool:
    """Tell whether whole numbers are all days written as 20201231."""
    if not known_values(column.head(FIRST)).is_between(*DAYS).all():
        return False
    known = known_values(column)
    if not known.is_between(*DAYS).all():
        return False
    texts = [str(number) for number in known.unique().to_list()]
    found = find_date_format(texts)
    return found is not None and not np.isnat(found.formats[0].moments(texts)).any()


# Warnings: of a column once, however many models are fitted on the way.


@dataclass
class _Table:
    """What a call has already told of."""

    is_told: bool = False


_table: ContextVar[_Table | None] = ContextVar("table", default=None)


@contextmanager
def columns_told() -> Iterator[None]:
    """Let no column be told of as long as this lasts: somebody has done so, or the table is not the user's."""
    token = _table.set(_Table(is_told=True))
    try:
        yield
    finally:
        _table.reset(token)


@contextmanager
def told_once() -> Iterator[None]:
    """Let the columns of the first table be told of, and of no other as long as this lasts.

    >>> import pandas as pd
    >>> alike = nw.from_native(pd.Series([1] * 20), series_only=True)
    >>> with told_once(), warnings.catch_warnings(record=True, action="always") as told:
    ...     warn_of_columns([("a", alike, "numeric", False, None)])
    ...     warn_of_columns([("a", alike, "numeric", False, None)])
    >>> len(told)
    1
    """
    if _table.get() is not None:
        yield
        return
    token = _table.set(_Table())
    try:
        yield
    finally:
        _table.reset(token)


def is_told() -> bool:
    """Whether the columns have been told of: before in this call, or by the notes of the command line."""
    table = _table.get()
    return on_command_line() or (table is not None and table.is_told)


def warn_of_columns(columns: Sequence[tuple[str, nw.Series[Any], str, bool, Texts | None]]) -> None:
    """Warn of what is odd about columns, each given as the arguments of `column_remarks`.

    Few levels need no warning, nor does a handful of rows.
    """
    if is_told():
        return
    for text in _some_of([text for column in columns for text in _sentences(*column)]):
        warnings.warn(ColumnWarning(text), stacklevel=lines_of_ours())
    if (table := _table.get()) is not None:
        table.is_told = True


def lines_of_ours() -> int:
    """The stack level at which the caller's line is the user's, not one of ours or of scikit-learn's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        level, frame = level + 1, frame.f_back
    return level


def _sentences(name: str, column: nw.Series[Any], kind: str, written: bool, texts: Texts | None) -> list[str]:
    if len(column) < FEW_ROWS:
        return []  # a handful of rows is an example
    few = texts is not None and len(texts[1]) < MANY_LEVELS
    remarks = column_remarks(name, column, kind, written, (np.empty(0, np.int64), []) if few else texts)
    return [f"Column '{name}': {remark}." for remark in remarks]


def _some_of(sentences: list[str]) -> list[str]:
    more = len(sentences) - MOST_WARNINGS
    if more <= 1:
        return sentences
    return [*sentences[:MOST_WARNINGS], f"{more:,} more remarks on columns: `treewright profile` tells them all."]
