"""The frame and the splits of an rpart object as a stored tree.

rpart numbers the children of node i 2i and 2i + 1, sends ``x < cut`` to the side that `ncat` tells, and lists the
splits of a node one after the other: the primary one, competitors, surrogates. Here ``x <= cut`` goes to branch 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright import _core
from treewright.converters.rpart_splits import LEFT, RIGHT, RpartTree, Split, read_split
from treewright.tree.stored import LEAF, LEVELS, STOPS, THRESHOLD

_WHOLE = 1e-9  # how far shares may be from those of the counts, which then tell them


@dataclass
class _Node:
    """A node of the new tree: its row in rpart's frame and its tests; `sides` are those of its branches."""

    row: int
    split: Split | None = None
    surrogates: list[Split] = field(default_factory=list)
    sides: tuple[int, int] = (LEFT, RIGHT)
    missing: int = STOPS
    children: list[int] = field(default_factory=list)


def rpart_core(tree: RpartTree, n_classes: int | None, method: str) -> _core.Tree:
    """Store a tree of rpart; ValueError where its parts do not fit."""
    nodes = _preorder(tree)
    arrays = {**_tests(nodes), **_numbers(tree, nodes, n_classes), **_surrogates(nodes)}
    arrays["improvement"] = arrays["gain"] if method in ("poisson", "exp") else _improvement(nodes, arrays, method)
    return _core.Tree(arrays, len(tree.columns), n_classes or 0)


def _preorder(tree: RpartTree) -> list[_Node]:
    """The nodes in the order in which they are stored: a node, all of its first branch, all of its second."""
    frame = tree.frame
    rows = {int(number): row for row, number in enumerate(frame["node"])}
    starts = _split_starts(frame)
    nodes: list[_Node] = []
    waiting: list[tuple[int, int]] = [(1, -1)]
    while waiting:
        number, parent = waiting.pop()
        node = _Node(rows[number])
        if parent >= 0:
            nodes[parent].children.append(len(nodes))
        if frame["var"][node.row] != "<leaf>":
            _add_test(tree, node, starts[node.row], (rows[2 * number], rows[2 * number + 1]))
            waiting += [(2 * number + side, len(nodes)) for side in reversed(node.sides)]
        nodes.append(node)
    if len(nodes) != len(rows) or len(rows) != len(frame["node"]):
        raise ValueError("some of its nodes are below no other")
    return nodes


def _split_starts(frame: dict[str, list[Any]]) -> list[int]:
    """Where the splits of each node begin."""
    starts, total = [], 0
    for var, n_compete, n_surrogate in zip(frame["var"], frame["ncompete"], frame["nsurrogate"], strict=True):
        starts.append(total)
        total += int(var != "<leaf>") + int(n_compete) + int(n_surrogate)
    return starts


def _add_test(tree: RpartTree, node: _Node, start: int, children: tuple[int, int]) -> None:
    frame = tree.frame
    node.split = read_split(tree, start)
    if tree.splits["var"][start] != frame["var"][node.row]:
        raise ValueError("a node and its split name different columns")
    node.sides = (LEFT, RIGHT) if node.split.sides or node.split.low_side == LEFT else (RIGHT, LEFT)
    if tree.usesurrogate > 0:
        first = start + 1 + int(frame["ncompete"][node.row])
        node.surrogates = [read_split(tree, first + j) for j in range(int(frame["nsurrogate"][node.row]))]
    n_left, n_right = (frame["n"][row] for row in children)
    if tree.usesurrogate > 1 and n_left != n_right:  # the majority of rows, whatever their weights
        node.missing = node.sides.index(LEFT if n_left > n_right else RIGHT)


# The arrays of the stored tree.


def _tests(nodes: list[_Node]) -> dict[str, Any]:
    levels = [_branches(node, node.split) if node.split and node.split.sides else [] for node in nodes]
    return {
        "n_children": np.array([len(node.children) for node in nodes], dtype=np.uint16),
        "kind": np.array([_kind(node) for node in nodes], dtype=np.uint8),
        "column": np.array([node.split.column if node.split else -1 for node in nodes], dtype=np.int32),
        "threshold": np.array([node.split.cut if node.split else math.nan for node in nodes], dtype=np.float64),
        "missing_branch": np.array([node.missing for node in nodes], dtype=np.int32),
        "level_start": _starts([len(of_node) for of_node in levels]),
        "level": np.array([code for of_node in levels for code, _ in of_node], dtype=np.uint32),
        "level_branch": np.array([branch for of_node in levels for _, branch in of_node], dtype=np.uint16),
    }


