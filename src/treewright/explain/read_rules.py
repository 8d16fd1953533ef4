"""From a stored tree to its rules, one a leaf, with their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.conditions import Merged, conditions_by_node
from treewright.explain.rule import Rule
from treewright.explain.share_interval import wilson_interval
from treewright.tree.node import Node
from treewright.tree.node_text import SPREAD_WORD
from treewright.tree.stored import STOPS
from treewright.tree.tree import Tree


def read_rules(tree: Tree, losses: NDArray[np.float64] | None = None, stops: bool = False) -> Iterator[Rule]:
    """Give the rule of each leaf, from the first to the last.

    Parameters
    ----------
    tree : Tree
    losses : array, optional
        What each answer (columns) costs where each class is true (rows).
    stops : bool, default False
        Also give the rules of inner nodes at which rows without a value stop.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> for rule in read_rules(example_tree()):
    ...     print(rule.text())
    IF outlook is overcast THEN yes
    IF outlook is sunny or rain AND humidity <= 82.5 THEN yes
    IF outlook is sunny or rain AND humidity > 82.5 THEN no
    """
    total = dict(tree.root.class_weights())
    for i, merged in conditions_by_node(tree):
        node = Node(tree, i)
        if node.is_leaf:
            yield _rule(node, merged, total, losses)
        elif stops and tree.arrays["missing_branch"][i] == STOPS:
            yield _rule(node, merged, total, losses, is_stop=True)


def _rule(
    node: Node, merged: Merged, total: dict[int, float], losses: NDArray[np.float64] | None, is_stop: bool = False
) -> Rule:
    tree = node.tree
    all_weight = tree.root.weight
    numbers: dict[str, Any] = {}
    if tree.classes is not None:
        numbers = _class_numbers(node, total, losses)
    elif tree.criterion in SPREAD_WORD and node.n:
        squared = SPREAD_WORD[tree.criterion] == "sd"
        numbers = {"spread": math.sqrt(max(node.impurity, 0.0)) if squared else node.impurity}
    return Rule(
        tree,
        node.id,
        tuple(merged.values()),
        node.prediction,
        node.n,
        node.weight,
        node.weight / all_weight if all_weight > 0 else 0.0,
        is_stop=is_stop,
        **numbers,
    )


def _class_numbers(node: Node, total: dict[int, float], losses: NDArray[np.float64] | None) -> dict[str, float]:
    index = int(node.tree.arrays["prediction"][node.id])
    weights = dict(node.class_weights())
    here, everywhere = sum(weights.values()), sum(total.values())
    if here <= 0:
        return {}
    confidence = weights.get(index, 0.0) / here
    low, high = wilson_interval(min(confidence, 1.0) * node.n, node.n)
    share = total.get(index, 0.0) / everywhere
    numbers = {"confidence": confidence, "low": low, "high": high}
    if share > 0:
        numbers["lift"] = confidence / share
    if losses is not None:
        numbers["cost"] = sum(weight * float(losses[k, index]) for k, weight in weights.items()) / here
    return numbers
