"""How many hypotheses there are: Boolean functions, conjunctions, trees of a depth; and what that asks of the data.

The counts are those that textbooks and lectures give for n binary attributes, and the same counts for the levels and
classes of a table at hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_DEPTHS = 4
_LONGEST = 25  # digits written out
_SMALL = 3  # attributes up to which the functions of shallow trees are counted one by one


@dataclass(frozen=True)
class HypothesisSpace:
    """The counts for columns with so many levels each and so many classes.

    Examples
    --------
    >>> space = HypothesisSpace((2, 2, 2), 2)
    >>> space.inputs, space.functions, space.conjunctions, [space.trees(d) for d in (1, 2)]
    (8, 256, 28, [3, 12])
    """

    levels: tuple[int, ...]
    n_classes: int = 2

    @property
    def is_boolean(self) -> bool:
        """Whether every column has two levels and there are two classes."""
        return self.n_classes == 2 and all(count == 2 for count in self.levels)

    @property
    def inputs(self) -> int:
        """The different rows that can be written down."""
        return math.prod(self.levels)

    @property
    def log10_functions(self) -> float:
        """The decimal logarithm of the number of functions from rows to classes; infinite if beyond all numbers."""
        inputs = float(self.inputs) if self.inputs < 10**300 else math.inf
        return inputs * math.log10(self.n_classes) if self.n_classes > 1 else 0.0

    @property
    def functions(self) -> int:
        """The functions from rows to classes, classes ** inputs; for two levels and classes 2 ** (2 ** n)."""
        return int(self.n_classes**self.inputs)

    @property
    def conjunctions(self) -> int:
        """The conjunctive hypotheses: each column fixed to a level or free, and the one that is never true.

        For n binary attributes these are 3 ** n + 1.
        """
        return math.prod(count + 1 for count in self.levels) + 1

    def trees(self, depth: int) -> int:
        """The ways to put a binary column in each of the 2 ** depth - 1 inner nodes, none twice on a path.

        >>> HypothesisSpace((2,) * 10).trees(2), HypothesisSpace((2,) * 10).trees(3)
        (810, 3317760)
        """
        n = len(self.levels)
        return math.prod(max(n - level, 0) ** (2**level) for level in range(depth))

    def labellings(self, depth: int) -> int:
        """The bound n ** (2 ** depth - 1), which lets a column come again.

        >>> HypothesisSpace((2,) * 10).labellings(2)
        1000
        """
        return int(len(self.levels) ** (2**depth - 1))

    def rows_needed(self, error: float = 0.1, doubt: float = 0.05) -> float:
        """The rows after which a consistent function is wrong on more than `error` with a chance of `doubt` at most.

        m >= (ln |H| + ln(1 / doubt)) / error, with all functions as hypotheses.

        >>> round(HypothesisSpace((2,) * 4).rows_needed(), 1)
        140.9
        """
        return (self.log10_functions * math.log(10) - math.log(doubt)) / error

    def to_dict(self) -> dict[str, Any]:
        """Give the counts as plain values; a count that is too long to write is left to its logarithm."""
        written = self.log10_functions < _LONGEST
        return {
            "levels": list(self.levels),
            "classes": self.n_classes,
            "inputs": self.inputs,
            "functions": self.functions if written else None,
            "log10_functions": self.log10_functions if math.isfinite(self.log10_functions) else None,
            "conjunctions": self.conjunctions,
        }


def functions_by_depth(n: int) -> list[int]:
    """Count the Boolean functions of n attributes that trees of depth 0, 1, 2 … can be. Different trees may be one.

    Examples
    --------
    >>> functions_by_depth(3)
    [2, 8, 62, 256]
    """
    everything = (1 << (1 << n)) - 1  # a function is the bits of its truth table
    attributes = [sum(1 << row for row in range(1 << n) if row >> i & 1) for i in range(n)]
    found = {0, everything}
    counts = [len(found)]
    for _ in range(n):
        found |= {(f & x) | (g & ~x & everything) for x in attributes for f in found for g in found}
        counts.append(len(found))
    return counts


def power_text(base: int, exponent: int) -> str:
    """Write a power with its value: in full, or how large it is.

    Examples
    --------
    >>> power_text(2, 16), power_text(2, 1024), power_text(2, 10**400)
    ('2^16 = 65,536', '2^1024 ≈ 10^308', '2^(10^400)')
    """
    if exponent >= 10**300:
        return f"{base}^({large_text(exponent)})"
    digits = exponent * math.log10(base)
    if digits < _LONGEST:
        return f"{base}^{exponent} = {base**exponent:,}"
    return f"{base}^{exponent} ≈ 10^{digits:.0f}" if exponent < 10**15 else f"{base}^({large_text(exponent)})"


def large_text(number: int) -> str:
    """Write a whole number in full, or how large it is.

    >>> large_text(3317760), large_text(10**30)
    ('3,317,760', '10^30')
    """
    return f"{number:,}" if number < 10**_LONGEST else f"10^{len(str(number)) - 1}"


def space_lines(space: HypothesisSpace) -> list[str]:
    """Write the counts, a line each.

    Examples
    --------
    >>> for line in space_lines(HypothesisSpace((2, 2, 2)))[:3]: print(line)
    different rows: 2·2·2 = 8
    Boolean functions of 3 attributes: 2^(2^3) = 2^8 = 256
    conjunctions: 3^3 = 27, and the one that is never true: 28
    """
    n = len(space.levels)
    product = "·".join(map(str, space.levels)) if n <= 12 else f"product of {n} numbers"
    lines = [f"different rows: {product} = {large_text(space.inputs)}"]
    power = power_text(space.n_classes, space.inputs)
    if space.is_boolean:
        lines.append(f"Boolean functions of {n} attributes: 2^(2^{n}) = {power}")
        lines.append(f"conjunctions: 3^{n} = {3**n:,}, and the one that is never true: {space.conjunctions:,}")
        lines += _tree_lines(space, n)
    else:
        lines.append(f"functions from rows to {space.n_classes} classes: {power}")
        fixed = "·".join(str(count + 1) for count in space.levels) if n <= 12 else f"product of {n} numbers"
        lines.append(
            f"conjunctions, each column a level or free: {fixed} = {large_text(space.conjunctions - 1)}, "
            "and the one that is never true"
        )
    needed = space.rows_needed()
    if needed < 1e15:
        lines.append(
            f"rows after which any consistent function is right on 90 % of new rows, in 95 % of cases: {needed:,.0f}"
        )
    return lines


def _tree_lines(space: HypothesisSpace, n: int) -> list[str]:
    depths: Sequence[int] = range(1, min(_DEPTHS, n) + 1)
    bounds = ", ".join(large_text(space.labellings(depth)) for depth in depths)
    exact = ", ".join(large_text(space.trees(depth)) for depth in depths)
    lines = [
        f"ways to ask in a full tree of depth {_list(depths)}: at most n^(2^d − 1) = {bounds}",
        f"of these without asking twice on a path: {exact}",
    ]
    if n <= _SMALL:
        counts = ", ".join(map(str, functions_by_depth(n)))
        lines.append(f"different functions of trees up to depth {_list(range(n + 1))}: {counts}")
    return lines


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
