"""Oblique trees by their definition: the test that saves most bits for its price, and pruning by the same price.

Slow on purpose: every cut is judged anew from its rows. What the tests cost is written in oblique_splits.py, where
directions come from in oblique_directions.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from oracle.forest import drawn_columns
from oracle.oblique_directions import principal_coordinates
from oracle.oblique_splits import (
    DRAWN,
    FEWEST_ROWS,
    FLOOR,
    MANY_LEVELS,
    MOST_COLUMNS,
    MOST_MISSING,
    MOST_UNKNOWN,
    ROWS_PER_COLUMN,
    AxisSearch,
    Floats,
    Ints,
    Offer,
    Rows,
    SumSearch,
    quantised,
)
from treewright.reference.chance import key
from treewright.reference.table import Table


@dataclass(frozen=True)
class Recipe:
    """The numbers a user may set, by the names a user types."""

    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    max_terms: int = 24
    penalty: float = 1.0
    ridge: float = 1.0
    missing: str = "learn"
    prune: str | None = "price"
    nominal_scores: bool = False


@dataclass(frozen=True)
class Draws:
    """Trees of a forest: how many of its columns a node looks at, and the seed of what it draws."""

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


@dataclass
class Node:
    """A node; `price` is what its test costs in bits, column and shape of the tree included."""

    rows: Rows
    depth: int
    columns: list[int]  # those that may still divide its rows
    test: Offer | None = None
    price: float = 0.0
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Grower:
    """Grows one tree from columns of numbers and level codes (NaN is missing)."""

    columns: Sequence[tuple[str, Floats]]
    recipe: Recipe
    draws: Draws | None = None

    def grow(self, rows: Rows) -> Node:
        """Grow a tree from some rows, level by level: what a node draws hangs on its number."""
        root = Node(rows, 0, list(range(len(self.columns))))
        found = [root]
        for number, node in enumerate(found):
            batches = [node.columns] if self.draws is None else self.draws.batches(number, node.columns)
            asked: list[int] = []
            for batch in batches:
                asked += batch
                node.test = self.best_test(node, batch)
                if node.test is not None:
                    break
            if node.test is None:
                continue
            own = 0.0 if rows.n_classes else log2(node.rows.weight) / 2  # of the mean that the new leaf adds
            node.price = node.test.price + log2(len(self.columns)) + 1 + own
            below = [c for c in node.columns if c not in asked or not self.is_constant(node.rows, c)]
            sides = (node.test.left, ~node.test.left)
            node.children = [Node(node.rows.of(side), node.depth + 1, below) for side in sides]
            found += node.children
        return root

    def is_constant(self, rows: Rows, column: int) -> bool:
        """Whether a column cannot divide any part of these rows; that a value is missing can."""
        here = self.columns[column][1][rows.places]
        n_values = len(np.unique(here[~np.isnan(here)]))
        return n_values + int(self.recipe.missing == "learn" and np.isnan(here).any()) < 2

    def best_test(self, node: Node, columns: list[int]) -> Offer | None:
        """The test with the best score: one column rather than a sum, fewer terms, then the first."""
        rows, recipe = node.rows, self.recipe
        if recipe.max_depth is not None and node.depth >= recipe.max_depth:
            return None
        if len(rows.places) < recipe.min_samples_split or len(set(rows.target.tolist())) == 1:
            return None
        axis = {column: self.axis_test(rows, column) for column in columns}
        best, best_key = None, (-inf, 0)
        for test in [*axis.values(), *self.sums(rows, axis)]:
            if test is None:
                continue
            key = (quantised(test.score, rows), -len(test.columns))
            if key > best_key:
                best, best_key = test, key
        return best

    def axis_test(self, rows: Rows, column: int) -> Offer | None:
        """The best split of one column."""
        kind, values = self.columns[column]
        learns = self.recipe.missing == "learn"
        return AxisSearch(rows, column, kind, values[rows.places], self.recipe.min_samples_leaf, learns).best()

    def sums(self, rows: Rows, axis: Mapping[int, Offer | None]) -> list[Offer]:
        """The weighted sums that are tried: of the numeric columns with the best splits of their own."""
        if rows.weight < FEWEST_ROWS or self.recipe.max_terms < 2:
            return []
        usable = [c for c in axis if self.is_usable(rows, c, axis[c])]
        n_columns = min(
            len(usable), max(2, int(rows.weight // ROWS_PER_COLUMN)), max(MOST_COLUMNS, self.recipe.max_terms)
        )
        if n_columns < 2:
            return []

        def rank(column: int) -> tuple[float, int]:
            test = axis[column]
            return (-quantised(test.score, rows) if test else inf, column)

        chosen = tuple(sorted(sorted(usable, key=rank)[:n_columns]))
        scores = [self.scores(rows, c) for c in chosen]
        raw = [self.columns[c][1][rows.places] for c in chosen]
        values = np.column_stack(
            [v if of_level is None else scored(v, of_level) for v, of_level in zip(raw, scores, strict=True)]
        )
        moments = [mean_and_deviation(values[:, j], rows.weights) for j in range(n_columns)]
        means, deviations = (np.array(numbers) for numbers in zip(*moments, strict=True))
        sound = np.flatnonzero(deviations > 0)  # levels that are all alike have equal scores
        if len(sound) < 2:
            return []
        chosen, scores = tuple(chosen[j] for j in sound), [scores[j] for j in sound]
        values, means, deviations = values[:, sound], means[sound], deviations[sound]
        recipe = self.recipe
        search = SumSearch(
            rows,
            chosen,
            values,
            means,
            deviations,
            len(usable),
            recipe.min_samples_leaf,
            recipe.penalty,
            recipe.ridge,
            recipe.max_terms,
            tuple(scores),
        )
        return list(search.tests())

    def is_usable(self, rows: Rows, column: int, axis: Offer | None) -> bool:
        """Whether a column may take part in a sum: numbers (or scores of levels), two at least, and few holes."""
        kind, values = self.columns[column]
        here = values[rows.places]
        missing = np.isnan(here)
        n_values = len(np.unique(here[~missing]))
        takes_levels = self.recipe.nominal_scores and axis is not None and n_values <= MANY_LEVELS
        if n_values < 2 or not (kind == "numeric" or (kind == "nominal" and takes_levels)):
            return False
        return bool(rows.weights[missing].sum() <= MOST_MISSING * rows.weight)

    def scores(self, rows: Rows, column: int) -> dict[int, float] | None:
        """What each level of a nominal column counts as in a sum; None for numbers."""
        kind, values = self.columns[column]
        return level_scores(rows, values[rows.places]) if kind == "nominal" else None


def scored(values: Floats, of_level: dict[int, float]) -> Floats:
    """The scores of the rows; NaN where there is no level."""
    return np.array([np.nan if np.isnan(v) else of_level[int(v)] for v in values.tolist()])


def level_scores(rows: Rows, values: Floats) -> dict[int, float]:
    """The score of each level: its mean, the log-odds of class 1, or where its shares lie along their main axis.

    Means and shares are first drawn towards those of all rows with a level, as if five such rows were added to each.

    >>> rows = Rows(np.arange(4), np.array([0, 4, 5, 5]), np.ones(4, int), 0)
    >>> level_scores(rows, np.array([1.0, 1, 2, np.nan]))  # mean 3: (4 + 15) / 7 and (5 + 15) / 6
    {1: 2.7142857142857144, 2: 3.3333333333333335}
    """
    known = ~np.isnan(values)
    levels = np.unique(values[known]).astype(int).tolist()
    goal = rows.target[:, None] == np.arange(rows.n_classes) if rows.n_classes else rows.target[:, None]
    goal = goal.astype(float)
    weights = rows.weights.astype(float)
    middle = weights[known] @ goal[known] / weights[known].sum()
    of_level = [float(weights[values == v].sum()) for v in levels]
    drawn = np.array(
        [
            (weights[values == v] @ goal[values == v] + DRAWN * middle) / (w + DRAWN)
            for v, w in zip(levels, of_level, strict=True)
        ]
    )
    if rows.n_classes == 0:
        found = drawn[:, 0]
    elif rows.n_classes == 2:
        # Where all rows with a level are of one class, its levels say nothing.
        found = np.log(drawn[:, 1] / drawn[:, 0]) if drawn.all() else np.zeros(len(levels))
    else:
        found = principal_coordinates(drawn, np.array(of_level))
    return dict(zip(levels, found.tolist(), strict=True))


def mean_and_deviation(values: Floats, weights: Ints) -> tuple[float, float]:
    """The mean and the standard deviation of the known values.

    >>> mean_and_deviation(np.array([1.0, 3.0, np.nan]), np.array([1, 1, 1]))
    (2.0, 1.0)
    """
    known = ~np.isnan(values)
    mean = float(np.average(values[known], weights=weights[known]))
    return mean, float(np.sqrt(np.average((values[known] - mean) ** 2, weights=weights[known])))


# ------------------------------------------------------------------------------------------------ pruning by price
def class_bits(counts: Floats) -> float:
    """Bits that tell the classes of a leaf, shares included (Krichevsky and Trofimov), among the classes that it has.

    >>> round(class_bits(np.array([1.0, 1.0])), 6), class_bits(np.array([5.0, 0.0]))
    (3.0, 0.0)
    """
    counts = counts[counts > 0]
    if len(counts) == 1:
        return 0.0
    half = len(counts) / 2
    found = lgamma(counts.sum() + half) - lgamma(half) - sum(lgamma(c + 0.5) - lgamma(0.5) for c in counts)
    return found / log(2)


def number_bits(spread: float, weight: float, n_leaves: int, unit: float) -> float:
    """Bits that tell the numbers of a subtree with one spread for all its leaves.

    >>> number_bits(8.0, 4.0, 2, 0.0)
    4.0
    """
    return weight / 2 * log2(spread / (weight - n_leaves) + unit) if weight > n_leaves else inf


def prune(root: Node) -> None:
    """Cut, from below, every subtree that saves no bits over a leaf."""
    preorder = [root]
    for node in preorder:
        preorder += node.children
    told: dict[int, tuple[float, float, int]] = {}  # bits or spread, bits of tests, leaves
    for node in reversed(preorder):
        told[id(node)] = as_leaf(node)
        if not node.children:
            continue
        below = [told[id(child)] for child in node.children]
        kept = (sum(b[0] for b in below), sum(b[1] for b in below) + node.price, sum(b[2] for b in below))
        if saves(node, kept):
            told[id(node)] = kept
        else:
            node.children, node.test = [], None


def as_leaf(node: Node) -> tuple[float, float, int]:
    """What a node is told with when it is a leaf."""
    rows = node.rows
    return (class_bits(rows.class_weights()) if rows.n_classes else rows.spread(), 0.0, 1)


def saves(node: Node, kept: tuple[float, float, int]) -> bool:
    """Whether a subtree takes fewer bits than a leaf."""
    leaf = as_leaf(node)
    if node.rows.n_classes:
        return kept[0] + kept[1] < leaf[0] - 1e-9
    weight = node.rows.weight
    unit = FLOOR * leaf[0] / weight
    if weight <= kept[2]:
        return False
    return number_bits(kept[0], weight, kept[2], unit) + kept[1] < number_bits(leaf[0], weight, 1, unit) - 1e-9


# ------------------------------------------------------------------------------------------------ from and to tables
def columns_of(table: Table) -> list[tuple[str, Floats]]:
    """The columns of a table as numbers with NaN."""
    return [
        (column.kind, np.array([np.nan if v is None else float(v) for v in column.values])) for column in table.columns
    ]


def rows_of(table: Table) -> Rows:
    """The rows of a table that count."""
    places = np.array(table.rows())
    return Rows(places, np.array(table.target)[places], np.array(table.weights)[places], table.n_classes)


def grow(table: Table, recipe: Recipe, draws: Draws | None = None) -> Node:
    """Grow and prune an oblique tree.

    >>> from treewright.reference.table import Column
    >>> x, y = [i % 7 for i in range(49)], [i // 7 for i in range(49)]
    >>> classes = tuple(int(a + b > 6) for a, b in zip(x, y, strict=True))
    >>> plane = Table((Column("numeric", tuple(x)), Column("numeric", tuple(y))), classes, (1,) * 49, n_classes=2)
    >>> test = grow(plane, Recipe()).test
    >>> test.columns, [float(w) for w in test.weights], float(test.threshold)
    ((0, 1), [1.0, 1.0], 6.5)
    """
    root = Grower(columns_of(table), recipe, draws).grow(rows_of(table))
    if recipe.prune == "price":
        prune(root)
    return root


def leaf_of(root: Node, row: Floats) -> Node:
    """The leaf of a row of numbers and level codes."""
    node = root
    while node.test is not None:
        node = node.children[0 if goes_left(node.test, row) else 1]
    return node


def goes_left(test: Offer, row: Floats) -> bool:
    """The branch that a row takes: a sum fills holes with means, and a row that lacks more than half has no side."""
    here = row[list(test.columns)]
    missing = np.isnan(here)
    if (missing * np.array(test.shares)).sum() > MOST_UNKNOWN:
        return test.missing_left
    if test.levels is not None and np.isnan(test.threshold):
        return int(here[0]) in test.levels[0] if int(here[0]) in test.levels[1] else test.missing_left
    total = 0.0
    for value, weight, filler, adds in zip(here, test.weights, test.fillers, test.level_weights, strict=True):
        if np.isnan(value):
            total += filler
        else:
            total += weight * value if adds is None else adds.get(int(value), 0.0)
    return total <= test.threshold


def truth_of(rows: Rows) -> NDArray[np.float64] | float:
    """What a leaf answers: the weights of the classes, or the mean."""
    return rows.class_weights() if rows.n_classes else float(np.average(rows.target, weights=rows.weights))
