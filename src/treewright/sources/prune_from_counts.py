"""Error-based pruning (Quinlan 1993, chapter 4) of a tree whose rows are elsewhere: the same as with the rows at hand.

A leaf needs what its node holds, which growth has counted. A branch in the place of its node gets other rows: how many
of each class would come to its leaves is asked of the source. All nodes whose children are done are asked about at
once, since no row comes to two of them. `core/prune/error_based.cpp` does the same with rows, addition by addition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import inf
from operator import add
from typing import Any

import numpy as np

from treewright import _core
from treewright.sources.questions import Integers, Numbers, Plan, Routing
from treewright.sources.source import Source

_SLACK = 0.1  # a smaller tree may be worse by a tenth of an error
_TINY = 1e-6  # weights and errors that are closer are the same
_NO_BETTER = 1e-3  # a subtree that gets no more rows right is collapsed
_TESTS = ("kind", "column", "threshold", "missing_branch")


@dataclass(frozen=True)
class GrownTest:
    """The test of a node that was grown: where it stands in the arrays of its tree."""

    arrays: Mapping[str, Any]
    place: int


@dataclass(eq=False)
class LiveNode:
    """A node while its tree is pruned. It may become a leaf, or what its largest branch is."""

    test: GrownTest
    sums: Integers  # rows, and the weight of each class in units
    children: list[LiveNode] = field(default_factory=list)
    done: bool = True  # whether everything below it has been decided
    expected: float = 0.0  # errors, as it stands now
    errors_below: float | None = None  # those that the leaves below it make in training, as they were grown

    def postorder(self) -> Iterator[LiveNode]:
        """Every node below it, and then itself; children before their parents."""
        found = [self]
        for node in found:
            found.extend(node.children)
        return reversed(found)


def live_nodes(tree: _core.Tree, plan: Plan) -> list[LiveNode]:
    """The nodes of a tree, in the order in which they are stored; the first one is the root."""
    arrays = tree.arrays()
    sums = np.zeros((tree.n_nodes, 1 + plan.n_classes), dtype=np.int64)
    sums[:, 0] = arrays["n_rows"]
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    sums[node, 1 + arrays["count_class"].astype(np.int64)] = np.rint(arrays["count_weight"] / unit_of(plan))
    nodes = [LiveNode(GrownTest(arrays, place), own) for place, own in enumerate(sums)]
    start, children = tree.children_start.tolist(), tree.children.tolist()
    for place, one in enumerate(nodes):
        one.children = [nodes[child] for child in children[start[place] : start[place + 1]]]
    return nodes


def unit_of(plan: Plan) -> float:
    """The weight of one unit."""
    return 1.0 if plan.units.unit_weights else 2.0**-plan.units.weight_shift


def class_sums(plan: Plan, sums: Integers) -> Integers:
    """Rows and the weight of each class; of two classes a cell has the weight of both, and of the second."""
    if plan.n_classes > 2:
        return sums
    both = np.column_stack([sums[:, 0], sums[:, 1] - sums[:, 2], sums[:, 2]])
    return both[:, : 1 + plan.n_classes]


def collapse(root: LiveNode, plan: Plan) -> None:
    """Make leaves of subtrees that get no more training rows right than their root alone."""
    unit = unit_of(plan)
    for node in root.postorder():
        own = float(node.sums[1:].sum() - node.sums[1:].max()) * unit
        if not node.children and node.errors_below is None:
            node.errors_below = own
        elif not node.done:
            node.errors_below = _added(child.errors_below or 0.0 for child in node.children)
            if node.errors_below >= own - _NO_BETTER:
                node.children = []


@dataclass
class ErrorPruning:
    """What is asked while a tree is pruned; `choices` are those of `_core.prune_by_errors`."""

    source: Source
    plan: Plan
    choices: Mapping[str, Any]

    def run(self, root: LiveNode) -> None:
        """Decide about every node that is not done, children first."""
        waiting = self._start(root)
        while waiting:
            ready = [node for node in waiting if _may_be_decided(node)]
            waiting = [node for node in waiting if not _may_be_decided(node)]
            given = self._sums_if_given(root, [node for node in ready if self._may_be_raised(node)])
            for node, leaf in zip(ready, self._as_leaves([node.sums for node in ready]), strict=True):
                waiting += self._decide(node, leaf, given.get(node, {}))

    def _start(self, root: LiveNode) -> list[LiveNode]:
        """What is expected of nodes that are done; gives the others."""
        nodes = list(root.postorder())
        for node, leaf in zip(nodes, self._as_leaves([node.sums for node in nodes]), strict=True):
            node.expected = _added(child.expected for child in node.children) if node.children else leaf
        return [node for node in nodes if not node.done]

    def _may_be_raised(self, node: LiveNode) -> bool:
        """Whether the largest branch of a node asks something, and so gets the rows of the others with its own."""
        return self.choices["raise_subtrees"] and bool(node.children) and bool(self._largest(node).children)

    def _largest(self, node: LiveNode) -> LiveNode:
        """The largest branch by weight, the last of equals."""
        weights = [float(child.sums[1:].sum()) * unit_of(self.plan) for child in node.children]
        largest = 0
        for i, weight in enumerate(weights):
            if weight > weights[largest] - _TINY:
                largest = i
        return node.children[largest]

    def _as_leaves(self, sums: Sequence[Integers]) -> list[float]:
        """The errors to be expected of leaves that hold this."""
        if not sums:
            return []
        classes = np.array(sums)[:, 1:]
        weight, unit = classes.sum(axis=1), unit_of(self.plan)
        errors = (weight - classes.max(axis=1)) * unit
        expected: list[float] = _core.expected_errors(weight * unit, errors, dict(self.choices)).tolist()
        return expected

    def _decide(self, node: LiveNode, leaf: float, given: Mapping[LiveNode, Integers]) -> list[LiveNode]:
        """Decide about a node whose children are done; gives the nodes to decide about anew if a branch is raised.

        `leaf`: the errors to be expected of it as a leaf; `given`: what the leaves of its largest branch would hold.
        """
        node.done = True
        node.expected = leaf
        if not node.children:
            return []
        tree, branch = _added(child.expected for child in node.children), inf
        if self.choices["raise_subtrees"]:
            branch = self._errors_if_given(self._largest(node), given) if given else leaf
        if leaf <= tree + _SLACK + _TINY and leaf <= branch + _SLACK + _TINY:
            node.children = []
            return []
        node.expected = tree
        return self._raise(node, given) if branch <= tree + _SLACK + _TINY else []

    def _errors_if_given(self, branch: LiveNode, given: Mapping[LiveNode, Integers]) -> float:
        """The errors to be expected of a subtree whose leaves get these rows; added in the order of the core."""
        leaves = dict(zip(given, self._as_leaves(list(given.values())), strict=True))
        total, waiting = 0.0, [branch]
        while waiting:
            node = waiting.pop()
            if any(child.children for child in node.children):
                waiting += reversed(node.children)
            else:
                total += _added(leaves[child] for child in node.children) if node.children else leaves[node]
        return total

    def _raise(self, node: LiveNode, given: Mapping[LiveNode, Integers]) -> list[LiveNode]:
        """Put the largest branch in the place of its node: everything below gets the rows of the node."""
        branch = self._largest(node)
        node.test, node.children = branch.test, branch.children
        below = [one for one in node.postorder() if one is not node]
        for one in below:
            one.sums = given[one] if not one.children else np.sum([child.sums for child in one.children], axis=0)
        leaves = [one for one in below if not one.children]
        for one, expected in zip(leaves, self._as_leaves([one.sums for one in leaves]), strict=True):
            one.expected = expected
        anew = [*(one for one in below if one.children), node]
        for one in anew:
            one.done = False
        return anew

    # ---------------------------------------------------------------- what is asked
    def _sums_if_given(self, root: LiveNode, nodes: Sequence[LiveNode]) -> dict[LiveNode, dict[LiveNode, Integers]]:
        """What the leaves of the largest branches would hold if all rows of their nodes came to them."""
        if not nodes:
            return {}
        shown, leaves = _with_branches(root, {node: self._largest(node) for node in nodes})
        places = tuple(place for _, _, place in leaves)
        routing = Routing(tree_arrays(shown, self.plan), len(self.plan.schema.columns), self.plan.n_classes, places)
        counts = self.source.count(self.plan, routing, [], False)
        found: dict[LiveNode, dict[LiveNode, Integers]] = {node: {} for node in nodes}
        for (node, leaf, _), sums in zip(leaves, class_sums(self.plan, counts.nodes.sums), strict=True):
            found[node][leaf] = sums
        return found


Shown = list[tuple[LiveNode, int]]  # nodes in the order of a stored tree, and how many children each has there


def _with_branches(
    root: LiveNode, asked: Mapping[LiveNode, LiveNode]
) -> tuple[Shown, list[tuple[LiveNode, LiveNode, int]]]:
    """The tree with some nodes' branches in their places, and no further than these.

    Also their leaves: the node, the leaf, and where it stands.
    """
    shown: Shown = []
    leaves = []
    waiting: list[tuple[LiveNode, LiveNode | None]] = [(root, None)]
    while waiting:
        node, given_to = waiting.pop()
        if node in asked:
            node, given_to = asked[node], node
        children = node.children if given_to is not None or not node.done else []
        if given_to is not None and not children:
            leaves.append((given_to, node, len(shown)))
        shown.append((node, len(children)))
        waiting += [(child, given_to) for child in reversed(children)]
    return shown, leaves


def whole_tree(root: LiveNode, plan: Plan) -> _core.Tree:
    """The tree as it stands now; impurities, gains and answers are left to those who write it."""
    shown: Shown = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        shown.append((node, len(node.children)))
        waiting += reversed(node.children)
    return _core.Tree(tree_arrays(shown, plan), len(plan.schema.columns), plan.n_classes)


def tree_arrays(shown: Shown, plan: Plan) -> dict[str, Any]:
    """The arrays of a stored tree of these nodes."""
    n, unit = len(shown), unit_of(plan)
    tests = [node.test for node, _ in shown]
    inner = np.array([count > 0 for _, count in shown])
    sums = np.array([node.sums for node, _ in shown])
    where, which = np.nonzero(sums[:, 1:])
    arrays: dict[str, Any] = {
        "n_children": np.array([count for _, count in shown], dtype=np.uint16),
        "n_rows": np.ascontiguousarray(sums[:, 0]),
        "weight": sums[:, 1:].sum(axis=1) * unit,
        "count_start": np.append(0, np.cumsum(np.bincount(where, minlength=n))).astype(np.int64),
        "count_class": which.astype(np.uint32),
        "count_weight": sums[where, 1 + which] * unit,
        "prediction": np.zeros(n, dtype=np.int32),
        "impurity": np.zeros(n),
        "gain": np.zeros(n),
    }
    of_leaf = {"kind": 0, "column": -1, "threshold": np.nan, "missing_branch": -1}
    for name in _TESTS:
        given = np.array([test.arrays[name][test.place] for test in tests], dtype=tests[0].arrays[name].dtype)
        arrays[name] = np.where(inner, given, given.dtype.type(of_leaf[name]))
    return arrays | _levels(tests, inner)


def _levels(tests: Sequence[GrownTest], inner: Numbers) -> dict[str, Any]:
    """The levels of each test with their branches."""
    levels, branches, length = [np.empty(0, dtype=np.uint32)], [np.empty(0, dtype=np.uint16)], []
    for test, asks in zip(tests, inner, strict=True):
        begin, end = test.arrays["level_start"][test.place : test.place + 2] if asks else (0, 0)
        levels.append(test.arrays["level"][begin:end])
        branches.append(test.arrays["level_branch"][begin:end])
        length.append(end - begin)
    return {
        "level_start": np.append(0, np.cumsum(length)).astype(np.int64),
        "level": np.concatenate(levels),
        "level_branch": np.concatenate(branches),
    }


def _may_be_decided(node: LiveNode) -> bool:
    return all(child.done for child in node.children)


def _added(numbers: Iterable[float]) -> float:
    """One after the other, as the core adds: `sum` of newer Pythons rounds otherwise."""
    return reduce(add, numbers, 0.0)
