"""The way in for X: any table that users have, opened as named columns without copying it; a column as numbers."""

from __future__ import annotations

import datetime
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.table.pandas_columns import PandasColumns
from treewright.table.sparse import by_columns, is_sparse, sparse_column
from treewright.table.time_zones import in_utc
from treewright.table.written.written_column import Wishes, WrittenColumn, read_written

if TYPE_CHECKING:
    import pandas as pd

WRITTEN = "treewright_written"  # where a frame of `tw.read` tells how its columns were written
_DAY = 86_400_000_000  # microseconds
_MANY_COLUMNS = 1000  # from here on a frame of one type is opened as one matrix: a Python step a column would be slow


@dataclass(frozen=True)
class InputFrame:
    """A table as it came: one matrix of numbers, a sparse one by columns, or a list of columns."""

    n_rows: int
    names: tuple[str, ...]
    matrix: NDArray[Any] | None = None
    columns: Sequence[nw.Series[Any]] = ()
    written: Mapping[str, str] = field(default_factory=dict)  # how the file wrote a column, by a sample
    sparse: Any = None
    is_array: bool = False  # whose columns have no names of their own

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names)

    def all_columns(self) -> Sequence[nw.Series[Any]]:
        """Give the columns, in their order."""
        if self.matrix is None and self.sparse is None:
            return self.columns
        return tuple(self.column(j) for j in range(self.n_columns))

    def column(self, j: int) -> nw.Series[Any]:
        """Give column number j."""
        if self.matrix is None and self.sparse is None:
            return self.columns[j]
        import pandas as pd

        return nw.from_native(pd.Series(self.numbers(j), name=self.names[j]), series_only=True)

    def numbers(self, j: int) -> NDArray[Any]:
        """Give column number j of a matrix, sparse or not."""
        return sparse_column(self.sparse, j) if self.matrix is None else self.matrix[:, j]


def to_table(X: Any) -> Any:
    """Give X as something that can be opened: a data frame, or for anything else what `numpy.asarray` understands.

    A duckdb relation or a lazy polars frame is computed here. Lists of rows keep the types of their values: numpy alone
    would turn numbers beside text into text.

    Examples
    --------
    >>> to_table([[1, "cook"], [2, None]]).dtype
    dtype('O')
    """
    if type(X) is np.ndarray:
        return X
    if _is_duckdb(X):
        # Arrow keeps dates as dates and text as text; pandas alone would not.
        has_arrow = importlib.util.find_spec("pyarrow") is not None and hasattr(X, "to_arrow_table")
        return _with_durations(X.to_arrow_table()) if has_arrow else X.df()
    if nw.dependencies.is_polars_lazyframe(X):
        return X.collect()
    if isinstance(X, np.ma.MaskedArray):
        cells = X.data.astype(object)
        cells[np.ma.getmaskarray(X)] = None
        return cells
    return _rows_to_array(X) if isinstance(X, list | tuple) else X


def is_frame(X: object) -> bool:
    """Tell whether X brings its own named columns.

    Examples
    --------
    >>> import pandas as pd
    >>> is_frame(pd.DataFrame({"a": [1]})), is_frame([[1]])
    (True, False)
    """
    if isinstance(X, np.ndarray):
        return False
    return nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_into_dataframe(X)  # the first is quicker


def open_frame(X: Any) -> InputFrame:
    """Open a data frame or a two-dimensional array.

    Examples
    --------
    >>> import pandas as pd
    >>> open_frame(pd.DataFrame({"age": [20, 30], "job": ["cook", None]})).names
    ('age', 'job')
    """
    if isinstance(X, np.ndarray):
        return _open_array(X)
    if is_sparse(X):
        return InputFrame(X.shape[0], tuple(f"x{j}" for j in range(X.shape[1])), sparse=by_columns(X))
    if not is_frame(X):
        raise DataError(
            f"A table must be a pandas, polars or pyarrow table or a numpy array, not a {type(X).__name__}."
        )
    is_pandas = nw.dependencies.is_pandas_dataframe(X)
    given = X.columns.tolist() if is_pandas else X.column_names if nw.dependencies.is_pyarrow_table(X) else X.columns
    names = tuple(str(name) for name in given)
    _refuse_repeated(names)
    if is_pandas:
        if len(names) >= _MANY_COLUMNS and _is_one_type(X):
            return InputFrame(len(X), names, matrix=to_native_numbers(X.to_numpy()))
        return InputFrame(len(X), names, columns=PandasColumns(X), written=X.attrs.get(WRITTEN, {}))
    frame = nw.from_native(X, eager_only=True)
    columns = tuple(in_utc(column) for column in frame.iter_columns())
    return InputFrame(len(frame), names, columns=columns, written=getattr(X, "attrs", {}).get(WRITTEN, {}))


