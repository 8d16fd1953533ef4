"""The declarations at the top of an ARFF file, and the quoting that they share with its rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
import numpy.typing as npt

from treewright.errors import DataError
from treewright.table.reading.source_file import SourceFile, check_bytes
from treewright.table.written.text_types import is_number_text

if TYPE_CHECKING:
    import pandas as pd


# ARFF, the file form of Weka: a header that declares each column, then rows. Read in blocks, so memory stays small.


ROWS_AT_ONCE = 65_536
UNKNOWN_LEVEL = -2


def read_arff(file: SourceFile) -> pd.DataFrame:
    """Read an ARFF file: nominal attributes become categories with the declared levels, in their order."""
    import pandas as pd

    check_bytes(file)
    with file.path.open(encoding="utf-8-sig") as text:
        attributes, n_lines = read_attributes(file, text)
        blocks = [_convert(file, attributes, block) for block in _blocks(file, attributes, text, n_lines)]
    blocks = blocks or [_convert(file, attributes, Block())]
    series = {i: _series(a, [block[i] for block in blocks]) for i, a in enumerate(attributes)}
    frame = pd.DataFrame(series)
    frame.columns = pd.Index([a.name for a in attributes], dtype="str")
    return frame


@dataclass
class Block:
    """Some rows, as text, with the line of each."""

    lines: list[int] = field(default_factory=list)
    rows: list[list[str | None]] = field(default_factory=list)


def _blocks(file: SourceFile, attributes: list[Attribute], text: TextIO, n_lines: int) -> Iterator[Block]:
    block = Block()
    for line, raw in enumerate(text, start=n_lines + 1):
        row = raw.strip()
        if not row or row.startswith("%"):
            continue
        if row.startswith("{"):
            raise DataError(
                f"{file.at(line)}: this is a sparse row ({{index value, …}}), which is not read. In Weka, apply the "
                "filter SparseToNonSparse and save again."
            )
        cells = cells_of(file, line, row)
        if len(cells) != len(attributes):
            raise DataError(
                f"{file.at(line)}: cells in this row: {len(cells)}; attributes declared: {len(attributes)}. Put "
                "a cell that holds a comma or a blank in quotes; write ? for a missing value."
            )
        block.lines.append(line)
        block.rows.append(cells)
        if len(block.rows) == ROWS_AT_ONCE:
            yield block
            block = Block()
    if block.rows:
        yield block


def _convert(file: SourceFile, attributes: list[Attribute], block: Block) -> list[npt.NDArray[Any]]:
    columns = list(zip(*block.rows, strict=True)) if block.rows else [()] * len(attributes)
    return [_values(file, a, block, cells) for a, cells in zip(attributes, columns, strict=True)]


def _values(file: SourceFile, attribute: Attribute, block: Block, cells: tuple[str | None, ...]) -> npt.NDArray[Any]:
    if attribute.kind == "string":
        return np.array(cells, dtype=object)
    if attribute.kind == "nominal":
        return _codes(file, attribute, block, cells)
    parse: Callable[[str], Any] = attribute.parse_date if attribute.kind == "date" else _number
    hole: Any = np.datetime64("NaT") if attribute.kind == "date" else np.nan
    values = np.empty(len(cells), dtype=np.dtype("datetime64[us]" if attribute.kind == "date" else "float64"))
    for row, cell in enumerate(cells):
        try:
            values[row] = hole if cell is None else parse(cell)
        except ValueError:
            expected = "a number" if attribute.kind == "numeric" else f"a date like '{attribute.date_format}'"
            _refuse(file, attribute, block.lines[row], cell, expected)
    return values


def _codes(file: SourceFile, attribute: Attribute, block: Block, cells: tuple[str | None, ...]) -> npt.NDArray[Any]:
    codes = {None: -1} | {level: code for code, level in enumerate(attribute.levels)}
    values = np.array([codes.get(cell, UNKNOWN_LEVEL) for cell in cells], dtype=np.int64)
    if (values == UNKNOWN_LEVEL).any():
        row = int((values == UNKNOWN_LEVEL).argmax())
        _refuse(file, attribute, block.lines[row], cells[row], f"one of {{{','.join(attribute.levels[:20])}}}")
    return values


def _number(cell: str) -> float:
    if not is_number_text(cell) and cell.lower() != "nan":
        raise ValueError(cell)
    return float(cell)


def _refuse(file: SourceFile, attribute: Attribute, line: int, cell: str | None, expected: str) -> None:
    raise DataError(
        f"{file.at(line)}: attribute '{attribute.name}' must hold {expected}, but here is {cell!r}. Write ? for a "
        "missing value, or change the declaration of the attribute."
    )


def _series(attribute: Attribute, parts: list[npt.NDArray[Any]]) -> pd.Series[Any]:
    import pandas as pd

    values = np.concatenate(parts)
    if attribute.kind == "nominal":
        return pd.Series(pd.Categorical.from_codes(values, categories=pd.Index(attribute.levels, dtype="str")))
    if attribute.kind == "string":
        return pd.Series(values, dtype="str")
    whole = attribute.kind == "numeric" and len(values) > 0 and bool(np.all(np.mod(values, 1) == 0))
    if whole and bool(np.all(np.abs(values) < 2.0**53)):
        return pd.Series(values.astype(np.int64))
    return pd.Series(values)


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
