"""rpart's trees as lists of nodes that can be laid beside ours: the rows of each node, its test and its worth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treewright import datasets

HERE = Path(__file__).parent / "rpart"
ALL_TABLES = sorted(path.stem for path in HERE.glob("*.json") if path.stem != "settings")
WITH_HOLES = (
    "airquality",
    "auto_mpg",
    "car_test_frame",
    "cu_summary",
    "heart_c",
    "labor",
    "penguins",
    "titanic",
    "vote",
)
TABLES = [name for name in ALL_TABLES if name not in WITH_HOLES]  # surrogates play no part in these trees


@dataclass
class Seen:
    """A node of anybody's tree. `improve` is in rpart's unit, `risk` is what pruning weighs."""

    rows: frozenset[int]
    risk: float
    column: str | None = None
    threshold: float | None = None
    improve: float = 0.0
    children: list[Seen] = field(default_factory=list)
    given: Any = None  # the node as its own program has it

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
        """rpart's tree; rows are sent down by its own tests and surrogates."""
        nodes = {node["id"]: node for node in self.content[which]["nodes"]}
        return send_down(nodes, self.X, [1.0] * len(self.X))


def send_down(nodes: dict[int, dict[str, Any]], X: pd.DataFrame, weights: Sequence[float]) -> Seen:
    """A tree of rpart with the rows of every node; those that nothing can send stay where they are.

    rpart leaves out rows without any value, as it does rows of no weight.
    """
    cells = {name: X[name].tolist() for name in X.columns}
    empty = X.isna().all(axis=1).tolist()
    rows = frozenset(i for i, weight in enumerate(weights) if weight > 0 and not empty[i])
    root = Seen(rows, nodes[1]["risk"], given=nodes[1])
    waiting = [(1, root)]
    while waiting:
        number, seen = waiting.pop()
        node = nodes[number]
        assert len(seen.rows) == node["n"], f"node {number} was sent {len(seen.rows)} rows, not {node['n']}"
        if "var" not in node:
            continue
        seen.column, seen.threshold, seen.improve = node["var"], node.get("threshold"), node["improve"]
        default = default_side(node, cells, seen.rows, weights)
        sides = {row: goes_left(node, cells, row, default) for row in seen.rows}
        for son, side in ((2 * number, True), (2 * number + 1, False)):
            child = Seen(
                frozenset(r for r, left in sides.items() if left is side), nodes[son]["risk"], given=nodes[son]
            )
            seen.children.append(child)
            waiting.append((son, child))
    return root


def goes_left(node: dict[str, Any], cells: dict[str, list[Any]], row: int, default: bool | None) -> bool | None:
    """Where rpart sends a row; None if it stays."""
    for split in [node, *(node["surrogates"] if node.get("use", 2) > 0 else [])]:
        side = side_of(split, cells[split["var"]][row])
        if side is not None:
            return side
    return default


def default_side(
    node: dict[str, Any], cells: dict[str, list[Any]], rows: frozenset[int], weights: Sequence[float]
) -> bool | None:
    """Where rpart sends the rows that no test can send: the way of the majority, or nowhere."""
    known = [(side_of(node, cells[node["var"]][row]), weights[row]) for row in rows]
    left, right = (sum(weight for side, weight in known if side is which) for which in (True, False))
    return None if node.get("use", 2) < 2 or left == right else left > right


def side_of(split: dict[str, Any], value: Any) -> bool | None:
    """Where one test sends a value: left, right, or nowhere if it is missing or a level that the node has not seen."""
    if pd.isna(value):
        return None
    if "threshold" in split:
        return bool((value < split["threshold"]) == (split["less_goes"] == "left"))
    return True if value in split["left"] else False if value in split["right"] else None


def load(name: str) -> Reference:
    """Read a reference and the shipped table that belongs to it."""
    content = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    text = {column: "str" for column, kind in content["kinds"].items() if kind != "numeric"}
    own = HERE.parent / "tables" / f"{name}.csv"  # tables that are here for these tests only
    path = own if own.exists() else datasets.path(name)
    frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    for column, kind in content["kinds"].items():
        if kind == "ordinal":
            frame[column] = pd.Categorical(frame[column], content["levels"][column], ordered=True)
    target = content["target"]
    return Reference(name, content, frame.drop(columns=target), frame[target])


