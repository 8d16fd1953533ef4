"""Text of any encoding as UTF-8: asked for, told by a mark at the beginning, or guessed with a note."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from treewright.errors import DataError
from treewright.table.reading.source_file import BLOCK, SourceFile, first_fault, line_of
from treewright.wording import option_words

_MARKS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_LOOK = 4096
_LONGEST_LETTER = 4  # bytes of UTF-8
_LAST_OF_TWO = 0xDF  # the last byte that begins a letter of two bytes
# Windows-1252 is Latin-1 with letters in place of control signs; five bytes mean nothing in it.
_WESTERN = ("windows-1252", "latin-1")


@contextmanager
def in_utf8(file: SourceFile, encoding: str | None, notes: list[str]) -> Iterator[SourceFile]:
    """Give the file itself where it is UTF-8, else a copy that is, with a note on what was taken for its encoding."""
    found = encoding or _marked(file)
    if found is None and (fault := first_fault(file)) is not None:
        _refuse_cut_letter(file, fault[0])
        _refuse_damage(file, *fault)
        found = _western(file)
        where = file.at(line_of(file.path, fault[0]))
        notes.append(
            f"{where}: byte 0x{fault[1]:02X} is not UTF-8, so the file is read as {found}. "
            f"If letters look wrong, say its encoding, such as {option_words('encoding', 'mac-roman')}."
        )
    elif encoding is None and found is not None:
        notes.append(f"{file.shown}: the file is read as {found.upper()}.")
    if found is None or codecs.lookup(found).name in ("utf-8", "utf-8-sig"):
        if encoding is not None:
            _refuse_other_bytes(file)
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


def _refuse_cut_letter(file: SourceFile, place: int) -> None:
    """Refuse a file of UTF-8 that ends inside a letter: it was cut off, and has lost more than that letter.

    A lone é of Latin-1 at the very end begins like a letter of three bytes. Where no letter of UTF-8 stands before it,
    only beginnings that Western text hardly ends with are taken for cut letters.
    """
    size = file.path.stat().st_size
    with file.path.open("rb") as stream:
        before = stream.read(min(place, _LOOK * _LOOK))
        stream.seek(place)
        rest = stream.read(_LONGEST_LETTER)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(rest)
    except UnicodeDecodeError:
        return
    if place + len(rest) < size or (before.isascii() and len(rest) == 1 and rest[0] > _LAST_OF_TWO):
        return
    where = file.at(line_of(file.path, place))
    raise DataError(
        f"{where}: the file ends inside a letter of UTF-8, so its end was cut off. Get the "
        f"whole file; if it is in another encoding, say so, such as {option_words('encoding', 'windows-1252')}."
    )


def _refuse_damage(file: SourceFile, place: int, byte: int) -> None:
    """Refuse UTF-8 with some odd bytes in it: read as Western text, all its good letters would be spoilt."""
    good = odd = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    with file.path.open("rb") as stream:
        while block := stream.read(BLOCK):
            text = "" if block.isascii() and not decoder.getstate()[0] else decoder.decode(block)
            odd += sum(_is_odd(letter) for letter in text)
            good += sum(letter > "\x7f" and not _is_odd(letter) for letter in text)
    if good <= odd:
        return
    raise DataError(
        f"{file.at(line_of(file.path, place))}: byte 0x{byte:02X} (byte {place + 1:,} of the file) is not UTF-8, "
        f"though {good:,} of the {good + odd:,} letters beyond ASCII are, so the file is damaged. Mend it there, or "
        f"read it as it is with {option_words('encoding', 'windows-1252')}."
    )


def _refuse_other_bytes(file: SourceFile) -> None:
    """Refuse what is said to be UTF-8 and is not: nothing is guessed where the user has decided."""
    if (fault := first_fault(file)) is not None:
        place, byte = fault
        raise DataError(
            f"{file.at(line_of(file.path, place))}: byte 0x{byte:02X} is not UTF-8, as was asked for. "
            f"Say its encoding, such as {option_words('encoding', 'windows-1252')}, or leave it to be guessed."
        )


def _is_odd(letter: str) -> bool:
    return "\udc80" <= letter <= "\udcff"


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
