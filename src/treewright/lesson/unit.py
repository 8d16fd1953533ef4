"""Bits or nats: the unit in which information is shown. The base of the logarithm changes no choice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from treewright.errors import DataError


@dataclass(frozen=True)
class Unit:
    """How information is written: reckoned in bits, shown in bits or nats.

    >>> round(Unit.of("e").show(1.0), 4), Unit.of(2).name
    (0.6931, 'bits')
    """

    name: str
    logarithm: str
    bits: float  # how many of this unit make a bit

    def show(self, bits: float) -> float:
        """Give an amount of information, reckoned in bits, in this unit."""
        return bits * self.bits

    @classmethod
    def of(cls, base: Any) -> Unit:
        """Give the unit of a base: 2 or "e"."""
        if base in (2, "2"):
            return cls("bits", "log2", 1.0)
        if base == "e":
            return cls("nats", "ln", math.log(2))
        raise DataError(f"The base of the logarithm is {base!r}. Choose base=2 for bits or base='e' for nats.")
