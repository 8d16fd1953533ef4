"""What each column of a frame is, and how sure that is: the kind by its type, and remarks from a look at all values.

`column_kind` is the cheap look that training takes. `guess_kinds` is the full report that `treewright profile` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from treewright.errors import DataError, nearest
from treewright.table.column_remarks import column_remarks, known_values
from treewright.table.frame import WRITTEN, InputFrame, in_one_format, open_frame
from treewright.table.written.text_types import first_text
from treewright.wording import kind_words, missing_words, on_command_line, order_words

# What a user may ask of a column: `column_kinds={"zip": "nominal"}`, checked once against the columns that exist.


KINDS = ("numeric", "nominal", "ordinal")


def check_column_kinds(column_kinds: Mapping[str, Any] | None, names: Iterable[str]) -> dict[str, str]:
    """Return the wishes as a dict, or say which column or kind does not exist; a list of levels means "ordinal".

    >>> check_column_kinds({"zip": "nominal"}, ["zip", "age"])
    {'zip': 'nominal'}
    >>> check_column_kinds({"zap": "nominal"}, ["zip", "age"])
    Traceback (most recent call last):
    treewright.errors.DataError: column_kinds names a column 'zap' that the table does not have. Did you mean 'zip'?
    """
    if column_kinds is None:
        return {}
    if not isinstance(column_kinds, Mapping):
        raise DataError(f"column_kinds must be a dict such as {{'zip': 'nominal'}}, but it is {column_kinds!r}.")
    known = list(names)
    present = set(known)
    for name, kind in column_kinds.items():
        if name not in present:
            option = "--order" if on_command_line() and not isinstance(kind, str) else "column_kinds"
            raise DataError(f"{option} names a column {name!r} that the table does not have. {nearest(name, known)}")
        if isinstance(kind, list | tuple) and len(kind) > 1:
            continue
        if kind not in KINDS:
            kinds = ", ".join(f"'{k}'" for k in KINDS)
            raise DataError(f"column_kinds asks for {kind!r} of column {name!r}, but the kinds are {kinds}.")
    return {name: kind if isinstance(kind, str) else "ordinal" for name, kind in column_kinds.items()}


MOST_LEVELS = 12


# What pandas finds in a column of Python objects, and what that means here.
_OBJECTS = {
    "integer": ("numeric", "number"),
    "floating": ("numeric", "number"),
    "mixed-integer-float": ("numeric", "number"),
    "decimal": ("numeric", "number"),
    "empty": ("numeric", "number"),
    "boolean": ("nominal", "boolean"),
    "datetime64": ("numeric", "datetime"),
    "datetime": ("numeric", "datetime"),
    "date": ("numeric", "date"),
    "time": ("numeric", "time"),
    "timedelta": ("numeric", "duration"),
    "timedelta64": ("numeric", "duration"),
    "string": ("nominal", "text"),
    "mixed": ("nominal", "text"),
    "mixed-integer": ("nominal", "text"),
    "categorical": ("nominal", "text"),
}

_PLAIN = (
    (nw.Boolean, ("nominal", "boolean")),
    (nw.Date, ("numeric", "date")),
    (nw.Time, ("numeric", "time")),
    (nw.Duration, ("numeric", "duration")),
    (nw.String, ("nominal", "text")),
)


@dataclass(frozen=True)
class ColumnReport:
    """What one column is, who decided it, and what is worth knowing about it.

    `decided_by` is "user" if column_kinds named it, "type" if its type leaves no doubt, else "guess".
    """

    name: str
    kind: str
    value_type: str
    n_missing: int
    n_distinct: int
    remarks: tuple[str, ...]
    decided_by: str


def column_kinds_of(frame: InputFrame, wanted: Mapping[str, str]) -> list[tuple[str, str]]:
    """Tell the kind of every column and the type of its values; the kinds that are wanted override the guess.

    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> column_kinds_of(open_frame(pd.DataFrame({"zip": [1, 2], "job": ["cook", None]})), {"zip": "nominal"})
    [('nominal', 'number'), ('nominal', 'text')]
    """
    columns = zip(frame.names, frame.all_columns(), strict=True)
    return [kind_of_column(series, wanted.get(name)) for name, series in columns]


def kind_of_column(series: nw.Series[Any], wanted: str | None = None) -> tuple[str, str]:
    """Tell the kind of a column and the type of its values; the kind that is wanted overrides the guess.

    >>> import pandas as pd
    >>> kind_of_column(nw.from_native(pd.Series([1, 2]), series_only=True), "nominal")
    ('nominal', 'number')
    """
    kind, value_type = ("numeric", "number") if _is_empty(series) else column_kind(series)
    if wanted == "numeric" and kind != "numeric":
        value_type = "number"
    return wanted or kind, value_type


def _is_empty(series: nw.Series[Any]) -> bool:
    """A column of Python objects without any value: it has no type, so that it is the same from every frame."""
    native: Any = series.to_native()
    return getattr(native, "dtype", None) == np.dtype(object) and bool(series.is_null().all())


def column_kind(series: Any) -> tuple[str, str]:
    """Tell the kind of a column and the type of its values by its type; only columns of Python objects are looked into.

    >>> column_kind(np.array([1.5, 2.5]))
    ('numeric', 'number')
    >>> import pandas as pd
    >>> column_kind(pd.Series(["a", "b"])), column_kind(pd.Series(pd.to_datetime(["2024-05-01"])))
    (('nominal', 'text'), ('numeric', 'date'))
    """
    column = _column(series)
    dtype = column.dtype
    if dtype.is_numeric():
        return "numeric", "number"
    if dtype == nw.Datetime:
        return "numeric", "date" if _all_midnight(column) else "datetime"
    for plain, answer in _PLAIN:
        if dtype == plain:
            return answer
    if dtype in (nw.Categorical, nw.Enum):
        return ("ordinal" if _is_ordered(column) else "nominal"), _category_face(column)
    return _object_kind(column)


def guess_kinds(frame: Any, column_kinds: Mapping[str, Any] | None = None) -> list[ColumnReport]:
    """Report each column of a frame: kind, type of values, missing and distinct values, and remarks with what to do.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table, or numpy array
        An array of two dimensions has the columns x0, x1, …
    column_kinds : dict, default None
        Kinds that the user has decided, by column name.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [41, 23, 35], "city": ["Ulm", "Wien", None]})
    >>> for report in guess_kinds(frame, {"age": "ordinal"}):
    ...     print(report.name, report.kind, report.n_missing, report.n_distinct, report.decided_by)
    age ordinal 0 3 user
    city nominal 1 2 guess
    """
    columns = _columns(frame)
    wishes = check_column_kinds(column_kinds, columns)
    written = getattr(frame, "attrs", {}).get(WRITTEN, {})  # amounts with a currency and the like are no identifiers
    reports = [_report(name, column, wishes.get(name), name in written) for name, column in columns.items()]
    orders = {name for name, kind in (column_kinds or {}).items() if not isinstance(kind, str)}
    return [_with_order(report, columns[report.name], report.name in orders) for report in reports]


def _with_order(report: ColumnReport, column: nw.Series[Any], is_given: bool) -> ColumnReport:
    """Add in which order the levels of an ordinal column are taken, where nobody has said it."""
    if report.kind != "ordinal" or report.value_type != "text" or report.decided_by != "user" or is_given:
        return report
    from treewright.table.levels import find_levels, has_declared_order

    if has_declared_order(column):
        return report
    levels = find_levels(column, ordered=True)[1]
    shown = " < ".join(map(str, levels[:MOST_LEVELS])) + (" …" if len(levels) > MOST_LEVELS else "")
    cure = order_words(report.name, tuple(map(str, levels)))
    return replace(report, remarks=(*report.remarks, f"taken in the order {shown}; to change it: {cure}"))


def _columns(table: Any) -> dict[str, nw.Series[Any]]:
    if isinstance(table, np.ndarray) and table.ndim != 2:
        raise DataError(f"A table has rows and columns, but this array has {table.ndim} dimension(s). Reshape it.")
    try:
        frame = open_frame(table)
    except TypeError as error:
        raise DataError(
            f"A table must be a pandas, polars or pyarrow table or a numpy array, not a {type(table).__name__}."
        ) from error
    if frame.matrix is not None:
        return {name: _column(frame.matrix[:, i]) for i, name in enumerate(frame.names)}
    return dict(zip(frame.names, frame.columns, strict=True))


def _column(series: Any) -> nw.Series[Any]:
    if isinstance(series, nw.Series):
        return series
    if isinstance(series, np.ndarray):
        import pandas as pd

        series = pd.Series(series)
    return nw.from_native(series, series_only=True)


def _is_ordered(column: nw.Series[Any]) -> bool:
    """Pandas and pyarrow say whether categories are ordered. The Enum of polars has an order, but only for storage."""
    native = column.to_native()
    dtype = native.type if hasattr(native, "type") else getattr(native, "dtype", None)
    return bool(getattr(dtype, "ordered", False))


def _category_face(column: nw.Series[Any]) -> str:
    pandas_type = getattr(column.to_native(), "dtype", None)
    if getattr(getattr(pandas_type, "categories", None), "inferred_type", None) == "string":
        return "text"  # known without looking
    levels = column.cat.get_categories()
    if levels.dtype == nw.String or not len(levels):
        return "text"
    return column_kind(np.array(levels.to_list(), dtype=object))[1]


def _all_midnight(column: nw.Series[Any]) -> bool:
    """A frame of pandas has no type for days, so days are moments that are all at midnight."""
    known = column.drop_nulls()
    return len(known) > 0 and bool((known.dt.truncate("1d") == known).all())


def _object_kind(column: nw.Series[Any]) -> tuple[str, str]:
    from pandas.api.types import infer_dtype

    found = infer_dtype(np.array(column.to_list(), dtype=object) if len(column) else [], skipna=True)
    if found not in _OBJECTS or column.dtype.is_nested():
        raise DataError(
            f"Column '{column.name}' holds {found} values of type {column.dtype}, which cannot be used. Turn them into "
            "numbers, text, dates or truth values, or leave the column out."
        )
    return _OBJECTS[found]


def _report(name: str, column: nw.Series[Any], wish: str | None, written: bool) -> ColumnReport:
    kind, value_type = column_kind(column)
    known = known_values(column)
    n_distinct = known.n_unique() if len(known) else 0
    if wish == "numeric" and kind != "numeric":
        _refuse_text(name, column, value_type)
        value_type = "number"
    remarks = column_remarks(name, column, wish or kind, written, asked=wish is not None)
    decided_by = "user" if wish else _decided_by(kind, value_type)
    return ColumnReport(
        name, wish or kind, value_type, len(column) - len(known), n_distinct, tuple(remarks), decided_by
    )


def _decided_by(kind: str, value_type: str) -> str:
    """Text may be numbers with a word among them, and numbers may be codes; other types leave no doubt."""
    doubtful = value_type == "text" or (kind == "numeric" and value_type == "number")
    return "guess" if doubtful and kind != "ordinal" else "type"


def _refuse_text(name: str, column: nw.Series[Any], value_type: str) -> None:
    if value_type == "boolean":
        return
    values = column.to_list()
    found = first_text(values)
    if found is not None and in_one_format(values) is None:
        row, value = found
        raise DataError(
            f"Column '{name}' is asked to be numeric, but holds text in row {row + 1} ({value!r}). Pass "
            f"{missing_words(value)} to read if it means a missing value, or {kind_words(name, 'nominal')}."
        )
