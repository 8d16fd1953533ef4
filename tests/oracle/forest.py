"""A forest by its definition: draw rows, draw columns at every node, search them, go on.

Every random number is a word of a counted stream, so the same seed gives the same forest here and in the engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext

from oracle.keyed_words import below
from treewright.reference.arithmetic import DECIMALS
from treewright.reference.cart import Cart, Recipe
from treewright.reference.chance import drawn, key, unit
from treewright.reference.divisions import level_cut
from treewright.reference.growing import Candidate, Node
from treewright.reference.split import Division, Split
from treewright.reference.table import Column, Place, Table, ValueTable

BOOTSTRAP, GROWTH = 1, 2


def drawn_units(seed: int, tree: int, order: Sequence[int], weights: Sequence[int]) -> list[int]:
    """How often each row is drawn: a row of weight 2 stands in the hat twice. `order`: of the rows in the hat.

    >>> sum(drawn_units(7, 0, [2, 0, 1], [1, 1, 1]))
    3
    """
    hat = [row for row in order for _ in range(weights[row])]
    stream = key(seed, BOOTSTRAP, tree)
    counts = [0] * len(weights)
    for draw in range(len(hat)):
        counts[hat[below(drawn(stream, draw), len(hat))]] += 1
    return counts


def drawn_columns(stream: int, n_columns: int) -> Iterator[int]:
    """All columns in the order in which a node draws them (Fisher and Yates).

    >>> sorted(drawn_columns(5, 4))
    [0, 1, 2, 3]
    """
    order = list(range(n_columns))
    for place in range(n_columns):
        other = place + below(drawn(stream, place), n_columns - place)
        order[place], order[other] = order[other], order[place]
        yield order[place]


@dataclass(frozen=True)
class ForestRecipe:
    """The numbers of a forest beside those of its trees."""

    tree: Recipe = field(default_factory=Recipe)
    max_features: int = 1
    bootstrap: bool = True
    random_cuts: bool = False
    seed: int = 0


class ForestGrower(Cart):
    """Grows one tree of a forest; the table holds the drawn weights."""

    def __init__(self, table: Table, recipe: ForestRecipe, number: int) -> None:
        super().__init__(table, recipe.tree)
        self.forest, self.number = recipe, number

    def look(self, node: Node) -> None:
        """The columns that a node looks at hang on its path."""
        self.stream = key(self.forest.seed, GROWTH, self.number)
        for branch in node.path:
            self.stream = key(self.stream, branch)
        super().look(node)

    def candidates(self, place: Place) -> list[Candidate]:
        """What the first drawn columns offer; if none of them can divide the node, the first that can."""
        found: list[Candidate] = []
        for place_of, j in enumerate(drawn_columns(self.stream, len(self.table.columns))):
            if place_of >= self.forest.max_features and any(candidate.division for candidate in found):
                break
            found.append(self.discounted(place, self.candidate(place, j)))
        draws = self.forest.random_cuts or self.forest.bootstrap or self.forest.max_features < len(self.table.columns)
        ties = key(self.stream, 2)  # where nothing is drawn, the first column wins a tie, as in a single tree
        return sorted(found, key=lambda candidate: drawn(ties, candidate.column) if draws else candidate.column)

    def divisions(self, j: int, table: ValueTable) -> list[Division]:
        """All divisions of a column, or those by a random cut."""
        if not self.forest.random_cuts:
            return super().divisions(j, table)
        word = drawn(self.stream, len(self.table.columns) + j)
        found = self.with_missing(j, table, random_cuts(self.table.columns[j], j, table, word))
        if len(table.values) > 1:  # "known or not" only where nothing else is
            found = [division for division in found if not division.split.asks_whether_known]
        return found

    def discounted(self, place: Place, candidate: Candidate) -> Candidate:
        """The candidate with the part of its score that noise does not explain."""
        if candidate.division is None or candidate.division.split.asks_whether_known:
            return candidate
        left = self.discount(place, candidate.column)
        return replace(
            candidate, measures={**candidate.measures, self.decides: candidate.measures[self.decides] * left}
        )

    def discount(self, place: Place, j: int) -> Decimal:
        """The share of a score of levels that noise does not explain: all levels apart gain so much on noise alone."""
        table = place.values_of(j)
        if self.forest.random_cuts or self.table.columns[j].kind != "nominal" or len(table.values) <= 2:
            return Decimal(1)
        groups = [*table.tallies, *([table.missing] if table.missing.rows else [])]
        gain = self.measures(Division(Split(j), tuple(groups)))[self.decides]
        of_one_row = self.unit_of_ties(place.tally) / place.tally.weight
        noise = (len(groups) - 1) * of_one_row * (2 if self.forest.bootstrap else 1)
        return max(Decimal(0), 1 - noise / gain) if gain > 0 else Decimal(0)


def random_cuts(column: Column, j: int, table: ValueTable, word: int) -> Iterator[Division]:
    """One random cut: a threshold between the smallest and the largest value, or a random set of levels.

    >>> table = Table((Column("numeric", (1.0, 2.0)),), (0, 1), (1.0, 1.0), 2)
    >>> found = Place(table, table.cases()).values_of(0)
    >>> [cut.split.cuts for cut in random_cuts(table.columns[0], 0, found, 2**63)]
    [(1.5,)]
    """
    values = table.values
    if len(values) < 2:
        return
    if column.kind == "nominal":
        yield level_cut(j, table, {values.index(level) for level in random_levels(values, word)})
        return
    threshold = values[0] + unit(word) * (values[-1] - values[0])
    left = [place for place, value in enumerate(values) if value <= threshold]
    sides = table.sum_of(left), table.sum_of(range(len(left), len(values)))
    # The last level on the left, whether or not the node has it.
    yield Division(Split(j, cuts=(math.floor(threshold) if column.kind == "ordinal" else threshold,)), sides)


def random_levels(levels: Sequence[float], word: int) -> list[float]:
    """The levels whose own random bit is 1; bits are drawn anew until some are and some are not."""
    round_number = 0
    while True:
        stream = key(word, round_number)
        left = [level for level in levels if drawn(stream, int(level)) >> 63]
        if 0 < len(left) < len(levels):
            return left
        round_number += 1


def grow_forest(table: Table, recipe: ForestRecipe, n_trees: int, order: Sequence[int]) -> list[list[Node]]:
    """Grow the trees; each is a list of nodes in preorder. `order`: of the rows that count, by their content."""
    trees = []
    for number in range(n_trees):
        weights = table.weights
        if recipe.bootstrap:
            weights = tuple(drawn_units(recipe.seed, number, order, table.weights))
        with localcontext(DECIMALS):
            grower = ForestGrower(replace(table, weights=weights).exact(), recipe, number)
            root = grower.grow(most_leaves=recipe.tree.max_leaf_nodes or math.inf)
        trees.append(list(root.preorder()))
    return trees
