"""From a typed SQL relation (Parquet, JSON) to a frame: plain pandas types, exact names, nested columns refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyConnection

NESTED = ("STRUCT", "MAP", "UNION", "LIST", "VARIANT")
ZONED = "TIMESTAMP WITH TIME ZONE"


def describe(connection: DuckDBPyConnection, relation: str) -> list[tuple[str, str]]:
    """Give the name and the SQL type of each column, as the engine sees them."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    return [(str(row[0]), str(row[1])) for row in rows]


def fetch_frame(connection: DuckDBPyConnection, relation: str, shown: str, names: Sequence[str]) -> pd.DataFrame:
    """Read a relation; `names` are the true names, since the engine renames columns that differ in case only."""
    import pandas as pd

    columns = describe(connection, relation)
    for name, (_, sql_type) in zip(names, columns, strict=True):
        _refuse_nested(shown, name, sql_type)
    values = ", ".join(f"{_value(name, sql_type)} AS c{i}" for i, (name, sql_type) in enumerate(columns))
    frame = connection.execute(f"SELECT {values} FROM {relation}").df()
    for i, (_, sql_type) in enumerate(columns):
        label = f"c{i}"
        if sql_type == ZONED:
            frame[label] = frame[label].dt.tz_localize("UTC")
        elif frame[label].isna().all() or (pd.api.types.is_integer_dtype(frame[label]) and frame[label].hasnans):
            frame[label] = frame[label].astype("float64")
    frame.columns = pd.Index(list(names), dtype="str")
    return frame


def _refuse_nested(shown: str, name: str, sql_type: str) -> None:
    if sql_type.endswith("]") or sql_type.startswith(NESTED):
        raise DataError(
            f"{shown}: column '{name}' holds lists or records ({sql_type}), but a cell must hold one value. Spread "
            "them over columns of their own, or leave the column out. A JSON table has one flat object for each row."
        )
    if sql_type == "BLOB":
        raise DataError(f"{shown}: column '{name}' holds raw bytes. Store it as text or numbers, or leave it out.")


def _value(name: str, sql_type: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    if sql_type == ZONED:
        return f"make_timestamp(epoch_us({quoted}))"
    if sql_type == "JSON":
        # Cells of several types: the text of each, without the quotes of JSON.
        return f"{quoted} ->> '$'"
    return f"{quoted}::VARCHAR" if sql_type == "UUID" or sql_type.startswith("ENUM") else quoted
