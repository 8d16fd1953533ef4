"""The smallest and the largest value that a column had in training, and new values that lie far outside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.schema import Column


def range_of(values: NDArray[Any], holes: NDArray[np.uint8] | None) -> tuple[float, float] | None:
    """Give the smallest and the largest known, finite value; None where there is none.

    Examples
    --------
    >>> range_of(np.array([3.0, np.nan, -1.0, np.inf]), None), range_of(np.array([7, 0]), np.array([0, 1], np.uint8))
    ((-1.0, 3.0), (7.0, 7.0))
    """
    known = values if holes is None else values[holes == 0]
    if known.dtype.kind == "f":
        known = known[np.isfinite(known)]
    if len(known) == 0:
        return None
    return float(known.min()) + 0.0, float(known.max()) + 0.0  # of -0 and 0 the first one would win, so both are 0


def usual_values(column: Column) -> tuple[float, float] | None:
    """Give the bounds beyond which a value is far outside what training had: half the width of the range further.

    Examples
    --------
    >>> usual_values(Column("age", "numeric", range=(20.0, 60.0))), usual_values(Column("age", "numeric"))
    ((0.0, 80.0), None)
    """
    if column.range is None:
        return None
    low, high = column.range
    margin = high / 2 - low / 2 or abs(high) or 1.0  # a column of one value has no width
    return low - margin, high + margin


def far_outside(column: Column, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which values are far outside; none where the range is not known.

    Examples
    --------
    >>> far_outside(Column("age", "numeric", range=(20.0, 60.0)), np.array([np.nan, 41.0, 410.0])).tolist()
    [False, False, True]
    """
    usual = usual_values(column)
    if usual is None:
        return np.zeros(len(values), dtype=bool)
    return (values < usual[0]) | (values > usual[1])


def range_text(column: Column) -> str:
    """Give the range in words.

    Examples
    --------
    >>> range_text(Column("age", "numeric", range=(20.0, 60.0)))
    '20 to 60'
    """
    assert column.range is not None
    low, high = map(column.show, column.range)
    return low if low == high else f"{low} to {high}"
