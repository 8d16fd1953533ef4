"""Tables for chi-square: counts with what independence would expect, and the steps of merging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from treewright.lesson.measures import fixed, p_text, weight_text
from treewright.pages.blocks import Table
from treewright.reference.chaid_merging import Group, Merging, Step
from treewright.reference.group_tests import expected_counts
from treewright.reference.tally import ClassTally, NumberTally
from treewright.tree.format import name_text, number_text

_SHOWN_CLASSES = 6


def contingency_table(
    name: str, groups: Sequence[Group], merging: Merging, label: Callable[[Group], str], classes: tuple[Any, ...] | None
) -> Table:
    """List the groups with their counts and, in brackets, the counts that independence would expect."""
    tallies = [merging.tally(group) for group in groups]
    labels = [label(group) for group in groups]
    if classes is None:
        numbers = [cast(NumberTally, tally) for tally in tallies]
        means_of = [
            (text, weight_text(n.weight), number_text(n.mean, 5), fixed(n.squared_errors))
            for text, n in zip(labels, numbers, strict=True)
        ]
        return Table((name, "rows", "mean", "squared errors"), tuple(means_of), frozenset({1, 2, 3}))
    counts = [cast(ClassTally, tally).counts for tally in tallies]
    kept = [k for k in range(len(classes)) if any(row[k] > 0 for row in counts)][:_SHOWN_CLASSES]
    means = expected_counts(counts)
    rows = [
        (text, weight_text(sum(row)), *(f"{weight_text(row[k])} ({expected[k]:.1f})" for k in kept))
        for text, row, expected in zip(labels, counts, means, strict=True)
    ]
    headings = (name, "rows", *(name_text(classes[k]) for k in kept))
    return Table(headings, tuple(rows), frozenset(range(1, len(headings))), caption="Counts (expected counts)")


def merging_table(name: str, steps: Sequence[Step], label: Callable[[Group], str]) -> Table:
    """List the pairs that were tested in turn, and what followed."""
    rows = [
        (
            " | ".join(label(group) for group in step.groups),
            fixed(step.test.statistic),
            str(step.test.degrees),
            p_text(step.test.log_p),
            step.verdict,
        )
        for step in steps
    ]
    headings = (f"most alike in {name}", "statistic", "df", "p", "")
    return Table(headings, tuple(rows), frozenset({1, 2, 3}), caption="Merging")
