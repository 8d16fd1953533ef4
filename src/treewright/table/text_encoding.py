"""Text of any encoding as UTF-8: asked for, told by a mark at the beginning, or guessed with a note."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from treewright.errors import DataError
from treewright.table.source_file import BLOCK, SourceFile, first_fault, line_of
from treewright.wording import option_words

_MARKS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_LOOK = 4096
# Windows-1252 is Latin-1 with letters in place of control signs; five bytes mean nothing in it.
_WESTERN = ("windows-1252", "latin-1")


@contextmanager
def in_utf8(file: SourceFile, encoding: str | None, notes: list[str]) -> Iterator[SourceFile]:
    """Give the file itself where it is UTF-8, else a copy that is, with a note on what was taken for its encoding."""
    found = encoding or _marked(file)
    if found is None and (fault := first_fault(file)) is not None:
        found = _western(file)
        where = file.at(line_of(file.path, fault[0]))
        notes.append(
            f"{where}: byte 0x{fault[1]:02X} is not UTF-8, so the file is read as {found}. "
            f"If letters look wrong, say its encoding, such as {option_words('encoding', 'mac-roman')}."
        )
    elif encoding is None and found is not None:
        notes.append(f"{file.shown}: the file is read as {found.upper()}.")
    if found is None or codecs.lookup(found).name == "utf-8":
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
        copy = Path(folder) / "table"
        _convert(file, found, copy)
        yield replace(file, path=copy)


def _marked(file: SourceFile) -> str | None:
    """UTF-16, by its mark or, without one, by the zero in every second byte of plain letters."""
    with file.path.open("rb") as stream:
        start = stream.read(_LOOK)
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    half = len(start) // 2
    if half > 1 and start[1::2].count(0) == half and 0 not in start[::2]:
        return "utf-16-le"
    if half > 1 and start[0:-1:2].count(0) >= half and 0 not in start[1::2]:
        return "utf-16-be"
    return None


def _western(file: SourceFile) -> str:
    undefined = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
    with file.path.open("rb") as stream:
        while block := stream.read(BLOCK):
            if any(byte in block for byte in undefined):
                return _WESTERN[1]
    return _WESTERN[0]


def _convert(file: SourceFile, encoding: str, copy: Path) -> None:
    try:
        with (
            file.path.open(encoding=encoding, newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as plain,
        ):
            while block := text.read(BLOCK):
                plain.write(block.removeprefix("\ufeff"))
    except UnicodeError as error:
        raise DataError(
            f"{file.shown}: the file is no text in the encoding {encoding} ({error}). Say another."
        ) from error
