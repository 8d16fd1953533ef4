"""The rules of a tree: for each leaf, what holds on the way to it and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from treewright.cli.screen import count

if TYPE_CHECKING:
    from treewright.tree.node import Node
    from treewright.tree.tree import Tree

# Beyond this many, only the conditions nearest to the leaf are written: a chain of 100,000 nodes would fill a disk.
MOST_CONDITIONS = 40


def rule_lines(tree: Tree) -> Iterator[str]:
    """Write one line a leaf, from the first leaf to the last.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> for line in rule_lines(tw.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_):
    ...     print(line)
    if petallength <= 2.45: Iris-setosa (100 % of 50 rows)
    if petallength > 2.45: Iris-versicolor (50 % of 100 rows)
    """
    for node in tree.nodes():
        if node.is_leaf:
            yield f"if {_conditions(node)}: {_answer(node)}"


def _conditions(leaf: Node) -> str:
    """Join the branches on the way from the root to the leaf."""
    labels: list[str] = []
    node = leaf
    while node.parent is not None and len(labels) < MOST_CONDITIONS:
        labels.append(str(node.branch_label))
        node = node.parent
    above = f"… {count(node.depth, 'condition')} and " if node.depth else ""
    return above + " and ".join(reversed(labels)) if labels else "anything"


def _answer(leaf: Node) -> str:
    """Write what the leaf says, how sure it is and of how many rows."""
    rows = count(leaf.n, "row")
    if leaf.equation is not None:
        return f"{leaf.equation} ({rows})"
    if leaf.share is None:
        return f"{leaf.prediction:.6g} ({rows})"
    return f"{leaf.prediction} ({100 * leaf.share:.0f} % of {rows})"
