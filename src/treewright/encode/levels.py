"""A column as levels: a code a row (0 is missing) and the level that each code stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from treewright.encode.distinct_values import Codes, distinct_values, has_declared_order
from treewright.encode.schema import Level, level_text
from treewright.encode.text_numbers import is_number

_HEAD = 4096
_EXACT = 2**53  # whole floats below it are the same number as an int
_TRUTH = {"true": True, "True": True, "false": False, "False": False}


def find_levels(series: nw.Series[Any], ordered: bool = False) -> tuple[Codes, tuple[Level, ...]]:
    """Number the levels of a column.

    Where the order means something, declared categories keep theirs. Otherwise levels that occur are sorted, numbers
    before text, so that the same table gives the same codes whatever kind of frame it comes in.

    Examples
    --------
    >>> import pandas as pd
    >>> find_levels(nw.from_native(pd.Series(["red", None, "blue", "red"]), series_only=True))
    (array([2, 0, 1, 2], dtype=int32), ('blue', 'red'))
    """
    codes, values = distinct_values(series)
    levels = _plain_levels(values)
    if series.dtype == nw.Boolean or (ordered and has_declared_order(series)):
        kept: Iterable[Level] = dict.fromkeys(level for level in levels if level is not None)
    else:
        kept = _sorted(dict.fromkeys(_occurring(codes, levels)))
    numbered = {level: code for code, level in enumerate(kept, start=1)}
    return _renumber(codes, levels, numbered), tuple(numbered)


def level_codes(levels: Sequence[Level]) -> dict[Any, int]:
    """Give the code of every level, and of the other ways in which new rows may write it.

    A number stands for the text of it and the other way round, and so do truth values.

    Examples
    --------
    >>> level_codes(("7", "x"))
    {'7': 1, 'x': 2, 7: 1}
    """
    codes: dict[Any, int] = {level: code for code, level in enumerate(levels, start=1)}
    for code, level in enumerate(levels, start=1):
        for other in _other_writings(level):
            codes.setdefault(other, code)
    return codes


def code_levels(series: nw.Series[Any], codes: Mapping[Any, int]) -> Codes:
    """Number a column by the codes of levels known from training; a level never seen counts as missing.

    Examples
    --------
    >>> import pandas as pd
    >>> code_levels(nw.from_native(pd.Series(["red", None, "pink"]), series_only=True), {"blue": 1, "red": 2})
    array([2, 0, 0], dtype=int32)
    """
    found, values = distinct_values(series)
    return _renumber(found, _plain_levels(values), codes)


def plain_level(value: Any) -> Level | None:
    """Give a level as a value that JSON can hold, the same from every kind of frame; None where it is missing.

    Examples
    --------
    >>> plain_level(np.float64(3.0)), plain_level(b"x"), plain_level(float("nan"))
    (3, 'x', None)
    """
    if isinstance(value, str):
        return str(value)  # a plain str, where numpy has its own kind
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if value != value:
            return None
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if value is None or isinstance(value, bool | int):
        return value
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def _plain_levels(values: list[Any]) -> Sequence[Level | None]:
    if set(map(type, values)) == {str}:
        return values  # nothing to do for text, of which there may be a million
    return [plain_level(value) for value in values]


def _other_writings(level: Level) -> tuple[Any, ...]:
    if isinstance(level, bool):
        return str(level), str(level).lower()
    if not isinstance(level, str):
        return (level_text(level),)
    if level in _TRUTH:
        return (_TRUTH[level],)
    number = plain_level(float(level)) if is_number(level) else None
    return (number,) if number is not None and level_text(number) == level else ()


def _occurring(codes: Codes, levels: Sequence[Level | None]) -> Iterable[Level]:
    for rows in (codes[:_HEAD], codes):  # most columns have all of their levels in the first rows
        occurs = np.bincount(rows, minlength=len(levels) + 1)[1:] > 0
        if occurs.all():
            break
    used = levels if occurs.all() else compress(levels, occurs.tolist())
    return (level for level in used if level is not None)


def _sorted(levels: Iterable[Level]) -> list[Level]:
    """Numbers first, then texts that are numbers by their size, then other text."""
    texts: list[str] = []
    numbers: list[int | float] = []
    for level in levels:
        texts.append(level) if isinstance(level, str) else numbers.append(level)
    numbers.sort()
    texts.sort()
    if texts and _are_numbers(texts):
        texts.sort(key=float)  # equal numbers stay in the order of their texts
    return [*numbers, *texts]


def _are_numbers(texts: list[str]) -> bool:
    joined = "".join(texts)
    all_digits = joined.isascii() and joined.isdigit() and all(texts)
    return all_digits or all(map(is_number, texts))  # the first is quicker, and the common case


def _renumber(codes: Codes, levels: Sequence[Level | None], numbered: Mapping[Any, int]) -> Codes:
    place = np.zeros(len(levels) + 1, dtype=np.int32)
    place[1:] = [numbered.get(level, 0) for level in levels]  # None is no level
    if np.array_equal(place, np.arange(len(place))):
        return codes  # numbered as they should be
    return place[codes]
