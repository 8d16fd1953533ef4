"""What one node holds, in words: the share of its class, or its value and spread, and how many rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.equation import equation_numbers
from treewright.tree.wording import cells, clip, name_text, number_text, rows_text, share_text

if TYPE_CHECKING:
    from treewright.tree.node import Node
    from treewright.tree.tree import Tree

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
        name = self.class_names[index]
        name += " " * (self.class_width - cells(name))
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
        return number_text(value, self.digits if self.digits >= 17 else max(self.digits - 2, 1))
