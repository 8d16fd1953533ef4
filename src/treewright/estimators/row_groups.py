"""Groups of rows that belong together: all rows of a patient, a household, a day."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright.errors import DataError


def encode_groups(groups: Any, n_rows: int) -> NDArray[np.uint32]:
    """Number the groups of the rows from 0 on, in the order of their names.

    Examples
    --------
    >>> encode_groups(["b", "a", "b"], 3)
    array([1, 0, 1], dtype=uint32)
    """
    column = np.asarray(groups)
    if column.ndim != 1 or len(column) != n_rows:
        raise DataError(
            f"groups has the shape {column.shape}, and the table has {n_rows:,} rows. Give one group for each row."
        )
    holes = pd.isna(column)
    if holes.any():
        raise DataError(f"Row {int(np.argmax(holes)) + 1} has no group. Give every row one, or leave the row out.")
    try:
        codes = np.unique(column, return_inverse=True)[1]
    except TypeError:
        raise DataError("The groups are of kinds that cannot be put in order. Give numbers, or names.") from None
    return np.asarray(codes, dtype=np.uint32)
