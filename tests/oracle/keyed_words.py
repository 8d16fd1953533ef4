"""Random words by number, in Python's whole numbers: what core/base/counted_random.hpp says."""

from __future__ import annotations

import struct

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(word: int) -> int:
    """Scatter 64 bits (the finisher of splitmix64)."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & MASK
    return word ^ (word >> 31)


def key_of(*parts: int) -> int:
    """The key of a stream out of several numbers."""
    word = 0
    for part in parts:
        word = mixed((word + GOLDEN + part) & MASK)
    return word


def drawn(stream: int, index: int) -> int:
    """Word number `index` of a stream."""
    return mixed((stream + GOLDEN * (index + 1)) & MASK)


def below(word: int, bound: int) -> int:
    """A whole number below the bound.

    >>> below(2**64 - 1, 10), below(0, 10)
    (9, 0)
    """
    return (word >> 32) * bound >> 32


def bits(number: float | None) -> int:
    """The 64 bits of a number; all of them where there is none."""
    if number is None:
        return MASK
    return int(struct.unpack("<Q", struct.pack("<d", number + 0.0))[0])
