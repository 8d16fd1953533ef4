"""Conditional inference trees by their definition (Hothorn, Hornik and Zeileis 2006): test every column, then cut one.

Read in this order: `influence` and `transform` (rows become vectors), `Moments` (the linear statistic with its mean and
covariance under all permutations), `quadratic` and `maximum` (one number out of it), `evidence` (p-values), `Grower`.
The covariance is written out as a matrix and inverted by a general routine; nothing is simplified.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from oracle.conditional_chance import chance_of_maximum, log_upper_chi_square, permuted
from oracle.conditional_surrogates import surrogates
from treewright.reference.growing import majority
from treewright.reference.table import Column, Table

Matrix = NDArray[np.float64]
RANK_TOLERANCE = math.sqrt(np.finfo(float).eps)
STEPS = 2.0**40  # statistics are compared in steps of (n - 1) / 2^40
STEPS_OF_LOG = 2.0**26  # logarithms of p in steps of 2^-26
CERTAIN = 0.5 * math.log(np.finfo(float).tiny)  # below this p is as good as zero and only the statistic counts


@dataclass(frozen=True)
class Recipe:
    """The numbers a user may set, by the names a user types."""

    alpha: float = 0.05
    test: str = "bonferroni"
    statistic: str = "quadratic"
    split_statistic: str | None = None
    min_samples_split: float = 20
    min_samples_leaf: float = 7
    min_branch_share: float = 0.01
    split_tries: int = 2
    max_depth: int | None = None
    ordinal_target: bool = False
    n_permutations: int = 9999
    seed: int = 0
    missing: str = "larger"
    max_surrogates: int = 0


@dataclass(frozen=True)
class Moments:
    """The linear statistic T, one row a column of g and one column a column of h, and what is known of it by chance.

    `spread_g` is the p x p and `spread_h` the q x q part of the covariance; the whole is their Kronecker product.
    """

    deviation: Matrix
    spread_g: Matrix
    spread_h: Matrix
    n: float

    @property
    def covariance(self) -> Matrix:
        """Of vec(T), columns stacked."""
        return np.kron(self.spread_h, self.spread_g)


@dataclass(frozen=True)
class Evidence:
    """What a test of one column said."""

    column: int
    statistic: float
    df: int
    log_p: float
    log_p_adjusted: float = 0.0


@dataclass(frozen=True)
class Cut:
    """A test of the known values: a threshold, or for each level present at the node the branch 0 or 1."""

    column: int
    threshold: float | None
    levels: tuple[tuple[int, int], ...]
    statistic: float
    missing_branch: int = 0
    turned: bool = False  # of a surrogate: left is right


@dataclass
class Node:
    """A node of the grown tree. `tests` is empty where nothing was tested."""

    rows: tuple[int, ...]
    path: tuple[int, ...]
    weight: float
    prediction: float
    tests: list[Evidence] = field(default_factory=list)
    cut: Cut | None = None
    surrogates: list[Cut] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    @property
    def chosen(self) -> Evidence | None:
        """The test of the column that is cut; at a leaf the best test, if there was any."""
        if self.cut is not None:
            return next(test for test in self.tests if test.column == self.cut.column)
        return ranked(self.tests, self.weight)[0] if self.tests else None


def influence(table: Table, rows: Sequence[int], recipe: Recipe) -> Matrix:
    """h: one indicator for each class (of two: of the second); the score 1, 2, ... of an ordinal class; or a number.

    >>> influence(Table((), (0, 2), (1, 1), n_classes=3), [0, 1], Recipe()).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    y = np.array([table.target[row] for row in rows])
    if table.n_classes > 2 and not recipe.ordinal_target:
        return np.eye(table.n_classes)[y]
    return y.reshape(-1, 1) + (1.0 if table.n_classes else 0.0)


