"""What a column offers a binary tree: its cuts, and for each what the missing policy makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

from treewright.lesson.arithmetic.binary_cuts import Cut
from treewright.lesson.arithmetic.split import Split
from treewright.lesson.arithmetic.tally import Tally
from treewright.lesson.arithmetic.value_table import ValueTable
from treewright.lesson.methods.candidate import Branch, Candidate

BY_KNOWN = "judged by its known values"


@dataclass(frozen=True)
class Offer:
    """A cut with the rows of its branches; light, because a column of numbers makes thousands of them.

    `share` is the part of the weight that the score sees; below 1 the rows without a value are left out of it.
    """

    cut: Cut
    tallies: tuple[Tally, ...]
    missing: int
    share: float = 1.0
    has_missing: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Name the branches."""
        labels = [*self.cut.labels, "missing"][: len(self.tallies)]
        if self.has_missing and len(labels) == 2 and labels[self.missing] != "missing" and self.share == 1:
            labels[self.missing] += " or missing"
        return tuple(labels)

    def candidate(self, name: str, measures: dict[str, float]) -> Candidate:
        """Write the offer out, with its test in words."""
        is_word = "is " if self.cut.split.levels or self.cut.split.cuts == (inf,) else ""
        branches = tuple(Branch(label, tally) for label, tally in zip(self.labels, self.tallies, strict=True))
        split = replace(self.cut.split, missing=self.missing)
        remark = BY_KNOWN if self.share < 1 else ""
        return Candidate(split.column, f"{name} {is_word}{self.labels[0]}", split, branches, measures, remark)


def with_missing(cut: Cut, table: ValueTable, policy: str) -> Iterator[Offer]:
    """Say who gets the rows without a value, and which rows the score counts.

    "learn" tries them on both sides, "branch" gives them a branch of their own; else the known rows decide, and the
    others follow the heavier side.
    """
    sides = (cut.left, cut.right)
    heavier = 0 if cut.left.weight >= cut.right.weight else 1
    if not table.missing.rows:
        yield Offer(cut, sides, heavier)
    elif policy == "learn":
        yield Offer(cut, (cut.left + table.missing, cut.right), 0, has_missing=True)
        yield Offer(cut, (cut.left, cut.right + table.missing), 1, has_missing=True)
    elif policy == "branch":
        yield Offer(cut, (*sides, table.missing), 2, has_missing=True)
    else:
        yield Offer(cut, sides, heavier, table.known.weight / (table.known.weight + table.missing.weight), True)


def known_or_not(j: int, table: ValueTable, is_nominal: bool) -> Iterator[Offer]:
    """Whether there is a value at all, as a cut of its own."""
    if table.missing.rows and table.values:
        levels = {int(code): 0 for code in table.values} if is_nominal else {}
        split = Split(j, cuts=() if levels else (inf,), levels=levels, missing=1)
        yield Offer(Cut(split, None, table.known, table.missing), (table.known, table.missing), 1, has_missing=True)
