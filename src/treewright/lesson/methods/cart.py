"""CART (Breiman, Friedman, Olshen and Stone 1984): the best cut in two, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from treewright.learners.trees.training_data import rows_of
from treewright.lesson.arithmetic.binary_cuts import Cut, level_cuts, ordered_cuts
from treewright.lesson.arithmetic.binary_score import SHOWN, best_possible, measures_of
from treewright.lesson.arithmetic.impurity import IMPURITIES, entropy
from treewright.lesson.arithmetic.tally import Tally
from treewright.lesson.arithmetic.value_table import ValueTable
from treewright.lesson.impurity_lines import mean_line
from treewright.lesson.measures import fixed, measure_text
from treewright.lesson.methods.binary_offers import BY_KNOWN, Offer, known_or_not, with_missing
from treewright.lesson.methods.candidate import Candidate, Place, Verdict, first_largest
from treewright.lesson.methods.cut_table import cut_table
from treewright.lesson.methods.method import Method
from treewright.lesson.methods.stop_rules import shared_stop

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
            "A node is a leaf if its rows are all alike, or if a rule of size stops it." + self._about_weights(),
        ]

    def _about_weights(self) -> str:
        if self.parameters.get("priors") is None and self.parameters.get("costs") is None:
            return ""
        return " Counts are not rows: each row counts as the priors and the costs of its class say."

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
        """Take the best cut of all; by gain ratio, the best of those with at least the average gain."""
        decides = self.measures[-1]
        scores = [c.measures[decides] if c.split is not None else None for c in candidates]
        average = self._average_gain(candidates)
        if average is not None:
            enough = [c.measures.get("gain", 0.0) >= average * (1 - 1e-9) for c in candidates]
            scores = [score if able else None for score, able in zip(scores, enough, strict=True)]
        best = first_largest(scores, best_possible(self.criterion, place.tally))
        if best is None:
            return Verdict(None, "no column can be cut")
        if self.parameters["missing"] in ("surrogates", "stop") and candidates[best].measures[decides] <= 1e-12:
            return Verdict(None, "no cut gains anything")
        least = self.parameters.get("min_impurity_decrease") or 0.0
        share = place.tally.weight / self.total_weight
        if share * self._gain(place, candidates[best]) < least - 1e-12:
            return Verdict(None, f"the best cut lowers the impurity by less than {least:g} (min_impurity_decrease)")
        among = "" if average is None else f" among the columns with at least the average gain, {self._shown(average)}"
        return Verdict(best, f"it has {_DECIDES.get(self.criterion, 'the largest gain')}{among}")

    def _shown(self, bits: float) -> str:
        return fixed(self.unit.show(bits))

    def _average_gain(self, candidates: Sequence[Candidate]) -> float | None:
        """The mean gain of the columns that can be cut, where the gain ratio decides; else None."""
        gains = [c.measures["gain"] for c in candidates if c.split is not None and "gain_ratio" in c.measures]
        return sum(gains) / len(gains) if gains else None

    def _gain(self, place: Place, candidate: Candidate) -> float:
        """The fall of impurity when all rows are divided, those without a value too; shared out, they add nothing."""
        tallies = [branch.tally for branch in candidate.branches]
        split = candidate.split
        if self.parameters["missing"] == "fractional" or self.criterion == "gain_ratio":
            total = place.tally.weight
            known = sum(tally.weight for tally in tallies)
            return (self.impurity(_sum(tallies)) * known - sum(t.weight * self.impurity(t) for t in tallies)) / total
        if split is not None and split.missing is not None and candidate.remark == BY_KNOWN:
            tallies[split.missing] = tallies[split.missing] + place.values_of(split.column).missing
        total = sum(tally.weight for tally in tallies)
        return self.impurity(place.tally) - sum(t.weight / total * self.impurity(t) for t in tallies if t.weight)

    def _candidate(self, place: Place, j: int) -> Candidate:
        column, table = self.sample.column(j), place.values_of(j)
        is_nominal = column.kind == "nominal"
        cuts = self._level_cuts(j, table) if is_nominal else ordered_cuts(column, j, table)
        offers = [offer for cut in cuts for offer in with_missing(cut, table, self.parameters["missing"])]
        if self.criterion == "gain_ratio":
            offers.sort(key=lambda offer: offer.has_missing and offer.missing)  # missing on the left is tried first
        elif self.parameters["missing"] == "learn":
            offers += known_or_not(j, table, is_nominal)
        offers = [offer for offer in offers if self._large_enough(offer)]
        measures = [self._measures(offer) for offer in offers]
        best = first_largest([found[self._decides_cut] for found in measures], self._unit_of_ties(place.tally))
        if best is None:
            remark = "all values are equal" if len(table.values) < 2 else "every cut leaves a branch too small"
            return Candidate(j, self.column_name(j), remark=remark)
        found = offers[best].candidate(self.column_name(j), measures[best])
        if is_nominal or len(offers) == 1:
            return found
        return replace(found, steps=(cut_table(self.column_name(j), offers, measures, best, self.unit),))

    @property
    def _decides_cut(self) -> str:
        """What the cuts of one column are compared by; the gain ratio is for columns only."""
        return "gain" if self.criterion == "gain_ratio" else self.measures[-1]

    def _unit_of_ties(self, tally: Tally) -> float:
        return best_possible(self.criterion, tally)

    def _level_cuts(self, j: int, table: ValueTable) -> Iterator[Cut]:
        n_classes = 0 if self.sample.classes is None else len(self.sample.classes)
        return level_cuts(self.sample.column(j), j, table, n_classes)

    def _measures(self, offer: Offer) -> dict[str, float]:
        found = measures_of(self.criterion, offer.tallies)
        if offer.share == 1 or self.criterion == "squared_error":  # which is a sum over the known rows already
            return found
        if self.criterion != "gain_ratio":
            found[self.measures[-1]] *= offer.share
            return found
        weights = [tally.weight for tally in offer.tallies]
        gain, spread = found["gain"] * offer.share, entropy([*weights, sum(weights) * (1 / offer.share - 1)])
        return {**found, "gain": gain, "split_information": spread, "gain_ratio": gain / spread if spread else 0.0}

    def _large_enough(self, offer: Offer) -> bool:
        least, lightest = self._least
        return all(tally.rows >= least and tally.weight >= lightest for tally in offer.tallies)

    @cached_property
    def _least(self) -> tuple[int, float]:
        """The rows and the weight that a branch must have."""
        rows = max(1, rows_of(self.parameters.get("min_samples_leaf", 1), len(self.sample.target)))
        return rows, (self.parameters.get("min_weight_fraction_leaf") or 0.0) * self.total_weight

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """What is left after the cut, as a sum."""
        shown = self.measures[:2]
        if len(shown) < 2 or candidate.split is None or candidate.remark == BY_KNOWN:
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


def _sum(tallies: Sequence[Tally]) -> Tally:
    whole = tallies[0]
    for tally in tallies[1:]:
        whole = whole + tally
    return whole
