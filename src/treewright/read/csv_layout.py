"""A quick, exact look at where the cells of a delimited file are, many bytes at a time.

The parser that reads the cells is lenient: it fills short rows and takes text after a closing quote. So the shape of
the file is checked here first. A file of regular shape has in every record one cell for each name, and quotes only
around cells. Any other shape is left to the careful walk of `csv_records`, which finds the fault or finds none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from treewright.read.header import Header

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
    cell may have blanks around it. Both may be said too often, never too seldom; of a file of irregular shape they are
    said of every column.
    """

    regular: bool
    zero_padded: frozenset[int]
    padded: bool


def look_at_layout(path: Path, header: Header) -> Layout:
    """Look at every byte of a file that is known to be UTF-8 text with a header."""
    content = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
    if content[:3].tobytes() == _BYTE_ORDER_MARK:
        content = content[3:]
    look = _Look(content, len(header.names), ord(header.delimiter))
    if all(look.add(start) for start in range(0, len(content), BLOCK)) and look.ended_well():
        return Layout(True, frozenset(np.flatnonzero(look.zero_padded).tolist()), look.padded)
    return Layout(False, frozenset(range(len(header.names))), True)


def _table_of(*letters: int) -> Flags:
    table = np.zeros(256, dtype=np.bool_)
    table[list(letters)] = True
    return table


class _Look:
    """The state between two blocks: how many marks (ends of cells) were seen, and whether a quote is open."""

    def __init__(self, content: Bytes, width: int, delimiter: int) -> None:
        self.content, self.width, self.delimiter = content, width, delimiter
        self.n_marks = 0
        self.open_quote = False
        self.padded = False
        self.zero_padded = np.zeros(width, dtype=np.bool_)
        # Files of the classic Mac end lines in a lone carriage return.
        blocks = (content[start : start + BLOCK] for start in range(0, len(content), BLOCK))
        self.end = _NEWLINE if any((block == _NEWLINE).any() for block in blocks) else _RETURN
        self.blanks = [letter for letter in b" \t" if letter != delimiter]
        self._is_blank = _table_of(*self.blanks)
        self._is_edge = _table_of(delimiter, _NEWLINE, _RETURN, _QUOTE)

    def add(self, start: int) -> bool:
        """Take the block that starts here; return whether its shape is regular."""
        block = self.content[start : start + BLOCK]
        # Python finds one letter in bytes faster than numpy, and most blocks have no quotes, returns or blanks.
        raw = block.tobytes()
        is_end = block == self.end
        places = np.flatnonzero(is_end | (block == self.delimiter)) + start
        ends = np.flatnonzero(is_end) + start
        sound = True
        if self.open_quote or _QUOTE in raw:
            places, ends, sound = self._outside_quotes(block, start, places, ends)
        if self.end == _NEWLINE and _RETURN in raw:
            sound = sound and self._has_no_lone_return(block, start)
        if self.width > 1:
            places, ends = self._without_empty_lines(places, ends)
        last_cells = places[self.width - 1 - self.n_marks % self.width :: self.width]
        if not sound or not np.array_equal(last_cells, ends):
            return False
        if not self.padded and any(blank in raw for blank in self.blanks):
            self.padded = self._has_padding(block, start, places)
        self._find_zero_padding(start, places)
        self.n_marks += len(places)
        return True

    def ended_well(self) -> bool:
        """Tell whether the last record is whole; its line may lack the end."""
        has_end = int(self.content[-1]) in (_NEWLINE, _RETURN)
        return not self.open_quote and self.n_marks % self.width == (0 if has_end else self.width - 1)

    def _at(self, places: Places) -> Bytes:
        """Give the bytes at some places; beside the file lie its first and last byte once more."""
        return self.content.take(places, mode="clip")

    def _outside_quotes(
        self, block: Bytes, start: int, places: Places, ends: Places
    ) -> tuple[Places, Places, bool]:
        """Keep the marks that stand outside quotes; tell whether every quote opens or closes a whole cell."""
        quotes = np.flatnonzero(block == _QUOTE) + start
        first = int(self.open_quote)
        opening, closing = quotes[first::2], quotes[1 - first :: 2]
        sound = bool(self._is_edge[self._at(opening - 1)].all() and self._is_edge[self._at(closing + 1)].all())
        self.open_quote = bool((len(quotes) + first) % 2)

        def outside(marks: Places) -> Places:
            return marks[(np.searchsorted(quotes, marks) + first) % 2 == 0]

        return outside(places), outside(ends), sound

    def _has_no_lone_return(self, block: Bytes, start: int) -> bool:
        returns = np.flatnonzero(block == _RETURN) + start
        return bool((self._at(returns + 1) == _NEWLINE).all())

    def _without_empty_lines(self, places: Places, ends: Places) -> tuple[Places, Places]:
        before = self._at(ends - 1)
        if self.end == _NEWLINE and (before == _RETURN).any():
            before = np.where(before == _RETURN, self._at(ends - 2), before)
        is_empty = before == self.end
        if not is_empty.any():
            return places, ends
        return np.setdiff1d(places, ends[is_empty], assume_unique=True), ends[~is_empty]

    def _has_padding(self, block: Bytes, start: int, places: Places) -> bool:
        """Tell whether a blank stands beside a mark or a quote."""
        edges = np.concatenate([places, np.flatnonzero(block == _QUOTE) + start])
        return bool(self._is_blank[self._at(edges - 1)].any() or self._is_blank[self._at(edges + 1)].any())

    def _find_zero_padding(self, start: int, places: Places) -> None:
        """Note the columns with a 0 before another digit where a number may begin.

        A cell belongs to the block in which its 0 stands; so the window begins with the two letters before the block,
        which may be a delimiter and a sign, and ends with the one after it.
        """
        first = max(start - 2, 0)
        window = self.content[first : start + BLOCK + 1]
        edge = (window == self.delimiter) | (window == self.end)
        for letter in (_QUOTE, *self.blanks):
            edge |= window == letter
        sign = (window == ord("+")) | (window == ord("-"))
        edge[1:] |= sign[1:] & edge[:-1]
        zeros = edge[:-2] & (window[1:-1] == ord("0")) & (window[2:] - ord("0") < 10)
        if zeros.any():
            found = np.flatnonzero(zeros) + first + 1
            self.zero_padded[(self.n_marks + np.searchsorted(places, found)) % self.width] = True
