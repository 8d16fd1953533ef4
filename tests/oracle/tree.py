"""The growing loop: take the best split of every column, divide, go on, stop where a rule says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext

from oracle import criteria
from oracle.splits import Search, Split
from oracle.table import Table

DIGITS = 60


@dataclass(frozen=True)
class Recipe:
    """The numbers a user may set, by the names a user types."""

    criterion: str = "gini"
    missing: str = "learn"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_variance_share: float = 0.0


@dataclass
class Node:
    """A node of the grown tree. `path` is the branch taken at each ancestor; sorting by it gives preorder."""

    rows: tuple[int, ...]
    path: tuple[int, ...]
    impurity: Decimal
    weight: int
    prediction: int | Decimal
    offer: Split | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def gain(self) -> Decimal:
        """The fall of impurity from this node to its branches; 0 at a leaf."""
        if not self.children:
            return Decimal(0)
        within = sum((child.weight * child.impurity for child in self.children), Decimal(0))
        return self.impurity - within / self.weight


def majority(table: Table, path_rows: Sequence[Sequence[int]]) -> int:
    """The class of the last node of a path from the root, given the rows of each node on it.

    The heaviest class; among equals the one that is strictly heaviest of them at the nearest ancestor that can tell,
    else the smallest index.

    >>> table = Table((), target=(0, 1, 1, 1, 0), weights=(1, 1, 1, 1, 1), n_classes=2)
    >>> majority(table, [[0, 1]]), majority(table, [[0, 1, 2, 3, 4], [0, 1]])
    (0, 1)
    """
    *above, here = path_rows
    tied = heaviest_classes(table, here, set(range(table.n_classes)))
    for rows in [here, *reversed(above)]:
        winners = heaviest_classes(table, rows, tied)
        if len(winners) == 1:
            return winners.pop()
    return min(tied)


def heaviest_classes(table: Table, rows: Sequence[int], among: set[int]) -> set[int]:
    """Those of the classes that have the largest weight in the rows.

    >>> heaviest_classes(Table((), (0, 1, 2), (1, 2, 2), n_classes=3), [0, 1, 2], {0, 1, 2})
    {1, 2}
    """
    weights = {k: sum(table.weights[row] for row in rows if table.target[row] == k) for k in among}
    return {k for k in among if weights[k] == max(weights.values())}


class Grower:
    """Grows one tree; `nodes` holds it in preorder when `run` is done."""

    def __init__(self, table: Table, recipe: Recipe) -> None:
        self.table, self.recipe = table, recipe
        self.nodes: list[Node] = []

    def run(self) -> list[Node]:
        """Open the most valuable node first (the first in preorder of equals) until no node can be opened."""
        root = self.node(tuple(self.table.rows()), (), [])
        frontier = [root]
        leaves, self.nodes = 1, [root]
        limit = self.recipe.max_leaf_nodes or len(self.table.target) + 1
        while frontier:
            frontier.sort(key=lambda node: (-self.value(node), node.path))
            node = frontier.pop(0)
            if node.offer is None or leaves + len(node.offer.branches) - 1 > limit:
                node.offer = None
                continue
            leaves += len(node.offer.branches) - 1
            above = self.ancestors(node)
            node.children = [self.node(rows, (*node.path, b), above) for b, rows in enumerate(node.offer.branches)]
            self.nodes += node.children
            frontier += node.children
        self.nodes.sort(key=lambda node: node.path)
        return self.nodes

    def ancestors(self, node: Node) -> list[tuple[int, ...]]:
        """The rows of every node from the root to this one."""
        by_path = {other.path: other.rows for other in self.nodes}
        return [by_path[node.path[:depth]] for depth in range(len(node.path) + 1)]

    def node(self, rows: tuple[int, ...], path: tuple[int, ...], above: list[tuple[int, ...]]) -> Node:
        """A new node with the split that it would make."""
        sample = self.table.sample(rows)
        impurity = criteria.IMPURITY[self.recipe.criterion](sample)
        made = Node(rows, path, impurity, self.table.weight(rows), self.prediction(rows, above))
        made.offer = self.best_split(made)
        return made

    def prediction(self, rows: tuple[int, ...], above: list[tuple[int, ...]]) -> int | Decimal:
        """What the node would answer as a leaf."""
        if self.table.n_classes:
            return majority(self.table, [*above, rows])
        sample = self.table.sample(rows)
        if self.recipe.criterion == "absolute_error":
            return Decimal(criteria.lower_median(sample))
        return criteria.mean(sample)

    def best_split(self, node: Node) -> Split | None:
        """The split with the largest quantised score; then the smaller column, cut, and missing to the left."""
        recipe = self.recipe
        if recipe.max_depth is not None and len(node.path) >= recipe.max_depth:
            return None
        if len(node.rows) < recipe.min_samples_split or len({self.table.target[row] for row in node.rows}) == 1:
            return None
        if self.spreads_too_little(node):
            return None
        unit = criteria.best_possible(recipe.criterion, self.table.sample(node.rows))
        offers = [
            split
            for column in range(len(self.table.columns))
            for split in Search(self.table, column, node.rows, recipe.criterion, recipe.missing).splits()
            if min(split.sizes) >= recipe.min_samples_leaf
        ]
        # min keeps the first of equals, and the offers come in the order of the tie law.
        best = min(offers, key=lambda split: -criteria.quantised(split.score, unit), default=None)
        return best if best is not None and self.worth_it(node, best) else None

    def value(self, node: Node) -> Decimal:
        """How much opening a node lowers the tree's impurity: its weight times the gain; 0 if it cannot be opened."""
        return round(node.weight * self.gain_of(node.offer), 20) if node.offer else Decimal(0)

    def gain_of(self, split: Split) -> Decimal:
        """The gain of a split in the criterion's impurity."""
        return criteria.gain(self.recipe.criterion, [self.table.sample(branch) for branch in split.branches])

    def spreads_too_little(self, node: Node) -> bool:
        """The rule of min_variance_share; a share that is met exactly stops too, and 0 switches the rule off."""
        whole = criteria.IMPURITY[self.recipe.criterion](self.table.sample(self.table.rows()))
        share = Decimal(self.recipe.min_variance_share)
        return share > 0 and node.impurity <= share * whole * (1 + Decimal("1e-12"))

    def worth_it(self, node: Node, split: Split) -> bool:
        """The rule of min_impurity_decrease: the fall of impurity, as a share of the whole tree's weight."""
        share = Decimal(node.weight) / self.table.weight(self.table.rows())
        return share * self.gain_of(split) >= Decimal(self.recipe.min_impurity_decrease) - Decimal("1e-12")


def grow(table: Table, recipe: Recipe) -> list[Node]:
    """Grow a tree by the definition; the nodes come in preorder.

    >>> from oracle.table import Column
    >>> table = Table((Column("numeric", (1, 2, 3, 4)),), target=(0, 0, 1, 0), weights=(1, 1, 1, 1), n_classes=2)
    >>> [(node.path, node.rows, node.prediction) for node in grow(table, Recipe(max_depth=1))]
    [((), (0, 1, 2, 3), 0), ((0,), (0, 1), 0), ((1,), (2, 3), 0)]
    """
    with localcontext(Context(prec=DIGITS)):
        return Grower(table, recipe).run()
