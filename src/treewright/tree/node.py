"""One node of a tree, to look at: a light view that reads the tree's arrays when asked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.tree.equation import equation_numbers, equation_text, has_equations
from treewright.tree.format import cells, clip, fact_texts, mean_text, name_text, padded, rows_text, share_text
from treewright.tree.test import NodeTest, read_test

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


# What one node holds, in words: the share of its class, or its value and spread, and how many rows.


_ROOT_CLASSES = 4
_LONGEST_CLASS = 24

# What the value of a regression node is, and what its impurity says about the spread around it.
VALUE_WORD = {"squared_error": "mean", "absolute_error": "median", "poisson": "rate"}
SPREAD_WORD = {"squared_error": "sd", "absolute_error": "mean deviation"}


class NodeText:
    """Words for the nodes of one tree, with class names padded to the same width.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> words = NodeText(example_tree(), digits=6, arrow="→ ")
    >>> words.root_line()
    'play: yes 64 %, no 36 %  (14 rows)'
    >>> words.right(example_tree().node(1))
    '→ yes  100 %  (4 of 4)'
    """

    def __init__(self, tree: Tree, digits: int, arrow: str, dots: str = "…") -> None:
        self.tree = tree
        self.digits = digits
        self.arrow = arrow
        arrays = tree.arrays
        self.is_weighted = not np.array_equal(arrays["weight"], arrays["n_rows"])
        self.equations = equation_numbers(tree)
        self.class_names = [clip(name_text(label), _LONGEST_CLASS, dots) for label in tree.classes or ()]
        used = set(arrays["prediction"].tolist()) if self.class_names else set()
        self.class_width = max((cells(self.class_names[index]) for index in used), default=0)

    def right(self, node: Node) -> str:
        """Write the right side of a node's line."""
        mark = self.arrow if node.is_leaf else " " * len(self.arrow)
        return mark + (self._value(node) if self.tree.classes is None else self._class(node))

    def root_line(self) -> str:
        """Write the first line of a tree: the target, and how it lies before any question is asked."""
        root = self.tree.root
        target = self.tree.schema.target
        name = f"{name_text(target)}: " if target is not None else ""
        if root.is_leaf:
            return name + self.right(root)
        return f"{name}{self.summary(root)}  ({self._rows(root)})"

    def summary(self, node: Node) -> str:
        """Write what lies in a node: the shares of its classes, or its value and the spread around it."""
        if self.tree.classes is not None:
            return self._shares(node)
        word = VALUE_WORD.get(self.tree.criterion or "", "value")
        return f"{word} {self._number(node.prediction)}{self._spread(node, before=', ')}"

    def _class(self, node: Node) -> str:
        index = int(self.tree.arrays["prediction"][node.id])
        weights = dict(node.class_weights())
        total, own = sum(weights.values()), weights.get(index, 0.0)
        name = padded(self.class_names[index], self.class_width)
        if total <= 0:
            return f"{name}         (no rows)"
        share = share_text(own / total)
        if self.is_weighted:
            return f"{name}  {share:>5}  (weight {self._number(own)} of {self._number(total)}, {rows_text(node.n)})"
        return f"{name}  {share:>5}  ({own:,.0f} of {total:,.0f})"

    def _value(self, node: Node) -> str:
        if node.id in self.equations:
            mean = self._number(node.prediction)
            return f"equation {self.equations[node.id]}  (mean {mean}, {self._spread(node)}{self._rows(node)})"
        return f"{self._number(node.prediction)}  ({self._spread(node)}{self._rows(node)})"

    def _spread(self, node: Node, before: str = "") -> str:
        """Write the spread, where the impurity is one: without `before` it is the start of a list."""
        word = SPREAD_WORD.get(self.tree.criterion or "")
        if word is None or node.n == 0:
            return ""
        spread = math.sqrt(max(node.impurity, 0.0)) if word == "sd" else node.impurity
        said = f"{word} {self._number(spread)}"
        return before + said if before else said + ", "

    def _shares(self, node: Node) -> str:
        weights = sorted(node.class_weights(), key=lambda pair: (-pair[1], pair[0]))
        total = sum(weight for _, weight in weights)
        said = [f"{self.class_names[index]} {share_text(weight / total)}" for index, weight in weights if weight > 0]
        rest = len(said) - _ROOT_CLASSES
        return ", ".join(said) if rest <= 0 else ", ".join(said[:_ROOT_CLASSES]) + f" and {rest:,} more"

    def _rows(self, node: Node) -> str:
        rows = rows_text(node.n)
        return f"{rows}, weight {self._number(node.weight)}" if self.is_weighted else rows

    def _number(self, value: float) -> str:
        # Two digits fewer than thresholds get: a mean separates nothing.
        return mean_text(value, self.digits if self.digits >= 17 else max(self.digits - 2, 1))


