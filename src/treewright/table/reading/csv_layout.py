"""Where the cells of a delimited file are: a quick, exact look at many bytes, and a careful way that names the line."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from treewright.errors import DataError
from treewright.table.reading.csv_header import DELIMITERS, Header
from treewright.table.reading.source_file import SourceFile

BLOCK = 1 << 17
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Places = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Layout:
    """What the look has found.

    `zero_padded` are the columns in which a cell may begin with a 0 before another digit; `padded` tells whether some
    cell may have blanks around it. Both may be said too often, but never too seldom of a file of regular shape.
    """

    regular: bool
    zero_padded: frozenset[int]
    padded: bool


def look_at_layout(path: Path, header: Header) -> Layout:
    """Look at every byte of a file that is known to be UTF-8 text with a header."""
    look = _Look(len(header.names), ord(header.delimiter))
    if all(map(look.add, _windows(path))) and look.ended_well():
        return Layout(True, frozenset(np.flatnonzero(look.zero_padded).tolist()), look.padded)
    return Layout(False, frozenset(), False)


@dataclass(frozen=True)
class _Window:
    """A block of the file, with the two letters before it and the one after it. Places count from its first letter."""

    raw: bytes
    n_before: int

    @cached_property
    def letters(self) -> Bytes:
        return np.frombuffer(self.raw, dtype=np.uint8)

    def places(self, flags: Flags) -> Places:
        """Give the places of the block, without the letters beside it, that are flagged."""
        return np.flatnonzero(flags[self.n_before : self.n_before + BLOCK]) + self.n_before

    def at(self, places: Places) -> Bytes:
        """Give the letters at some places; beside the file lie its first and last letter once more."""
        return self.letters.take(places, mode="clip")


def _windows(path: Path) -> Iterator[_Window]:
    with path.open("rb") as stream:
        begin = start = len(_BYTE_ORDER_MARK) if stream.read(3) == _BYTE_ORDER_MARK else 0
        # Not mapped into memory: a file that somebody cuts short meanwhile would end the whole program.
        while True:
            first = max(start - 2, begin)
            stream.seek(first)
            raw = stream.read(start - first + BLOCK + 1)
            if len(raw) <= start - first:
                return
            yield _Window(raw, start - first)
            start += BLOCK


def _table_of(*letters: int) -> Flags:
    table = np.zeros(256, dtype=np.bool_)
    table[list(letters)] = True
    return table


class _Look:
    """The state between two blocks: how many marks (ends of cells) were seen, and whether a quote is open."""

    def __init__(self, width: int, delimiter: int) -> None:
        self.width, self.delimiter = width, delimiter
        self.n_marks = 0
        self.open_quote = False
        self.padded = False
        self.zero_padded = np.zeros(width, dtype=np.bool_)
        self.blanks = [letter for letter in b" \t" if letter != delimiter]
        self._is_blank = _table_of(*self.blanks)
        self._is_edge = _table_of(delimiter, _NEWLINE, _RETURN, _QUOTE)
        self._last = _NEWLINE

    def add(self, window: _Window) -> bool:
        """Take one block; return whether its shape is regular."""
        # Python finds one letter in bytes faster than numpy, and most blocks have no quotes, returns or blanks.
        raw = window.raw
        is_end = window.letters == _NEWLINE
        is_mark = is_end | (window.letters == self.delimiter)
        marks, ends = window.places(is_mark), window.places(is_end)
        sound = True
        if self.open_quote or _QUOTE in raw:
            marks, ends, sound = self._outside_quotes(window, marks, ends)
        if _RETURN in raw:
            sound = sound and _has_no_lone_return(window)
        if self.width > 1:
            marks, ends = self._without_empty_lines(window, marks, ends)
        last_cells = marks[self.width - 1 - self.n_marks % self.width :: self.width]
        if not sound or not np.array_equal(last_cells, ends):
            return False
        self.padded = self.padded or self._has_padding(window, marks)
        self._find_zero_padding(window, is_mark, marks)
        self.n_marks += len(marks)
        self._last = raw[-1]
        return True

    def ended_well(self) -> bool:
        """Tell whether the last record is whole; its line may lack the end."""
        left = 0 if self._last == _NEWLINE else self.width - 1
        return not self.open_quote and self.n_marks % self.width == left

    def _outside_quotes(self, window: _Window, marks: Places, ends: Places) -> tuple[Places, Places, bool]:
        """Keep the marks that stand outside quotes; tell whether every quote opens or closes a whole cell."""
        quotes = window.places(window.letters == _QUOTE)
        first = int(self.open_quote)
        opening, closing = quotes[first::2], quotes[1 - first :: 2]
        sound = bool(self._is_edge[window.at(opening - 1)].all() and self._is_edge[window.at(closing + 1)].all())
        self.open_quote = bool((len(quotes) + first) % 2)

        def outside(places: Places) -> Places:
            is_outside = (np.searchsorted(quotes, places) + first) % 2 == 0
            return np.compress(is_outside, places)

        return outside(marks), outside(ends), sound

    def _without_empty_lines(self, window: _Window, marks: Places, ends: Places) -> tuple[Places, Places]:
        before = window.at(ends - 1)
        before = np.where(before == _RETURN, window.at(ends - 2), before)
        is_empty = before == _NEWLINE
        if not is_empty.any():
            return marks, ends
        return np.setdiff1d(marks, ends[is_empty], assume_unique=True), ends[~is_empty]

    def _has_padding(self, window: _Window, marks: Places) -> bool:
        """Tell whether a blank stands beside a mark or a quote."""
        if not any(blank in window.raw for blank in self.blanks):
            return False
        edges = np.concatenate([marks, window.places(window.letters == _QUOTE)])
        return bool(self._is_blank[window.at(edges - 1)].any() or self._is_blank[window.at(edges + 1)].any())

    def _find_zero_padding(self, window: _Window, is_mark: Flags, marks: Places) -> None:
        """Note the columns with a 0 before another digit where a number may begin."""
        letters, edge = window.letters, is_mark
        for letter in (_QUOTE, *self.blanks):
            if letter in window.raw:
                edge = edge | (letters == letter)
        # A list, so that a sign after a sign does not count.
        for signed in [edge[:-1] & (letters[1:] == sign) for sign in b"+-" if sign in window.raw]:
            edge = np.append(edge[:1], edge[1:] | signed)
        zeros = edge[:-2] & (letters[1:-1] == ord("0"))
        zeros &= letters[2:] - ord("0") < 10
        if zeros.any():
            found = np.flatnonzero(zeros) + 1
            self.zero_padded[(self.n_marks + np.searchsorted(marks, found)) % self.width] = True


def _has_no_lone_return(window: _Window) -> bool:
    returns = window.places(window.letters == _RETURN)
    return bool((window.at(returns + 1) == _NEWLINE).all())


# The careful, slower way through a delimited file: record by record, with the line and the reason of the first fault.


def walk_records(file: SourceFile, header: Header) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of every row; raise a DataError at the first row that does not fit the header.

    An empty line is a missing value in a table of one column; in wider tables it is passed over.
    """
    width = len(header.names)
    with _long_cells(), file.path.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, delimiter=header.delimiter, strict=True)
        next(reader)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise DataError(_quote_fault(file, line, reader.line_num, error)) from error
            if not cells and width > 1:
                continue
            if not cells:
                cells = [""]
            if len(cells) != width:
                raise DataError(_width_fault(file, header, line, reader.line_num, cells))
            yield line, cells


