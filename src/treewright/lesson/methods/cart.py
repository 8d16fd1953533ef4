"""CART (Breiman, Friedman, Olshen and Stone 1984): the best cut in two, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from treewright.learners.trees.training_data import plain_criterion, rows_of
from treewright.lesson.impurity_lines import mean_line
from treewright.lesson.measures import fixed, measure_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.cut_table import cut_table
from treewright.lesson.methods.method import Method
from treewright.lesson.split_text import division_labels
from treewright.reference.cart import Cart, Recipe
from treewright.reference.criteria import MEASURED
from treewright.reference.growing import Candidate as Found
from treewright.reference.table import Place
from treewright.reference.tally import Tally

BY_KNOWN = "judged by its known values"
_NOTHING = {"all equal": "all values are equal", "too small": "every cut leaves a branch too small"}
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
        return plain_criterion(str(self.parameters["criterion"]))

    @property
    def measures(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the table of candidates shows."""
        return MEASURED[self.criterion]

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

    @cached_property
    def algorithm(self) -> Cart:
        """The definition of the algorithm, which does the working."""
        return Cart(self.sample.table, self.recipe)

    @property
    def recipe(self) -> Recipe:
        """The parameters as the reference takes them: sizes are numbers of rows."""
        given = self.given(Recipe)
        for name in {"min_samples_split", "min_samples_leaf"} & given.keys():
            given[name] = rows_of(given[name], len(self.sample.table.target))
        return Recipe(**(given | {"criterion": self.criterion}))

    def impurity(self, tally: Tally) -> float:
        """How mixed the rows are, by the criterion."""
        return float(self.algorithm.impurity(tally))

    def stop(self, place: Place) -> str | None:
        """The rules of size and purity, and a variance that is small enough."""
        return self.stop_text(self.algorithm.stop(place))

    def stop_text(self, reason: str | None) -> str | None:
        """A rule that stops a node, in words."""
        if reason == "min_variance_share":
            share = self.recipe.min_variance_share
            return f"its {self.impurity_name} is at most {share:g} of that of all rows (min_variance_share)"
        return super().stop_text(reason)

    def candidates(self, place: Place) -> list[Candidate]:
        """Find the best cut of every column."""
        return [self.worded(found) for found in self.algorithm.candidates(place)]

    def worded(self, found: Found) -> Candidate:
        """What a column offers, in words."""
        column, name, division = self.sample.column(found.column), self.column_name(found.column), found.division
        if division is None:
            return Candidate(found.column, name, remark=_NOTHING[found.why], trace=found)
        labels = division_labels(column, division)
        is_word = "is " if division.split.levels or division.split.asks_whether_known else ""
        branches = tuple(Branch(label, tally) for label, tally in zip(labels, division.branches, strict=True))
        measures = {measure: float(value) for measure, value in found.measures.items()}
        remark = "" if division.sees_all else BY_KNOWN
        is_listed = found.best is not None and column.kind != "nominal" and len(found.tried) > 1
        steps = (cut_table(column, found.tried, found.best or 0, self.unit),) if is_listed else ()
        test = f"{name} {is_word}{labels[0]}"
        return Candidate(found.column, test, division.split, branches, measures, remark, steps, found)

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the best cut of all; by gain ratio, the best of those with at least the average gain."""
        choice = self.algorithm.choose(place, [candidate.trace for candidate in candidates])
        if choice.winner is None:
            least = self.recipe.min_impurity_decrease
            too_little = f"the best cut lowers the impurity by less than {least:g} (min_impurity_decrease)"
            nothing = {"no cut": "no column can be cut", "no gain": "no cut gains anything"}
            return Verdict(None, nothing.get(choice.why, too_little))
        among = ""
        if choice.average is not None:
            among = f" among the columns with at least the average gain, {fixed(self.unit.show(choice.average))}"
        return Verdict(choice.winner, f"it has {_DECIDES.get(self.criterion, 'the largest gain')}{among}")

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
