"""JSON lines: one flat object a row. Also a JSON file that is one list of such objects.

The engine reads good files. What it refuses, or would rename, is read again line by line, which finds the
fault or the rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError
from treewright.read.byte_check import check_bytes
from treewright.read.engine import connect, literal
from treewright.read.engine_frame import describe, fetch_frame
from treewright.read.python_values import frame_of_values, with_dates
from treewright.read.source_file import SourceFile

if TYPE_CHECKING:
    import pandas as pd


def read_json_lines(file: SourceFile) -> pd.DataFrame:
    """Read objects as rows: a key is a column, null or an absent key is missing."""
    import duckdb

    check_bytes(file)
    # A pattern that fits no text keeps the engine from taking 1-2-2024 for a date; with_dates takes ISO dates only.
    no_dates = "dateformat = 'none', timestampformat = 'none'"
    relation = f"read_json({literal(file.path)}, format = 'auto', sample_size = -1, {no_dates})"
    with connect() as connection:
        try:
            names = [name for name, _ in describe(connection, relation)]
            if not _renamed(names):
                return with_dates(fetch_frame(connection, relation, file.shown, names))
        except duckdb.Error:
            # The slower way below has the better words for what is wrong, and takes NaN, which Python writes.
            pass
    return _read_carefully(file)


def _renamed(names: list[str]) -> bool:
    """Tell whether the engine may have renamed a key that differs from another in case only, or found no objects."""
    folded = {name.casefold() for name in names}
    bases = (re.sub(r"_\d+$", "", name) for name in names)
    return names == ["json"] or any(
        base != name and base.casefold() in folded for base, name in zip(bases, names, strict=True)
    )


def _read_carefully(file: SourceFile) -> pd.DataFrame:
    columns: dict[str, list[object]] = {}
    for n_before, (line, record) in enumerate(_records(file)):
        if not isinstance(record, dict):
            raise DataError(
                f'{file.at(line)}: a row must be a JSON object such as {{"age": 41, "city": "Ulm"}}, but here is a '
                f"{type(record).__name__}. From pandas, write with orient='records', lines=True."
            )
        for name, value in record.items():
            columns.setdefault(name, [None] * n_before).append(value)
        for cells in columns.values():
            if len(cells) == n_before:
                cells.append(None)
    if not columns:
        raise DataError(f"{file.shown}: there are no rows with columns in this file. Each line must be a JSON object.")
    return with_dates(frame_of_values(file.shown, list(columns), list(columns.values())))


def _records(file: SourceFile) -> Iterator[tuple[int, Any]]:
    with file.path.open(encoding="utf-8-sig") as text:
        start = text.read(4096).lstrip()
        text.seek(0)
        if start.startswith("["):
            for record in _parse(file, 1, text.read()):
                yield 1, record
            return
        for line, row in enumerate(text, start=1):
            if row.strip():
                yield line, _parse(file, line, row)


def _parse(file: SourceFile, line: int, text: str) -> Any:
    def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise DataError(f"{file.at(line)}: the key '{twice}' is given twice in one row. Rename one of them.")
        return record

    try:
        return json.loads(text, object_pairs_hook=no_key_twice)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{file.at(line + error.lineno - 1)}:{error.colno}: this is not JSON ({error.msg}). Each line must be one "
            "whole object; strings and keys are in double quotes."
        ) from error
