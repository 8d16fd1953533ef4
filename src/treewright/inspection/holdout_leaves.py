"""Honest leaves: what held-out rows say about each leaf, beside what the training rows promised."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.inspection.conditions import conditions_by_node
from treewright.inspection.support import answer_text, wilson_interval
from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page
from treewright.tree.format import mean_text, rows_text, share_text
from treewright.tree.node import Node
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd


_SURE = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class HonestLeaf:
    """One leaf with its training rate and its held-out rate.

    For classes `trained` and `found` are the shares of the answered class among training and held-out rows, and `low`
    and `high` the Wilson interval of the latter; for numbers they are means, and the interval is that of a mean.
    `verdict` is "too good" where training promised more than the interval allows (numbers: lies outside of it).
    """

    node: int
    when: str
    answer: Any
    n_trained: int
    trained: float
    n: int
    found: float
    low: float
    high: float
    is_class: bool

    @property
    def verdict(self) -> str:
        """What to think of the leaf."""
        if self.n == 0 or math.isnan(self.low) or math.isnan(self.trained):
            return "not known"
        if self.trained > self.high:
            return "too good" if self.is_class else "too high"
        if self.trained < self.low:
            return "better" if self.is_class else "too low"
        return "fits"


class HoldoutLeaves(Page, Sequence[HonestLeaf]):
    """The leaves of a tree, judged by rows that had no part in training.

    Made by `model.holdout_leaves(X, y)`. Print it, or use `to_frame()`, `to_html()`, `to_dict()`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X[:60], y[:60])
    >>> print(model.holdout_leaves(X[60:], y[60:]))
    Held out: 16 of 21 rows right (76 %; 95 % confidence interval 55 % to 89 %). Training: 87 %.
    <BLANKLINE>
      leaf                            answer     training   held out  95 % interval  verdict
      Start <= 12.5 and Age <= 72     absent    79 % (14)   67 % (3)   21 % to 94 %  fits
      Start <= 12.5 and Age > 72      present   69 % (13)   40 % (5)   12 % to 77 %  fits
      Start > 12.5 and Number <= 4.5  absent   100 % (25)  90 % (10)   60 % to 98 %  too good
      Start > 12.5 and Number > 4.5   absent     88 % (8)  100 % (3)  44 % to 100 %  fits
    """

    def __init__(self, leaves: Sequence[HonestLeaf], summary: str) -> None:
        self._leaves = list(leaves)
        self.summary = summary

    def __getitem__(self, index: Any) -> Any:
        return self._leaves[index]

    def __len__(self) -> int:
        return len(self._leaves)

    @property
    def title(self) -> str:
        """The heading of the page."""
        return "Honest leaves"

    def blocks(self) -> Iterator[Block]:
        """Give the leaves as blocks, whatever they will be written as."""
        yield Paragraph(self.summary)
        rows = []
        for leaf in self._leaves:
            show = share_text if leaf.is_class else _number
            found = f"{show(leaf.found)} ({leaf.n:,})" if leaf.n else "no rows"
            sure = f"{show(leaf.low)} to {show(leaf.high)}" if leaf.n and not math.isnan(leaf.low) else ""
            trained = "" if math.isnan(leaf.trained) else f"{show(leaf.trained)} ({leaf.n_trained:,})"
            rows.append((leaf.when, answer_text(leaf.answer, leaf.is_class), trained, found, sure, leaf.verdict))
        headings = ("leaf", "answer", "training", "held out", "95 % interval", "verdict")
        yield Table(headings, tuple(rows), frozenset({2, 3, 4}))

    def to_dict(self) -> dict[str, Any]:
        """Give the leaves as plain values."""
        return {"summary": self.summary, "leaves": self.to_frame().to_dict("records")}

    def to_frame(self) -> pd.DataFrame:
        """Give a pandas data frame with a row a leaf."""
        import pandas as pd

        names = ("node", "when", "answer", "n_trained", "trained", "n", "found", "low", "high", "verdict")
        return pd.DataFrame({name: [getattr(leaf, name) for leaf in self._leaves] for name in names})

    def __repr__(self) -> str:
        return f"<HoldoutLeaves: {len(self):,} leaves. {self.summary}>"


def read_holdout_leaves(tree: Tree, ends: NDArray[Any], truth: NDArray[Any], answers: NDArray[Any]) -> HoldoutLeaves:
    """Judge the leaves of a tree.

    Parameters
    ----------
    tree : Tree
    ends : array of int
        The node where each held-out row ends.
    truth, answers : arrays
        What the row is, and what the model answers.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> right = np.array(["yes", "no", "no"])
    >>> found = read_holdout_leaves(example_tree(), np.array([1, 1, 4]), right, np.array(["yes"] * 3))
    >>> [(leaf.node, leaf.found, leaf.verdict) for leaf in found]
    [(1, 0.5, 'too good'), (3, nan, 'not known'), (4, 1.0, 'fits')]
    """
    by_node: dict[int, list[Any]] = {}
    for node, value in zip(ends.tolist(), truth.tolist(), strict=True):
        by_node.setdefault(node, []).append(value)
    leaves = []
    for i, merged in conditions_by_node(tree):
        node = Node(tree, i)
        if node.is_leaf or i in by_node:
            when = " and ".join(condition.text() for condition in merged.values()) or "anything"
            leaves.append(_judge(node, when if node.is_leaf else f"{when} (rows that stop)", by_node.get(i, [])))
    return HoldoutLeaves(leaves, _summary(tree, truth, answers))


def _judge(node: Node, when: str, truth: list[Any]) -> HonestLeaf:
    n, is_class = len(truth), node.tree.classes is not None
    if is_class:
        hits = sum(1 for value in truth if value == node.prediction)
        trained, found = node.share, hits / n if n else math.nan
        low, high = wilson_interval(hits, n) if n else (math.nan, math.nan)
    else:
        trained, found = float(node.prediction), float(np.mean(truth)) if n else math.nan
        reach = _SURE * float(np.std(truth, ddof=1)) / math.sqrt(n) if n > 1 else math.nan
        low, high = found - reach, found + reach
    promised = math.nan if trained is None else trained
    return HonestLeaf(node.id, when, node.prediction, node.n, promised, n, found, low, high, is_class)


def _summary(tree: Tree, truth: NDArray[Any], answers: NDArray[Any]) -> str:
    if tree.classes is None:
        errors = np.asarray(answers, dtype=np.float64) - np.asarray(truth, dtype=np.float64)
        size = mean_text(math.sqrt(float(np.mean(errors**2))))
        return f"Held out: {rows_text(len(truth))}, root mean squared error {size}."
    right = sum(1 for x, y in zip(truth.tolist(), answers.tolist(), strict=True) if x == y)
    low, high = wilson_interval(right, len(truth))
    sure = f"{share_text(right / len(truth))}; 95 % confidence interval {share_text(low)} to {share_text(high)}"
    leaves = [Node(tree, int(i)) for i in np.flatnonzero(tree.arrays["n_children"] == 0)]
    weight = sum(leaf.weight for leaf in leaves)
    trained = sum((leaf.share or 0.0) * leaf.weight for leaf in leaves) / weight if weight > 0 else 0.0
    return f"Held out: {right:,} of {rows_text(len(truth))} right ({sure}). Training: {share_text(trained)}."


def _number(value: float) -> str:
    return mean_text(value)
