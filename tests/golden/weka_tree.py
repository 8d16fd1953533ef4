"""Weka's trees as nested nodes that can be laid beside ours, and the tables that they were grown from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treewright import datasets
from treewright.reference.c45 import Settings
from treewright.reference.table import Column, Table

HERE = Path(__file__).parent / "weka"
TABLES = sorted(path.stem for path in HERE.glob("*.json"))
SETTINGS = {
    "J48": Settings(),
    "J48_U": Settings(prune=False),
    "J48_U_M1": Settings(prune=False, min_samples_leaf=1),
    "J48_B": Settings(binary=True),
    "J48_R": Settings(reduced_error=True),
    "J48_noraise": Settings(raise_subtrees=False),
    "J48_laplace": Settings(laplace=True),
}
PRINTED = 0.005 + 1e-9  # weights are printed with two decimals
# Thresholds are printed with six. Of values within a millionth of each other Weka keeps the one that it meets first,
# so that its threshold depends on the order of rows; we take the largest.
CLOSE = 2e-6 + 1e-9


@dataclass
class Seen:
    """A node of anybody's J48 tree; the branches are written as Weka prints them."""

    n: float = 0.0
    errors: float = 0.0
    answer: str = ""
    column: str = ""
    branches: list[tuple[str, str | float]] = field(default_factory=list)
    children: list[Seen] = field(default_factory=list)


@dataclass(frozen=True)
class Reference:
    """One table with Weka's answers to it."""

    content: dict[str, Any]
    frame: pd.DataFrame

    @property
    def target(self) -> str:
        """The name of the target."""
        return str(self.content["target"])

    @property
    def names(self) -> list[str]:
        """The columns to learn from."""
        return [name for name in self.content["kinds"] if name != self.target]

    def levels(self, name: str) -> list[str]:
        """The levels of a column that occur, in Weka's order. A level that never occurs is of no interest here."""
        there = set(self.frame[name])
        return [level for level in self.content["levels"][name] if level in there]

    @property
    def classes(self) -> list[str]:
        """All classes that the file declares; Weka counts those that never occur too."""
        return list(self.content["levels"][self.target])

    @property
    def folds(self) -> np.ndarray[Any, Any]:
        """The fold of each row."""
        return np.array([int(fold) for fold in self.content["folds"]])

    def result(self, name: str) -> dict[str, Any]:
        """What Weka said of one tree."""
        found: dict[str, Any] = self.content["trees"][name]
        return found

    def tree(self, name: str) -> Seen:
        """One of Weka's trees. A branch for a level that never occurs in the table is left out."""
        nodes = iter(self.result(name)["nodes"])
        root = Seen()
        waiting = [root]
        while waiting:
            seen, node = waiting.pop(), next(nodes)
            if "answer" in node:
                seen.n, seen.errors, seen.answer = node["n"], node["errors"], node["answer"]
                continue
            seen.column, seen.branches = node["column"], [tuple(branch) for branch in node["branches"]]
            seen.children = [Seen() for _ in seen.branches]
            waiting += reversed(seen.children)
        return without_unused_levels(root, self)

    def oracle_table(self, weights: tuple[int, ...] | None = None) -> Table:
        """The table as the oracle takes it."""
        columns = []
        for name in self.names:
            texts = list(self.frame[name])
            if self.content["kinds"][name] == "numeric":
                columns.append(Column("numeric", tuple(float(text) if text else None for text in texts)))
            else:
                codes = {level: code for code, level in enumerate(self.levels(name), start=1)}
                columns.append(Column("nominal", tuple(codes.get(text) for text in texts)))
        target = tuple(self.classes.index(text) for text in self.frame[self.target])
        return Table(tuple(columns), target, weights or (1,) * len(target), len(self.classes))


def without_unused_levels(root: Seen, table: Reference) -> Seen:
    """Drop branches that no row of the whole table can take."""
    waiting = [root]
    while waiting:
        seen = waiting.pop()
        if seen.branches and seen.branches[0][0] == "=" and seen.branches[-1][0] == "=":
            kept = [i for i, (_, value) in enumerate(seen.branches) if value in table.levels(seen.column)]
            seen.branches = [seen.branches[i] for i in kept]
            seen.children = [seen.children[i] for i in kept]
        waiting += seen.children
    return root


@cache
def load(name: str) -> Reference:
    """Read a reference and the table that belongs to it; every cell stays text, '' is missing."""
    content = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    own = HERE.parent / "tables" / f"{name}.csv"
    frame = pd.read_csv(own if own.exists() else datasets.path(name), dtype="str", keep_default_na=False)
    return Reference(content, frame)


def differences(ours: Seen, theirs: Seen) -> list[str]:
    """Walk down both trees; say where they are not the same."""
    found, waiting = [], [(ours, theirs)]
    while waiting:
        mine, peer = waiting.pop()
        if mine.column != peer.column or not same_branches(mine.branches, peer.branches):
            found.append(f"{peer.column} {peer.branches} is {mine.column} {mine.branches} here")
        elif not peer.children and mine.answer != peer.answer:
            found.append(f"{peer.answer} ({peer.n}/{peer.errors}) is {mine.answer} here")
        elif not peer.children and max(abs(mine.n - peer.n), abs(mine.errors - peer.errors)) > PRINTED:
            found.append(f"{peer.answer} ({peer.n}/{peer.errors}) is ({mine.n}/{mine.errors}) here")
        else:
            waiting += zip(mine.children, peer.children, strict=True)
    return found


def same_branches(mine: list[tuple[str, str | float]], peer: list[tuple[str, str | float]]) -> bool:
    """The same operators and levels, and thresholds that print the same."""
    if [op for op, _ in mine] != [op for op, _ in peer]:
        return False
    for (_, a), (_, b) in zip(mine, peer, strict=True):
        if isinstance(a, float) and isinstance(b, float):
            if abs(a - b) > CLOSE:
                return False
        elif a != b:
            return False
    return True
