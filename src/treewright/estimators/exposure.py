"""Counts with an exposure: how long, how many, how much a row was at risk of events."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError

Floats = NDArray[np.float64]


def read_counts(y: Any, n_rows: int) -> tuple[Floats | None, Any]:
    """Take y apart: two columns are exposure and events, anything else is events alone.

    Examples
    --------
    >>> exposure, events = read_counts([[0.5, 1], [2.0, 0]], 2)
    >>> exposure.tolist(), events.tolist()
    ([0.5, 2.0], [1.0, 0.0])
    """
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, list | tuple) and len(y) and isinstance(y[0], list | tuple):
        shape = (len(y), len(y[0]))
    if shape is None or len(shape) != 2 or shape[1] != 2:
        return None, y
    try:
        columns = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("Exposure and events must be numbers. Turn the two columns of y into numbers first.") from None
    exposure = np.ascontiguousarray(columns[:, 0])
    bad = ~((exposure > 0) & np.isfinite(exposure))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(f"Row {row + 1} has an exposure of {exposure[row]}. Exposures are finite numbers above 0.")
    return exposure, np.ascontiguousarray(columns[:, 1])
