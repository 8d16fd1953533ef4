"""The values of one column, or of one weighted sum, that lead down a branch, and what branches have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass

from treewright.encode.schema import Column
from treewright.tree.test import cut_text, level_list
from treewright.tree.wording import name_text, number_text

LISTED = 6  # levels listed in full; a longer list names what is left out, if that is shorter


@dataclass(frozen=True, slots=True)
class NumberRange:
    """Numbers above `low` and at most `high`, and whether rows without a number belong to it too.

    None is no bound. With `known=False` no number belongs to it.

    Examples
    --------
    >>> both = NumberRange(low=20).meet(NumberRange(low=35)).meet(NumberRange(high=60))
    >>> both.words("age", Column("age", "numeric")), 35 in both, 35.5 in both
    ('35 < age <= 60', False, True)
    """

    low: float | None = None
    high: float | None = None
    known: bool = True
    missing: bool = False

    def __contains__(self, x: float) -> bool:
        if x != x:
            return self.missing
        return self.known and (self.low is None or x > self.low) and (self.high is None or x <= self.high)

    def meet(self, other: NumberRange) -> NumberRange:
        """What belongs to both."""
        low = self.low if other.low is None or (self.low is not None and self.low >= other.low) else other.low
        high = self.high if other.high is None or (self.high is not None and self.high <= other.high) else other.high
        return NumberRange(low, high, self.known and other.known, self.missing and other.missing)

    def words(self, name: str, column: Column | None, digits: int = 6) -> str:
        """Write it as a condition; `column` tells how its values look, None for a weighted sum."""

        def show(cut: float) -> str:
            return number_text(cut, digits) if column is None else cut_text(column, cut, digits)

        if not self.known:
            return f"{name} is missing" if self.missing else f"{name} is never here"
        if self.low is None:
            return f"{name} is known" if self.high is None else f"{name} <= {show(self.high)}"
        if self.high is None:
            return f"{name} > {show(self.low)}"
        if self.low >= self.high:
            return f"{name} is missing" if self.missing else f"{name} is never here"
        return f"{show(self.low)} < {name} <= {show(self.high)}"


@dataclass(frozen=True, slots=True)
class LevelSet:
    """Levels of a nominal or ordinal column as bits: bit c is level code c, bit 0 is a missing value.

    `listed` are the levels that every test named; others may belong to it because they go the way of missing values.

    Examples
    --------
    >>> size = Column("size", "ordinal", "text", ("small", "medium", "large"))
    >>> LevelSet.of([2, 3], size).words("size", size), LevelSet.of([1, 3], size).words("size", size)
    ('size > small', 'size is small or large')
    >>> 2.0 in LevelSet.of([2, 3], size), math.nan in LevelSet.of([2, 3], size)
    (True, False)
    """

    bits: int
    listed: int

    @classmethod
    def of(cls, codes: list[int], column: Column, with_missing: bool = False, unlisted: int = 0) -> LevelSet:
        """Make a set of level codes; with missing values also the bits of levels that the test does not name."""
        listed = sum(1 << code for code in codes)
        return cls(listed | unlisted | 1 if with_missing else listed, listed)

    @property
    def missing(self) -> bool:
        """Whether rows without a value belong to it."""
        return bool(self.bits & 1)

    @property
    def codes(self) -> list[int]:
        """The codes that belong to it, those that were named first."""
        named = _codes(self.bits & self.listed)
        return named + _codes(self.bits & ~self.listed & ~1)

    def __contains__(self, x: float) -> bool:
        return bool(self.bits >> (0 if x != x else int(x)) & 1)

    def meet(self, other: LevelSet) -> LevelSet:
        """What belongs to both."""
        return LevelSet(self.bits & other.bits, self.listed & other.listed)

    def words(self, name: str, column: Column, digits: int = 6) -> str:
        """Write it as a condition."""
        named = _codes(self.bits & self.listed)
        if not named:
            others = "missing or new" if self.bits & ~1 else "missing"
            return f"{name} is {others}" if self.missing else f"{name} is never here"
        if column.kind == "ordinal" and named[-1] - named[0] + 1 == len(named) < len(column.levels):
            return self._range_words(name, column, named)
        n_left_out = len(column.levels) - len(named)
        if not n_left_out:
            return f"{name} is known"
        if len(named) > LISTED and n_left_out <= LISTED:
            left_out = _codes(all_levels(column) & ~(self.bits & self.listed))
            return f"{name} is not {level_list(column, left_out, last=' or ')}"
        return f"{name} is {level_list(column, named, last=' or ')}"

    @staticmethod
    def _range_words(name: str, column: Column, codes: list[int]) -> str:
        low, high = codes[0], codes[-1]
        if low == high:
            return f"{name} is {level_list(column, [low])}"
        low_cut = None if low == 1 else low - 1
        high_cut = None if high == len(column.levels) else high
        return NumberRange(low_cut, high_cut).words(name, column)


def all_levels(column: Column) -> int:
    """Give the bits of every level of a column.

    >>> bin(all_levels(Column("size", "ordinal", "text", ("small", "medium", "large"))))
    '0b1110'
    """
    return (1 << (len(column.levels) + 1)) - 2


def levels_up_to(column: Column, cut: float) -> int:
    """Give the bits of the levels whose code is at most `cut`.

    >>> bin(levels_up_to(Column("size", "ordinal", "text", ("small", "medium", "large")), 2.0))
    '0b110'
    """
    if cut >= len(column.levels):
        return all_levels(column)
    return (1 << (math.floor(cut) + 1)) - 2 if cut >= 1 else 0


def _codes(bits: int) -> list[int]:
    codes = []
    while bits:
        lowest = bits & -bits
        codes.append(lowest.bit_length() - 1)
        bits ^= lowest
    return codes


ValueSet = NumberRange | LevelSet


def condition_words(allowed: ValueSet, what: str, column: Column | None, digits: int = 6) -> str:
    """Write a condition on a column, or on a weighted sum when there is no column.

    >>> condition_words(NumberRange(high=41.5), "age", Column("age", "numeric"))
    'age <= 41.5'
    """
    if isinstance(allowed, LevelSet):
        assert column is not None
        return allowed.words(name_text(what), column, digits)
    return allowed.words(what if column is None else name_text(what), column, digits)