def our_tree(model: Any, reference: Any) -> Seen:
    """A fitted model's tree in the same form; nodes are in preorder, so a parent comes before its children."""
    a = model.tree_.arrays
    visits = model.decision_path(reference.X).tocsc()
    empty = set(np.flatnonzero(reference.X.isna().all(axis=1)).tolist())
    is_classification, losses = "prediction" in a, model._losses()
    unit = np.log(2) if model.criterion == "entropy" else 1.0
    nodes: list[Seen] = []
    open_nodes: list[tuple[Seen, int]] = []
    for i, n_children in enumerate(a["n_children"]):
        rows = frozenset(int(row) for row in visits[:, i].nonzero()[0]) - empty
        seen = Seen(rows, node_risk(a, i, is_classification, losses))
        if n_children:
            seen.column = reference.X.columns[a["column"][i]]
            seen.threshold = cut_of(a["threshold"][i], reference.kinds[seen.column])
            seen.improve = improve(a, i, is_classification, unit)
            seen.given = our_lists(model, i, is_classification, unit)
        nodes.append(seen)
        while open_nodes and len(open_nodes[-1][0].children) == open_nodes[-1][1]:
            open_nodes.pop()
        if open_nodes:
            open_nodes[-1][0].children.append(seen)
        open_nodes.append((seen, int(n_children)))
    return nodes[0]


def cut_of(threshold: float, kind: str) -> float | None:
    """The number of a numeric test; sets of levels are compared by the rows that they divide."""
    return float(threshold) if kind == "numeric" and not np.isnan(threshold) else None


def node_risk(a: dict[str, Any], i: int, classification: bool, losses: Any) -> float:
    """What wrong answers cost, or the sum of squares, or the deviance."""
    if not classification:
        return float(a["weight"][i] * a["impurity"][i])
    counts = a["count_weight"][slice(*a["count_start"][i : i + 2])]
    if losses is None:
        return float(a["weight"][i] - counts.max())
    classes = a["count_class"][slice(*a["count_start"][i : i + 2])]
    return float(counts @ losses[classes][:, a["prediction"][i]])


def improve(a: dict[str, Any], i: int, classification: bool, unit: float) -> float:
    """The worth of a node's split as rpart prints it; `unit` is 1, or for entropy the nats of a bit."""
    gain = a["improvement"][i] if "improvement" in a else a["gain"][i]
    return float(gain * a["weight"][i]) * unit if classification else float(gain / a["impurity"][i])


def our_lists(model: Any, node: int, classification: bool, unit: float) -> dict[str, Any] | None:
    """The competitors and surrogates of a node, if the model has kept them."""
    if not model.keep_candidates:
        return None
    a, frame = model.tree_.arrays, model.candidates(node)
    scale = unit if classification else 1 / (a["impurity"][node] * a["weight"][node])
    competitors = [
        {"var": line.column, "improve": line.improvement * scale}
        for line in frame[frame["role"] == "competitor"].itertuples()
    ]
    if model.missing != "surrogates":
        return {"competitors": competitors}
    return {"competitors": competitors, "surrogates": our_surrogates(a, node, model.tree_.schema.columns)}


def our_surrogates(a: dict[str, Any], node: int, columns: Any) -> list[dict[str, Any]]:
    """The surrogates of a node as the golden files write them."""
    found = []
    first, last = a["surrogate_start"][node : node + 2] if "surrogate_start" in a else (0, 0)
    for k in range(first, last):
        column = columns[int(a["surrogate_column"][k])]
        split = {"var": column.name, "agree": a["surrogate_agreement"][k], "adj": a["surrogate_adjusted"][k]}
        if column.kind == "numeric":
            split["threshold"] = a["surrogate_threshold"][k]
        else:
            split |= our_levels(a, node, k, first, column)
        found.append(split)
    return found


def our_levels(a: dict[str, Any], node: int, k: int, first: int, column: Any) -> dict[str, Any]:
    """The levels that a surrogate sends to each side."""
    if not np.isnan(a["surrogate_threshold"][k]):
        cut = int(a["surrogate_threshold"][k])
        return {"left": set(column.levels[:cut]), "right": set(column.levels[cut:])}
    span = range(*a["surrogate_level_start"][node : node + 2])
    sides: tuple[set[Any], set[Any]] = set(), set()
    for entry in span:
        if a["surrogate_level_which"][entry] == k - first:
            sides[int(a["surrogate_level_branch"][entry])].add(
                column.levels[int(a["surrogate_level_level"][entry]) - 1]
            )
    return {"left": sides[0], "right": sides[1]}
