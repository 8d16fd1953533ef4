"""Sizes that may be given as rows or as a share of the rows."""

from __future__ import annotations

import math
import numbers


def rows_of(size: float, n_rows: int) -> int:
    """Read a size: a whole number counts rows, a fraction is a share of them.

    Examples
    --------
    >>> rows_of(20, 1000), rows_of(0.05, 1000)
    (20, 50)
    """
    return int(size) if isinstance(size, numbers.Integral) else math.ceil(size * n_rows)
