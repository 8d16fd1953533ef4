"""A column as levels: a code a row (0 is missing) and the level that each code stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

Level = str | int | float | bool
Codes = NDArray[np.int32]


def find_levels(series: nw.Series[Any]) -> tuple[Codes, tuple[Level, ...]]:
    """Number the levels of a column: declared categories in their own order, other values sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> find_levels(nw.from_native(pd.Series(["red", None, "blue", "red"]), series_only=True))
    (array([2, 0, 1, 2], dtype=int32), ('blue', 'red'))
    """
    codes, values = _factorize(series)
    levels = [_plain(value) for value in values]
    if _has_declared_order(series):
        return codes, tuple(levels)
    order = _sorted_positions(levels)
    place = np.zeros(len(levels) + 1, dtype=np.int32)
    place[np.asarray(order, dtype=np.int64) + 1] = np.arange(1, len(levels) + 1)
    return place[codes], tuple(levels[i] for i in order)


def code_levels(series: nw.Series[Any], levels: Sequence[Level]) -> tuple[Codes, int]:
    """Number a column by levels known from training; the second answer counts cells with a level never seen.

    Examples
    --------
    >>> import pandas as pd
    >>> code_levels(nw.from_native(pd.Series(["red", None, "pink"]), series_only=True), ("blue", "red"))
    (array([2, 0, 0], dtype=int32), 1)
    """
    codes, values = _factorize(series)
    known = {level: code for code, level in enumerate(levels, start=1)}
    all_text = all(isinstance(level, str) for level in levels)
    place = np.zeros(len(values) + 1, dtype=np.int32)
    for i, value in enumerate(values, start=1):
        plain = _plain(value)
        place[i] = known.get(plain, 0) or (known.get(_as_text(plain), 0) if all_text else 0)
    result = place[codes]
    return result, int(np.count_nonzero((codes > 0) & (result == 0)))


def _factorize(series: nw.Series[Any]) -> tuple[Codes, list[Any]]:
    """Codes (0 missing) and the values they stand for, in any order."""
    import pandas as pd

    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype):
        codes = native.cat.codes.to_numpy().astype(np.int32)
        codes += 1
        return codes, list(native.cat.categories)
    if series.dtype == nw.Boolean:
        truth = series.fill_null(False).to_numpy().astype(np.int32) + 1
        truth[series.is_null().to_numpy()] = 0
        return truth, [False, True]
    if isinstance(native, pd.Series):
        found, uniques = pd.factorize(native, use_na_sentinel=True)
    else:
        found, uniques = pd.factorize(series.to_numpy(), use_na_sentinel=True)
    return (found + 1).astype(np.int32), list(uniques)


def _has_declared_order(series: nw.Series[Any]) -> bool:
    import pandas as pd

    native = series.to_native()
    is_category = isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype)
    return is_category or series.dtype == nw.Boolean


def _plain(value: Any) -> Level:
    """A level as a value that JSON can hold."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool | int | float):
        return value
    return str(value)


def _as_text(value: Level) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _sorted_positions(levels: list[Level]) -> list[int]:
    """Numbers before text; each in its own order."""
    return sorted(range(len(levels)), key=lambda i: (isinstance(levels[i], str), levels[i]))