def _kind(node: _Node) -> int:
    return LEAF if node.split is None else LEVELS if node.split.sides else THRESHOLD


def _branches(node: _Node, split: Split) -> list[tuple[int, int]]:
    """The branch of each level that a split names."""
    return [(code, node.sides.index(side)) for code, side in sorted(split.sides.items())]


def _starts(lengths: list[int]) -> Any:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _surrogates(nodes: list[_Node]) -> dict[str, Any]:
    if not any(node.surrogates for node in nodes):
        return {}
    flat = [(node, split) for node in nodes for split in node.surrogates]
    levels = [
        [(which, *pair) for which, split in enumerate(node.surrogates) for pair in _branches(node, split)]
        for node in nodes
    ]
    listed = np.array([entry for of_node in levels for entry in of_node], dtype=np.float64).reshape(-1, 3)
    arrays = {
        "surrogate_start": _starts([len(node.surrogates) for node in nodes]),
        "surrogate_column": np.array([split.column for _, split in flat], dtype=np.float64),
        "surrogate_threshold": np.array([split.cut for _, split in flat], dtype=np.float64),
        "surrogate_flip": np.array([_is_flipped(node, split) for node, split in flat], dtype=np.float64),
        "surrogate_agreement": np.array([split.worth for _, split in flat], dtype=np.float64),
        "surrogate_adjusted": np.array([split.adjusted for _, split in flat], dtype=np.float64),
    }
    if len(listed):
        arrays["surrogate_level_start"] = _starts([len(of_node) for of_node in levels])
        arrays |= {
            f"surrogate_level_{name}": listed[:, at].copy() for at, name in enumerate(("which", "level", "branch"))
        }
    return arrays


def _is_flipped(node: _Node, split: Split) -> bool:
    """Whether a cut sends the rows at most at it to the second branch."""
    return not split.sides and node.sides[0] != split.low_side


def _numbers(tree: RpartTree, nodes: list[_Node], n_classes: int | None) -> dict[str, Any]:
    frame = tree.frame
    rows = [node.row for node in nodes]
    weight = np.array([frame["wt"][row] for row in rows], dtype=np.float64)
    arrays = {"n_rows": np.array([int(frame["n"][row]) for row in rows], dtype=np.int64), "weight": weight}
    if n_classes is None:
        arrays["value"] = np.array([frame["yval"][row] for row in rows], dtype=np.float64)
        impurity = np.array([frame["dev"][row] for row in rows], dtype=np.float64) / weight
    else:
        shares = np.array([frame["shares"][row] for row in rows], dtype=np.float64).reshape(-1, n_classes)
        arrays |= _counts(np.array([frame["counts"][row] for row in rows], dtype=np.float64), shares, weight)
        arrays["prediction"] = np.array([int(frame["yval"][row]) - 1 for row in rows], dtype=np.int32)
        impurity = 1 - (shares**2).sum(axis=1)
    return {**arrays, "impurity": impurity, "gain": _gain(nodes, weight, impurity)}


def _counts(counts: Any, shares: Any, weight: Any) -> dict[str, Any]:
    """The classes of each node with their weights: the counts, or with priors what gives the shares."""
    plain = counts / counts.sum(axis=1, keepdims=True)
    kept = counts if np.abs(plain - shares).max() < _WHOLE else shares * weight[:, None]
    node, present = np.nonzero(kept)
    return {
        "count_start": _starts(np.bincount(node, minlength=len(kept)).tolist()),
        "count_class": present.astype(np.uint32),
        "count_weight": kept[node, present],
    }


def _gain(nodes: list[_Node], weight: Any, impurity: Any) -> Any:
    gain = np.zeros(len(nodes))
    for at, node in enumerate(nodes):
        if node.children:
            below = sum(weight[child] * impurity[child] for child in node.children)
            gain[at] = impurity[at] - below / weight[at]
    return gain


def _improvement(nodes: list[_Node], arrays: dict[str, Any], method: str) -> Any:
    """What a test is worth on the rows that it can send itself, for each unit of weight; rpart's unit is another.

    It counts for classes the fall of the summed impurity, for numbers the share of the deviance that a split explains.
    """
    worth = np.array([node.split.worth if node.split else math.nan for node in nodes])
    return worth / arrays["weight"] if method == "class" else worth * arrays["impurity"]