def copy_plainly(file: SourceFile, header: Header, target: Path) -> None:
    """Write the records again with commas, every cell quoted and one kind of line end, or raise the first fault.

    This is for files that are right but too unusual for the parser: mixed line ends, or a quote inside a bare cell.
    """
    with target.open("w", encoding="utf-8", newline="") as plain:
        writer = csv.writer(plain, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(header.names)
        writer.writerows(cells for _, cells in walk_records(file, header))


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be longer than the 131,072 letters that Python's csv module allows at first."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _quote_fault(file: SourceFile, start: int, end: int, error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return (
            f"{file.at(start)}: a double quote is opened in the row that starts here and never closed, so the rest of "
            "the file falls into one cell. Close it, or write a quote inside a cell twice, with quotes around the cell."
        )
    opened = "" if start == end else f" The quoted cell may have been opened as early as line {start}."
    return (
        f"{file.at(end)}: text follows a closing double quote.{opened} Write a quote inside a cell twice, with quotes "
        'around the cell: "6"" pipe".'
    )


def _width_fault(file: SourceFile, header: Header, start: int, end: int, cells: list[str]) -> str:
    width = len(header.names)
    letter = header.delimiter
    called = DELIMITERS.get(letter, f"a {letter!r}")
    row = letter.join(cells)
    shown = row if len(row) <= 60 else row[:57] + "..."
    what = (
        f"{file.at(start)}: this row has {_count(cells, 'cell')}, but the header names {_count(header.names, 'column')}"
    )
    if end > start:
        what += f" (a quoted cell makes the row run on to line {end}; was a quote left open?)"
    if len(cells) == width + 1 and not cells[-1]:
        cure = f"The row ends with {called} too many: remove it, or name the last column in the header"
    elif len(cells) > width and any(cell.startswith((' "', '\t"')) for cell in cells):
        cure = f"There is a blank between {called} and a double quote, so the quote is a letter: remove the blank"
    elif len(cells) > width:
        cure = (
            f"If a cell holds {called}, put the cell in double quotes; if the first cells are row names, name that "
            "column in the header"
        )
    else:
        cure = "Add the missing cells (an empty cell is a missing value), or remove the row"
    return f"{what}. {cure}. The row is: {shown!r}"


def _count(things: list[str] | tuple[str, ...], word: str) -> str:
    return f"{len(things)} {word}" + ("" if len(things) == 1 else "s")
