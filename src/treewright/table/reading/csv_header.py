"""The header line of a delimited file fixes the delimiter and the names; both are checked before any row is read."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from treewright.errors import DataError
from treewright.table.reading.source_file import SourceFile
from treewright.table.written.text_types import is_number_text
from treewright.wording import option_words

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
# A name as long as this is a quote that was never closed. (It is also where Python's csv module gives up.)
LONGEST_NAME = 131_072
SAMPLE_LINES = 100
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_QUOTED_AND_SPACED = re.compile(rf"{_QUOTED.pattern}(?: {_QUOTED.pattern})+")


@dataclass(frozen=True)
class Header:
    """The names of the columns, exactly as written, and the letter between them."""

    names: tuple[str, ...]
    delimiter: str


def read_header(file: SourceFile, delimiter: str | None = None) -> Header:
    """Read the first record with each possible delimiter; the one that gives most names is the delimiter."""
    _refuse_empty(file)
    candidates = ["\t"] if file.suffix in (".tsv", ".tab") else list(DELIMITERS)
    if delimiter is not None:
        candidates = [delimiter]
    elif _is_quoted_and_spaced(file):
        candidates = [" "]
    found = [
        Header(tuple(names), letter) for letter in candidates if (names := _first_record(file, letter)) is not None
    ]
    if not found:
        raise DataError(
            f"{file.at(1)}: a quote in the header is never closed, or is followed by other text. Write a name that "
            'holds quotes as "the ""best"" name", and close every quote.'
        )
    header = max(found, key=lambda header: len(header.names))
    trimmed = _bare([name.strip() for name in header.names])
    return Header(("", *trimmed) if _has_row_names(file, header) else trimmed, header.delimiter)


def _is_quoted_and_spaced(file: SourceFile) -> bool:
    """Tell whether the header is what R's `write.table` writes: "height" "begin of flowering" "wind"."""
    with file.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        return _QUOTED_AND_SPACED.fullmatch(text.readline(LONGEST_NAME).rstrip("\r\n")) is not None


def _bare(names: list[str]) -> tuple[str, ...]:
    """Names as people say them, where all of them stand in single quotes, as some programs write a header."""
    quoted = all(len(name) > 2 and name[0] == name[-1] == "'" for name in names)
    return tuple(name[1:-1].strip() for name in names) if quoted else tuple(names)


def _has_row_names(file: SourceFile, header: Header) -> bool:
    """R writes a header without a name for its row names, so that every row has one cell more."""
    with file.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        try:
            rows = list(islice(csv.reader(text, delimiter=header.delimiter, strict=True), 1, SAMPLE_LINES))
        except csv.Error:
            return False
    cells = [row for row in rows if row]
    longer = bool(cells) and all(len(row) == len(header.names) + 1 and row[-1] and row[0] for row in cells)
    return longer and len(header.names) > 1 < len(cells) == len({row[0] for row in cells})


def check_names(file: SourceFile, header: Header) -> None:
    """Refuse a column without a name, a name given twice, and many columns that look like one."""
    for number, name in enumerate(header.names, start=1):
        if not name and (number > 1 or sum(not name for name in header.names) > 1):
            raise DataError(_nameless(file, header, number))
    for name, count in Counter(header.names).items():
        if count > 1:
            places = " and ".join(str(i) for i, other in enumerate(header.names, start=1) if other == name)
            raise DataError(
                f"{file.at(1)}: the name '{name}' is given to columns {places}. Rename all but one of them."
            )
    _refuse_values(file, header)
    if len(header.names) == 1:
        _refuse_hidden_columns(file, header.delimiter)


def _nameless(file: SourceFile, header: Header, number: int) -> str:
    first = header.names[0]
    if re.fullmatch("sep=.?", first):
        return f"{file.at(1)}: this line ({first + header.delimiter!r}) is a hint for Excel, not the header. Remove it."
    what = f"{file.at(1)}: column {number} of {len(header.names)} has no name. Write a name into the header"
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


def _refuse_hidden_columns(file: SourceFile, delimiter: str) -> None:
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
            raise DataError(f"{file.at(1)}: {_other_delimiter(file, delimiter, letter)} {one_column}")
        if rows and all(letter in row for row in rows):
            raise DataError(
                f"{file.at(2)}: the rows hold {called} but the header does not, so it names one column only. Write the "
                f"names of all columns into line 1 with {called} between them; remove a title or comment above them. "
                f"{one_column}"
            )
    if _spaced_columns(head, rows):
        cure = f"Say {option_words('delimiter', 'space')}, or put commas or tabs between them."
        raise DataError(f"{file.at(1)}: the columns seem to be split by spaces. {cure} {one_column}")
    if _fixed_width(head, rows):
        raise DataError(
            f"{file.at(1)}: the columns seem to have a fixed width. Put commas or tabs between them; in Python, "
            f"pandas.read_fwf reads such a file. {one_column}"
        )


def _other_delimiter(file: SourceFile, delimiter: str, found: str) -> str:
    """Say that a file is split at another letter than its name, or an option, says."""
    called, asked = DELIMITERS[found], DELIMITERS.get(delimiter, f"a {delimiter!r}")
    if file.suffix in (".tsv", ".tab") and delimiter == "\t":
        return (
            f"a {file.suffix} file is split at tabs, but the header has {called} and no tab. Give the file a name that "
            "ends in .csv."
        )
    option = option_words("delimiter", delimiter).replace("\t", "\\t")
    return f"the header has {called} and not {asked}, which {option} asks for. Leave that out, or say the right one."


def _fixed_width(head: str, rows: list[str]) -> bool:
    """Tell whether some place is blank in the header and in every row, with text before and after it."""
    lines = [head.rstrip(), *rows]
    gap = re.search(r"\S {2,}\S", head.strip())
    if gap is None or len(rows) < 2:
        return False
    return any(
        all(line[place : place + 1] in (" ", "") for line in lines)
        for place in range(1, len(head.rstrip()) - 1)
        if head[place] == " " and head[:place].strip()
    )


def _spaced_columns(head: str, rows: list[str]) -> bool:
    """Tell whether header and rows have as many words each, or the rows one more, as R writes the names of rows."""
    width = len(head.split())
    cells = [row.split() for row in rows]
    if width < 2 or not cells or {len(row) for row in cells} not in ({width}, {width + 1}):
        return False
    return any(all(map(is_number_text, column)) for column in zip(*cells, strict=True))
