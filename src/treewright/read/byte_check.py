"""One quick look at every byte of a text file: is it UTF-8, is it text at all, where are its delimiters."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from treewright.errors import DataError
from treewright.read.source_file import SourceFile

BLOCK = 1 << 24


@dataclass
class DelimiterCount:
    """How many delimiters a file has, how many lines end in one, and how many end in two or more.

    The engine drops an empty cell too many at the end of a row without a word. These numbers tell when to look closer.
    """

    delimiter: bytes
    n_delimiters: int = 0
    n_open_ends: int = 0
    n_double_ends: int = 0
    _tail: bytes = b""

    def add(self, block: bytes) -> None:
        """Count a block; an end that lies across two blocks is counted with the second."""
        seam = self._tail + block[:1]
        for end in (b"\n", b"\r"):
            self.n_open_ends += block.count(self.delimiter + end) + seam.endswith(self.delimiter + end)
            self.n_double_ends += block.count(2 * self.delimiter + end) + seam.endswith(2 * self.delimiter + end)
            crossing = (self._tail[-1:] + block[:2]) == 2 * self.delimiter + end
            self.n_double_ends += crossing
        self.n_delimiters += block.count(self.delimiter)
        self._tail = (self._tail + block[-2:])[-2:]

    def finish(self) -> None:
        """Count the last line, if it has no line end."""
        self.n_open_ends += self._tail.endswith(self.delimiter)
        self.n_double_ends += self._tail.endswith(2 * self.delimiter)


def check_bytes(file: SourceFile, delimiter: str = ",") -> DelimiterCount:
    """Refuse bytes that are not UTF-8 text, with their place; count the delimiters on the way."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    count = DelimiterCount(delimiter.encode())
    position = 0
    with file.path.open("rb") as stream:
        while block := stream.read(BLOCK):
            if (nul := block.find(b"\0")) >= 0:
                _refuse_nul(file, position + nul)
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                _refuse_encoding(file, position - held + error.start, error.object[error.start])
            count.add(block)
            position += len(block)
    if rest := decoder.getstate()[0]:
        _refuse_encoding(file, position - len(rest), rest[0])
    count.finish()
    return count


def _refuse_nul(file: SourceFile, offset: int) -> NoReturn:
    raise DataError(
        f"{file.at(_line_of(file.path, offset))}: there is a NUL byte (byte {offset + 1} of the file), so this is no "
        "text table. If it is UTF-16 text save it as UTF-8; if it is a damaged file get it again."
    )


def _refuse_encoding(file: SourceFile, offset: int, byte: int) -> NoReturn:
    raise DataError(
        f"{file.at(_line_of(file.path, offset))}: byte 0x{byte:02X} (byte {offset + 1} of the file) is not UTF-8. Save "
        "the file as UTF-8; if it comes from Excel or an older Windows program, this often helps: "
        "iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv"
    )


def _line_of(path: Path, offset: int) -> int:
    """Count the lines before an offset. Files of the classic Mac end lines in a lone carriage return."""
    newlines = returns = 0
    with path.open("rb") as stream:
        left = offset
        while left and (block := stream.read(min(BLOCK, left))):
            newlines += block.count(b"\n")
            returns += block.count(b"\r")
            left -= len(block)
    return (newlines or returns) + 1
