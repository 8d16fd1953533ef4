"""Columns of Python values, as databases and JSON give them, as a frame with plain pandas types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

INT64_LIMIT = 2**63


def frame_of_values(shown: str, names: Sequence[str], columns: Sequence[Sequence[object]]) -> pd.DataFrame:
    """Make a frame of columns whose cells are Python values and None.

    >>> frame_of_values("people", ["age", "name"], [[41, None], ["Ann", "Bob"]])
        age name
    0  41.0  Ann
    1   NaN  Bob
    """
    import pandas as pd

    frame = pd.DataFrame(
        {i: _series(shown, name, cells) for i, (name, cells) in enumerate(zip(names, columns, strict=True))}
    )
    frame.columns = pd.Index(list(names), dtype="str")
    return frame


def with_dates(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn columns of text whose cells are all ISO dates or times into dates and times.

    This is for forms without a type for dates: SQLite and JSON.
    """
    from treewright.read.text_types import CALENDAR, TextColumn

    for i, dtype in enumerate(frame.dtypes):
        if dtype == "str" and len(frame):
            frame.isetitem(i, TextColumn(frame.iloc[:, i], (), padded=False).typed(CALENDAR).array)
    return frame


def _series(shown: str, name: str, cells: Sequence[Any]) -> pd.Series[Any]:
    import pandas as pd

    kind = pd.api.types.infer_dtype(cells, skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal", "empty"):
        return _numbers(cells, whole=kind == "integer")
    if kind == "boolean":
        return pd.Series(cells, dtype="boolean" if None in cells else "bool")
    if kind in ("datetime", "datetime64", "date"):
        return _moments(cells)
    if kind in ("timedelta", "timedelta64"):
        return pd.Series(cells, dtype="timedelta64[us]")
    if kind == "time":
        return pd.Series(cells, dtype="object")
    return pd.Series([_text(shown, name, row, cell) for row, cell in enumerate(cells, start=1)], dtype="str")


def _numbers(cells: Sequence[Any], whole: bool) -> pd.Series[Any]:
    import pandas as pd

    if whole and all(cell is not None and -INT64_LIMIT <= cell < INT64_LIMIT for cell in cells):
        return pd.Series(cells, dtype="int64")
    return pd.Series(np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=np.float64))


def _moments(cells: Sequence[Any]) -> pd.Series[Any]:
    import pandas as pd

    zoned = any(getattr(cell, "tzinfo", None) is not None for cell in cells)
    moments = pd.to_datetime(pd.Series(np.array(cells, dtype=object)), utc=zoned)
    return moments.astype("datetime64[us, UTC]" if zoned else "datetime64[us]")


def _text(shown: str, name: str, row: int, cell: object) -> str | None:
    if isinstance(cell, (list, dict, tuple, set, bytes, bytearray, memoryview)):
        raise DataError(
            f"{shown}: column '{name}' holds a {type(cell).__name__} in row {row}, but a cell must hold one number, "
            "text, date or truth value. Spread it over columns of its own, or leave the column out."
        )
    return None if cell is None else str(cell)
