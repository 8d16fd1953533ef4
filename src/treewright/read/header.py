"""The header line of a delimited file fixes the delimiter and the names; both are checked before any row is read."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from treewright.errors import DataError
from treewright.read.number_text import is_number_text
from treewright.read.source_file import SourceFile

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
# A name as long as this is a quote that was never closed. (It is also where Python's csv module gives up.)
LONGEST_NAME = 131_072
SAMPLE_LINES = 100
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Header:
    """The names of the columns, exactly as written, and the letter between them."""

    names: tuple[str, ...]
    delimiter: str


def read_header(file: SourceFile) -> Header:
    """Read the first record with each possible delimiter; the one that gives most names is the delimiter."""
    _refuse_empty(file)
    candidates = ["\t"] if file.suffix in (".tsv", ".tab") else list(DELIMITERS)
    found = [
        Header(tuple(names), letter) for letter in candidates if (names := _first_record(file, letter)) is not None
    ]
    if not found:
        raise DataError(
            f"{file.at(1)}: a quote in the header is never closed, or is followed by other text. Write a name that "
            'holds quotes as "the ""best"" name", and close every quote.'
        )
    return max(found, key=lambda header: len(header.names))


def check_names(file: SourceFile, header: Header) -> None:
    """Refuse a column without a name, a name given twice, and many columns that look like one."""
    for number, name in enumerate(header.names, start=1):
        if not name.strip():
            raise DataError(_nameless(file, header, number))
    for name, count in Counter(header.names).items():
        if count > 1:
            places = " and ".join(str(i) for i, other in enumerate(header.names, start=1) if other == name)
            raise DataError(
                f"{file.at(1)}: the name '{name}' is given to columns {places}. Rename all but one of them."
            )
    _refuse_values(file, header)
    if len(header.names) == 1:
        _refuse_hidden_columns(file)


def _nameless(file: SourceFile, header: Header, number: int) -> str:
    first = header.names[0]
    if re.fullmatch("sep=.?", first):
        return f"{file.at(1)}: this line ({first + header.delimiter!r}) is a hint for Excel, not the header. Remove it."
    what = f"{file.at(1)}: column {number} of {len(header.names)} has no name. Write a name into the header"
    if number == 1:
        return f"{what}. If it is a row index written by pandas, save with index=False."
    if number == len(header.names):
        return f"{what}. If the header ends in a delimiter too many, remove that."
    return f"{what}. If line 1 is a title above the header, remove it."


def _refuse_values(file: SourceFile, header: Header) -> None:
    """A first line of values instead of names would be lost without a word."""
    decimals = [name for name in header.names if "." in name and is_number_text(name)]
    if 2 * len(decimals) < len(header.names):
        return
    with file.path.open("rb") as stream:
        if b'"' in stream.readline():
            return
    raise DataError(
        f"{file.at(1)}: this line holds values ({decimals[0]!r}), not the names of the columns. Write a line with the "
        "names above it. If these really are names, put one of them in double quotes."
    )


def _refuse_empty(file: SourceFile) -> None:
    with file.path.open("rb") as stream:
        start = stream.read(LONGEST_NAME).removeprefix(b"\xef\xbb\xbf")
    if not start.strip():
        raise DataError(f"{file.shown}: the file is empty. The first line must hold the names of the columns.")
    if start[:1] in (b"\n", b"\r"):
        raise DataError(f"{file.at(1)}: the first line is empty, but it must hold the names of the columns. Remove it.")


def _first_record(file: SourceFile, delimiter: str) -> list[str] | None:
    # Bytes that are no UTF-8 are let through here, because the check of all bytes says more about them.
    with file.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        try:
            return next(csv.reader(text, delimiter=delimiter, strict=True))
        except csv.Error:
            return None


def _refuse_hidden_columns(file: SourceFile) -> None:
    """A header of one name over rows of many cells must never pass as a table of one column."""
    with file.path.open(encoding="utf-8-sig", newline="") as text:
        sample = "".join(islice(text, SAMPLE_LINES))
    if sample.startswith('"'):
        return
    head, *lines = _QUOTED.sub("", sample).splitlines()
    rows = [line for line in lines if line.strip()]
    one_column = "If this really is one column, put its name in double quotes."
    for letter, called in DELIMITERS.items():
        if letter in head:
            raise DataError(
                f"{file.at(1)}: a {file.suffix} file is split at tabs, but the header has {called} and no tab. Give "
                f"the file a name that ends in .csv. {one_column}"
            )
        if rows and all(letter in row for row in rows):
            raise DataError(
                f"{file.at(2)}: the rows hold {called} but the header does not, so it names one column only. Write the "
                f"names of all columns into line 1 with {called} between them; remove a title or comment above them. "
                f"{one_column}"
            )
    if _spaced_columns(head, rows):
        raise DataError(
            f"{file.at(1)}: the columns seem to be split by spaces. Put commas or tabs between them. {one_column}"
        )


def _spaced_columns(head: str, rows: list[str]) -> bool:
    width = len(head.split())
    cells = [row.split() for row in rows]
    if width < 2 or not cells or any(len(row) != width for row in cells):
        return False
    return any(all(map(is_number_text, column)) for column in zip(*cells, strict=True))
