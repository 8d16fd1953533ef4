"""CART with several targets: the impurity of a node is the mean of the impurities of its targets.

M. R. Segal, Tree-structured methods for longitudinal data, 1992; G. De'ath, Multivariate regression trees, 2002.
Everything else is CART: the cuts, the ties, the ways of missing values, the rules that stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Any

from treewright.reference.arithmetic import DECIMALS, Number, total
from treewright.reference.cart import Cart, Recipe
from treewright.reference.criteria import IMPURITIES, fall
from treewright.reference.divisions import EXHAUSTIVE_LEVELS, level_cut, ordered_cuts, prefixes, subsets
from treewright.reference.growing import Node
from treewright.reference.split import Division
from treewright.reference.table import Cases, Table, ValueTable
from treewright.reference.tally import NumberTally, Tally


@dataclass(frozen=True)
class SeveralTally(Tally):
    """What some rows hold of each target."""

    each: tuple[Any, ...]

    @property
    def rows(self) -> int:  # type: ignore[override]
        """How many rows there are."""
        return int(self.each[0].rows)

    @property
    def weight(self) -> Number:
        return self.each[0].weight

    def __add__(self, other: SeveralTally) -> SeveralTally:
        return SeveralTally(tuple(one + two for one, two in zip(self.each, other.each, strict=True)))

    @property
    def is_pure(self) -> bool:
        return all(tally.is_pure for tally in self.each)

    @property
    def outputs(self) -> list[Number]:
        """The mean of each target, or the share of each class of each target."""
        if isinstance(self.each[0], NumberTally):
            return [tally.mean for tally in self.each]
        return [count / tally.weight for tally in self.each for count in tally.counts]

    def to_dict(self, classes: tuple[Any, ...] | None) -> dict[str, Any]:
        return {"rows": self.rows, "weight": self.weight}


@dataclass(frozen=True)
class SeveralTable(Table):
    """A table with more targets: `others` holds each of them with its number of classes, 0 for numbers.

    >>> from treewright.reference.table import Column
    >>> two = SeveralTable((Column("numeric", (1, 2)),), (0, 1), (1.0, 1.0), 2, others=(((1, 1), 2),))
    >>> [tally.counts for tally in two.tally(two.cases()).each]
    [(1.0, 1.0), (0.0, 2.0)]
    """

    others: tuple[tuple[tuple[Number, ...], int], ...] = ()

    def tally(self, cases: Cases) -> SeveralTally:
        tables = [self.of_target(t) for t in range(1 + len(self.others))]
        return SeveralTally(tuple(table.tally(cases) for table in tables))

    def of_target(self, t: int) -> Table:
        """The same rows with one target."""
        target, n_classes = (self.target, self.n_classes) if t == 0 else self.others[t - 1]
        return Table(self.columns, target, self.weights, n_classes, self.keeps_values)

    def exact(self, keeps_values: bool = False) -> SeveralTable:
        others = tuple((t if n else tuple(map(Decimal, t)), n) for t, n in self.others)
        return replace(super().exact(keeps_values), others=others)  # type: ignore[call-arg, return-value]


class CartOfSeveral(Cart):
    """CART that judges a division by all targets."""

    def impurity(self, tally: Any) -> Number:
        """The mean of the impurities."""
        each = [IMPURITIES[self.recipe.criterion](one) for one in tally.each]
        return total(each) / len(each)

    def unit_of_ties(self, tally: Any) -> Number:
        return self.impurity(tally)

    def measures(self, division: Division) -> dict[str, Number]:
        return {self.decides: max(fall(self.impurity, division.branches), 0)}

    def cuts(self, j: int, table: ValueTable) -> Iterator[Division]:
        """Levels are grouped in every way; many of them along each output, and each against the rest."""
        if self.table.columns[j].kind != "nominal":
            return ordered_cuts(self.table.columns[j], j, table)
        places = range(len(table.values))
        groups = subsets(len(places)) if len(places) <= EXHAUSTIVE_LEVELS else _along_outputs(table)
        return (level_cut(j, table, left) for left in groups)

    def answer(self, node: Node) -> Number:
        """The mean of each target; classes are told by the counts."""
        tally: Any = node.tally
        return None if self.table.n_classes else [one.mean for one in tally.each]


def _along_outputs(table: ValueTable) -> Iterator[set[int]]:
    tallies: Any = table.tallies
    for k in range(len(tallies[0].outputs)):
        yield from prefixes(sorted(range(len(tallies)), key=lambda place: (tallies[place].outputs[k], place)))
    yield from ({place} for place in range(len(tallies)))


def grow(table: SeveralTable, recipe: Recipe) -> list[Node]:
    """Grow a tree of several targets by the definition, in decimals; the nodes come in preorder.

    >>> from treewright.reference.table import Column
    >>> columns, weights = (Column("numeric", (1, 2, 3, 4)),), (1, 1, 1, 1)
    >>> table = SeveralTable(columns, (0, 0, 1, 1), weights, 0, others=(((5, 5, 5, 7), 0),))
    >>> [[float(mean) for mean in node.answer] for node in grow(table, Recipe("squared_error", max_depth=1))]
    [[0.5, 5.5], [0.3333333333333333, 5.0], [1.0, 7.0]]
    """
    with localcontext(DECIMALS):
        cart = CartOfSeveral(table.exact(), recipe)
        return list(cart.grow(most_leaves=recipe.max_leaf_nodes or float("inf")).preorder())
