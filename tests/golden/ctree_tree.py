"""partykit's conditional trees as lists of nodes that can be laid beside the oracle's and ours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treewright import datasets
from treewright.reference.conditional import Recipe
from treewright.reference.growing import Node
from treewright.reference.table import Column, Table

HERE = Path(__file__).parent / "ctree"
TABLES = sorted(path.stem for path in HERE.glob("*.json"))


@dataclass(frozen=True)
class Seen:
    """A node of anybody's tree: what it asks, and (statistic, p) of the test of every column that was tested.

    Of a test by level the branch with the first level of all in the order of the alphabet is the left one.
    """

    n: int | None
    column: str | None
    threshold: float | None
    left: frozenset[str]
    tests: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Reference:
    """One table with the trees that ctree grew from it."""

    content: dict[str, Any]
    frame: pd.DataFrame

    @property
    def target(self) -> str:
        """The column to predict."""
        return str(self.content["target"])

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every column but the target."""
        return {name: kind for name, kind in self.content["kinds"].items() if name != self.target}

    @property
    def is_classification(self) -> bool:
        """Is the target a class?"""
        return bool(self.content["kinds"][self.target] == "nominal")

    def levels(self, column: str) -> list[str]:
        """The levels that occur: in their order where they have one, else in that of the alphabet."""
        seen = set(self.frame[column].dropna())
        if self.content["kinds"][column] == "nominal" and column != self.target:
            return sorted(seen)
        return [level for level in self.content["levels"][column] if level in seen]

    def weights(self, tree: dict[str, Any]) -> list[int]:
        """What each row counts."""
        return [(row + 1) % 3 + 1 if tree["weights"] else 1 for row in range(len(self.frame))]

    def nodes(self, tree: dict[str, Any]) -> list[Seen]:
        """ctree's nodes in preorder, once the branches are in our order."""
        pieces: list[list[Seen]] = []  # finished subtrees, the leftmost on top
        for node in reversed(tree["nodes"]):
            seen = self.seen(node)
            below = [pieces.pop(), pieces.pop()] if seen.column is not None else []
            if self.is_turned(node):
                below.reverse()
            pieces.append([seen, *(other for piece in below for other in piece)])
        [whole] = pieces
        return whole

    def seen(self, node: dict[str, Any]) -> Seen:
        """One node."""
        split = node.get("split", {})
        by_level = "var" in split and "threshold" not in split
        left = frozenset(split["right" if self.is_turned(node) else "left"]) if by_level else frozenset()
        tests = {name: (statistic, p) for name, statistic, p in node.get("tests", ())}
        return Seen(node.get("n"), split.get("var"), split.get("threshold"), left, tests)

    @staticmethod
    def is_turned(node: dict[str, Any]) -> bool:
        """Is the level that is first by the alphabet on ctree's right?"""
        split = node.get("split", {})
        return "var" in split and "threshold" not in split and min(split["right"]) < min(split["left"])


def load(name: str) -> Reference:
    """Read a reference and the table that belongs to it; rows without a target are left out."""
    content = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    text = {column: "str" for column, kind in content["kinds"].items() if kind != "numeric"}
    own = HERE.parent / "tables" / f"{name}.csv"  # tables that are here for these tests only
    path = own if own.exists() else datasets.path(name)
    frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    return Reference(content, frame.dropna(subset=[content["target"]]).reset_index(drop=True))


def oracle_table(reference: Reference, tree: dict[str, Any]) -> Table:
    """The table as the oracle takes it."""
    columns = []
    for name, kind in reference.kinds.items():
        cells = reference.frame[name]
        codes = {} if kind == "numeric" else {level: i for i, level in enumerate(reference.levels(name), start=1)}
        columns.append(Column(kind, tuple(None if pd.isna(cell) else codes.get(cell, cell) for cell in cells)))
    y = reference.frame[reference.target]
    classes = reference.levels(reference.target) if reference.is_classification else []
    target = tuple(classes.index(k) for k in y) if classes else tuple(y)
    return Table(tuple(columns), target, tuple(reference.weights(tree)), len(classes))


def oracle_nodes(reference: Reference, nodes: list[Node]) -> list[Seen]:
    """The oracle's nodes in the same form."""
    names = list(reference.kinds)
    found = []
    for node in nodes:
        tests = {
            names[test.column]: (test.measures["statistic"], float(np.exp(test.measures["log_p_adjusted"])))
            for test in node.candidates
            if test.measures
        }
        if node.split is None:
            found.append(Seen(len(node.rows), None, None, frozenset(), tests))
            continue
        name = names[node.split.column]
        sides = dict(node.split.levels)
        levels = reference.levels(name) if sides else []
        left = frozenset(level for i, level in enumerate(levels, 1) if sides.get(i) == 0)
        threshold = next(iter(node.split.cuts), None)
        found.append(Seen(len(node.rows), name, threshold, left, tests))
    return found


def oracle_recipe(tree: dict[str, Any]) -> Recipe:
    """The same choices as the oracle takes them."""
    return Recipe(**tree["parameters"])
