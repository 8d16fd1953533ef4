"""CART (Breiman, Friedman, Olshen and Stone 1984): the best division in two, for classes and for numbers.

Every column offers its divisions (divisions.py), the criterion scores them (criteria.py), and the node takes the best
of all: the larger score, then the smaller column, the lower cut, and missing values to the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import localcontext
from functools import cached_property
from typing import Any

from treewright.errors import DataError
from treewright.reference.arithmetic import DECIMALS, Number, first_largest
from treewright.reference.criteria import IMPURITIES, MEASURED, best_possible, entropy, fall, measures_of
from treewright.reference.divisions import known_or_not, level_cuts, ordered_cuts, with_missing
from treewright.reference.growing import Algorithm, Candidate, Choice, Node
from treewright.reference.split import Division
from treewright.reference.table import Place, Table, ValueTable
from treewright.reference.tally import Tally, together

ROUNDING = 1e-12
_GROWN = ("learn", "larger", "branch", "refuse")


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
    min_weight_fraction_leaf: float = 0.0


class Cart(Algorithm):
    """One table and one recipe; `candidates` and `choose` judge a node, `grow` makes the tree.

    >>> from treewright.reference.table import Column
    >>> ages = Table((Column("numeric", (20, 30, 40, 50)),), target=(0, 0, 1, 0), weights=(1.0,) * 4, n_classes=2)
    >>> root = Place(ages, ages.cases())
    >>> cart = Cart(ages, Recipe("gini"))
    >>> [candidate] = cart.candidates(root)
    >>> [(division.split.cuts, round(measures["impurity_gain"], 4)) for division, measures in candidate.tried]
    [((25.0,), 0.0417), ((35.0,), 0.125), ((45.0,), 0.0417)]
    >>> cart.choose(root, [candidate]).winner, candidate.best
    (0, 1)
    """

    def __init__(self, table: Table, recipe: Recipe) -> None:
        super().__init__(table)
        self.recipe = recipe
        self.decides = MEASURED[recipe.criterion][-1]
        # The gain ratio is for the choice among columns; the cuts of one are compared by their gain.
        self.decides_cut = "gain" if recipe.criterion == "gain_ratio" else self.decides

    @cached_property
    def whole(self) -> Tally:
        """What all rows hold."""
        return self.table.tally(self.table.cases())

    def impurity(self, tally: Any) -> Number:
        """How mixed the rows are, by the criterion."""
        return IMPURITIES[self.recipe.criterion](tally)

    def unit_of_ties(self, tally: Tally) -> Number:
        """The best score there could be: scores are compared in steps of it."""
        return best_possible(self.recipe.criterion, tally)

    def stop(self, place: Place) -> str | None:
        """One target value, the depth, too few rows, or a spread that is small enough."""
        recipe = self.recipe
        if place.tally.is_pure:
            return "pure"
        if recipe.max_depth is not None and place.depth >= recipe.max_depth:
            return "max_depth"
        if place.tally.rows < recipe.min_samples_split:
            return "min_samples_split"
        share = recipe.min_variance_share
        if share > 0 and self.impurity(place.tally) / self.impurity(self.whole) <= share * (1 + ROUNDING):
            return "min_variance_share"
        return None

    # ------------------------------------------------------------------------------------------ the candidates
    def candidates(self, place: Place) -> list[Candidate]:
        """What every column offers."""
        return [self.candidate(place, j) for j in range(len(self.table.columns))]

    def candidate(self, place: Place, j: int) -> Candidate:
        """What one column offers."""
        table = place.values_of(j)
        return self.judged(place, j, table, self.divisions(j, table))

    def judged(self, place: Place, j: int, table: ValueTable, divisions: Sequence[Division]) -> Candidate:
        """Measure the divisions that are large enough, and find the best."""
        tried = [(division, self.measures(division)) for division in divisions if self.is_large_enough(division)]
        best = first_largest([found[self.decides_cut] for _, found in tried], self.unit_of_ties(place.tally))
        if best is None:
            return Candidate(j, why="all equal" if len(table.values) < 2 else "too small")
        return Candidate(j, *tried[best], tried=tried, best=best)

    def divisions(self, j: int, table: ValueTable) -> list[Division]:
        """Every division of a column, in the order of ties."""
        return self.with_missing(j, table, self.cuts(j, table))

    def cuts(self, j: int, table: ValueTable) -> Iterator[Division]:
        """The cuts of the known values."""
        column = self.table.columns[j]
        return (
            level_cuts(j, table, self.table.n_classes) if column.kind == "nominal" else ordered_cuts(column, j, table)
        )

    def with_missing(self, j: int, table: ValueTable, cuts: Iterator[Division]) -> list[Division]:
        """What the missing policy makes of the cuts; with "learn" the last asks only whether there is a value."""
        found = [division for cut in cuts for division in with_missing(cut, table, self.recipe.missing)]
        if self.recipe.criterion == "gain_ratio":
            found.sort(key=lambda division: division.has_missing and bool(division.split.missing))  # the left first
        elif self.recipe.missing == "learn":
            found += known_or_not(j, table, self.table.columns[j].kind == "nominal")
        return found

    def is_large_enough(self, division: Division) -> bool:
        """Whether every branch has the rows and the weight that it must have."""
        lightest = self.recipe.min_weight_fraction_leaf and self.recipe.min_weight_fraction_leaf * self.whole.weight
        least = max(1, self.recipe.min_samples_leaf)
        return all(tally.rows >= least and tally.weight >= lightest for tally in division.branches)

    def measures(self, division: Division) -> dict[str, Number]:
        """The measures of a division; what is judged by the known rows counts for their share."""
        found = measures_of(self.recipe.criterion, division.branches)
        if division.sees_all or self.recipe.criterion == "squared_error":  # which is a sum over the known rows already
            return found
        if self.recipe.criterion != "gain_ratio":
            found[self.decides] *= division.share
            return found
        weights = [tally.weight for tally in division.branches]
        gain, spread = found["gain"] * division.share, entropy([*weights, sum(weights) * (1 / division.share - 1)])
        return {**found, "gain": gain, "split_information": spread, "gain_ratio": gain / spread if spread else 0}

    # ------------------------------------------------------------------------------------------ the choice
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Choice:
        """Take the best division of all; by gain ratio, the best of those with at least the average gain."""
        average = self.average_gain(candidates)
        least = None if average is None else average * (1 - 1e-9)
        able = [c.split is not None and (least is None or c.measures["gain"] >= least) for c in candidates]
        scores = [c.measures[self.decides] if ok else None for c, ok in zip(candidates, able, strict=True)]
        best = first_largest(scores, self.unit_of_ties(place.tally))
        if best is None:
            return Choice(None, "no cut")
        if self.recipe.missing in ("surrogates", "stop") and candidates[best].measures[self.decides] <= ROUNDING:
            return Choice(None, "no gain")
        division = candidates[best].division
        assert division is not None
        share = place.tally.weight / self.whole.weight
        if share * self.gain(place, division) < self.recipe.min_impurity_decrease - ROUNDING:
            return Choice(None, "min_impurity_decrease")
        return Choice(best, "best", average)

    def average_gain(self, candidates: Sequence[Candidate]) -> Number | None:
        """The mean gain of the columns that can be cut, where the gain ratio decides; else None."""
        gains = [c.measures["gain"] for c in candidates if "gain_ratio" in c.measures]
        return sum(gains) / len(gains) if gains else None

    def gain(self, place: Place, division: Division) -> Number:
        """The fall of impurity when all rows are divided, those without a value too; shared out, they add nothing."""
        branches = list(division.branches)
        if self.recipe.missing == "fractional" or self.recipe.criterion == "gain_ratio":
            return together(branches).weight / place.tally.weight * fall(self.impurity, branches)
        if not division.sees_all:
            goes, column = division.split.missing, division.split.column
            assert goes is not None
            branches[goes] = branches[goes] + place.values_of(column).missing
        return fall(self.impurity, branches)

    # ------------------------------------------------------------------------------------------ whole trees
    def answer(self, node: Node) -> Number:
        """The majority, the median or the mean."""
        if self.table.n_classes:
            return node.majority()
        tally: Any = node.tally
        return tally.median if self.recipe.criterion == "absolute_error" else tally.mean

    def worth(self, node: Node) -> Number:
        """How much opening a node lowers the tree's impurity: its weight times the gain."""
        if node.split is None or node.choice is None or node.choice.winner is None:
            return 0
        division = node.candidates[node.choice.winner].division
        assert division is not None
        return round(node.weight * self.gain(node.place, division), 20)


def grow(table: Table, recipe: Recipe) -> list[Node]:
    """Grow a tree by the definition, in decimals; the nodes come in preorder.

    >>> from treewright.reference.table import Column
    >>> table = Table((Column("numeric", (1, 2, 3, 4)),), target=(0, 0, 1, 0), weights=(1, 1, 1, 1), n_classes=2)
    >>> [(node.path, node.rows, node.answer) for node in grow(table, Recipe(max_depth=1))]
    [((), (0, 1, 2, 3), 0), ((0,), (0, 1), 0), ((1,), (2, 3), 0)]
    """
    if recipe.missing not in _GROWN:
        raise DataError(f"Whole trees are grown with missing= one of {', '.join(_GROWN)}, not {recipe.missing!r}.")
    with localcontext(DECIMALS):
        cart = Cart(table.exact(recipe.criterion == "absolute_error"), recipe)
        return list(cart.grow(most_leaves=recipe.max_leaf_nodes or float("inf")).preorder())
