"""Universal Binary JSON, as XGBoost writes its `.ubj` files: each value behind a letter, numbers big-endian."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

_NUMBERS = {b"i": "b", b"U": "B", b"I": "h", b"l": "i", b"L": "q", b"d": "f", b"D": "d"}  # letter → letter of `struct`
_CONSTANTS = {b"Z": None, b"N": None, b"T": True, b"F": False}
_DEEPEST = 100  # boxes in boxes


def read_ubjson(data: bytes) -> Any:
    """Give the value that the bytes hold: dicts, lists, texts, numbers; arrays of one type as arrays of numpy.

    ValueError where they hold none. Nothing is read twice, so the time grows with the length.

    Examples
    --------
    >>> read_ubjson(b"{i\\x01ai\\x07i\\x01b[$d#i\\x01\\x3f\\x80\\x00\\x00}")
    {'a': 7, 'b': array([1.], dtype=float32)}
    """
    reader = _Reader(data)
    value = reader.value(reader.letter(), 0)
    if reader.place != len(data):
        raise ValueError("there are bytes after its end")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, n: int) -> bytes:
        if n < 0 or self.place + n > len(self.data):
            raise ValueError("it ends in the middle of a value")
        self.place += n
        return self.data[self.place - n : self.place]

    def letter(self) -> bytes:
        return self.take(1)

    def peek(self) -> bytes:
        return self.data[self.place : self.place + 1]

    def number(self, letter: bytes) -> Any:
        if letter not in _NUMBERS:
            raise ValueError(f"a value begins with {letter!r}")
        layout = struct.Struct(">" + _NUMBERS[letter])
        return layout.unpack(self.take(layout.size))[0]

    def length(self) -> int:
        n = self.number(self.letter())
        if not isinstance(n, int) or n < 0:
            raise ValueError(f"something has the length {n}")
        return n

    def text(self) -> str:
        return self.take(self.length()).decode("utf-8")

    def value(self, letter: bytes, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} boxes are inside each other")
        if letter in (b"S", b"H"):
            return self.text()
        if letter == b"C":
            return self.letter().decode("latin-1")
        if letter in _CONSTANTS:
            return _CONSTANTS[letter]
        if letter == b"[":
            return self.array(depth)
        return self.table(depth) if letter == b"{" else self.number(letter)

    def array(self, depth: int) -> Any:
        kind = self.letter() and self.letter() if self.peek() == b"$" else None
        if self.peek() == b"#":
            self.letter()
            n = self.length()
            if kind in _NUMBERS:
                dtype = np.dtype(">" + _NUMBERS[kind])
                return np.frombuffer(self.take(n * dtype.itemsize), dtype=dtype).astype(dtype.newbyteorder("="))
            if n > len(self.data):  # a value takes a byte at least
                raise ValueError(f"a list has {n} entries")
            return [self.value(kind or self.letter(), depth + 1) for _ in range(n)]
        if kind is not None:
            raise ValueError("an array of one type does not say how long it is")
        found: list[Any] = []
        while self.peek() != b"]":
            found.append(self.value(self.letter(), depth + 1))
        self.letter()
        return found

    def table(self, depth: int) -> dict[str, Any]:
        count = self.letter() and self.length() if self.peek() == b"#" else None
        found: dict[str, Any] = {}
        while len(found) != count:
            if count is None and self.peek() == b"}":
                self.letter()
                break
            name = self.text()
            if name in found:
                raise ValueError(f"it says {name!r} twice")
            found[name] = self.value(self.letter(), depth + 1)
        return found
