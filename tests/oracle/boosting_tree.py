"""One boosted tree by its definition."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from oracle import keyed_words
from treewright.reference.table import Column, Table, Value

LARGEST_LOG_STEP = 3.0


@dataclass(frozen=True)
class Rules:
    """The parameters of the estimators, under their names."""

    loss: str = "squared_error"
    alpha: float = 0.9
    learning_rate: float = 0.1
    n_estimators: int = 3
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    growth: str = "leaf"
    min_samples_leaf: int = 1
    min_hessian: float = 1e-3
    l2_regularization: float = 0.0
    min_gain: float = 0.0
    subsample: float = 1.0
    max_features: int | None = None
    max_features_per_tree: int | None = None
    level_smoothing: float = 1.0
    level_charge: float = 1.0
    monotonic_cst: tuple[int, ...] | None = None
    interaction_cst: tuple[tuple[int, ...], ...] | None = None
    seed: int = 0


@dataclass(frozen=True)
class TreeTask:
    """What a tree is grown from: whole units of gradient and hessian by row; only these rows take part."""

    gradient: dict[int, int]
    hessian: dict[int, int]
    per_gradient: Fraction
    per_hessian: Fraction
    noise: Fraction
    grid: Fraction  # steps per unit of score in which splits are compared
    key: int


@dataclass(frozen=True)
class Offer:
    """A split: what it asks, where missing goes, and its score."""

    score: Fraction
    column: int
    threshold: float | None
    left_levels: frozenset[int]
    levels: frozenset[int]
    missing_branch: int
    left: tuple[int, ...]


@dataclass
class BoostedNode:
    """A node; leaves have a value, other nodes a test."""

    rows: tuple[int, ...]
    depth: int
    low: float
    high: float
    key: int
    groups: tuple[tuple[int, ...], ...]
    path: tuple[int, ...]
    undivided: Fraction = Fraction(0)
    offer: Offer | None = None
    children: list[BoostedNode] = field(default_factory=list)
    value: float = 0.0

    @property
    def column(self) -> int:
        """The column that the node asks."""
        assert self.offer is not None
        return self.offer.column

    def branch_of(self, value: Value) -> int:
        """Where a value goes."""
        assert self.offer is not None
        if value is None or (self.offer.threshold is None and value not in self.offer.levels):
            return self.offer.missing_branch
        if self.offer.threshold is None:
            return int(value not in self.offer.left_levels)
        return int(value > self.offer.threshold)


class Scorer:
    """Sums, values and scores of sets of rows, in units."""

    def __init__(self, rules: Rules, task: TreeTask) -> None:
        self.rules, self.task = rules, task
        self.l2 = Fraction(rules.l2_regularization) * task.per_hessian
        self.least = max(1, math.ceil(Fraction(rules.min_hessian) * task.per_hessian))
        self.per_score = task.per_gradient**2 / task.per_hessian
        self.per_value = task.per_gradient / task.per_hessian
        self.bounded = rules.monotonic_cst is not None and any(rules.monotonic_cst)

    def rank(self, score: Fraction) -> int:
        """The step of the grid on which scores are compared."""
        return int(math.copysign(math.floor(abs(score) * self.task.grid + Fraction(1, 2)), score))

    def sums(self, rows: tuple[int, ...]) -> tuple[int, int]:
        """Gradient and hessian of some rows."""
        return sum(self.task.gradient[row] for row in rows), sum(self.task.hessian[row] for row in rows)

    def value(self, rows: tuple[int, ...], node: BoostedNode) -> Fraction:
        """The Newton step of some rows within the bounds of the node, in units."""
        gradient, hessian = self.sums(rows)
        newton = -Fraction(gradient) / (hessian + self.l2)
        if not math.isinf(node.low):
            newton = max(newton, Fraction(node.low) * self.per_value)
        if not math.isinf(node.high):
            newton = min(newton, Fraction(node.high) * self.per_value)
        return newton

    def score(self, rows: tuple[int, ...], node: BoostedNode) -> Fraction:
        """Twice what the loss falls by when the rows get their value (bounds count only with monotone columns)."""
        gradient, hessian = self.sums(rows)
        if not self.bounded:
            return Fraction(gradient) ** 2 / (hessian + self.l2)
        value = self.value(rows, node)
        return -value * (2 * gradient + (hessian + self.l2) * value)


def grow_tree(table: Table, rules: Rules, task: TreeTask) -> list[BoostedNode]:
    """Grow a tree; the nodes in preorder."""
    scorer = Scorer(rules, task)
    step = LARGEST_LOG_STEP if rules.loss in ("poisson", "gamma") else math.inf
    columns = tuple(range(len(table.columns)))
    groups = all_groups(rules, len(columns))
    of_tree = draw_columns(columns, rules.max_features_per_tree, task.key)
    root = BoostedNode(tuple(sorted(task.gradient)), 0, -step, step, keyed_words.key_of(task.key, 1), groups, ())
    frontier = [root]
    n_leaves = 1
    search(table, scorer, root, of_tree)
    while n_leaves < (rules.max_leaf_nodes or math.inf):
        open_nodes = [node for node in frontier if node.offer is not None and not node.children]
        if not open_nodes:
            break
        node = min(open_nodes, key=lambda n: order_of(n, scorer))
        divide(table, scorer, node)
        n_leaves += 1
        for child in node.children:
            search(table, scorer, child, of_tree)
            frontier.append(child)
    nodes = preorder(root)
    for node in nodes:
        if not node.children:
            node.value = float(scorer.value(node.rows, node) / scorer.per_value)
    return nodes


def order_of(node: BoostedNode, scorer: Scorer) -> tuple[int, int, tuple[int, ...]]:
    """What is divided first: of the least depth (level by level), with the most to gain, first in preorder."""
    assert node.offer is not None
    gain = scorer.rank(node.offer.score - node.undivided)
    return node.depth if scorer.rules.growth == "level" else 0, -gain, node.path


def all_groups(rules: Rules, n_columns: int) -> tuple[tuple[int, ...], ...]:
    """The groups of columns that may meet; columns in none of them make one more."""
    if rules.interaction_cst is None:
        return (tuple(range(n_columns)),)
    rest = tuple(c for c in range(n_columns) if not any(c in group for group in rules.interaction_cst))
    return (*rules.interaction_cst, rest) if rest else rules.interaction_cst


def draw_columns(columns: tuple[int, ...], count: int | None, key: int) -> tuple[int, ...]:
    """The first of a shuffle, in order."""
    if count is None or count >= len(columns):
        return columns
    shuffled = list(columns)
    for i in range(count):
        j = i + keyed_words.below(keyed_words.drawn(key, i), len(shuffled) - i)
        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
    return tuple(sorted(shuffled[:count]))


def search(table: Table, scorer: Scorer, node: BoostedNode, of_tree: tuple[int, ...]) -> None:
    """Find the best split, if any is better than none."""
    rules = scorer.rules
    node.undivided = scorer.score(node.rows, node)
    may = len(node.rows) >= 2 * rules.min_samples_leaf and node.depth < (rules.max_depth or math.inf)
    if not may or scorer.sums(node.rows)[1] < 2 * scorer.least:
        return
    bar = scorer.rank(node.undivided + 2 * Fraction(rules.min_gain) * scorer.per_score)
    allowed = tuple(c for c in of_tree if any(c in group for group in node.groups))
    for column in draw_columns(allowed, rules.max_features, node.key):
        for offer in offers(table, scorer, node, column):
            if scorer.rank(offer.score) > bar and fits(scorer, node, offer):
                node.offer, bar = offer, scorer.rank(offer.score)


def fits(scorer: Scorer, node: BoostedNode, offer: Offer) -> bool:
    """Whether both sides are large enough, and rise or fall as they must."""
    right = tuple(row for row in node.rows if row not in offer.left)
    for side in (offer.left, right):
        if len(side) < max(1, scorer.rules.min_samples_leaf) or scorer.sums(side)[1] < scorer.least:
            return False
    ways = scorer.rules.monotonic_cst
    way = ways[offer.column] if ways else 0
    return way * (scorer.value(offer.left, node) - scorer.value(right, node)) <= 0


def offers(table: Table, scorer: Scorer, node: BoostedNode, number: int) -> list[Offer]:
    """Every split of a column in the order of the law of ties: by cut, then missing left before missing right."""
    column = table.columns[number]
    known = column.known(node.rows)
    missing = tuple(column.missing(node.rows))
    found = []
    for threshold, left_values in cuts(table, scorer, node, column):
        left_known = tuple(row for row in known if column.values[row] in left_values)
        for branch in (0, 1) if missing else (None,):
            left = tuple(sorted(left_known + (missing if branch == 0 else ())))
            right = tuple(row for row in node.rows if row not in left)
            if not left or not right:
                continue
            score = scorer.score(left, node) + scorer.score(right, node)
            levels = frozenset(int(v) for v in column.present(node.rows)) if column.kind == "nominal" else frozenset()
            if len(levels) > 2:
                score -= Fraction(scorer.rules.level_charge) * scorer.task.noise * scorer.per_score * (len(levels) - 2)
            heavier = int(2 * scorer.sums(left)[1] < scorer.sums(node.rows)[1])
            side = heavier if branch is None else branch
            lefts = frozenset(int(v) for v in left_values) if threshold is None else frozenset()
            found.append(Offer(score, number, threshold, lefts, levels, side, left))
    return found


def cuts(table: Table, scorer: Scorer, node: BoostedNode, column: Column) -> list[tuple[float | None, set[float]]]:
    """The values on the left of each cut, in order; the last has all values on the left."""
    if column.kind == "nominal":
        levels = column.present(node.rows)
        smoothing = Fraction(scorer.rules.level_smoothing) * scorer.task.per_hessian

        def ratio(level: float) -> Fraction:
            sums = scorer.sums(tuple(row for row in node.rows if column.values[row] == level))
            return Fraction(sums[0]) / (sums[1] + smoothing)

        ordered = sorted(levels, key=lambda level: (ratio(level), level))
        return [(None, set(ordered[: i + 1])) for i in range(len(ordered))]
    values = column.present(table.rows())  # thresholds lie between the values of the whole table
    middles = [(a + b) / 2 if column.kind == "numeric" else a for a, b in pairwise(values)]
    bounds = [*middles, math.inf]
    return [(bound, set(values[: i + 1])) for i, bound in enumerate(bounds)]


def divide(table: Table, scorer: Scorer, node: BoostedNode) -> None:
    """Make the branches of a node; a monotone test parts their values at the middle between them."""
    assert node.offer is not None
    right = tuple(row for row in node.rows if row not in node.offer.left)
    groups = tuple(group for group in node.groups if node.column in group)
    for branch, rows in enumerate((node.offer.left, right)):
        key = keyed_words.key_of(node.key, branch + 2)
        child = BoostedNode(rows, node.depth + 1, node.low, node.high, key, groups, (*node.path, branch))
        node.children.append(child)
    way = scorer.rules.monotonic_cst[node.column] if scorer.rules.monotonic_cst else 0
    if not way:
        return
    values = [float(scorer.value(child.rows, node) / scorer.per_value) for child in node.children]
    middle = values[0] / 2 + values[1] / 2
    lower, upper = node.children if way > 0 else reversed(node.children)
    lower.high, upper.low = middle, middle


def preorder(root: BoostedNode) -> list[BoostedNode]:
    """The nodes of a tree, first branches first."""
    nodes, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting += reversed(node.children)
    return nodes
