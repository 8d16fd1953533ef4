"""What a method says about the columns at a node: candidates with their measures, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright.pages.blocks import Block
from treewright.reference.split import Split
from treewright.reference.tally import Tally


@dataclass(frozen=True)
class Branch:
    """One way out of a candidate's test: its label and what its rows hold."""

    label: str
    tally: Tally


@dataclass(frozen=True)
class Candidate:
    """The best that one column offers, or why it offers nothing (`split` is then None).

    `trace` is the candidate as the reference found it.
    """

    column: int
    test: str
    split: Split | None = None
    branches: tuple[Branch, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""
    steps: tuple[Block, ...] = ()
    trace: Any = None


@dataclass(frozen=True)
class Verdict:
    """Which candidate wins (by its place in the list; None if the node stays a leaf), and why."""

    winner: int | None
    why: str
