"""Model trees by their definition (Quinlan 1992, M5), in plain steps: equations, pruning, smoothing, answers.

The tree itself is grown by `oracle.tree.grow` with squared error. What is added here:

1. Every test is a *term*: the number of a numeric column, or whether the level is one of those on branch 1.
2. Every node gets a least-squares equation on the terms of the tests in its subtree. Terms that say nothing new are
   left out; then the weakest is dropped as long as the adjusted error RMSE · (n + v) / (n − v) does not rise.
3. From below, a subtree becomes a leaf where RMSE · (n + p·v) / (n − v) of the node's equation is not larger.
4. On the way up from a leaf the answer a becomes (n·a + k·b) / (n + k), with b the answer of the next node above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright.reference.growing import Node
from treewright.reference.table import Table, Value

ALIASED = 1e-8
QUANTA = 2**36
MOST_LEVELS = 64

Row = Sequence[Value]


@dataclass(frozen=True)
class Term:
    """What an equation may hold: the number of a column (no levels), or the indicator of some levels of it.

    >>> Term(0).value([2.5]), Term(0, (2, 3)).value([3]), Term(0, (2, 3)).value([None])
    (2.5, 1.0, None)
    """

    column: int
    levels: tuple[int, ...] = ()

    @property
    def place(self) -> tuple[int, list[bool]]:
        """Terms stand in the order of their columns; indicators of one column in that of their levels, no before yes.

        >>> sorted([Term(0, (2,)), Term(0, (3, 4)), Term(0, (4,))], key=lambda term: term.place)[0]
        Term(column=0, levels=(4,))
        """
        return self.column, [level in self.levels for level in range(1, MOST_LEVELS + 1)]

    def value(self, row: Row) -> float | None:
        """The number that the term is for a row; None where the row has no value."""
        x = row[self.column]
        if x is None:
            return None
        return float(x in self.levels) if self.levels else float(x)


@dataclass
class Equation:
    """intercept + Σ coefficient · term, and its root mean squared error on the rows it was fitted to."""

    intercept: float
    coefficients: dict[Term, float] = field(default_factory=dict)
    error: float = 0.0


def adjusted_error(error: float, n: float, v: int, penalty: float) -> float:
    """The error to be expected on new rows when v numbers were fitted to n rows.

    >>> adjusted_error(1.0, 20, 3, penalty=2), adjusted_error(0.0, 3, 3, penalty=2)
    (1.5294117647058822, inf)
    """
    return error * (n + penalty * v) / (n - v) if n > v else math.inf


def quantised(share: float) -> float:
    """A share in steps of 2^-36, so that rounding decides nothing."""
    return math.floor(share * QUANTA + 0.5) / QUANTA if share > 0 else 0.0


class ModelTree:
    """The model tree that belongs to a grown tree."""

    def __init__(
        self,
        table: Table,
        nodes: list[Node],
        *,
        penalty: float = 2.0,
        smoothing: float = 15.0,
        prune: bool = True,
        max_terms: int = 50,
    ) -> None:
        self.table, self.nodes = table, nodes
        self.penalty, self.smoothing, self.max_terms = penalty, smoothing, max_terms
        self.terms = {node.path: self.term(node) for node in nodes if node.children}
        self.means = {term: self.mean(term) for term in self.terms.values() if term is not None}
        self.equations = {node.path: self.fit(node) for node in nodes}
        self.leaves = self.prune(prune)

    def row(self, row: int) -> list[Value]:
        """The values of a row of the table."""
        return [column.values[row] for column in self.table.columns]

    def term(self, node: Node) -> Term | None:
        """The term of a node's test; None where it cannot tell any two levels apart, or there are too many."""
        assert node.split is not None
        split = node.split
        column = self.table.columns[split.column]
        if column.kind == "numeric":
            return Term(split.column)
        levels = range(1, int(max(value for value in column.values if value is not None)) + 1)
        if len(levels) > MOST_LEVELS:
            return None
        ones = {level for level in levels if split.branch(level) == 1}
        if 1 in ones:  # one name for a division, whichever side is which
            ones = set(levels) - ones
        return Term(split.column, tuple(sorted(ones))) if ones else None

    def mean(self, term: Term) -> float:
        """The mean of a term over all rows that have a value, which stands in for the others."""
        known = [(x, self.table.weights[r]) for r in self.table.rows() if (x := term.value(self.row(r))) is not None]
        return sum(x * w for x, w in known) / sum(w for _, w in known)

    def filled(self, term: Term, row: Row) -> float:
        """The number of a term for a row, by its mean where the row has none."""
        value = term.value(row)
        return self.means[term] if value is None else value

    def terms_below(self, node: Node) -> list[Term]:
        """The terms of the tests in a subtree: those that lowered the squared error most, in their own order."""
        worth: dict[Term, float] = {}
        for below in self.nodes:
            term = self.terms.get(below.path)
            if term is not None and below.path[: len(node.path)] == node.path:
                worth[term] = worth.get(term, 0.0) + float(below.weight * below.gain)
        best = sorted(worth, key=lambda term: (-worth[term], term.place))[: self.max_terms]
        return sorted(best, key=lambda term: term.place)

    def fit(self, node: Node) -> Equation:
        """The equation of a node, without the terms that are not worth their place."""
        rows = list(node.rows)
        w = np.array([self.table.weights[r] for r in rows], dtype=float)
        y = np.array([self.table.target[r] for r in rows], dtype=float)
        mean = float(w @ y / w.sum())
        spread = float(w @ (y - mean) ** 2)
        equation = Equation(mean, {}, math.sqrt(spread / w.sum()))
        if spread == 0:
            return equation
        x = {t: np.array([self.filled(t, self.row(r)) for r in rows]) for t in self.terms_below(node)}
        chosen = self.drop_terms(w, x, y, self.without_aliases(w, x))
        coefficients, unexplained = least_squares(w, [x[t] for t in chosen], y)
        equation.coefficients = dict(zip(chosen, coefficients, strict=True))
        equation.intercept -= sum(c * float(w @ x[t] / w.sum()) for t, c in equation.coefficients.items())
        equation.error *= math.sqrt(quantised(unexplained))
        return equation

    def without_aliases(self, w: np.ndarray, x: dict[Term, np.ndarray]) -> list[Term]:
        """The terms that the ones before them do not already say."""
        kept: list[Term] = []
        for term, values in x.items():
            constant = float(w @ (values - w @ values / w.sum()) ** 2) < 1e-20
            if not constant and least_squares(w, [x[t] for t in kept], values)[1] > ALIASED:
                kept.append(term)
        return kept

    def drop_terms(self, w: np.ndarray, x: dict[Term, np.ndarray], y: np.ndarray, terms: list[Term]) -> list[Term]:
        """Drop the weakest term (the last of equals) as long as the adjusted error does not rise."""
        n = float(w.sum())
        while terms:
            now = least_squares(w, [x[t] for t in terms], y)[1]
            rises = [least_squares(w, [x[u] for u in terms if u != t], y)[1] - now for t in terms]
            weakest = min(range(len(terms)), key=lambda i: (quantised(rises[i]), -i))
            share = quantised(now) + quantised(rises[weakest])
            without = adjusted_error(math.sqrt(share), n, len(terms), 1)
            if without > adjusted_error(math.sqrt(quantised(now)), n, len(terms) + 1, 1):
                break
            terms = terms[:weakest] + terms[weakest + 1 :]
        return terms

    def prune(self, may_prune: bool) -> set[tuple[int, ...]]:
        """The paths of the nodes that end up as leaves."""
        leaves: set[tuple[int, ...]] = set()
        squares: dict[tuple[int, ...], float] = {}
        numbers: dict[tuple[int, ...], int] = {}
        for node in reversed(self.nodes):
            own, weight = self.equations[node.path], float(node.weight)
            v = len(own.coefficients) + 1
            squares[node.path], numbers[node.path] = weight * own.error**2, v
            if not node.children:
                leaves.add(node.path)
                continue
            below_squares = sum(squares[child.path] for child in node.children)
            below_numbers = sum(numbers[child.path] for child in node.children) + len(node.children) - 1
            below_error = math.sqrt(below_squares / weight)
            expected = adjusted_error(below_error, weight, below_numbers, self.penalty)
            if may_prune and adjusted_error(own.error, weight, v, self.penalty) <= expected * (1 + 1e-12):
                leaves.add(node.path)
            else:
                squares[node.path], numbers[node.path] = below_squares, below_numbers
        return leaves

    def kept_nodes(self) -> list[Node]:
        """The nodes that are left after pruning, in preorder."""
        return [n for n in self.nodes if not any(n.path[:depth] in self.leaves for depth in range(len(n.path)))]

    def answer(self, leaf: Node, row: Row) -> float:
        """What a row is told that ends in a leaf, smoothed along the way up; not clipped."""
        by_path = {node.path: node for node in self.nodes}
        said = self.ask(leaf, row)
        for depth in range(len(leaf.path), 0, -1):
            n = float(by_path[leaf.path[:depth]].weight)
            said = (n * said + self.smoothing * self.ask(by_path[leaf.path[: depth - 1]], row)) / (n + self.smoothing)
        return said

    def ask(self, node: Node, row: Row) -> float:
        """What a node's own equation says."""
        equation = self.equations[node.path]
        return equation.intercept + sum(c * self.filled(t, row) for t, c in equation.coefficients.items())


def least_squares(w: np.ndarray, x: list[np.ndarray], y: np.ndarray) -> tuple[list[float], float]:
    """The coefficients of the best equation, and the share of the target's spread that it leaves unexplained."""
    total = float(w.sum())
    root = np.sqrt(w)
    left = root * (y - w @ y / total)
    spread = float(left @ left)
    if not x:
        return [], 1.0
    columns = np.column_stack([root * (column - w @ column / total) for column in x])
    scale = np.sqrt((columns**2).sum(axis=0))
    coefficients = np.linalg.lstsq(columns / scale, left, rcond=None)[0]
    left = left - columns / scale @ coefficients
    return (coefficients / scale).tolist(), float(left @ left) / spread