def to_native_numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Give an array of numbers in a type that the core reads: itself, or where needed the nearest such type.

    Examples
    --------
    >>> to_native_numbers(np.array([1, 2], dtype=">i4")).dtype.isnative
    True
    """
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        return np.asarray(array, dtype=np.float64)
    if any(stride % array.dtype.itemsize for stride in array.strides):  # a field of packed records
        return array.copy()
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _open_array(X: NDArray[Any]) -> InputFrame:
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    if X.dtype.kind in "fiu":
        return InputFrame(X.shape[0], names, matrix=to_native_numbers(X))
    if X.dtype.kind == "S":
        X = np.char.decode(X, "utf-8", "backslashreplace")
    import pandas as pd

    columns = PandasColumns(pd.DataFrame(X, columns=list(names)).infer_objects())
    return InputFrame(X.shape[0], names, columns=columns, is_array=True)


def _with_durations(table: Any) -> Any:
    """The intervals of duckdb count months, days and nanoseconds apart; here a month has 30 days."""
    import pyarrow as pa

    for j, column in enumerate(table.schema):
        if pa.types.is_interval(column.type):
            parts = [None if value is None else value.as_py() for value in table.column(j)]
            lengths = [None if p is None else (p[0] * 30 + p[1]) * _DAY + p[2] // 1000 for p in parts]
            table = table.set_column(j, column.name, pa.array(lengths, pa.duration("us")))
    return table


def _rows_to_array(X: Any) -> Any:
    try:
        array = np.asarray(X)
    except ValueError:  # rows of different lengths, or something that numpy cannot line up
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in X]
        wrong = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
        if wrong is None:
            return X
        raise DataError(
            f"Row {wrong + 1} has {lengths[wrong]} values, but row 1 has {lengths[0]}. Give every row the same columns."
        ) from None
    return np.array(X, dtype=object) if array.dtype.kind in "USO" and array.ndim == 2 else array


def _is_one_type(X: Any) -> bool:
    types = set(X.dtypes)
    return len(types) == 1 and isinstance(dtype := types.pop(), np.dtype) and dtype.kind in "fiu"


def _refuse_repeated(names: tuple[str, ...]) -> None:
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(
                f"Two columns have the name '{name[:200]}'. Rename one of them, so that a tree can tell them apart."
            )
        seen.add(name)


def _is_duckdb(X: object) -> bool:
    return type(X).__module__.partition(".")[0] in ("duckdb", "_duckdb") and hasattr(X, "df")


# A column as numbers in memory: the array itself where it can be borrowed, with a mask where integers have holes.


Numbers = tuple[NDArray[Any], NDArray[np.uint8] | None]


def numbers_of(series: nw.Series[Any], name: str, value_type: str = "number", written: str = "") -> Numbers:
    """Give a numeric column's values and, where NaN cannot say it, which of them are missing.

    Dates become days, date-times microseconds since 1970-01-01, times microseconds since midnight. Text is read in the
    format that `written` shows, where there is one.

    Examples
    --------
    >>> import pandas as pd
    >>> numbers_of(nw.from_native(pd.Series([1.5, None]), series_only=True), "x")
    (array([1.5, nan]), None)
    """
    dtype = series.dtype
    if dtype == nw.Unknown and series.is_null().all():  # a column of nothing but holes has no type
        return np.full(len(series), np.nan), None
    if written and not (dtype.is_numeric() or dtype.is_temporal()):
        series = in_format(series, written)
        dtype = series.dtype
    if value_type != "number":
        return moments_of(series, name, value_type), None
    if dtype == nw.Boolean or dtype == nw.Decimal:
        return _plain(series.cast(nw.Float64))
    if dtype.is_numeric():
        return _plain(series)
    if dtype.is_temporal():
        raise DataError(
            f"Column '{name}' is numeric in the model, but holds values of type {dtype} here. "
            "Give it the numbers that it was trained on."
        )
    return _from_values(series, name), None


def in_format(series: nw.Series[Any], sample: str) -> nw.Series[Any]:
    """Give a column of text as numbers or dates where all of it is written as the sample shows, else as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> in_format(nw.from_native(pd.Series(["1.300", None]), series_only=True), "1.234,5").to_list()
    [1300.0, nan]
    """
    import pandas as pd

    values = series.to_list()
    texts = [value for value in values if isinstance(value, str)]
    reading = read_written(WrittenColumn(texts, np.ones(len(texts), np.int64)), Wishes(trained=sample, for_model=True))
    if reading is None or reading.unread.any():
        return series
    found = iter(reading.values.tolist())
    cells = [next(found) if isinstance(value, str) else value for value in values]
    return nw.from_native(
        pd.Series(cells, dtype=None if reading.what == "number" else "datetime64[us]"), series_only=True
    )


def in_one_format(values: Sequence[Any]) -> NDArray[np.float64] | None:
    """Read texts that are all numbers in one format of people, with holes among them; None where they are not.

    Examples
    --------
    >>> in_one_format(["$1,200", None]).tolist()
    [1200.0, nan]
    """
    texts = [value for value in values if isinstance(value, str)]
    rest_is_missing = all(isinstance(value, str) or value is None or value != value for value in values)
    counts = np.ones(len(texts), dtype=np.int64)
    reading = read_written(WrittenColumn(texts, counts), Wishes(kind="numeric")) if rest_is_missing else None
    if reading is None:
        return None
    found = iter(reading.values.tolist())
    return np.array([next(found) if isinstance(value, str) else np.nan for value in values], dtype=np.float64)


def _plain(series: nw.Series[Any]) -> Numbers:
    if not series.dtype.is_float() and series.is_null().any():
        mask = np.ascontiguousarray(series.is_null().to_numpy(), dtype=np.uint8)
        return to_native_numbers(series.fill_null(0).to_numpy()), mask
    return to_native_numbers(series.to_numpy()), None


def _from_values(series: nw.Series[Any], name: str) -> NDArray[np.float64]:
    """Text and Python objects, read one by one."""
    import pandas as pd

    values = pd.Series(series.to_list(), dtype=object)
    try:
        numbers = pd.to_numeric(values, errors="coerce")
    except OverflowError:
        beyond = next(i for i, value in enumerate(values) if isinstance(value, int) and abs(value) > sys.float_info.max)
        raise DataError(
            f"Column '{name}' is numeric, but row {beyond + 1} holds a whole number beyond all numbers of a computer "
            "(1.8e308). Make it smaller or leave it empty."
        ) from None
    wrong = numbers.isna() & values.notna()
    if wrong.any() and (found := in_one_format(values.tolist())) is not None:
        return found
    if wrong.any():
        row = int(np.flatnonzero(wrong.to_numpy())[0])
        raise DataError(
            f"Column '{name}' is numeric, but row {row + 1} holds {values.iloc[row]!r}. Make it a number or leave it "
            f"empty, or train with column_kinds={{'{name}': 'nominal'}}."
        )
    return np.asarray(numbers, dtype=np.float64)


# Dates and times as numbers: days, or microseconds, whatever kind of frame and whichever type they come in.


_WORDS = {"date": "dates", "datetime": "dates with a time", "time": "times", "duration": "lengths of time"}


def moments_of(series: nw.Series[Any], name: str, value_type: str) -> NDArray[np.float64]:
    """Give the dates or times of a column as numbers, NaN where there is none.

    A zone is taken into account: what counts is the moment in UTC. Text that is a date is read as one.

    Examples
    --------
    >>> import pandas as pd
    >>> moments_of(nw.from_native(pd.Series(["1970-01-02", None]), series_only=True), "day", "date")
    array([ 1., nan])
    """
    if value_type in ("time", "duration"):
        return _times(series, name)
    if series.dtype not in (nw.Date, nw.Datetime):
        series = _read_dates(series, name, value_type)
    moments = _floats(series.dt.timestamp("us"))
    return np.floor(moments / _DAY) if value_type == "date" else moments


def _times(series: nw.Series[Any], name: str) -> NDArray[np.float64]:
    """Times of day, since midnight; lengths of time as they are."""
    if series.dtype == nw.Duration:
        return _floats(series.dt.total_microseconds())
    times = np.full(len(series), np.nan)
    for row in np.flatnonzero(~series.is_null().to_numpy().astype(bool)).tolist():
        times[row] = _microseconds(series[row], name, row)
    return times


def _microseconds(value: Any, name: str, row: int) -> float:
    try:
        if isinstance(value, str):
            value = datetime.time.fromisoformat(value.strip())
        if isinstance(value, datetime.timedelta):
            return value / datetime.timedelta(microseconds=1)
        return float(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    except (ValueError, AttributeError):
        raise DataError(_refusal(name, "time", row, value)) from None


def _read_dates(series: nw.Series[Any], name: str, value_type: str) -> nw.Series[Any]:
    import pandas as pd

    values = pd.Series(series.to_list(), dtype=object)
    # Bare numbers would be read as nanoseconds, which nobody means.
    is_number = np.array([isinstance(value, int | float | np.number) for value in values], dtype=bool)
    moments = pd.to_datetime(values.mask(is_number), errors="coerce", utc=True, format="ISO8601")
    wrong = np.flatnonzero(moments.isna().to_numpy() & values.notna().to_numpy())
    if len(wrong):
        raise DataError(_refusal(name, value_type, int(wrong[0]), values.iloc[int(wrong[0])]))
    return nw.from_native(moments, series_only=True)


def _refusal(name: str, value_type: str, row: int, value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    return (
        f"Column '{name}' holds {_WORDS[value_type]} in the model, but row {row + 1} holds {value!r}. "
        "Write dates as 2024-12-31 and times as 23:59, turn the column into dates or times, or leave the cell empty."
    )


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    """Whole numbers with holes as floats; microseconds stay exact until the year 2255."""
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def frame_of_values(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Rows of plain values as a data frame. Any text may be a name, also one that is no UTF-8.

    >>> frame_of_values(["age", "job"], [[41, "cook"]])
      age   job
    0  41  cook
    """
    import pandas as pd

    columns = {place: pd.Series([row[place] for row in rows], dtype=object) for place in range(len(names))}
    frame = pd.DataFrame(columns)
    frame.columns = pd.Index(names, dtype=object)
    return frame
