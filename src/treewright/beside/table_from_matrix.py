"""Rows of a design matrix back to rows of a table: the nearest level, the date, the number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.design import Design
from treewright.encode.schema import Column

_UNITS = {"date": "D", "datetime": "us", "time": "us", "duration": "us"}


def table_from_matrix(design: Design, matrix: Floats) -> pd.DataFrame:
    """Give the table whose design matrix is nearest: of a nominal column the level with the largest number.

    The design has a column for every level (contrasts "full").

    Examples
    --------
    >>> from treewright.encode.schema import Schema
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> design = Design(schema, "full", np.zeros(2, dtype=bool), np.zeros(3))
    >>> table_from_matrix(design, np.array([[20.0, 0.3, 0.7]]))
        age    job
    0  20.0  smith
    """
    starts = np.concatenate([[0], np.cumsum(design.widths)])
    parts = {
        column.name: _column(column, matrix[:, starts[j] : starts[j + 1]])
        for j, column in enumerate(design.schema.columns)
    }
    return pd.DataFrame(parts, columns=list(parts))


def _column(column: Column, part: Floats) -> Any:
    if column.kind == "numeric":
        return _measured(column, part[:, 0])
    levels: NDArray[Any] = np.array(column.levels, dtype=object)
    if not len(levels):
        return np.full(len(part), None, dtype=object)
    if column.kind == "ordinal":
        places = np.clip(np.rint(part[:, 0]), 1, len(levels)).astype(np.int64) - 1
    else:
        places = part.argmax(axis=1)
    found = levels[places]
    return found.astype(bool) if column.face == "boolean" else pd.Series(found).infer_objects()


def _measured(column: Column, values: Floats) -> Any:
    unit = _UNITS.get(column.face)
    if unit is None:
        return values
    kind = "datetime64" if column.face in ("date", "datetime") else "timedelta64"
    return np.rint(values).astype(np.int64).astype(f"{kind}[{unit}]").astype(f"{kind}[us]")
