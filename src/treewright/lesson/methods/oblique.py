"""Oblique trees: one column or a weighted sum of several, whichever saves most bits for its price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import log2
from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.lesson.arithmetic.directions import (
    Cloud,
    Direction,
    class_groups,
    logistic_directions,
    squares_directions,
)
from treewright.lesson.arithmetic.sum_cut import FLOOR, SumCut, SumScan, bits_saved
from treewright.lesson.arithmetic.sum_split import SumSplit
from treewright.lesson.measures import MEASURES, fixed, measure_text, weight_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.cart import CartMethod
from treewright.lesson.sample import Sample
from treewright.lesson.unit import Unit
from treewright.pages.blocks import Table, Working
from treewright.reference.arithmetic import first_largest
from treewright.reference.cart import Cart, Recipe
from treewright.reference.divisions import level_cuts_by_share, ordered_cuts
from treewright.reference.growing import Algorithm
from treewright.reference.split import Division
from treewright.reference.table import Place, ValueTable
from treewright.reference.table import Table as Values
from treewright.reference.tally import Tally

_MANY_LEVELS = 50
_MOST_MISSING = 0.3  # a column with a larger share of holes takes part in no sum
_FEWEST_ROWS, _ROWS_PER_COLUMN, _MOST_COLUMNS = 20, 10, 24


class OneColumn(Cart):
    """The search of one column: a cut saves bits."""

    decides = decides_cut = "saved"

    def __init__(self, table: Values, recipe: Recipe) -> None:
        Algorithm.__init__(self, table)
        self.recipe = recipe

    def unit_of_ties(self, tally: Tally) -> float:
        """Scores are compared in steps of the bits that there are to save."""
        return float(tally.weight * (self.impurity(tally) if self.table.n_classes else -log2(FLOOR) / 2))

    def cuts(self, j: int, table: ValueTable) -> Iterator[Division]:
        """Levels are cut along the share of each class."""
        if self.table.columns[j].kind != "nominal":
            return ordered_cuts(self.table.columns[j], j, table)
        return level_cuts_by_share(j, table, self.table.n_classes)

    def measures(self, division: Division) -> dict[str, float]:
        """The bits that a cut saves."""
        return {"saved": bits_saved(division.branches[0] + division.branches[1], division.branches)}


class ObliqueMethod(CartMethod):
    """Every column offers its best cut, and the sums of columns their best; the one worth most is asked."""

    title = "Oblique tree"

    def __init__(self, sample: Sample, parameters: Mapping[str, Any], unit: Unit) -> None:
        super().__init__(sample, parameters, unit)
        if parameters.get("nominal_scores"):
            raise DataError("A lesson in oblique trees shows sums of numbers only. Leave nominal_scores=True out.")

    @property
    def criterion(self) -> str:
        """Classes are told in bits; numbers by their spread."""
        return "squared_error" if self.sample.classes is None else "entropy"

    @property
    def measures(self) -> tuple[str, ...]:  # type: ignore[override]
        """What a test saves, what it costs, and the difference."""
        return ("saved", "price", "worth")

    def introduction(self) -> list[str]:
        """Say how a test is chosen, and where sums come from."""
        saves = (
            "A test saves n·H of the node less n·H of its branches: the bits that its rows then take less to tell."
            if self.sample.classes is not None
            else "A test saves n/2·log2(squared errors of the node / squared errors inside the branches) bits."
        )
        return [
            f"{saves} It costs log2(N) bits to say which of N cuts it is, log2(2^(L-1) - 1) for two groups of L "
            "levels, and 1 where values are missing. Each column of a sum beyond the first costs penalty·(log2(n)/2 + "
            "log2(columns)). The test that is worth most is asked: what it saves less what it costs. Among equals one "
            "column goes before a sum.",
            "Sums are fitted at the node, to standardised columns, by ridge regression"
            + ("" if self.sample.classes is None else " and by ridge-logistic regression")
            + "; then the columns that count least are left out step by step. At nodes that weigh less than "
            f"{_FEWEST_ROWS} no sum is tried. A node is a leaf if its rows are all alike, or if a rule of size stops "
            "it.",
        ]

    def subject(self, candidate: Candidate) -> str:
        """Say what a candidate asks: a column or a sum."""
        if isinstance(candidate.split, SumSplit):
            return f"sum of {len(candidate.split.terms)} columns"
        return super().subject(candidate)

    def candidates(self, place: Place) -> list[Candidate]:
        """Find the best cut of every column, and the best sum."""
        found = [self._priced(place, candidate) for candidate in super().candidates(place)]
        best = self._sum_candidate(place, found)
        return found if best is None else [*found, best]

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the test that is worth most."""
        scores = [c.measures["worth"] if c.split is not None else None for c in candidates]
        best = first_largest(scores, self.algorithm.unit_of_ties(place.tally))
        if best is None:
            return Verdict(None, "no column can be cut")
        return Verdict(best, "it is worth most: what it saves less what it costs")

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """Nothing: what a test saves and costs is worked out with its steps."""
        return []

    # ------------------------------------------------------------------------------------------ one column
    @cached_property
    def algorithm(self) -> OneColumn:
        """The search of one column."""
        return OneColumn(self.sample.table, self.recipe)

    def _priced(self, place: Place, found: Candidate) -> Candidate:
        """What a column offers, with what it costs."""
        if found.split is None:
            return found
        j = found.column
        price, words = self._price(place.values_of(j), self.sample.column(j).kind == "nominal")
        line = self._line(
            found.test, [branch.tally for branch in found.branches], found.measures["saved"], words, price
        )
        return replace(found, measures=_worth(found.measures["saved"], price), steps=(*found.steps, Working((line,))))

    def _price(self, table: ValueTable, is_nominal: bool) -> tuple[float, str]:
        """The bits of a column's choice, and how they are reckoned."""
        n, log, bit = len(table.values), self.unit.logarithm, fixed(self.unit.show(1.0)).rstrip("0").rstrip(".")
        if not is_nominal:
            bits, words = log2(max(n - 1, 1)), f"{log}({max(n - 1, 1)})"
        elif n > _MANY_LEVELS:
            bits, words = n - 1.0, f"{n - 1}·{bit}"
        else:
            bits, words = log2(max(2 ** (n - 1) - 1, 1)), f"{log}(2^{n - 1} - 1)"
        if table.missing.rows and self.parameters["missing"] == "learn":
            return bits + 1, f"{words} + {bit}"
        return bits, words

    def _line(self, test: str, sides: Sequence[Tally], saved: float, words: str, price: float) -> str:
        node = sides[0] + sides[1]
        show = self.unit.show
        if self.sample.classes is None:
            inside = " + ".join(fixed(self.impurity(t) * t.weight) for t in sides)
            spread = fixed(self.impurity(node) * node.weight)
            working = f"{weight_text(node.weight)}/2·{self.unit.logarithm}({spread} / ({inside}))"
        else:
            parts = [f"{weight_text(t.weight)}·{fixed(show(self.impurity(t)))}" for t in (node, *sides)]
            working = " − ".join(parts)
        return f"{test}: saves {working} = {fixed(show(saved))}, costs {words} = {fixed(show(price))}"

    # ------------------------------------------------------------------------------------------ sums of columns
    def _sum_candidate(self, place: Place, axis: Sequence[Candidate]) -> Candidate | None:
        usable = [j for j in range(self.sample.n_columns) if self._may_add(place, j)]
        chosen = self._columns_of_sums(place, axis, usable)
        if len(chosen) < 2:
            return None
        per_term = self.parameters["penalty"] * (log2(place.tally.weight) / 2 + log2(len(usable)))
        cuts = self._sums(place, chosen)
        prices = [log2(cut.n_cuts) + per_term * (len(cut.split.terms) - 1) for cut in cuts]
        worth = [cut.saved - price for cut, price in zip(cuts, prices, strict=True)]
        order = sorted(range(len(cuts)), key=lambda i: (len(cuts[i].split.terms), i))
        unit = self.algorithm.unit_of_ties(place.tally)
        first = first_largest([worth[i] for i in order], unit)
        if first is None:
            return None
        best = order[first]
        return self._as_candidate(place, cuts, prices, best)

    def _may_add(self, place: Place, j: int) -> bool:
        """Whether a column may take part in a sum: plain numbers, two of them at least, and few holes."""
        column = self.sample.column(j)
        if column.kind != "numeric" or column.value_type != "number":
            return False
        table = place.values_of(j)
        return len(table.values) > 1 and table.missing.weight <= _MOST_MISSING * place.tally.weight

    def _columns_of_sums(self, place: Place, axis: Sequence[Candidate], usable: list[int]) -> list[int]:
        """Of the usable columns those with the best cuts of their own."""
        weight, max_terms = place.tally.weight, self.parameters["max_terms"]
        if weight < _FEWEST_ROWS or max_terms < 2:
            return []
        n = min(len(usable), max(2, int(weight // _ROWS_PER_COLUMN)), max(_MOST_COLUMNS, max_terms))
        unit = self.algorithm.unit_of_ties(place.tally) * FLOOR
        rank = {c.column: round(c.measures["worth"] / unit) for c in axis if c.split is not None}
        return sorted(sorted(usable, key=lambda j: (-rank[j] if j in rank else float("inf"), j))[:n])

    def _sums(self, place: Place, chosen: list[int]) -> list[SumCut]:
        """Every sum that is tried, with its best cut."""
        rows = [row for row, _ in place.cases]
        weights = np.array([weight for _, weight in place.cases])
        cells = [[self.sample.table.columns[j].values[row] for j in chosen] for row in rows]
        values = np.array(cells, dtype=float)  # None becomes NaN
        truth = np.array([self.sample.table.target[row] for row in rows], dtype=float)
        n_classes = 0 if self.sample.classes is None else len(self.sample.classes)
        scan = SumScan(Cloud.of(values, weights), values, tuple(chosen), truth, n_classes, self.recipe.min_samples_leaf)
        found = self._class_directions(scan) if n_classes else self._number_directions(scan)
        short = [direction for direction in found if len(direction.kept) <= self.parameters["max_terms"]]
        return [cut for direction in short if (cut := scan.best(direction)) is not None]

    def _number_directions(self, scan: SumScan) -> list[Direction]:
        weights = scan.cloud.weights
        mean = float(np.average(scan.truth, weights=weights))
        spread = float(np.sqrt(np.average((scan.truth - mean) ** 2, weights=weights)))
        return list(squares_directions(scan.cloud, (scan.truth - mean) / spread, self.parameters["ridge"]))

    def _class_directions(self, scan: SumScan) -> list[Direction]:
        """Of several groups of classes the one whose first direction does best goes on."""
        cloud, ridge = scan.cloud, self.parameters["ridge"]
        groups = class_groups(cloud, scan.truth.astype(np.int64), scan.n_classes)
        targets = [np.isin(scan.truth, list(group)).astype(float) for group in groups]
        worth = [0.0]
        if len(targets) > 1:
            firsts = [scan.best(next(squares_directions(cloud, target, ridge))) for target in targets]
            worth = [-np.inf if cut is None else cut.saved - log2(cut.n_cuts) for cut in firsts]
        target = targets[int(np.argmax(worth))]
        return [*squares_directions(cloud, target, ridge), *logistic_directions(cloud, target, ridge)]

    def _as_candidate(self, place: Place, cuts: list[SumCut], prices: list[float], best: int) -> Candidate:
        cut = cuts[best]
        labels = cut.split.labels(self.sample.schema.columns)
        rows = self.sample.table
        sides = [rows.tally(part) for part in cut.split.parts(rows, place.cases, 2)]
        branches = tuple(
            Branch(f"{'<=' if side == 0 else '>'} {labels[0].rsplit(' <= ', 1)[1]}", sides[side]) for side in (0, 1)
        )
        measures = _worth(cut.saved, prices[best])
        table = self._table_of_sums(cuts, prices, best)
        return Candidate(cut.split.column, labels[0], cut.split, branches, measures, steps=(table,))

    def _table_of_sums(self, cuts: list[SumCut], prices: list[float], best: int) -> Table:
        rows = []
        for cut, price in zip(cuts, prices, strict=True):
            names = [self.column_name(term.column) for term in cut.split.terms]
            listed = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
            numbers = _worth(cut.saved, price).items()
            rows.append((cut.direction.source, listed, *(measure_text(name, x, self.unit) for name, x in numbers)))
        headings = ("sum by", "columns", *(MEASURES[name].heading for name in self.measures))
        return Table(headings, tuple(rows), frozenset({2, 3, 4}), frozenset({best}), "Sums of columns")


def _worth(saved: float, price: float) -> dict[str, float]:
    return {"saved": saved, "price": price, "worth": saved - price}
