"""CART (Breiman, Friedman, Olshen and Stone 1984): the best cut in two, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import inf

from treewright.estimators.fraction import rows_of
from treewright.lesson.arithmetic.binary_cuts import Cut, level_cuts, ordered_cuts
from treewright.lesson.arithmetic.binary_score import SHOWN, best_possible, measures_of
from treewright.lesson.arithmetic.impurity import IMPURITIES
from treewright.lesson.arithmetic.split import Split
from treewright.lesson.arithmetic.tally import Tally
from treewright.lesson.arithmetic.value_table import ValueTable
from treewright.lesson.impurity_lines import mean_line
from treewright.lesson.measures import fixed, measure_text
from treewright.lesson.methods.candidate import Branch, Candidate, Place, Verdict, first_largest
from treewright.lesson.methods.cut_table import CutLine, cut_table
from treewright.lesson.methods.method import Method
from treewright.lesson.methods.stop_rules import shared_stop
from treewright.lesson.pages.blocks import Table
from treewright.lesson.tally_text import brief_text

_NAMES = {
    "gini": "Gini index",
    "entropy": "entropy",
    "gain_ratio": "entropy",
    "error": "share of errors",
    "twoing": "Gini index",
    "hellinger": "Gini index",
    "squared_error": "variance",
    "absolute_error": "mean distance to the median",
    "poisson": "mean half deviance",
}
_DECIDES = {
    "gain_ratio": "the largest gain ratio",
    "twoing": "the largest twoing value",
    "hellinger": "the largest Hellinger distance",
    "squared_error": "the largest fall of the squared errors",
}
_BY_KNOWN = "judged by its known values"


class CartMethod(Method):
    """Every column offers its best cut in two; the best of these is asked."""

    title = "CART"

    @property
    def criterion(self) -> str:
        """What a cut is judged by."""
        return str(self.parameters["criterion"])

    @property
    def measures(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the table of candidates shows."""
        return SHOWN[self.criterion]

    @property
    def impurity_name(self) -> str:  # type: ignore[override]
        """What the impurity of a node is called."""
        return _NAMES[self.criterion]

    def introduction(self) -> list[str]:
        """Say how CART chooses and stops."""
        decides = _DECIDES.get(self.criterion, f"the largest fall of the {self.impurity_name}")
        return [
            "A node is cut in two. Numbers are cut between neighbouring values, at their middle; levels are put in two "
            f"groups. Every column offers its best cut, and the node takes the cut with {decides}; among equals the "
            "first column and the lowest cut.",
            "A node is a leaf if its rows are all alike, or if a rule of size stops it.",
        ]

    def impurity(self, tally: Tally) -> float:
        """How mixed the rows are, by the criterion."""
        return IMPURITIES[self.criterion](tally)

    def stop(self, place: Place) -> str | None:
        """The rules of size and purity, and a variance that is small enough."""
        reason = shared_stop(place, self.parameters)
        share = self.parameters.get("min_variance_share") or 0.0
        if reason is None and share > 0 and self.impurity(place.tally) <= share * self._root_impurity * (1 + 1e-9):
            return f"its {self.impurity_name} is at most {share:g} of that of all rows (min_variance_share)"
        return reason

    @cached_property
    def _root_impurity(self) -> float:
        return self.impurity(self.sample.tally(self.sample.portion()))

    def candidates(self, place: Place) -> list[Candidate]:
        """Find the best cut of every column."""
        return [self._candidate(place, j) for j in range(self.sample.n_columns)]

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the best cut of all."""
        decides = self.measures[-1]
        scores = [c.measures[decides] if c.split is not None else None for c in candidates]
        best = first_largest(scores, best_possible(self.criterion, place.tally))
        if best is None:
            return Verdict(None, "no column can be cut")
        least = self.parameters.get("min_impurity_decrease") or 0.0
        share = place.tally.weight / self.total_weight
        gain = self._gain(place, candidates[best])
        if share * gain < least - 1e-12:
            return Verdict(None, f"the best cut lowers the impurity by less than {least:g} (min_impurity_decrease)")
        return Verdict(best, f"it has {_DECIDES.get(self.criterion, 'the largest gain')}")

    def _gain(self, place: Place, candidate: Candidate) -> float:
        """The fall of impurity when all rows are divided, those without a value too."""
        tallies = [branch.tally for branch in candidate.branches]
        split = candidate.split
        if split is not None and split.missing is not None and candidate.remark == _BY_KNOWN:
            tallies[split.missing] = tallies[split.missing] + place.values_of(split.column).missing
        total = sum(tally.weight for tally in tallies)
        return self.impurity(place.tally) - sum(t.weight / total * self.impurity(t) for t in tallies if t.weight)

    def _candidate(self, place: Place, j: int) -> Candidate:
        column, table = self.sample.column(j), place.values_of(j)
        n_classes = 0 if self.sample.classes is None else len(self.sample.classes)
        is_nominal = column.kind == "nominal"
        cuts = level_cuts(column, j, table, n_classes) if is_nominal else ordered_cuts(column, j, table)
        offers = [offer for cut in cuts for offer in self._with_missing(cut, table)]
        offers += self._known_or_not(j, table)
        allowed = [offer for offer in offers if self._large_enough(offer)]
        decides = self.measures[-1]
        best = first_largest([o.measures[decides] for o in allowed], best_possible(self.criterion, place.tally))
        if best is None:
            remark = "all values are equal" if len(table.values) < 2 else "every cut leaves a branch too small"
            return Candidate(j, self.column_name(j), remark=remark)
        steps = () if is_nominal else (self._table_of(self.column_name(j), allowed, best),)
        return replace(allowed[best], steps=steps if len(allowed) > 1 else ())

    def _table_of(self, name: str, offers: Sequence[Candidate], best: int) -> Table:
        lines = []
        for offer in offers:
            left, right = (brief_text(branch.tally) for branch in offer.branches[:2])
            lines.append(CutLine(offer.test.removeprefix(f"{name} "), left, right, dict(offer.measures)))
        return cut_table(name, lines, best, self.unit)

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """What is left after the cut, as a sum."""
        shown = self.measures[:2]
        if len(shown) < 2 or candidate.split is None or candidate.remark == _BY_KNOWN:
            return []
        show = self.unit.show if "entropy" in self.impurity_name else float
        tallies = [branch.tally for branch in candidate.branches]
        left = measure_text(shown[0], candidate.measures[shown[0]], self.unit)
        if self.criterion == "squared_error":
            parts = " + ".join(fixed(self.impurity(tally) * tally.weight) for tally in tallies)
        else:
            parts = mean_line(tallies, [show(self.impurity(tally)) for tally in tallies])
        return [f"{candidate.test}: {parts} = {left}"]

    def taken_back(self) -> str:
        """The number of leaves, or a price of a leaf, has cut the tree back."""
        if self.parameters.get("max_leaf_nodes") is not None:
            return f"the {self.parameters['max_leaf_nodes']} leaves of max_leaf_nodes are worth more elsewhere"
        return super().taken_back()

    # ------------------------------------------------------------ rows without a value
    def _with_missing(self, cut: Cut, table: ValueTable) -> Iterator[Candidate]:
        """What the policy makes of a cut: who gets the rows without a value, and which rows the score counts."""
        sides = (cut.left, cut.right)
        heavier = 0 if cut.left.weight >= cut.right.weight else 1
        if not table.missing.rows:
            yield self._offer(cut, sides, heavier)
        elif self.parameters["missing"] == "learn":
            yield self._offer(cut, (cut.left + table.missing, cut.right), 0)
            yield self._offer(cut, (cut.left, cut.right + table.missing), 1)
        elif self.parameters["missing"] == "branch":
            yield self._offer(cut, (*sides, table.missing), 2)
        else:
            known = self._offer(cut, sides, heavier)
            share = table.known.weight / (table.known.weight + table.missing.weight)
            yield replace(known, measures=self._shrunk(known, share), remark=_BY_KNOWN)

    def _shrunk(self, offer: Candidate, share: float) -> dict[str, float]:
        decides = self.measures[-1]
        return {**offer.measures, decides: offer.measures[decides] * share}

    def _offer(self, cut: Cut, tallies: tuple[Tally, ...], missing: int) -> Candidate:
        labels = [*cut.labels, "missing"][: len(tallies)]
        if sum(tally.rows for tally in tallies) > cut.left.rows + cut.right.rows and len(tallies) == 2:
            labels[missing] += " or missing"
        test = f"{self.column_name(cut.split.column)} {'is ' if cut.split.levels else ''}{labels[0]}"
        branches = tuple(Branch(label, tally) for label, tally in zip(labels, tallies, strict=True))
        split = replace(cut.split, missing=missing)
        return Candidate(cut.split.column, test, split, branches, measures_of(self.criterion, tallies))

    def _known_or_not(self, j: int, table: ValueTable) -> list[Candidate]:
        """Under the policy "learn", whether there is a value at all is a cut of its own."""
        if self.parameters["missing"] != "learn" or not table.missing.rows or not table.values:
            return []
        tallies = (table.known, table.missing)
        column = self.sample.column(j)
        levels = {int(code): 0 for code in table.values} if column.kind == "nominal" else {}
        split = Split(j, cuts=() if levels else (inf,), levels=levels, missing=1)
        branches = tuple(Branch(label, tally) for label, tally in zip(("known", "missing"), tallies, strict=True))
        return [Candidate(j, f"{self.column_name(j)} is known", split, branches, measures_of(self.criterion, tallies))]

    def _large_enough(self, offer: Candidate) -> bool:
        least = max(1, rows_of(self.parameters.get("min_samples_leaf", 1), len(self.sample.target)))
        lightest = (self.parameters.get("min_weight_fraction_leaf") or 0.0) * self.total_weight
        return all(b.tally.rows >= least and b.tally.weight >= lightest for b in offer.branches)
