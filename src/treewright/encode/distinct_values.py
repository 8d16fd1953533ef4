"""The distinct values of a column and where they stand, by the fastest way that each kind of frame has."""

from __future__ import annotations

from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError

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
        return _shifted(native.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()), native.dtype.categories.to_list()
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
    return _shifted(found.fill_null(-1).to_numpy()), known.to_list()


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
    return _shifted(codes), array.dictionary.to_numpy(zero_copy_only=False).tolist()


def _of_pandas(series: nw.Series[Any]) -> tuple[Codes, list[Any]]:
    import pandas as pd

    native: Any = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype):
        return _shifted(native.cat.codes.to_numpy()), native.cat.categories.astype(object).tolist()
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
    return _shifted(found), np.asarray(uniques, dtype=object).tolist()


def _shifted(codes: NDArray[Any]) -> Codes:
    """Codes from −1 (missing) become codes from 0."""
    shifted: Codes = np.add(codes, 1, dtype=np.int32, casting="unsafe")
    return shifted
