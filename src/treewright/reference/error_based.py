"""How C4.5 makes its tree smaller (Quinlan 1993, chapter 4): collapsing, error-based pruning with raising of subtrees,
or reduced error on rows that were kept for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Any

from treewright.reference.c45 import C45, Settings
from treewright.reference.gain_ratio import TINY
from treewright.reference.growing import Algorithm, Node
from treewright.reference.table import Cases, Place, Table

SLACK = 0.1  # a smaller tree may be worse by a tenth of a case
FOLDS = 3  # reduced error: one third is kept for pruning
_CONFIDENCES = (0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)  # release 8 reads z from a table
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


@dataclass(frozen=True)
class Pessimism:
    """The errors to be feared from a leaf: the upper limit of its error rate at a confidence, times its cases.

    >>> book = Pessimism(0.25, "c45")
    >>> [round(book.extra_errors(n, e), 3) for n, e in ((6, 0), (9, 0), (1, 0), (16, 1))]
    [1.238, 1.285, 0.75, 1.507]
    >>> round(Pessimism(0.25).extra_errors(16, 1), 4), round(Pessimism(0.25).extra_errors(2.4, 2), 4)
    (1.4757, 0.4)
    """

    confidence: float
    variant: str = "j48"

    @property
    def deviation(self) -> float:
        """How many standard deviations the limit lies above the rate: the normal quantile, or release 8's table of it.

        >>> round(Pessimism(0.25).deviation, 4), round(Pessimism(0.25, "c45").deviation, 4)
        (0.6745, 0.6925)
        """
        if self.variant == "j48":
            tiny = self.confidence <= 1e-16  # 1 less it would be 1
            return -NormalDist().inv_cdf(self.confidence) if tiny else NormalDist().inv_cdf(1 - self.confidence)
        for (c0, d0), (c1, d1) in pairwise(zip(_CONFIDENCES, _DEVIATIONS, strict=True)):
            if self.confidence <= c1:
                return d0 + (d1 - d0) * (self.confidence - c0) / (c1 - c0)
        return 0.0

    def extra_errors(self, cases: float, errors: float) -> float:
        """What is added to the errors that a leaf makes on its training cases."""
        is_j48 = self.variant == "j48"
        if is_j48 and self.confidence > 0.5:
            return 0.0
        nothing = cases * (1 - float(self.confidence ** (1 / cases)))
        if errors < TINY:
            return nothing
        if errors < (1.0 if is_j48 else 0.9999):
            return nothing + errors * (self.extra_errors(cases, 1.0) - nothing)
        if errors + 0.5 >= cases:
            return max(cases - errors, 0.0) if is_j48 else 0.67 * (cases - errors)
        z, half = self.deviation, errors + 0.5
        limit = half + z * z / 2 + z * math.sqrt(half * (1 - half / cases) + z * z / 4)
        return cases * limit / (cases + z * z) - errors

    def estimate(self, tally: Any) -> float:
        """The errors to be feared from a leaf with these counts; none from a leaf without cases."""
        if tally.weight < TINY:
            return 0.0
        errors = max(float(tally.errors), 0.0)
        return errors + self.extra_errors(float(tally.weight), errors)


@dataclass(frozen=True)
class Verdict:
    """What was found at one inner node: the errors to be feared as a leaf, as it is, with its largest branch in its
    place (infinite where that is not tried), and what became of it: "kept", "leaf" or the number of that branch."""

    node: int
    weight: float
    errors: float
    as_leaf: float
    as_tree: float
    as_branch: float
    what: str | int


class ErrorBasedPruning:
    """Replace subtrees by a leaf or by their largest branch while the estimate does not get worse.

    `record` is the trace: a verdict for every inner node that was judged.
    """

    def __init__(self, algorithm: Algorithm, pessimism: Pessimism, raises: bool = True) -> None:
        self.algorithm, self.pessimism, self.raises = algorithm, pessimism, raises
        self.record: list[Verdict] = []

    def run(self, root: Node) -> None:
        """Judge every inner node, children first; a node with a raised branch is judged again with all below it."""
        waiting = [(root, False)]
        while waiting:
            node, is_ready = waiting.pop()
            if node.split is None:
                continue
            if not is_ready:
                waiting.append((node, True))
                waiting += [(child, False) for child in reversed(node.children)]
            elif self.judge(node):
                waiting.append((node, False))

    def judge(self, node: Node) -> bool:
        """A leaf, the largest branch (the last of equals), or as it is; True if a branch was raised."""
        tally: Any = node.tally
        leaf, tree = self.pessimism.estimate(tally), self.feared_below(node)
        largest = max(enumerate(node.children), key=lambda pair: (round(pair[1].weight, 6), pair[0]))[1]
        branch = self.feared_if_given(largest, node.place.cases) if self.raises else math.inf
        number = node.number
        what: str | int = "kept"
        if leaf <= tree + SLACK + TINY and leaf <= branch + SLACK + TINY:
            what = "leaf"
            node.become_leaf()
        elif branch <= tree + SLACK + TINY:
            what = largest.number
            self.raise_branch(node, largest)
        self.record.append(Verdict(number, tally.weight, tally.errors, leaf, tree, branch, what))
        return not isinstance(what, str)

    def raise_branch(self, node: Node, branch: Node) -> None:
        """Put a branch in the place of its node, and send it all the cases of the node."""
        node.number, node.split, node.children = branch.number, branch.split, branch.children
        node.n_branches = branch.n_branches
        for child in node.children:
            child.parent = node
        for here, cases in list(self.given(node, node.place.cases)):
            here.place = Place(here.place.table, cases)
            here.answer = self.algorithm.answer(here)

    def feared_below(self, node: Node) -> float:
        """The errors to be feared from the leaves of a subtree."""
        return math.fsum(self.pessimism.estimate(leaf.tally) for leaf in node.preorder() if leaf.split is None)

    def feared_if_given(self, node: Node, cases: Cases) -> float:
        """The same if other cases came to it."""
        leaves = (part for here, part in self.given(node, cases) if here.split is None)
        return math.fsum(self.pessimism.estimate(node.place.table.tally(part)) for part in leaves)

    def given(self, node: Node, cases: Cases) -> Iterator[tuple[Node, Cases]]:
        """Send cases through a subtree: every node with what would reach it, parents first."""
        waiting = [(node, cases)]
        while waiting:
            here, part = waiting.pop()
            yield here, part
            if here.split is not None:
                parts = self.algorithm.divide(here.split, part, len(here.children))
                waiting += zip(here.children, parts, strict=True)


def collapse(root: Node) -> None:
    """Make leaves of subtrees that get no more right on their own cases than their root alone.

    >>> from treewright.reference.table import Column
    >>> table = Table((Column("nominal", (1, 1, 1, 2, 2, 2)),), (0, 0, 0, 0, 0, 1), (1.0,) * 6, n_classes=2)
    >>> root = C45(table, Settings(min_samples_leaf=1)).grow()
    >>> collapse(root)  # both branches answer 0
    >>> root.split is None
    True
    """
    wrong: dict[int, float] = {}
    for node in reversed(list(root.preorder())):
        own = max(node.tally.errors, 0.0)  # type: ignore[attr-defined]
        wrong[id(node)] = sum(wrong[id(child)] for child in node.children) if node.children else own
        if node.children and wrong[id(node)] >= own - 1e-3:
            node.become_leaf()


# ------------------------------------------------------------------------------------------ reduced error
def held_out_rows(table: Table, folds: int = FOLDS) -> tuple[list[int], list[int]]:
    """The rows to grow from and those to prune with, as J48 -R takes them: classes dealt out in turn, the last third.

    Weka shuffles the rows to grow from with its seed, which changes no tree: nothing depends on their order.

    >>> held_out_rows(Table((), (0, 0, 0, 1, 1, 1), (1.0,) * 6, n_classes=2))
    ([0, 3, 1, 4], [2, 5])
    """
    rows, label_at = table.rows(), 1
    while label_at < len(rows):  # bring together the rows of one class after the other, by swapping as Weka does
        label = table.target[rows[label_at - 1]]
        for j in range(label_at, len(rows)):
            if table.target[rows[j]] == label:
                rows[label_at], rows[j] = rows[j], rows[label_at]
                label_at += 1
        label_at += 1
    dealt = [rows[i] for start in range(folds) for i in range(start, len(rows), folds)]
    held = len(dealt) // folds
    return dealt[: len(dealt) - held], dealt[len(dealt) - held :]


def reduced_error(root: Node, held: Cases) -> None:
    """Make leaves of subtrees that are no better on the cases kept for it, children first.

    >>> from treewright.reference.table import Column
    >>> table = Table((Column("nominal", (1, 1, 1, 2, 2, 2)),), (0, 0, 0, 0, 0, 1), (1.0,) * 6, n_classes=2)
    >>> root = C45(table, Settings(min_samples_leaf=1)).grow()
    >>> reduced_error(root, table.cases([0, 3, 4]))
    >>> root.split is None
    True
    """
    kept = dict(_kept_cases(root, held))
    target = root.place.table.target
    wrong: dict[int, float] = {}
    for node in reversed(list(root.preorder())):
        as_leaf = sum(weight for row, weight in kept[id(node)] if target[row] != node.answer)
        wrong[id(node)] = sum(wrong[id(child)] for child in node.children) if node.children else as_leaf
        if node.children and as_leaf <= wrong[id(node)] + TINY:
            node.become_leaf()
            wrong[id(node)] = as_leaf


def _kept_cases(root: Node, held: Cases) -> Iterator[tuple[int, Cases]]:
    """The kept cases of each node; missing values are shared out as the growing cases were."""
    waiting = [(root, held)]
    while waiting:
        node, cases = waiting.pop()
        yield id(node), cases
        if node.split is None:
            continue
        parts: list[list[tuple[int, float]]] = [[] for _ in node.children]
        for row, weight in cases:
            branch = node.split.way(node.place.table, row)
            shares = {branch: 1.0} if branch is not None else _shares(node)
            for place, share in shares.items():
                parts[place].append((row, weight * share))
        waiting += zip(node.children, parts, strict=True)


def _shares(node: Node) -> dict[int, float]:
    shares = ((place, child.weight / node.weight) for place, child in enumerate(node.children))
    return {place: share for place, share in shares if share > TINY}


def fit(table: Table, settings: Settings | None = None) -> tuple[C45, Node]:
    """Grow and prune as the settings say.

    >>> from treewright.reference.table import Column
    >>> table = Table((Column("numeric", (1, 2, 3, 4, 5, 6)),), (0, 0, 0, 1, 1, 1), (1,) * 6, 2)
    >>> _, root = fit(table, Settings(confidence=0.5))
    >>> root.split.cuts, [child.tally.counts for child in root.children]
    ((3,), [(3.0, 0.0), (0.0, 3.0)])
    """
    c45 = C45(table.as_floats(), settings)
    rules = c45.settings
    if rules.reduced_error:
        grown, held = held_out_rows(table)
        root = c45.grow(c45.table.cases(grown))
        if rules.prune:
            reduced_error(root, c45.table.cases(held))
        return c45, root
    root = c45.grow()
    if rules.collapse:
        collapse(root)
    if rules.prune:
        ErrorBasedPruning(c45, Pessimism(rules.confidence, rules.variant), rules.raise_subtrees).run(root)
    return c45, root