def transform(column: Column, rows: Sequence[int]) -> Matrix:
    """g: a number itself, the score of an ordinal level, or one indicator for each level that is present.

    >>> transform(Column("nominal", (2, 5, 2)), [0, 1, 2]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    x = [column.values[row] for row in rows]
    if column.kind != "nominal":
        return np.array(x, dtype=float).reshape(-1, 1)
    return np.array([[float(value == level) for level in column.present(rows)] for value in x])


def moments(g: Matrix, h: Matrix, w: Matrix) -> Moments:
    """T minus its mean, and the two factors of its covariance, over all permutations of the rows of h."""
    n = w.sum()
    mean_h = w @ h / n
    spread_h = (h - mean_h).T @ ((h - mean_h) * w[:, None]) / n
    sum_g = w @ g
    spread_g = n / (n - 1) * (g.T @ (g * w[:, None])) - np.outer(sum_g, sum_g) / (n - 1)
    return Moments(g.T @ (h * w[:, None]) - np.outer(sum_g, mean_h), spread_g, spread_h, float(n))


def quadratic(m: Moments) -> tuple[float, int]:
    """The quadratic form of the deviation in the pseudo-inverse of its covariance, and the rank."""
    values, vectors = np.linalg.eigh(m.covariance)
    kept = values > RANK_TOLERANCE * values[-1]
    along = vectors[:, kept].T @ m.deviation.ravel(order="F")
    return float((along**2 / values[kept]).sum()), int(kept.sum())


def maximum(m: Moments) -> tuple[float, int]:
    """The largest standardised entry of the deviation, and how many entries can vary."""
    spread = np.sqrt(np.outer(np.diag(m.spread_g), np.diag(m.spread_h)))
    varies = spread > RANK_TOLERANCE * spread.max()
    return float((np.abs(m.deviation[varies]) / spread[varies]).max()), int(varies.sum())


STATISTICS = {"quadratic": quadratic, "maximum": maximum}


def steps(statistic: float, n: float, kind: str) -> float:
    """A statistic in whole steps, so that what is equal on paper is equal here."""
    scaled = statistic if kind == "quadratic" else statistic**2
    return round(scaled / (n - 1) * STEPS)


def usable(g: Matrix, h: Matrix) -> bool:
    """Is there anything to test: more than one row, more than one value on both sides?"""
    return len(g) > 1 and bool((g != g[0]).any()) and bool((h != h[0]).any())


def evidence(table: Table, column: int, rows: Sequence[int], recipe: Recipe) -> Evidence | None:
    """Test one column at one node, on the rows where it is known."""
    rows = table.columns[column].known(rows)
    if not rows:
        return None
    g, h = transform(table.columns[column], rows), influence(table, rows, recipe)
    w = np.array([table.weights[row] for row in rows], dtype=float)
    if not usable(g, h):
        return None
    m = moments(g, h, w)
    statistic, df = STATISTICS[recipe.statistic](m)
    if recipe.test.startswith("monte_carlo"):
        log_p = monte_carlo_log_p(table, column, rows, recipe, statistic)
    elif recipe.statistic == "quadratic":
        log_p = log_upper_chi_square(statistic, df)
    else:
        log_p = chance_of_maximum(statistic, m.spread_g, m.spread_h, recipe.seed)
    return Evidence(column, statistic, df, min(log_p, 0.0))


def monte_carlo_log_p(table: Table, column: int, rows: Sequence[int], recipe: Recipe, observed: float) -> float:
    """(1 + how many permutations reach the statistic) / (1 + how many there were), as a logarithm.

    The rows are put in order of their value and, apart from that, in order of their target before anything is drawn,
    so that the answer does not depend on the order of the table. A row of weight 2 is two rows.
    """
    copies = [row for row in rows for _ in range(int(table.weights[row]))]
    values = table.columns[column].values
    by_x, by_y = sorted(copies, key=lambda row: values[row] or 0), sorted(copies, key=lambda row: table.target[row])
    g, h = transform(table.columns[column], by_x), influence(table, by_y, recipe)
    n, reached = len(copies), 1
    limit = steps(observed, n, recipe.statistic)
    for repeat in range(recipe.n_permutations):
        m = moments(g, h[permuted(n, recipe.seed, column, repeat)], np.ones(n))
        reached += steps(STATISTICS[recipe.statistic](m)[0], n, recipe.statistic) >= limit
    return math.log(reached / (recipe.n_permutations + 1))


def adjusted(tests: Sequence[Evidence], recipe: Recipe) -> list[Evidence]:
    """p becomes 1 - (1 - p)^m, with m the number of columns that could be tested."""
    m = len(tests) if recipe.test in ("bonferroni", "monte_carlo_bonferroni") else 1
    return [Evidence(t.column, t.statistic, t.df, t.log_p, sidak(t.log_p, m)) for t in tests]


def sidak(log_p: float, m: int) -> float:
    """log(1 - (1 - p)^m) from log p, without loss where p is very small or close to 1.

    >>> round(math.exp(sidak(math.log(0.01), 3)), 6), round(sidak(-1000.0, 2), 6)
    (0.029701, -999.306853)
    """
    if m == 1:
        return log_p
    if log_p > -1e-300:
        return 0.0
    if log_p < -40:
        return log_p + math.log(m)
    return math.log(-math.expm1(m * math.log1p(-math.exp(log_p))))


def ranked(tests: Sequence[Evidence], n: float, kind: str = "quadratic") -> list[Evidence]:
    """Smallest p first, then the larger statistic, then the later column. Chances below 1e-154 count as none."""

    def key(t: Evidence) -> tuple[float, float, int]:
        chance = round(max(t.log_p_adjusted, CERTAIN) * STEPS_OF_LOG)
        return chance, -steps(t.statistic, n, kind), -t.column

    return sorted(tests, key=key)


class Grower:
    """Grows one tree; `nodes` holds it in preorder when `run` is done."""

    def __init__(self, table: Table, recipe: Recipe) -> None:
        self.table, self.recipe = table, recipe
        self.nodes: list[Node] = []

    def run(self) -> list[Node]:
        """Split every node that may be split."""
        waiting = [self.node(tuple(self.table.rows()), (), [])]
        while waiting:
            node = waiting.pop()
            self.nodes.append(node)
            node.cut = self.split(node)
            if node.cut is not None:
                node.children = self.divide(node, node.cut)
                waiting += reversed(node.children)
        return self.nodes

    def node(self, rows: tuple[int, ...], path: tuple[int, ...], above: list[tuple[int, ...]]) -> Node:
        """A new node with its answer."""
        w = np.array([self.table.weights[row] for row in rows])
        if self.table.n_classes:
            answer = float(
                majority([self.table.tally(self.table.cases(part)).counts for part in (rows, *reversed(above))])
            )
        else:
            answer = float(w @ np.array([self.table.target[row] for row in rows]) / w.sum())
        return Node(rows, path, float(w.sum()), answer)

    def divide(self, node: Node, cut: Cut) -> list[Node]:
        """The children; rows without a value follow the first surrogate that has one, else the larger child."""
        by_path = {other.path: other.rows for other in self.nodes}
        above = [by_path[node.path[:depth]] for depth in range(len(node.path) + 1)]
        if self.recipe.missing == "surrogates":
            node.surrogates = surrogates(self.table, node, cut, self.recipe)
        ways = [
            (self.table.columns[c.column], branch_of(self.table.columns[c.column], c), c.turned)
            for c in (cut, *node.surrogates)
        ]

        def sides(row: int) -> int:
            for column, way, turned in ways:
                if column.values[row] is not None and not is_new(column, row, way):
                    return int(way(row) != turned)
            return cut.missing_branch

        parts = [tuple(row for row in node.rows if sides(row) == branch) for branch in (0, 1)]
        return [self.node(rows, (*node.path, b), above) for b, rows in enumerate(parts)]

    def split(self, node: Node) -> Cut | None:
        """Test all columns; cut the best one, or the next ones while they are significant too."""
        recipe = self.recipe
        too_deep = recipe.max_depth is not None and len(node.path) >= recipe.max_depth
        if too_deep or node.weight < recipe.min_samples_split:
            return None
        found = [evidence(self.table, j, node.rows, recipe) for j in range(len(self.table.columns))]
        node.tests = adjusted([test for test in found if test is not None], recipe)
        for test in ranked(node.tests, node.weight, recipe.statistic)[: recipe.split_tries]:
            if not test.log_p_adjusted < math.log(recipe.alpha):
                return None
            cut = best_cut(self.table, test.column, node, recipe)
            if cut is not None:
                return cut
        return None


def is_new(column: Column, row: int, way) -> bool:  # type: ignore[no-untyped-def]
    """Whether a row has a level that a test has no branch for."""
    try:
        way(row)
    except KeyError:
        return True
    return False


def branch_of(column: Column, cut: Cut):  # type: ignore[no-untyped-def]
    """A function from a row to its branch."""
    levels = dict(cut.levels)

    def side(row: int) -> int:
        value = column.values[row]
        if value is None:
            return cut.missing_branch
        return int(value > cut.threshold) if cut.threshold is not None else levels[int(value)]

    return side


def divisions(column: Column, rows: Sequence[int]) -> Iterator[tuple[float | None, dict[float, int]]]:
    """Every binary division of the values present: at each value but the last, or every set of levels.

    The first level stays on the left; the sets that go right come as binary numbers, the second level the lowest bit.

    >>> [sides for _, sides in divisions(Column("nominal", (1, 2, 3)), range(3))]
    [{1: 0, 2: 1, 3: 0}, {1: 0, 2: 0, 3: 1}, {1: 0, 2: 1, 3: 1}]
    """
    values = column.present(rows)
    if column.kind != "nominal":
        for value in values[:-1]:
            yield value, {other: int(other > value) for other in values}
        return
    for bits in product((0, 1), repeat=len(values) - 1):
        if any(bits):
            yield None, dict(zip(values, (0, *reversed(bits)), strict=True))


def best_cut(table: Table, column: int, node: Node, recipe: Recipe) -> Cut | None:
    """The admissible division with the largest statistic; the first of equals."""
    rows = table.columns[column].known(node.rows)
    x = [table.columns[column].values[row] for row in rows]
    h, w = influence(table, rows, recipe), np.array([table.weights[row] for row in rows], dtype=float)
    smallest = max(recipe.min_samples_leaf, math.ceil(recipe.min_branch_share * node.weight))
    kind = recipe.split_statistic or recipe.statistic
    best, most = None, 0.0
    for threshold, sides in divisions(table.columns[column], rows):
        right = np.array([float(sides[value]) for value in x])
        if min(right @ w, w.sum() - right @ w) < smallest:
            continue
        statistic, _ = STATISTICS[kind](moments(1 - right.reshape(-1, 1), h, w))
        score = steps(statistic, float(w.sum()), kind)
        if score > most:
            larger = int(right @ w >= w.sum() - right @ w)
            levels = () if threshold is not None else tuple((int(level), side) for level, side in sides.items())
            best, most = Cut(column, threshold, levels, statistic, larger), score
    return best


def grow(table: Table, recipe: Recipe) -> list[Node]:
    """Grow a tree by the definition; the nodes come in preorder.

    >>> table = Table((Column("numeric", tuple(range(40))),), (0,) * 20 + (1,) * 20, (1,) * 40, n_classes=2)
    >>> [(node.path, len(node.rows), node.cut and node.cut.threshold) for node in grow(table, Recipe())]
    [((), 40, 19), ((0,), 20, None), ((1,), 20, None)]
    """
    return Grower(table, recipe).run()
