"""Tallies in words: "no 5, yes 9", "5 : 9", "3.25 (8)"."""

from __future__ import annotations

from typing import Any

from treewright.lesson.measures import weight_text
from treewright.reference.tally import ClassTally, NumberTally, Tally
from treewright.tree.format import name_text, number_text

_LISTED = 8
_BRIEF = 5


def full_text(tally: Tally, classes: tuple[Any, ...] | None) -> str:
    """Write a tally with the names of the classes that are present.

    >>> full_text(ClassTally(14, (5.0, 9.0)), ("no", "yes"))
    'no 5, yes 9'
    """
    if isinstance(tally, NumberTally):
        return f"mean {number_text(tally.mean, 6)}"
    assert isinstance(tally, ClassTally)
    said = [f"{name_text(k)} {weight_text(c)}" for k, c in zip(classes or (), tally.counts, strict=True) if c > 0]
    if len(said) > _LISTED:
        return ", ".join(said[:_LISTED]) + f" and {len(said) - _LISTED} more classes"
    return ", ".join(said) or "no rows"


def brief_text(tally: Tally) -> str:
    """Write a tally as short as it goes: the counts of a few classes, else the rows; or a mean and its rows.

    >>> brief_text(ClassTally(14, (5.0, 9.0))), brief_text(NumberTally.of([(1.0, 1.0), (2.0, 1.0)]))
    ('5 : 9', '1.5 (2)')
    """
    if isinstance(tally, NumberTally):
        return f"{number_text(tally.mean, 5)} ({weight_text(tally.weight)})"
    assert isinstance(tally, ClassTally)
    if len(tally.counts) > _BRIEF:
        return "1 row" if tally.weight == 1 else f"{weight_text(tally.weight)} rows"
    return " : ".join(weight_text(count) for count in tally.counts)
