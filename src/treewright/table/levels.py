"""A column as levels: a code a row (0 is missing) and the level that each code stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.table.level_order import ordered_levels
from treewright.table.schema import Level, level_text
from treewright.table.written.text_types import NUMBER_TEXT

# The distinct values of a column and where they stand, by the fastest way that each kind of frame has.


Codes = NDArray[np.int32]


def distinct_values(series: nw.Series[Any]) -> tuple[Codes, list[Any]]:
    """Give a code for every row and the value of code 1, 2, …; 0 is missing.

    Declared categories come in their own order, those that do not occur too; other values in any order.

    Examples
    --------
    >>> import pandas as pd
    >>> distinct_values(nw.from_native(pd.Series(["red", None, "blue", "red"]), series_only=True))
    (array([1, 0, 2, 1], dtype=int32), ['red', 'blue'])
    """
    if series.dtype == nw.Boolean:
        truth = series.fill_null(False).to_numpy().astype(np.int32) + 1
        truth[series.is_null().to_numpy().astype(bool)] = 0
        return truth, [False, True]
    native: Any = series.to_native()
    if nw.dependencies.is_polars_series(native):
        return _of_polars(native)
    if nw.dependencies.is_pyarrow_chunked_array(native):
        return _of_arrow(native)
    return _of_pandas(series)


def has_declared_order(series: nw.Series[Any]) -> bool:
    """Tell whether a column's categories were listed by somebody, so that their order may mean something.

    Examples
    --------
    >>> import pandas as pd
    >>> has_declared_order(nw.from_native(pd.Series(["a"], dtype="category"), series_only=True))
    True
    """
    is_category = series.dtype in (nw.Categorical, nw.Enum)
    return is_category and not (series.dtype == nw.Categorical and nw.dependencies.is_polars_series(series.to_native()))


def _of_polars(native: Any) -> tuple[Codes, list[Any]]:
    import polars as pl

    if native.dtype == pl.Object or native.dtype.is_nested():
        return _of_pandas(nw.from_native(native, series_only=True))
    if native.dtype.is_float():
        native = native.fill_nan(None)
    if isinstance(native.dtype, pl.Enum):
        codes = native.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        return shifted_codes(codes), native.dtype.categories.to_list()
    known = native.drop_nulls().unique()
    if not len(known):
        return np.zeros(len(native), dtype=np.int32), []
    if native.dtype == pl.Categorical:
        return _of_physical(native, known)
    known = known.sort()
    if native.dtype == pl.String:
        found = native.cast(pl.Enum(known)).to_physical().cast(pl.Int32)
    else:
        found = native.replace_strict(known, np.arange(len(known), dtype=np.int32), default=None, return_dtype=pl.Int32)
    return shifted_codes(found.fill_null(-1).to_numpy()), known.to_list()


def _of_physical(native: Any, known: Any) -> tuple[Codes, list[Any]]:
    """A polars categorical: its physical numbers belong to a dictionary that other columns share."""
    import polars as pl

    numbers = known.to_physical().to_numpy()
    place = np.zeros(int(numbers.max()) + 2, dtype=np.int32)
    place[numbers.astype(np.int64) + 1] = np.arange(1, len(numbers) + 1)
    physical = native.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return place[physical + 1], known.cast(pl.String).to_list()


def _of_arrow(native: Any) -> tuple[Codes, list[Any]]:
    import pyarrow as pa

    if not len(native):
        return np.zeros(0, dtype=np.int32), []
    if pa.types.is_nested(native.type):
        return _of_pandas(nw.from_native(native, series_only=True))
    encoded = native if pa.types.is_dictionary(native.type) else native.dictionary_encode()
    array = encoded.unify_dictionaries().combine_chunks()
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return shifted_codes(codes), array.dictionary.to_numpy(zero_copy_only=False).tolist()


def _of_pandas(series: nw.Series[Any]) -> tuple[Codes, list[Any]]:
    import pandas as pd

    native: Any = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype):
        return shifted_codes(native.cat.codes.to_numpy()), native.cat.categories.astype(object).tolist()
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.ArrowDtype):
        import pyarrow as pa

        return _of_arrow(pa.chunked_array(cast(Any, native.array).__arrow_array__()))
    if not isinstance(native, pd.Series):
        native = pd.Series(series.to_list(), dtype=object)
    try:
        found, uniques = pd.factorize(native, use_na_sentinel=True)
    except TypeError:
        raise DataError(
            f"Column '{series.name}' holds values such as {native.dropna().iloc[0]!r}, which are neither numbers nor "
            "text. Turn them into one of these, or leave the column out."
        ) from None
    return shifted_codes(found), np.asarray(uniques, dtype=object).tolist()


def shifted_codes(codes: NDArray[Any]) -> Codes:
    """Codes from −1 (missing) become codes from 0.

    Examples
    --------
    >>> shifted_codes(np.array([1, -1], np.int8))
    array([2, 0], dtype=int32)
    """
    shifted: Codes = np.add(codes, 1, dtype=np.int32, casting="unsafe")
    return shifted


_HEAD = 4096
_EXACT = 2**53  # whole floats below it are the same number as an int
_TRUTH = {"true": True, "True": True, "false": False, "False": False}


def find_levels(
    series: nw.Series[Any], ordered: bool = False, order: Sequence[Any] | None = None, declared: bool = False
) -> tuple[Codes, tuple[Level, ...]]:
    """Number the levels of a column.

    Where the order means something, it is the one that is given, else that of declared categories, else one that the
    levels tell by themselves (`level_order`). Otherwise levels are sorted, numbers before text, so that the same table
    gives the same codes whatever kind of frame it comes in: those that occur, or with `declared` also those that the
    frame lists without a row that has them.

    Examples
    --------
    >>> import pandas as pd
    >>> find_levels(nw.from_native(pd.Series(["red", None, "blue", "red"]), series_only=True))
    (array([2, 0, 1, 2], dtype=int32), ('blue', 'red'))
    """
    codes, values = distinct_values(series)
    if ordered or order is not None or declared or series.dtype == nw.Boolean:
        return _in_their_order(series, codes, _plain_levels(values), ordered, order, declared)
    return sorted_levels(codes, values)


def sorted_levels(codes: Codes, values: list[Any]) -> tuple[Codes, tuple[Level, ...]]:
    """Number the levels that occur anew, sorted: `codes` and `values` are what `distinct_values` gave.

    Examples
    --------
    >>> sorted_levels(np.array([1, 0, 2, 1], np.int32), ["red", "blue", "pink"])
    (array([2, 0, 1, 2], dtype=int32), ('blue', 'red'))
    """
    levels = _plain_levels(values)
    kept = _sorted(dict.fromkeys(_occurring(codes, levels)))
    numbered = {level: code for code, level in enumerate(kept, start=1)}
    return _renumber(codes, levels, numbered), tuple(numbered)


def _in_their_order(
    series: nw.Series[Any],
    codes: Codes,
    levels: Sequence[Level | None],
    ordered: bool,
    order: Sequence[Any] | None,
    declared: bool,
) -> tuple[Codes, tuple[Level, ...]]:
    listed: dict[Level, None] = dict.fromkeys(level for level in levels if level is not None)
    if order is None and (series.dtype == nw.Boolean or (ordered and has_declared_order(series))):
        kept: Iterable[Level] = listed
    elif order is None and declared and has_declared_order(series):
        kept = _sorted(listed)
    else:
        kept = _sorted(dict.fromkeys(_occurring(codes, levels)))
    if order is not None or (ordered and not has_declared_order(series)):
        kept = ordered_levels(series.name, list(kept), order)
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
    number = plain_level(float(level)) if isinstance(level, str) and NUMBER_TEXT.fullmatch(level) else None
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
    return all_digits or all(map(NUMBER_TEXT.fullmatch, texts))  # the first is quicker, and the common case


def _renumber(codes: Codes, levels: Sequence[Level | None], numbered: Mapping[Any, int]) -> Codes:
    place = np.zeros(len(levels) + 1, dtype=np.int32)
    place[1:] = [numbered.get(level, 0) for level in levels]  # None is no level
    if np.array_equal(place, np.arange(len(place))):
        return codes  # numbered as they should be
    return place[codes]
