"""Random words by number, in Python's whole numbers: what core/base/counted_random.hpp says."""

from __future__ import annotations

import struct

from treewright.reference.chance import ALL_BITS as MASK
from treewright.reference.chance import GOLDEN, drawn, mixed
from treewright.reference.chance import key as key_of

__all__ = ["GOLDEN", "MASK", "below", "bits", "drawn", "key_of", "mixed"]


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
