"""Columns that pandas, polars or R wrote into a Parquet file as categories: their levels, and the order of them.

The format stores the values; the levels stand in a note that Arrow writes beside them, and pyarrow reads.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from treewright.table.reading.source_file import SourceFile


def with_categories(frame: pd.DataFrame, file: SourceFile, keys: dict[bytes, bytes], notes: list[str]) -> pd.DataFrame:
    """Give such columns back as categories, with levels that no row has; `keys` are the file's own notes."""
    if b"ARROW:schema" not in keys:
        return frame
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        notes += _lost_orders(keys, file)
        return frame
    try:
        return _as_arrow_has_them(frame, file, pq, pa)
    except (pa.ArrowException, OSError):  # the engine has read the values; a note that is damaged is none
        return frame


def _as_arrow_has_them(frame: pd.DataFrame, file: SourceFile, pq: Any, pa: Any) -> pd.DataFrame:
    schema = pq.read_schema(file.path)
    found = [one for one in schema if pa.types.is_dictionary(one.type) and not _is_named(one, b"_PL_CATEGORICAL")]
    if not found:
        return frame
    read = pq.read_table(file.path, columns=[one.name for one in found], partitioning=None)
    for one in found:
        if frame.columns.tolist().count(one.name) == 1:
            column = read.column(one.name).to_pandas()
            # As where a frame of polars itself is learnt from: an Enum lists its levels, and says of no order.
            frame[one.name] = column.cat.as_unordered() if _is_named(one, b"_PL_ENUM") else column
    return frame


def _is_named(field: Any, mark: bytes) -> bool:
    """Whether polars has marked a column so: as an Enum, or as text that it counts in a list shared by all columns."""
    return any(key.startswith(mark) for key in field.metadata or {})


def _lost_orders(keys: dict[bytes, bytes], file: SourceFile) -> list[str]:
    """Without pyarrow the levels are not read; pandas says beside them whether they had an order."""
    try:
        columns: list[dict[str, Any]] = json.loads(keys.get(b"pandas", b"{}")).get("columns", [])
        ordered = [one["name"] for one in columns if (one.get("metadata") or {}).get("ordered")]
    except (ValueError, AttributeError, KeyError, TypeError):  # not as pandas writes it, so nothing is known of it
        return []
    if not ordered:
        return []
    named = ", ".join(f"'{name}'" for name in ordered)
    return [
        f"{file.shown}: {named} had an order of levels, which pyarrow reads and which is not installed: pip install "
        "pyarrow, or give the order yourself."
    ]
