"""Oblique trees: one column or a weighted sum of several, whichever saves most bits for its price.

Classes are told by their shares, so a test saves n·H(node) - n·H(left) - n·H(right). Numbers are told as a Gauss curve
around the mean, so it saves n/2·log2(spread of the node / spread inside). A cut among N costs log2(N), a grouping of L
levels log2(2^(L-1) - 1), "missing left or right" one bit, and every column of a sum beyond the first
penalty·(log2(n)/2 + log2(columns)): how much of it, and which. `sums` and `directions` have the sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, lgamma, log, log2
from typing import Any

import numpy as np

from treewright.reference import cart
from treewright.reference.arithmetic import first_largest, quantised
from treewright.reference.directions import Floats, principal_coordinates
from treewright.reference.divisions import level_cuts_by_share, ordered_cuts
from treewright.reference.growing import Candidate, Choice, Node
from treewright.reference.split import Division
from treewright.reference.sums import FLOOR, MANY_LEVELS, SumCut, SumSearch, bits_of_levels, bits_saved, most_bits
from treewright.reference.table import Place, Table, ValueTable
from treewright.reference.tally import Tally

DRAWN = 5.0  # rows that draw the scores of levels towards the middle
MOST_MISSING = 0.3  # a column with a larger share of holes takes part in no sum
FEWEST_ROWS, ROWS_PER_COLUMN, MOST_COLUMNS = 20, 10, 24
_EQUAL = 1e-9  # bits; a subtree must save more than this


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


def worth_of(saved: float, price: float) -> dict[str, float]:
    """The measures of a test: what it saves, what it costs, and the difference.

    >>> worth_of(8.0, 3.0)
    {'saved': 8.0, 'price': 3.0, 'worth': 5.0}
    """
    return {"saved": saved, "price": price, "worth": saved - price}


class Oblique(cart.Cart):
    """One table and one recipe; `never` are columns that take part in no sum, such as dates.

    >>> from treewright.reference.table import Column
    >>> x, y = [i % 7 for i in range(49)], [i // 7 for i in range(49)]
    >>> classes = tuple(int(a + b > 6) for a, b in zip(x, y, strict=True))
    >>> plane = Table((Column("numeric", tuple(x)), Column("numeric", tuple(y))), classes, (1.0,) * 49, n_classes=2)
    >>> *axis, best = Oblique(plane, Recipe()).candidates(Place(plane, plane.cases()))
    >>> [(term.column, round(term.weight, 4)) for term in best.split.terms], best.split.threshold
    ([(0, 1.0), (1, 1.0)], 6.5)
    """

    def __init__(self, table: Table, recipe: Recipe, never: frozenset[int] = frozenset()) -> None:
        criterion = "entropy" if table.n_classes else "squared_error"
        sizes = recipe.max_depth, recipe.min_samples_split, recipe.min_samples_leaf
        super().__init__(table, cart.Recipe(criterion, recipe.missing, *sizes))
        self.rules, self.never = recipe, never
        self.decides = self.decides_cut = "saved"

    # ------------------------------------------------------------------------------------------ one column
    def unit_of_ties(self, tally: Tally) -> float:
        """Scores are compared in steps of the bits that there are to save."""
        return most_bits(tally)

    def cuts(self, j: int, table: ValueTable) -> Iterator[Division]:
        """Levels are cut along their mean, their rate, or the share of each class."""
        if self.table.columns[j].kind == "nominal":
            return level_cuts_by_share(j, table, self.table.n_classes)
        return ordered_cuts(self.table.columns[j], j, table)

    def measures(self, division: Division) -> dict[str, float]:
        """The bits that a cut saves."""
        return {"saved": bits_saved(division.branches)}

    def candidate(self, place: Place, j: int) -> Candidate:
        """The cut of a column that saves most, with its price."""
        found = super().candidate(place, j)
        if found.split is None:
            return found
        return replace(found, measures=worth_of(found.measures["saved"], self.price(place.values_of(j), j)))

    def price(self, table: ValueTable, j: int) -> float:
        """The bits of the choice among a column's cuts."""
        n, is_nominal = len(table.values), self.table.columns[j].kind == "nominal"
        bits = bits_of_levels(n) if is_nominal else log2(max(n - 1, 1))
        return bits + (1 if table.missing.rows and self.rules.missing == "learn" else 0)

    # ------------------------------------------------------------------------------------------ sums of columns
    def candidates(self, place: Place) -> list[Candidate]:
        """The best cut of every column, and the best sum if there is any."""
        found = super().candidates(place)
        best = self.best_sum(place, found)
        return found if best is None else [*found, best]

    def best_sum(self, place: Place, axis: Sequence[Candidate]) -> Candidate | None:
        """The sum that is worth most; among equals fewer columns, then the first. `steps` are all that were tried."""
        tried = self.sums(place, axis)
        order = sorted(range(len(tried)), key=lambda i: (tried[i].split.n_columns, i))
        first = first_largest([tried[i].saved - tried[i].price for i in order], most_bits(place.tally))
        if first is None:
            return None
        best = tried[order[first]]
        parts = best.split.parts(self.table, place.cases, 2)
        division = Division(best.split, tuple(self.table.tally(part) for part in parts))
        measures = worth_of(best.saved, best.price)
        return Candidate(best.split.column, division, measures, best=order[first], steps=tried)

    def sums(self, place: Place, axis: Sequence[Candidate]) -> list[SumCut]:
        """The weighted sums that are tried: of the usable columns with the best cuts of their own."""
        weight = float(place.tally.weight)
        if weight < FEWEST_ROWS or self.rules.max_terms < 2:
            return []
        usable = [found.column for found in axis if self.is_usable(place, found)]
        most = min(len(usable), max(2, int(weight // ROWS_PER_COLUMN)), max(MOST_COLUMNS, self.rules.max_terms))
        unit = most_bits(place.tally)
        rank = {c.column: -quantised(c.measures["worth"], unit) for c in axis if c.split is not None}
        chosen = sorted(sorted(usable, key=lambda j: (rank.get(j, inf), j))[:most])
        search = self.search(place, chosen, len(usable)) if len(chosen) > 1 else None
        return [] if search is None else search.cuts()

    def is_usable(self, place: Place, found: Candidate) -> bool:
        """Whether a column may take part in a sum: numbers (or scores of levels), two at least, and few holes."""
        column, table = self.table.columns[found.column], place.values_of(found.column)
        has_scores = self.rules.nominal_scores and found.split is not None and len(table.values) <= MANY_LEVELS
        is_number = column.kind == "numeric" and found.column not in self.never
        if len(table.values) < 2 or not (is_number or (column.kind == "nominal" and has_scores)):
            return False
        return bool(table.missing.weight <= MOST_MISSING * place.tally.weight)

    def search(self, place: Place, chosen: Sequence[int], n_usable: int) -> SumSearch | None:
        """The search among sums of some columns, without those whose levels all count the same."""
        scores = [self.level_scores(place, j) if self.table.columns[j].kind == "nominal" else None for j in chosen]
        asked = list(zip(chosen, scores, strict=True))
        values = np.array([[self.number(j, row, of_level) for j, of_level in asked] for row, _ in place.cases])
        found = SumSearch(
            tuple(chosen),
            values,
            np.array([float(self.table.target[row]) for row, _ in place.cases]),
            np.array([float(weight) for _, weight in place.cases]),
            self.table.n_classes,
            tuple(scores),
            max(1, self.rules.min_samples_leaf),
            self.rules.penalty * (log2(place.tally.weight) / 2 + log2(n_usable)),
            self.rules.ridge,
            self.rules.max_terms,
        )
        sound = np.flatnonzero(found.deviations > 0).tolist()
        if len(sound) < 2:
            return None
        columns, kept = tuple(chosen[j] for j in sound), tuple(scores[j] for j in sound)
        return replace(found, columns=columns, values=values[:, sound], scores=kept)

    def number(self, j: int, row: int, scores: dict[int, float] | None) -> float:
        """The number of a row in a sum; NaN where it has no value."""
        value = self.table.columns[j].values[row]
        if value is None:
            return float("nan")
        return float(value) if scores is None else scores[int(value)]

    def level_scores(self, place: Place, j: int) -> dict[int, float]:
        """What each level counts as in a sum: its mean, the log-odds of class 1, or where its shares lie along their
        main axis. They are first drawn towards those of all rows with a level, as if five such were added to each."""
        table: Any = place.values_of(j)
        weights = np.array([float(tally.weight) for tally in table.tallies])
        sums = np.array([t.counts if self.table.n_classes else (t.total,) for t in table.tallies], dtype=float)
        middle = sums.sum(0) / weights.sum()
        drawn: Floats = (sums + DRAWN * middle) / (weights + DRAWN)[:, None]
        if not self.table.n_classes:
            found = drawn[:, 0]
        elif self.table.n_classes == 2:  # where all rows with a level are of one class, its levels say nothing
            found = np.log(drawn[:, 1] / drawn[:, 0]) if drawn.all() else np.zeros(len(weights))
        else:
            found = principal_coordinates(drawn, weights)
        return dict(zip(map(int, table.values), found.tolist(), strict=True))

    # ------------------------------------------------------------------------------------------ the choice
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Choice:
        """Take the test that is worth most: one column rather than a sum, then the first."""
        scores = [c.measures["worth"] if c.split is not None else None for c in candidates]
        best = first_largest(scores, most_bits(place.tally))
        return Choice(None, "no cut") if best is None else Choice(best, "best")

    def worth(self, node: Node) -> int:
        """Nodes are opened level by level."""
        return -len(node.path)


# ------------------------------------------------------------------------------------------ pruning by price
def price_of(node: Node, n_columns: int) -> float:
    """What the test of a node costs, the column and the shape of the tree included, and the mean that it adds.

    >>> from treewright.reference.table import Column
    >>> ages = Table((Column("numeric", (20, 30, 40, 50)),), target=(0, 1, 0, 1), weights=(1,) * 4, n_classes=2)
    >>> root = grow(ages, Recipe(prune=None))
    >>> round(price_of(root, n_columns=1), 4)  # one of three cuts, and one bit for the shape of the tree
    2.585
    """
    assert node.choice is not None
    assert node.choice.winner is not None
    own = 0.0 if node.place.table.n_classes else log2(node.weight) / 2
    return float(node.candidates[node.choice.winner].measures["price"]) + log2(n_columns) + 1 + own


def leaf_bits(counts: Sequence[float]) -> float:
    """Bits that tell the classes of a leaf, shares included (Krichevsky and Trofimov), among the classes that it has.

    >>> round(leaf_bits((1.0, 1.0)), 6), leaf_bits((5.0, 0.0))
    (3.0, 0.0)
    """
    present = [count for count in counts if count > 0]
    if len(present) < 2:
        return 0.0
    half = len(present) / 2
    own = sum(lgamma(count + 0.5) - lgamma(0.5) for count in present)
    return (lgamma(sum(present) + half) - lgamma(half) - own) / log(2)


def subtree_bits(spread: float, weight: float, n_leaves: int, unit: float) -> float:
    """Bits that tell the numbers of a subtree with one spread for all its leaves.

    >>> subtree_bits(8.0, 4.0, 2, 0.0)
    4.0
    """
    return weight / 2 * log2(spread / (weight - n_leaves) + unit) if weight > n_leaves else inf


@dataclass(frozen=True)
class Told:
    """What a subtree is told with: bits of its classes or the spread of its numbers, bits of its tests, its leaves."""

    amount: float
    tests: float = 0.0
    leaves: int = 1


def prune_by_price(root: Node) -> None:
    """Cut, from below, every subtree that saves no bits over a leaf.

    >>> from treewright.reference.table import Column
    >>> ages = Table((Column("numeric", (20, 30, 40, 50)),), target=(0, 1, 0, 1), weights=(1,) * 4, n_classes=2)
    >>> root = grow(ages, Recipe(prune=None))
    >>> prune_by_price(root)
    >>> root.children
    []
    """
    n_columns, told = len(root.place.table.columns), dict[int, Told]()
    for node in reversed(list(root.preorder())):
        tally: Any = node.tally
        leaf = Told(leaf_bits(tally.counts) if node.place.table.n_classes else float(tally.squared_errors))
        below = [told[id(child)] for child in node.children]
        told[id(node)] = leaf
        if not below:
            continue
        tests = sum(part.tests for part in below) + price_of(node, n_columns)
        kept = Told(sum(part.amount for part in below), tests, sum(part.leaves for part in below))
        if _saves(node, leaf, kept):
            told[id(node)] = kept
        else:
            node.become_leaf()


def _saves(node: Node, leaf: Told, kept: Told) -> bool:
    """Whether a subtree takes fewer bits than a leaf."""
    if node.place.table.n_classes:
        return kept.amount + kept.tests < leaf.amount - _EQUAL
    weight = float(node.weight)
    unit = FLOOR * leaf.amount / weight
    if weight <= kept.leaves:
        return False
    subtree = subtree_bits(kept.amount, weight, kept.leaves, unit) + kept.tests
    return subtree < subtree_bits(leaf.amount, weight, 1, unit) - _EQUAL


def grow(table: Table, recipe: Recipe) -> Node:
    """Grow and prune an oblique tree.

    >>> from treewright.reference.table import Column
    >>> ages = Table((Column("numeric", (20, 30, 40, 50)),), target=(0, 1, 0, 1), weights=(1,) * 4, n_classes=2)
    >>> grow(ages, Recipe(prune=None)).split.cuts, grow(ages, Recipe()).split  # a test is not worth its price
    ((25.0,), None)
    """
    root = Oblique(table.as_floats(), recipe).grow()
    if recipe.prune == "price":
        prune_by_price(root)
    return root
