"""Oblique trees of a forest by their definition: every node draws the columns that it looks at."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.forest import drawn_columns
from treewright.reference.chance import key
from treewright.reference.growing import Candidate, Node
from treewright.reference.oblique import Oblique, Recipe
from treewright.reference.table import Place, Table


@dataclass(frozen=True)
class Draws:
    """How many of its columns a node looks at, and the seed of what it draws."""

    max_features: int
    seed: int

    def batches(self, node: int, columns: list[int]) -> list[list[int]]:
        """The columns of a node, shuffled and dealt out; the next batch is looked at where one gives no test.

        >>> Draws(2, 7).batches(0, [0, 2, 5])
        [[0, 2], [5]]
        """
        if self.max_features >= len(columns):
            return [columns]
        order = [columns[i] for i in drawn_columns(key(self.seed, node), len(columns))]
        return [sorted(order[i : i + self.max_features]) for i in range(0, len(order), self.max_features)]


class DrawnOblique(Oblique):
    """What a node draws hangs on its number, level by level; a column that cannot divide it is not drawn below."""

    def __init__(self, table: Table, recipe: Recipe, draws: Draws) -> None:
        super().__init__(table, recipe)
        self.draws, self.n_nodes = draws, 0
        self.open_below: dict[tuple[int, ...], list[int]] = {}

    def look(self, node: Node) -> None:
        """Look at one batch after the other."""
        columns = self.open_below[node.path[:-1]] if node.path else list(range(len(self.table.columns)))
        asked: list[int] = []
        for batch in self.draws.batches(self.n_nodes, columns):
            self.batch = batch
            asked += batch
            super().look(node)
            if node.split is not None:
                break
        self.n_nodes += 1
        self.open_below[node.path] = [j for j in columns if j not in asked or not self.is_constant(node.place, j)]

    def candidates(self, place: Place) -> list[Candidate]:
        """What the columns of the batch offer."""
        found = [self.candidate(place, j) for j in self.batch]
        best = self.best_sum(place, found)
        return found if best is None else [*found, best]

    def is_constant(self, place: Place, j: int) -> bool:
        """Whether a column cannot divide any part of these rows; that a value is missing can."""
        table = place.values_of(j)
        return len(table.values) + int(self.rules.missing == "learn" and table.missing.rows > 0) < 2
