"""Columns about which there is nothing to say, seen from the numbers that they are learnt from.

`column_remarks` asks a frame question after question, which on a small table takes longer than to grow a tree. Nearly
every column answers all of them with no, and its numbers tell so at once. Where they do not, the questions are put.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.table.column_remarks import DAYS, FIRST, MANY_LEVELS, MOSTLY


def are_ordinary_numbers(series: nw.Series[Any], values: NDArray[Any], holes: NDArray[np.uint8] | None) -> bool:
    """Tell whether a numeric column surely deserves no remark; `values` and `holes` are what it is learnt from.

    Examples
    --------
    >>> import pandas as pd
    >>> price, same = (nw.from_native(pd.Series(cells), series_only=True) for cells in ([1.5, None, 2.5], [1.5] * 3))
    >>> are_ordinary_numbers(price, price.to_numpy(), None), are_ordinary_numbers(same, same.to_numpy(), None)
    (True, False)
    """
    if values.dtype.kind in "iu":
        known = values[:FIRST] if holes is None else values[:FIRST][holes[:FIRST] == 0]
        n_missing = 0 if holes is None else int(np.count_nonzero(holes))
        return _differ(known) and n_missing <= MOSTLY * len(values) and are_plain_whole_numbers(known, n_missing)
    if values.dtype.kind != "f" or not series.dtype.is_float():
        return False  # read out of text, or moments
    is_missing = np.isnan(values)
    return _differ(values[:FIRST][~is_missing[:FIRST]]) and int(is_missing.sum()) <= MOSTLY * len(values)


def are_ordinary_levels(series: nw.Series[Any], codes: NDArray[np.int32], n_levels: int) -> bool:
    """Tell whether a column of levels surely deserves no remark; a code of 0 is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> pets = nw.from_native(pd.Series(["cat", "dog"] * 9), series_only=True)
    >>> are_ordinary_levels(pets, np.array([1, 2] * 9, np.int32), 2)
    True
    """
    # A truth value can be written in two ways, so a level may stand for two texts.
    few = n_levels < MANY_LEVELS and 2 * n_levels < len(codes)
    if not few and series.dtype not in (nw.Categorical, nw.Enum):
        return False
    return codes_are_ordinary(codes)


def codes_are_ordinary(codes: NDArray[np.int32]) -> bool:
    """Tell whether a column of categories surely deserves no remark: its first rows differ, and most rows are known.

    Examples
    --------
    >>> codes_are_ordinary(np.array([2, 1, 0], np.int32)), codes_are_ordinary(np.array([1, 1, 0], np.int32))
    (True, False)
    """
    first = codes[:FIRST]
    return _differ(first[first > 0]) and len(codes) - int(np.count_nonzero(codes)) <= MOSTLY * len(codes)


def _differ(known: NDArray[Any]) -> bool:
    return len(known) > 0 and bool(known.min() != known.max())


def are_plain_whole_numbers(known: NDArray[Any], n_missing: int = 0) -> bool:
    """Tell whether whole numbers are not all the same, and neither days such as 20201231 nor an identifier.

    Examples
    --------
    >>> are_plain_whole_numbers(np.array([3, 1, 3])), are_plain_whole_numbers(np.array([3, 1, 2]))
    (True, False)
    """
    low, high = known.min(), known.max()
    if low == high or (low >= DAYS[0] and high <= DAYS[1]):
        return False
    return n_missing > 0 or len(known) > int(high) - int(low) + 1 or len(np.unique(known)) < len(known)
