"""One quick look at every byte of a text file: is it UTF-8, is it text at all, how many lines end in a delimiter."""

from __future__ import annotations

import codecs
from pathlib import Path

from treewright.errors import DataError
from treewright.read.source_file import SourceFile

BLOCK = 1 << 24


def check_bytes(file: SourceFile, delimiter: str) -> int:
    """Refuse bytes that are not UTF-8 text; return how many lines end in a delimiter.

    A line that ends in a delimiter has an empty last cell, or one cell too many. The engine drops that extra cell
    without a word, so the caller compares this number with the empty last cells it read.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    ends = [delimiter.encode() + b"\n", delimiter.encode() + b"\r"]
    n_open_ends, position, last = 0, 0, b""
    with file.path.open("rb") as stream:
        while block := stream.read(BLOCK):
            if (nul := block.find(b"\0")) >= 0:
                line = _line_of(file.path, position + nul)
                raise DataError(
                    f"{file.at(line)}: there is a NUL byte (byte {position + nul + 1} of the file), so this is not a "
                    "text table. If it is UTF-16 text save it as UTF-8; if it is a damaged file get it again."
                )
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                _refuse_encoding(file, position - held + error.start, error.object[error.start])
            seam = last[-1:] + block[:1]
            n_open_ends += sum(block.count(end) + (seam == end) for end in ends)
            position, last = position + len(block), block
    if rest := decoder.getstate()[0]:
        _refuse_encoding(file, position - len(rest), rest[0])
    return n_open_ends + last.endswith(delimiter.encode())


def _refuse_encoding(file: SourceFile, offset: int, byte: int) -> None:
    line = _line_of(file.path, offset)
    raise DataError(
        f"{file.at(line)}: byte 0x{byte:02X} (byte {offset + 1} of the file) is not UTF-8. Save the file as UTF-8; if "
        "it comes from Excel or an older Windows program, this often helps: "
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
