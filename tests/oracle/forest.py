"""A forest by its definition: draw rows, draw columns at every node, search them, go on.

Every random number is a word of a counted stream, so the same seed gives the same forest here and in the engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal, localcontext

from oracle import criteria
from oracle.conditional_chance import drawn, key, unit
from oracle.splits import Cut, Search, Split
from oracle.table import Column, Table
from oracle.tree import DIGITS, Grower, Node, Recipe

BOOTSTRAP, GROWTH = 1, 2


def below(word: int, bound: int) -> int:
    """A whole number below the bound.

    >>> below(2**63, 10)
    5
    """
    return ((word >> 32) * bound) >> 32


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


class ForestGrower(Grower):
    """Grows one tree of a forest; the table holds the drawn weights."""

    def __init__(self, table: Table, recipe: ForestRecipe, number: int) -> None:
        super().__init__(table, recipe.tree)
        self.forest, self.number = recipe, number

    def stream_of(self, path: Sequence[int]) -> int:
        """The key of a node: that of its parent and the branch."""
        stream = key(self.forest.seed, GROWTH, self.number)
        for branch in path:
            stream = key(stream, branch)
        return stream

    def best_split(self, node: Node) -> Split | None:
        """The best split of the first drawn columns; if none of them can divide the node, of the first that can."""
        recipe = self.recipe
        if recipe.max_depth is not None and len(node.path) >= recipe.max_depth:
            return None
        if len(node.rows) < recipe.min_samples_split or len({self.table.target[row] for row in node.rows}) == 1:
            return None
        best = self.chosen(node, self.offers(node))
        return best if best is not None and self.worth_it(node, best) else None

    def offers(self, node: Node) -> list[Split]:
        """What the drawn columns offer."""
        found: list[Split] = []
        stream = self.stream_of(node.path)
        for place, column in enumerate(drawn_columns(stream, len(self.table.columns))):
            if place >= self.forest.max_features and found:
                break
            search = Search(self.table, column, node.rows, self.recipe.criterion, "learn")
            if self.forest.random_cuts:
                word = drawn(stream, len(self.table.columns) + column)
                offered = search.offers(random_cuts(self.table.columns[column], node.rows, word))
                if self.table.columns[column].present(node.rows)[1:]:  # "known or not" only where nothing else is
                    offered = [split for split in offered if any(side for _, side in split.cut.sides)]
            else:
                offered = search.splits()
            found += [split for split in offered if min(split.sizes) >= self.recipe.min_samples_leaf]
        return found

    def chosen(self, node: Node, offers: list[Split]) -> Split | None:
        """The law of ties: larger quantised score, then smaller column, cut, and missing to the left."""
        scale = criteria.best_possible(self.recipe.criterion, self.table.sample(node.rows))
        best_of_columns = []
        for column in sorted({split.column for split in offers}):
            own = sorted((s for s in offers if s.column == column), key=lambda s: (s.position, s.missing_branch))
            best = min(own, key=lambda split: -criteria.quantised(split.score, scale))
            left = Decimal(1) if asks_whether_known(best) else self.discount(column, node, scale)
            best_of_columns.append((best.score * left, best))
        # min keeps the first of equals.
        return min(best_of_columns, key=lambda pair: -criteria.quantised(pair[0], scale), default=(0, None))[1]

    def discount(self, column: int, node: Node, scale: Decimal) -> Decimal:
        """The share of a score of levels that noise does not explain: all levels apart gain so much on noise alone."""
        values = self.table.columns[column]
        if self.forest.random_cuts or values.kind != "nominal" or len(values.present(node.rows)) <= 2:
            return Decimal(1)
        groups = [[row for row in node.rows if values.values[row] == v] for v in {values.values[r] for r in node.rows}]
        gain = criteria.score(self.recipe.criterion, [self.table.sample(group) for group in groups])
        of_one_row = scale / self.table.weight(node.rows)
        noise = (len(groups) - 1) * of_one_row * (2 if self.forest.bootstrap else 1)
        return max(Decimal(0), 1 - noise / gain) if gain > 0 else Decimal(0)


def asks_whether_known(split: Split) -> bool:
    """Whether the test only asks whether there is a value."""
    return not any(side for _, side in split.cut.sides)


def random_cuts(column: Column, rows: Sequence[int], word: int) -> list[Cut]:
    """One random cut: a threshold between the smallest and the largest value, or a random set of levels.

    >>> [cut.sides for cut in random_cuts(Column("numeric", (1.0, 2.0)), [0, 1], 2**63)]
    [((1.0, 0), (2.0, 1))]
    """
    values = column.present(rows)
    if len(values) < 2:
        return []
    if column.kind == "nominal":
        left = random_levels(values, word)
        return [Cut(None, tuple((value, int(value not in left)) for value in values))]
    threshold = values[0] + unit(word) * (values[-1] - values[0])
    sides = tuple((value, int(value > threshold)) for value in values)
    if column.kind == "ordinal":
        threshold = math.floor(threshold)  # the last level on the left, whether or not the node has it
    return [Cut(threshold, sides)]


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
        with localcontext(Context(prec=DIGITS)):
            trees.append(ForestGrower(replace(table, weights=weights), recipe, number).run())
    return trees
