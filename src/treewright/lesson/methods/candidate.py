"""What a method says about the columns at a node: candidates with their measures, and a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from treewright.lesson.arithmetic.sample import Portion, Sample
from treewright.lesson.arithmetic.split import Split
from treewright.lesson.arithmetic.tally import Tally
from treewright.lesson.arithmetic.value_table import ValueTable, value_table
from treewright.pages.blocks import Block

_STEPS = 2.0**40


@dataclass(frozen=True)
class Place:
    """A node as a method sees it: its rows, its depth and the columns asked on the way."""

    sample: Sample
    portion: Portion
    depth: int = 0
    asked: tuple[int, ...] = ()

    @cached_property
    def tally(self) -> Tally:
        """What the rows of the node hold."""
        return self.sample.tally(self.portion)

    def values_of(self, column: int) -> ValueTable:
        """Count a column at this node."""
        return value_table(self.sample, column, self.portion)


@dataclass(frozen=True)
class Branch:
    """One way out of a candidate's test: its label and what its rows hold."""

    label: str
    tally: Tally


@dataclass(frozen=True)
class Candidate:
    """The best that one column offers, or why it offers nothing (`split` is then None).

    `leads` marks the one that was ahead before its small branches were joined, which only the leader's are.
    """

    column: int
    test: str
    split: Split | None = None
    branches: tuple[Branch, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""
    steps: tuple[Block, ...] = ()
    leads: bool = False


@dataclass(frozen=True)
class Verdict:
    """Which candidate wins (by its place in the list; None if the node stays a leaf), and why."""

    winner: int | None
    why: str


def first_largest(scores: Sequence[float | None], unit: float) -> int | None:
    """Find the place of the largest score. Scores that differ by less than rounding are equal; the first wins.

    Examples
    --------
    >>> first_largest([0.1 + 0.2, None, 0.3], 1.0), first_largest([None], 1.0)
    (0, None)
    """
    best, place = -math.inf, None
    for i, score in enumerate(scores):
        if score is None:
            continue
        steps = round(score / unit * _STEPS) if unit > 0 else 0
        if steps > best:
            best, place = steps, i
    return place