class Node:
    """One node: what it asks, what it holds, what it predicts.

    Nodes come from `tree.root`, `tree.node(i)` and `tree.nodes()`; they are read-only.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> node = example_tree().root
    >>> node.n, node.counts, node.prediction, round(node.share, 2)
    (14, {'no': 5.0, 'yes': 9.0}, 'yes', 0.64)
    >>> node.branch_labels
    ('outlook is overcast', 'outlook is sunny or rain')
    >>> node.children[0]
    <Node 1: outlook is overcast → yes, 4 rows>
    """

    __slots__ = ("id", "tree")

    def __init__(self, tree: Tree, id: int) -> None:
        self.tree = tree
        self.id = id

    def _number(self, name: str) -> float:
        return float(self.tree.arrays[name][self.id])

    @property
    def depth(self) -> int:
        """How many branches lead here from the root, which has depth 0."""
        return int(self.tree.node_depth[self.id])

    @property
    def n(self) -> int:
        """Training rows that came here."""
        return int(self.tree.arrays["n_rows"][self.id])

    @property
    def weight(self) -> float:
        """The weight of these rows."""
        return self._number("weight")

    @property
    def impurity(self) -> float:
        """How mixed the node is, by the criterion that grew the tree."""
        return self._number("impurity")

    @property
    def gain(self) -> float:
        """How much of the impurity the test takes away; 0 at a leaf."""
        return self._number("gain")

    @property
    def p_value(self) -> float | None:
        """How likely a test this good is by chance, adjusted for what was tried; None where the algorithm does not say.

        A p-value below the smallest float is 0.0 here; `log_p_adjusted` still tells it from others.
        """
        if self.log_p_adjusted is not None:
            return math.exp(min(self.log_p_adjusted, 0.0))
        return self._optional_number("p_value")

    @property
    def statistic(self) -> float | None:
        """The statistic of the test of significance made here; None where the algorithm makes none."""
        return self._optional_number("statistic")

    @property
    def df(self) -> float | None:
        """Its degrees of freedom (of an F test: those between the branches)."""
        return self._optional_number("df")

    @property
    def log_p(self) -> float | None:
        """The natural logarithm of its p-value."""
        return self._optional_number("log_p")

    @property
    def log_p_adjusted(self) -> float | None:
        """The natural logarithm of the p-value after it was adjusted for what was tried."""
        return self._optional_number("log_p_adjusted")

    def _optional_number(self, name: str) -> float | None:
        value = self._number(name) if name in self.tree.arrays else math.nan
        return None if math.isnan(value) else value

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no branches."""
        return int(self.tree.arrays["n_children"][self.id]) == 0

    @property
    def counts(self) -> dict[Any, float] | None:
        """The weight of each class here, all classes listed; None for a regression."""
        if self.tree.classes is None:
            return None
        counts = dict.fromkeys(self.tree.classes, 0.0)
        counts.update({self.tree.classes[index]: weight for index, weight in self.class_weights()})
        return counts

    def class_weights(self) -> list[tuple[int, float]]:
        """Give index and weight of the classes that are present here, without the others.

        >>> from treewright.tree import example_tree
        >>> example_tree().node(1).class_weights()
        [(1, 4.0)]
        """
        arrays = self.tree.arrays
        if "count_start" not in arrays:
            return []
        part = slice(int(arrays["count_start"][self.id]), int(arrays["count_start"][self.id + 1]))
        return list(zip(arrays["count_class"][part].tolist(), arrays["count_weight"][part].tolist(), strict=True))

    @property
    def mean(self) -> float | None:
        """The value predicted by a regression (mean, median or rate); None for a classification."""
        return self._number("value") if self.tree.classes is None else None

    @property
    def prediction(self) -> Any:
        """What a row that stops here is given: a class, or a number."""
        if self.tree.classes is None:
            return self.mean
        return self.tree.classes[int(self.tree.arrays["prediction"][self.id])]

    @property
    def equation(self) -> str | None:
        """The linear equation that the node answers with; None where it answers with one value."""
        return equation_text(self.tree, self.id) if has_equations(self.tree) else None

    @property
    def share(self) -> float | None:
        """The share of the predicted class; None for a regression, and where no row ever came."""
        if self.tree.classes is None:
            return None
        weights = dict(self.class_weights())
        total = sum(weights.values())
        return weights.get(int(self.tree.arrays["prediction"][self.id]), 0.0) / total if total > 0 else None

    @property
    def test(self) -> NodeTest | None:
        """The question asked here; None at a leaf."""
        return None if self.is_leaf else read_test(self.tree.arrays, self.id, self.tree.schema.columns)

    @property
    def branch_labels(self) -> tuple[str, ...]:
        """The conditions that lead to the children, one each."""
        return tuple(branch.label for branch in self.test.branches) if self.test else ()

    @property
    def branch(self) -> int | None:
        """Which branch of the parent this is, from 0; None at the root."""
        return int(self.tree.node_branch[self.id]) if self.id else None

    @property
    def branch_label(self) -> str | None:
        """The condition that leads here from the parent; None at the root."""
        return self.parent.branch_labels[int(self.tree.node_branch[self.id])] if self.parent else None

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes one branch below."""
        return tuple(Node(self.tree, child) for child in self.tree.child_ids(self.id))

    @property
    def parent(self) -> Node | None:
        """The node one branch above; None at the root."""
        parent = int(self.tree.node_parent[self.id])
        return Node(self.tree, parent) if parent >= 0 else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other.tree is self.tree and other.id == self.id

    def __hash__(self) -> int:
        return hash((id(self.tree), self.id))

    def __repr__(self) -> str:
        where = self.branch_label or "root"
        if self.is_leaf:
            shown = mean_text(self.mean) if self.mean is not None else self.prediction
            what = f" → {shown}, "
        else:
            what = f", {'' if self.share is None else f'{self.prediction} {share_text(self.share)}, '}"
        return f"<Node {self.id}: {where}{what}{rows_text(self.n)}>"


