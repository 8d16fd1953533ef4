"""rpart's trees as lists of nodes that can be laid beside ours: the rows of each node, its test and its worth."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treewright import datasets

HERE = Path(__file__).parent / "rpart"
TABLES = sorted(path.stem for path in HERE.glob("*.json"))


@dataclass
class Seen:
    """A node of anybody's tree. `improve` is in rpart's unit, `risk` is what pruning weighs."""

    rows: frozenset[int]
    risk: float
    column: str | None = None
    threshold: float | None = None
    improve: float = 0.0
    children: list[Seen] = field(default_factory=list)

    def leaves(self) -> list[Seen]:
        """The leaves below, or the node itself."""
        found, waiting = [], [self]
        while waiting:
            node = waiting.pop()
            waiting += node.children
            if not node.children:
                found.append(node)
        return found


@dataclass(frozen=True)
class Reference:
    """One shipped table with the trees that rpart grew from it."""

    name: str
    content: dict[str, Any]
    X: pd.DataFrame
    y: pd.Series

    @property
    def is_classification(self) -> bool:
        """Is the target a class?"""
        return bool(self.content["kinds"][self.content["target"]] == "nominal")

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every column but the target."""
        return {name: kind for name, kind in self.content["kinds"].items() if name != self.content["target"]}

    def tree(self, which: str) -> Seen:
        """rpart's tree; rows are sent down by its own tests."""
        nodes = {node["id"]: node for node in self.content[which]["nodes"]}
        root = Seen(frozenset(range(len(self.X))), nodes[1]["risk"])
        waiting = [(1, root)]
        while waiting:
            number, seen = waiting.pop()
            node = nodes[number]
            assert len(seen.rows) == node["n"], f"node {number} of {self.name} was sent the wrong rows"
            if "var" not in node:
                continue
            seen.column, seen.threshold, seen.improve = node["var"], node.get("threshold"), node["improve"]
            left = frozenset(row for row in seen.rows if self.goes_left(node, row))
            for son, rows in ((2 * number, left), (2 * number + 1, seen.rows - left)):
                child = Seen(rows, nodes[son]["risk"])
                seen.children.append(child)
                waiting.append((son, child))
        return root

    def goes_left(self, node: dict[str, Any], row: int) -> bool:
        """Does rpart send this row to the left son?"""
        value = self.X[node["var"]].iloc[row]
        if "threshold" in node:
            return bool((value < node["threshold"]) == (node["less_goes"] == "left"))
        return value in node["left"]


def load(name: str) -> Reference:
    """Read a reference and the shipped table that belongs to it."""
    content = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    text = {column: "str" for column, kind in content["kinds"].items() if kind != "numeric"}
    own = HERE.parent / "tables" / f"{name}.csv"  # tables that are here for these tests only
    path = own if own.exists() else datasets.path(name)
    frame = pd.read_csv(path, dtype=text, keep_default_na=False)
    for column, kind in content["kinds"].items():
        if kind == "ordinal":
            frame[column] = pd.Categorical(frame[column], content["levels"][column], ordered=True)
    target = content["target"]
    return Reference(name, content, frame.drop(columns=target), frame[target])


def our_tree(model: Any, reference: Reference) -> Seen:
    """A fitted model's tree in the same form; nodes are in preorder, so a parent comes before its children."""
    a = model.tree_.arrays
    visits = model.decision_path(reference.X).tocsc()
    nodes: list[Seen] = []
    open_nodes: list[tuple[Seen, int]] = []
    for i, n_children in enumerate(a["n_children"]):
        rows = frozenset(int(row) for row in visits[:, i].nonzero()[0])
        seen = Seen(rows, node_risk(a, i, reference.is_classification))
        if n_children:
            threshold = float(a["threshold"][i])
            seen.column = reference.X.columns[a["column"][i]]
            numeric = reference.kinds[seen.column] == "numeric"
            seen.threshold = threshold if numeric and not np.isnan(threshold) else None
            seen.improve = float(a["gain"][i] * a["weight"][i]) if reference.is_classification else share(a, i)
        nodes.append(seen)
        while open_nodes and len(open_nodes[-1][0].children) == open_nodes[-1][1]:
            open_nodes.pop()
        if open_nodes:
            open_nodes[-1][0].children.append(seen)
        open_nodes.append((seen, int(n_children)))
    return nodes[0]


def node_risk(a: dict[str, Any], i: int, classification: bool) -> float:
    """Misclassified weight, or the sum of squares."""
    if not classification:
        return float(a["weight"][i] * a["impurity"][i])
    return float(a["weight"][i] - a["count_weight"][slice(*a["count_start"][i : i + 2])].max())


def share(a: dict[str, Any], i: int) -> float:
    """The share of a node's sum of squares that its split explains."""
    return float(a["gain"][i] / a["impurity"][i])
