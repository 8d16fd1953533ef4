"""Columns for an algorithm that knows levels only: which columns of numbers are codes, and which are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.encode.column_kinds import column_kind
from treewright.encode.input_frame import InputFrame
from treewright.encode.numbers import numbers_of
from treewright.errors import DataError

MOST_CODES = 20  # a named column of whole numbers counts as codes if it has no more of them …
ROWS_PER_CODE = 2  # … and each occurs this often on average


def nominal_kinds(frame: InputFrame, given: Mapping[Any, str] | None, who: str) -> dict[Any, str]:
    """Say "nominal" of every column that can be taken as levels; refuse the first one that cannot.

    Text, categories and truth values are levels. An array has no kinds of columns, so its numbers are codes; in a table
    a column of whole numbers is taken as codes where there are few of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.encode.input_frame import open_frame
    >>> nominal_kinds(open_frame(pd.DataFrame({"wind": ["weak", "strong"]})), None, "ID3")
    {'wind': 'nominal'}
    >>> nominal_kinds(open_frame(pd.DataFrame({"degrees": [20.5, 21.0]})), None, "ID3")
    Traceback (most recent call last):
    treewright.errors.DataError: Column 'degrees' holds numbers (20.5 in row 1), but ID3 takes levels only. Put the ...
    """
    kinds = dict(given or {})
    for j, name in enumerate(frame.names):
        wanted = kinds.get(name, kinds.get(j))
        if wanted == "numeric":
            raise DataError(f"Column '{name}' is asked to be numeric, but {who} takes levels only. {_cure(name)}")
        if wanted is None:
            if frame.matrix is None:
                _refuse_measurements(frame, j, who)
            kinds[name] = "nominal"
    return kinds


def refuse_holes(frame: InputFrame, who: str) -> None:
    """Refuse a value that is missing, or infinite: neither is a level.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.encode.input_frame import open_frame
    >>> refuse_holes(open_frame(pd.DataFrame({"wind": ["weak", None]})), "ID3")
    Traceback (most recent call last):
    treewright.errors.DataError: Column 'wind' has no value (NaN or None) in row 2, and ID3 with missing='refuse' ...
    """
    for j, name in enumerate(frame.names):
        series = frame.column(j)
        holes = series.is_null().to_numpy()
        if series.dtype.is_float():
            numbers = series.to_numpy()
            _refuse(np.isinf(numbers), f"Column '{name}' holds inf, which is no level,", who)
            holes = holes | np.isnan(numbers)
        _refuse(holes, f"Column '{name}' has no value (NaN or None)", who)


def _refuse(rows: NDArray[np.bool_], what: str, who: str) -> None:
    if rows.any():
        raise DataError(
            f"{what} in row {int(np.argmax(rows)) + 1}, and {who} with missing='refuse' takes none such. Fill it, or "
            "choose missing='branch'."
        )


def _refuse_measurements(frame: InputFrame, j: int, who: str) -> None:
    series, name = frame.column(j), frame.names[j]
    kind, face = column_kind(series)
    if kind != "numeric":
        return
    if face != "number":
        raise DataError(f"Column '{name}' holds a {face} in each row, but {who} takes levels only. {_cure(name)}")
    numbers, mask = numbers_of(series, name)
    known = numbers[~np.isnan(numbers) if mask is None else mask == 0]
    odd = known[known != np.floor(known)]
    if len(odd):
        row = int(np.argmax(numbers == odd[0]))
        held = f"numbers ({odd[0]} in row {row + 1})"
        raise DataError(f"Column '{name}' holds {held}, but {who} takes levels only. {_cure(name)}")
    n_codes = len(np.unique(known))
    if n_codes > MOST_CODES or n_codes * ROWS_PER_CODE > max(len(known), 2 * ROWS_PER_CODE):
        raise DataError(
            f"Column '{name}' holds {n_codes} different numbers, but {who} takes levels only. {_cure(name)}"
        )


def _cure(name: str) -> str:
    return (
        f"Put the numbers into a few groups, pass column_kinds={{'{name}': 'nominal'}} if they are codes, "
        "or use C45Classifier, which cuts numbers."
    )
