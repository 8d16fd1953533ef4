"""The test of significance behind a split, in words. Trees that were grown by tests store four numbers a node."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treewright.tree.wording import number_text

if TYPE_CHECKING:
    from treewright.tree.node import Node

SIGNIFICANCE = ("statistic", "df", "log_p", "log_p_adjusted")


def p_text(log_p: float) -> str:
    """Write a p-value from its natural logarithm, however small it is.

    >>> p_text(math.log(0.0778)), p_text(-186.12), p_text(-5000.0), p_text(0.0), p_text(-math.inf)
    ('0.0778', '1.5e-81', '3.4e-2172', '1', '0')
    """
    if log_p < -1e12:  # no table is so long; doubles have no digits left for it
        return "0"
    if log_p > math.log(1e-4):
        return f"{math.exp(min(log_p, 0.0)):.4f}".rstrip("0").rstrip(".")
    power = math.floor(log_p / math.log(10))
    digits = round(math.exp(log_p - power * math.log(10)), 1)
    return f"{digits:.1f}e{power}" if digits < 10 else f"1.0e{power + 1}"


def significance_text(node: Node) -> str:
    """Write the test of a split in brackets; nothing at a leaf, and nothing in trees that were not grown by tests.

    >>> from treewright.tree import example_tree
    >>> significance_text(example_tree().root)
    ''
    """
    if node.is_leaf or node.statistic is None or node.log_p is None:
        return ""
    said = f"statistic {number_text(node.statistic, 4)}, df {number_text(node.df or 0.0, 4)}, p {p_text(node.log_p)}"
    if node.log_p_adjusted is not None and node.log_p_adjusted != node.log_p:
        said += f", adjusted {p_text(node.log_p_adjusted)}"
    return f"  [{said}]"
