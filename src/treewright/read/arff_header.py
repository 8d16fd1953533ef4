"""The declarations at the top of an ARFF file, and the quoting that they share with its rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TextIO

from treewright.errors import DataError
from treewright.read.source_file import SourceFile

# A cell: in single or double quotes with backslash escapes, or bare up to the next comma.
_CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*))\s*(,|$)""", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s'"{]+))\s*(.+)""", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
# The letters of Java's date patterns that are in use, as Python writes them.
_DATE_LETTERS = {
    "yyyy": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M",
    "ss": "%S", "SSS": "%f", "Z": "%z",
}  # fmt: skip
_DATE_TOKEN = re.compile(r"'([^']*)'|([A-Za-z])\2*")


@dataclass(frozen=True)
class Attribute:
    """One declared column: its kind is numeric, nominal, string or date."""

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    date_format: str = "yyyy-MM-dd'T'HH:mm:ss"

    def parse_date(self, cell: str) -> datetime:
        """Read a date by the declared pattern.

        >>> Attribute("day", "date", date_format="dd.MM.yyyy").parse_date("24.12.2024")
        datetime.datetime(2024, 12, 24, 0, 0)
        """
        return datetime.strptime(cell, python_date_format(self.date_format)).replace(tzinfo=None)


def python_date_format(pattern: str) -> str:
    """Translate a date pattern of ARFF (the letters of Java) into the letters of Python.

    >>> python_date_format("yyyy-MM-dd'T'HH:mm")
    '%Y-%m-%dT%H:%M'
    """

    def letter(match: re.Match[str]) -> str:
        return match[1].replace("%", "%%") if match[1] is not None else _DATE_LETTERS[match[0]]

    return _DATE_TOKEN.sub(letter, pattern)


def read_attributes(file: SourceFile, text: TextIO) -> tuple[list[Attribute], int]:
    """Read up to @data; return the attributes and the number of lines taken."""
    attributes: list[Attribute] = []
    seen: set[str] = set()
    for line, raw in enumerate(iter(text.readline, ""), start=1):
        row = raw.strip()
        word = row.lower()
        if not row or word.startswith(("%", "@relation")):
            continue
        if word.startswith("@data"):
            if not attributes:
                raise DataError(f"{file.at(line)}: @data comes before any @attribute. Declare the columns first.")
            return attributes, line
        attribute = _attribute(file, line, row)
        if attribute.name in seen:
            raise DataError(f"{file.at(line)}: the attribute '{attribute.name}' is declared twice. Rename one of them.")
        seen.add(attribute.name)
        attributes.append(attribute)
    raise DataError(f"{file.shown}: there is no @data line, so this is not a whole ARFF file. Check its end.")


def cells_of(file: SourceFile, line: int, row: str) -> list[str | None]:
    """Split a row at its commas and take the quotes off; an unquoted ? is None.

    >>> from pathlib import Path
    >>> cells_of(SourceFile("a.arff", Path("a.arff"), ".arff"), 1, "5.1, 'it\\\\'s', ?")
    ['5.1', "it's", None]
    """
    if "'" not in row and '"' not in row:
        return [None if (cell := part.strip()) == "?" else cell for part in row.split(",")]
    cells: list[str | None] = []
    position, more = 0, True
    while more:
        match = _CELL.match(row, position)
        if match is None:
            raise DataError(
                f"{file.at(line)}:{position + 1}: a quote is not closed, or text follows it. Write a quote inside a "
                "quoted value as \\' and close every quote."
            )
        bare = match[3]
        quoted = match[1] if match[1] is not None else match[2]
        cells.append(_unescaped(quoted) if quoted is not None else None if bare.strip() == "?" else bare.strip())
        position, more = match.end(), match[4] == ","
    return cells


def _attribute(file: SourceFile, line: int, row: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(row)
    if match is None:
        raise DataError(
            f"{file.at(line)}: expected '@attribute name type', but here is {row[:60]!r}. Put a name "
            "with blanks in quotes."
        )
    name = match[3] if match[3] is not None else _unescaped(match[1] if match[1] is not None else match[2])
    return _declared(file, line, name, match[4].strip())


def _declared(file: SourceFile, line: int, name: str, declared: str) -> Attribute:
    word, _, rest = declared.partition(" ")
    if declared.startswith("{") and declared.endswith("}"):
        levels = [level if level is not None else "?" for level in cells_of(file, line, declared[1:-1])]
        if len(set(levels)) < len(levels):
            raise DataError(f"{file.at(line)}: attribute '{name}' declares a level twice. Remove one of them.")
        return Attribute(name, "nominal", tuple(levels))
    if word.lower() in ("numeric", "real", "integer"):
        return Attribute(name, "numeric")
    if word.lower() == "string":
        return Attribute(name, "string")
    if word.lower() == "date":
        return _date_attribute(file, line, name, rest.strip().strip("'\""))
    raise DataError(
        f"{file.at(line)}: the type {declared[:60]!r} of attribute '{name}' is not known. The types are numeric, real, "
        "integer, string, date and {a,b,c}."
    )


def _date_attribute(file: SourceFile, line: int, name: str, pattern: str) -> Attribute:
    attribute = Attribute(name, "date", date_format=pattern) if pattern else Attribute(name, "date")
    try:
        python_date_format(attribute.date_format)
    except KeyError as error:
        raise DataError(
            f"{file.at(line)}: the date pattern '{pattern}' of attribute '{name}' has letters that are not known "
            f"({error}). The letters are {', '.join(_DATE_LETTERS)}."
        ) from error
    return attribute


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)