@dataclass(frozen=True)
class NodeFacts:
    """What a picture tells of a node, read from the tree once; `rows`, `percent` and `answer` are texts.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> facts = read_facts(example_tree(), [0, 1])[0]
    >>> facts.rows, facts.percent, facts.answer, facts.described
    ('14 rows', '64 %', 'yes', 'play: yes 64 %, no 36 %  (14 rows)')
    """

    id: int
    depth: int
    weight: float
    share: float | None
    class_weights: list[tuple[int, float]]
    rows: str
    percent: str
    answer: str
    described: str


def read_facts(tree: Tree, ids: Iterable[int]) -> list[NodeFacts]:
    """Read what a picture tells of these nodes.

    >>> from treewright.tree import example_tree
    >>> [facts.answer for facts in read_facts(example_tree(), range(3))]
    ['yes', 'yes', 'yes']
    """
    words = NodeText(tree, 6, "")
    return [_facts(Node(tree, id), words) for id in ids]


def _facts(node: Node, words: NodeText) -> NodeFacts:
    share = node.share
    rows, percent, answer = fact_texts(node.n, share, node.prediction, node.tree.classes is not None)
    described = words.right(node).strip() if node.id else words.root_line()
    weights = node.class_weights()
    return NodeFacts(node.id, node.depth, node.weight, share, weights, rows, percent, answer, described)
