"""How C4.5 makes its tree smaller: collapsing, error-based pruning with subtree raising, or reduced error.

Written with recursion because that is how it is told; oracle tables are small.
"""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist

from oracle.c45 import C45, Node
from oracle.c45_splits import TINY, Cases, Counts, Settings, class_counts
from treewright.reference.table import Table

SLACK = 0.1  # a smaller tree may be worse by a tenth of a case
FOLDS = 3  # reduced error: one third is kept for pruning
_TABLE_OF_CONFIDENCE = (0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_TABLE_OF_DEVIATION = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def deviation(confidence: float, variant: str) -> float:
    """How many standard deviations the upper limit lies above: the normal quantile, or release 8's table of it.

    >>> round(deviation(0.25, "j48"), 4), round(deviation(0.25, "c45"), 4)
    (0.6745, 0.6925)
    """
    if variant == "j48":
        return NormalDist().inv_cdf(1 - confidence)
    known = list(zip(_TABLE_OF_CONFIDENCE, _TABLE_OF_DEVIATION, strict=True))
    for (c0, d0), (c1, d1) in itertools.pairwise(known):
        if confidence <= c1:
            return d0 + (d1 - d0) * (confidence - c0) / (c1 - c0)
    return 0.0


def extra_errors(cases: float, errors: float, settings: Settings) -> float:
    """What is added to the errors of a leaf: the upper limit of its error rate times its cases, less the errors.

    >>> book = Settings(variant="c45")
    >>> [round(extra_errors(n, e, book), 3) for n, e in ((6, 0), (9, 0), (1, 0), (16, 1))]
    [1.238, 1.285, 0.75, 1.507]
    >>> round(extra_errors(16, 1, Settings()), 4), round(extra_errors(2.4, 2, Settings()), 4)
    (1.4757, 0.4)
    """
    j48 = settings.variant == "j48"
    if j48 and settings.confidence > 0.5:
        return 0.0
    nothing = cases * (1 - settings.confidence ** (1 / cases))
    if errors < TINY:
        return nothing
    if errors < (1.0 if j48 else 0.9999):
        return nothing + errors * (extra_errors(cases, 1.0, settings) - nothing)
    if errors + 0.5 >= cases:
        return max(cases - errors, 0.0) if j48 else 0.67 * (cases - errors)
    z = deviation(settings.confidence, settings.variant)
    half = errors + 0.5
    limit = half + z * z / 2 + z * math.sqrt(half * (1 - half / cases) + z * z / 4)
    return cases * limit / (cases + z * z) - errors


def estimate(counts: Counts, settings: Settings) -> float:
    """The errors to be feared from a leaf with these class weights."""
    cases = sum(counts)
    if cases < TINY:
        return 0.0
    errors = max(cases - max(counts), 0.0)
    return errors + extra_errors(cases, errors, settings)


def training_errors(node: Node) -> float:
    """The weight that a subtree gets wrong."""
    return sum(map(training_errors, node.children)) if node.children else node.errors


def collapse(node: Node) -> None:
    """Make leaves of subtrees that get no more right than their root alone, from the top down.

    From the bottom up it is the same: errors of the leaves below do not change by collapsing.
    """
    if node.children and training_errors(node) >= node.errors - 1e-3:
        node.become_leaf()
    for child in node.children:
        collapse(child)


class ErrorBasedPruning:
    """Replace subtrees by a leaf or by their largest branch while the estimate does not get worse."""

    def __init__(self, tree: C45) -> None:
        self.tree, self.settings = tree, tree.settings

    def errors_below(self, node: Node) -> float:
        """The estimate of a subtree with its own cases."""
        if not node.children:
            return estimate(node.counts, self.settings)
        return sum(map(self.errors_below, node.children))

    def errors_if_given(self, node: Node, cases: Cases) -> float:
        """The estimate of a subtree if these cases came to it."""
        if node.test is None:
            return estimate(class_counts(self.tree.table, cases), self.settings)
        parts = self.tree.divide(node.test, cases)
        return sum(self.errors_if_given(child, part) for child, part in zip(node.children, parts, strict=True))

    def give(self, node: Node, cases: Cases, answer_above: int) -> None:
        """Send other cases through a subtree."""
        fresh = self.tree.node(cases, answer_above)
        node.cases, node.counts, node.answer = fresh.cases, fresh.counts, fresh.answer
        if node.test is not None:
            for child, part in zip(node.children, self.tree.divide(node.test, cases), strict=True):
                self.give(child, part, node.answer)

    def prune(self, node: Node) -> None:
        """Children first; then a leaf, the largest branch (the last of equals), or as it is."""
        if node.test is None:
            return
        for child in node.children:
            self.prune(child)
        leaf, tree, branch = estimate(node.counts, self.settings), self.errors_below(node), math.inf
        largest = max(enumerate(node.children), key=lambda entry: (round(entry[1].weight, 6), entry[0]))[1]
        if self.settings.raise_subtrees:
            branch = self.errors_if_given(largest, node.cases)
        if leaf <= tree + SLACK + TINY and leaf <= branch + SLACK + TINY:
            node.become_leaf()
        elif branch <= tree + SLACK + TINY:
            node.test, node.children = largest.test, largest.children
            self.give(node, node.cases, node.answer)
            self.prune(node)


def held_out_rows(table: Table, folds: int = FOLDS) -> tuple[list[int], list[int]]:
    """The rows to grow from and those to prune with, as J48 -R takes them: classes dealt out in turn, the last third.

    Weka shuffles the rows to grow from with its seed, which changes no tree: nothing depends on their order.
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


class ReducedError:
    """Make leaves of subtrees that are no better on the rows kept for it, children first."""

    def __init__(self, tree: C45) -> None:
        self.tree = tree

    def held_out_cases(self, node: Node, cases: Cases, found: dict[int, Cases]) -> None:
        """Send the kept rows down; missing values are shared out as the growing rows were."""
        found[id(node)] = cases
        if node.test is None:
            return
        values = self.tree.table.columns[node.test.column].values
        parts: list[list[tuple[int, float]]] = [[] for _ in node.children]
        for row, weight in cases:
            branch = node.test.branch(values[row])
            if branch is not None:
                parts[branch].append((row, weight))
                continue
            for part, child in zip(parts, node.children, strict=True):
                if child.weight / node.weight > TINY:
                    part.append((row, weight * child.weight / node.weight))
        for child, part in zip(node.children, parts, strict=True):
            self.held_out_cases(child, part, found)

    def wrong(self, cases: Cases, answer: int) -> float:
        """The weight that one answer gets wrong."""
        return sum(weight for row, weight in cases if self.tree.table.target[row] != answer)

    def prune(self, node: Node, kept: dict[int, Cases]) -> float:
        """Prune a subtree; give its errors on the kept rows."""
        as_leaf = self.wrong(kept[id(node)], node.answer)
        if node.test is None:
            return as_leaf
        below = sum(self.prune(child, kept) for child in node.children)
        if as_leaf <= below + TINY:
            node.become_leaf()
            return as_leaf
        return below


def fit(table: Table, settings: Settings) -> tuple[C45, Node]:
    """Grow and prune as the settings say.

    >>> from treewright.reference.table import Column
    >>> table = Table((Column("numeric", (1, 2, 3, 4, 5, 6)),), (0, 0, 0, 1, 1, 1), (1,) * 6, 2)
    >>> _, root = fit(table, Settings(confidence=0.5))
    >>> root.test.threshold, [child.counts for child in root.children]
    (3, [[3.0, 0.0], [0.0, 3.0]])
    """
    tree = C45(table, settings)
    if settings.reduced_error:
        grown, held = held_out_rows(table)
        root = tree.grow(grown)
        if settings.prune:
            pruner, kept = ReducedError(tree), {}
            pruner.held_out_cases(root, [(row, float(table.weights[row])) for row in held], kept)
            pruner.prune(root, kept)
        return tree, root
    root = tree.grow()
    if settings.collapse:
        collapse(root)
    if settings.prune:
        ErrorBasedPruning(tree).prune(root)
    return tree, root
