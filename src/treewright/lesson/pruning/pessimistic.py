"""Error-based pruning of C4.5, step by step on the grown tree: keep a subtree, make it a leaf, or raise a branch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from treewright.lesson.arithmetic.error_estimate import Pessimism
from treewright.lesson.arithmetic.sample import Portion, Sample
from treewright.lesson.arithmetic.split import Split
from treewright.lesson.arithmetic.tally import ClassTally
from treewright.lesson.routes import share_out, shared_rows, split_of
from treewright.tree.tree import Tree

_SLACK = 0.1 + 1e-6  # a smaller tree may be worse by a tenth of a row


@dataclass
class Twig:
    """A node that pruning may change. `id` is its number in the grown tree; a raised branch keeps its own."""

    id: int
    split: Split | None
    portion: Portion
    children: list[Twig] = field(default_factory=list)

    def preorder(self) -> Iterator[Twig]:
        """Give the node and all below it, parents first."""
        waiting = [self]
        while waiting:
            twig = waiting.pop()
            yield twig
            waiting += reversed(twig.children)


@dataclass(frozen=True)
class Verdict:
    """What was found at one inner node: three estimates and what became of it."""

    node: int
    rows: float
    errors: float
    as_leaf: float
    as_tree: float
    as_branch: float
    what: str

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values."""
        branch = self.as_branch if math.isfinite(self.as_branch) else None
        return {**self.__dict__, "as_branch": branch}


def read_twigs(tree: Tree, sample: Sample) -> Twig:
    """Take a fitted tree apart, with the rows of every node."""
    twigs: list[Twig] = []
    for node, portion in enumerate(shared_rows(tree, sample)):
        is_leaf = not tree.child_ids(node)
        twigs.append(Twig(node, None if is_leaf else split_of(tree, node), portion))
        parent = int(tree.node_parent[node])
        if parent >= 0:
            twigs[parent].children.append(twigs[node])
    return twigs[0]


class ErrorBasedPruning:
    """Prunes twigs from the bottom up and keeps a record."""

    def __init__(self, sample: Sample, pessimism: Pessimism, raises: bool) -> None:
        self.sample, self.pessimism, self.raises = sample, pessimism, raises
        self.record: list[Verdict] = []

    def run(self, root: Twig) -> None:
        """Judge every inner node, children first; a node with a raised branch is judged again with all below it."""
        waiting = [(root, False)]
        while waiting:
            twig, is_ready = waiting.pop()
            if twig.split is None:
                continue
            if not is_ready:
                waiting.append((twig, True))
                waiting += [(child, False) for child in reversed(twig.children)]
            elif self._judge(twig):
                waiting.append((twig, False))

    def _judge(self, twig: Twig) -> bool:
        """Decide on one node; True if a branch was raised in its place."""
        tally = cast(ClassTally, self.sample.tally(twig.portion))
        leaf, tree = self.pessimism.estimate(tally), self._below(twig)
        weights = [self.sample.tally(child.portion).weight for child in twig.children]
        largest = max(enumerate(twig.children), key=lambda pair: (round(weights[pair[0]], 6), pair[0]))[1]
        branch = self._if_given(largest, twig.portion) if self.raises else math.inf
        id, what = twig.id, "kept"
        if leaf <= tree + _SLACK and leaf <= branch + _SLACK:
            what = "becomes a leaf"
            twig.split, twig.children = None, []
        elif branch <= tree + _SLACK:
            what = f"replaced by its branch, node {largest.id}"
            twig.id, twig.split, twig.children = largest.id, largest.split, largest.children
            self._give(twig, twig.portion)
        self.record.append(Verdict(id, tally.weight, tally.errors, leaf, tree, branch, what))
        return what.startswith("replaced")

    def _below(self, twig: Twig) -> float:
        leaves = (leaf.portion for leaf in twig.preorder() if leaf.split is None)
        return math.fsum(self.pessimism.estimate(cast(ClassTally, self.sample.tally(portion))) for portion in leaves)

    def _given(self, twig: Twig, portion: Portion) -> Iterator[tuple[Twig, Portion]]:
        """Send rows through a subtree: every node with what would reach it."""
        waiting = [(twig, portion)]
        while waiting:
            here, rows = waiting.pop()
            yield here, rows
            if here.split is not None:
                parts = share_out(self.sample, rows, here.split, len(here.children))
                waiting += zip(here.children, parts, strict=True)

    def _if_given(self, twig: Twig, portion: Portion) -> float:
        leaves = (rows for here, rows in self._given(twig, portion) if here.split is None)
        return math.fsum(self.pessimism.estimate(cast(ClassTally, self.sample.tally(rows))) for rows in leaves)

    def _give(self, twig: Twig, portion: Portion) -> None:
        for here, rows in list(self._given(twig, portion)):
            here.portion = rows
