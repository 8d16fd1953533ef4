"""One quick look at every byte of a text file: is it UTF-8, and is it text at all."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import NoReturn

from treewright.errors import DataError
from treewright.read.source_file import SourceFile

BLOCK = 1 << 20


def check_bytes(file: SourceFile) -> None:
    """Refuse bytes that are not UTF-8 text, with their place."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = 0
    with file.path.open("rb") as stream:
        while block := stream.read(BLOCK):
            if (nul := block.find(b"\0")) >= 0:
                _refuse_nul(file, position + nul)
            held = len(decoder.getstate()[0])
            # Plain ASCII needs no decoding, unless a letter of several bytes is still open.
            if held or not block.isascii():
                try:
                    decoder.decode(block)
                except UnicodeDecodeError as error:
                    _refuse_encoding(file, position - held + error.start, error.object[error.start])
            position += len(block)
    if rest := decoder.getstate()[0]:
        _refuse_encoding(file, position - len(rest), rest[0])


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
