"""Oblique trees: one column or a weighted sum of several, whichever saves most bits for its price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from treewright.errors import DataError
from treewright.lesson.measures import MEASURES, fixed, measure_text, weight_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.cart import CartMethod
from treewright.lesson.sample import Sample
from treewright.lesson.sum_text import sum_labels
from treewright.lesson.unit import Unit
from treewright.pages.blocks import Table, Working
from treewright.reference.growing import Candidate as Found
from treewright.reference.oblique import FEWEST_ROWS, Oblique, Recipe, worth_of
from treewright.reference.sums import MANY_LEVELS, SumCut, SumSplit
from treewright.reference.table import Place, ValueTable
from treewright.reference.tally import Tally


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
            f"{FEWEST_ROWS} no sum is tried. A node is a leaf if its rows are all alike, or if a rule of size stops "
            "it.",
        ]

    def subject(self, candidate: Candidate) -> str:
        """Say what a candidate asks: a column or a sum."""
        if isinstance(candidate.split, SumSplit):
            return f"sum of {len(candidate.split.terms)} columns"
        return super().subject(candidate)

    @cached_property
    def algorithm(self) -> Oblique:
        """The definition of the algorithm, which does the working."""
        sizes = {"min_samples_split": self.recipe.min_samples_split, "min_samples_leaf": self.recipe.min_samples_leaf}
        recipe = Recipe(**(self.given(Recipe) | sizes))
        columns = enumerate(self.sample.schema.columns)
        never = frozenset(j for j, column in columns if column.value_type != "number")
        return Oblique(self.sample.table, recipe, never)

    def candidates(self, place: Place) -> list[Candidate]:
        """Find the best cut of every column, and the best sum."""
        found = self.algorithm.candidates(place)
        return [self._sum(c) if isinstance(c.split, SumSplit) else self._priced(place, c) for c in found]

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the test that is worth most."""
        best = self.algorithm.choose(place, [candidate.trace for candidate in candidates]).winner
        if best is None:
            return Verdict(None, "no column can be cut")
        return Verdict(best, "it is worth most: what it saves less what it costs")

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """Nothing: what a test saves and costs is worked out with its steps."""
        return []

    # ------------------------------------------------------------------------------------------ one column
    def _priced(self, place: Place, found: Found) -> Candidate:
        """What a column offers, in words, with the working of what it costs."""
        worded = self.worded(found)
        if worded.split is None:
            return worded
        words = self._price_words(place.values_of(found.column), self.sample.column(found.column).kind == "nominal")
        saved, price = worded.measures["saved"], worded.measures["price"]
        line = self._line(worded.test, [branch.tally for branch in worded.branches], saved, words, price)
        return replace(worded, steps=(*worded.steps, Working((line,))))

    def _price_words(self, table: ValueTable, is_nominal: bool) -> str:
        """How the bits of a column's choice are reckoned."""
        n, log, bit = len(table.values), self.unit.logarithm, fixed(self.unit.show(1.0)).rstrip("0").rstrip(".")
        words = f"{log}({max(n - 1, 1)})"
        if is_nominal:
            words = f"{n - 1}·{bit}" if n > MANY_LEVELS else f"{log}(2^{n - 1} - 1)"
        return f"{words} + {bit}" if table.missing.rows and self.parameters["missing"] == "learn" else words

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
    def _sum(self, found: Found) -> Candidate:
        """The best sum, in words, with all that were tried."""
        split, division = found.split, found.division
        assert isinstance(split, SumSplit)
        assert division is not None
        label = sum_labels(split, self.sample.schema.columns)[0]
        at = label.rsplit(" <= ", 1)[1]
        branches = tuple(
            Branch(f"{sign} {at}", tally) for sign, tally in zip(("<=", ">"), division.branches, strict=True)
        )
        steps = (self._table_of_sums(found.steps, found.best or 0),)
        return Candidate(found.column, label, split, branches, found.measures, steps=steps, trace=found)

    def _table_of_sums(self, cuts: Sequence[SumCut], best: int) -> Table:
        rows = []
        for cut in cuts:
            names = [self.column_name(term.column) for term in cut.split.terms]
            listed = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
            numbers = worth_of(cut.saved, cut.price).items()
            rows.append((cut.direction.source, listed, *(measure_text(name, x, self.unit) for name, x in numbers)))
        headings = ("sum by", "columns", *(MEASURES[name].heading for name in self.measures))
        return Table(headings, tuple(rows), frozenset({2, 3, 4}), frozenset({best}), "Sums of columns")
