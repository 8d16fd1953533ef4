"""What was decided on the way, and how to change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treewright.encode.column_kinds import guess_kinds
from treewright.pages.blocks import Block, Heading, Paragraph, Table
from treewright.report.split_rows import SplitTable

_MOST_NAMES = 6


@dataclass(frozen=True)
class Decisions:
    """What there was to decide."""

    rows: SplitTable
    tree: Any
    cv: int
    test_share: float
    random_state: int
    column_kinds: Mapping[str, str] | None


def decisions_section(made: Decisions) -> Iterator[Block]:
    """List the decisions, each with the parameter that changes it."""
    yield Heading(2, "What was decided, and how to change it", "decisions")
    guessed = [r.name for r in guess_kinds(made.rows.whole, made.column_kinds) if r.decided_by == "guess"]
    more = f" and {len(guessed) - _MOST_NAMES} more" if len(guessed) > _MOST_NAMES else ""
    names = ", ".join(guessed[:_MOST_NAMES]) + more
    what = "classes" if made.rows.has_classes else "numbers"
    lines = [
        (f"The target '{made.rows.target}' is one of {what}.", "task=, --task"),
        (f"{len(guessed)} columns are numeric or nominal by a guess: {names or 'none'}.", "column_kinds=, --kind"),
        (f"{made.test_share:.0%} of the rows are held out.", "test_share=, --test-share"),
        (f"Learners are compared on {made.cv} folds of the others.", "cv=, --cv; algorithms=, --algorithms"),
        ("The tree is grown to the end and cut back by cross-validation.", "tw.DecisionTree…(prune=…)"),
        (f"Rows are dealt out by the seed {made.random_state}.", "random_state=, --seed"),
    ]
    yield Table(("decision", "to change it"), tuple(lines))
    yield Paragraph("The same table, parameters and seed give the same report, whatever the number of processors.")
