"""ID3 (Quinlan 1986; "decision tree learning" in textbooks): information gain, one branch a level."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from treewright.lesson.impurity_lines import mean_line
from treewright.lesson.measures import fixed
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.method import Method
from treewright.lesson.split_text import split_labels
from treewright.reference.growing import Candidate as Found
from treewright.reference.id3 import ID3, Recipe
from treewright.reference.table import Place
from treewright.reference.tally import Tally


class ID3Method(Method):
    """Every unused column is a candidate; the one with the largest information gain is asked."""

    title = "ID3"
    measures = ("remainder", "gain")
    impurity_name = "entropy"

    def introduction(self) -> list[str]:
        """Say how ID3 chooses and stops."""
        return [
            "A node asks the column with the largest information gain: its entropy H less the remainder, which is the "
            "mean entropy of the branches, each by its share of the rows. There is one branch for each level; the "
            "column is not asked again below.",
            "A node is a leaf if all of its rows are of one class, if no column is left, or if no row came (it then "
            "takes the majority of its parent)." + self._about_min_gain(),
        ]

    def _about_min_gain(self) -> str:
        least = self.parameters.get("min_gain", 0.0)
        return f" So it is where every gain is below {least:g} (min_gain)." if least > 0 else ""

    @cached_property
    def algorithm(self) -> ID3:
        """The definition of the algorithm, which does the working."""
        missing = self.parameters.get("missing", "refuse")
        return ID3(self.sample.table, Recipe(self.parameters.get("min_gain", 0.0), missing))

    def impurity(self, tally: Tally) -> float:
        """The entropy in bits."""
        return float(self.algorithm.impurity(tally))

    def stop(self, place: Place) -> str | None:
        """Pure, or nothing left to ask."""
        reason = self.algorithm.stop(place)
        return "no column is left to ask" if reason == "no column" else self.stop_text(reason)

    def candidates(self, place: Place) -> list[Candidate]:
        """Score every column that has not been asked on the path."""
        return [self._worded(found) for found in self.algorithm.candidates(place)]

    def _worded(self, found: Found) -> Candidate:
        name, division = self.column_name(found.column), found.division
        if division is None:
            return Candidate(found.column, name, remark="all rows have the same level", trace=found)
        labels = [*split_labels(self.sample.column(found.column), division.split), "missing"]
        branches = tuple(Branch(label, tally) for label, tally in zip(labels, division.branches, strict=False))
        measures = {measure: float(value) for measure, value in found.measures.items()}
        return Candidate(found.column, name, division.split, branches, measures, trace=found)

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """The remainder as a sum."""
        tallies = [branch.tally for branch in candidate.branches]
        if not tallies:
            return []
        left = mean_line(tallies, [self.unit.show(self.impurity(tally)) for tally in tallies])
        return [f"{candidate.test}: remainder {left} = {fixed(self.unit.show(candidate.measures['remainder']))}"]

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the largest gain, the first of equals."""
        choice = self.algorithm.choose(place, [candidate.trace for candidate in candidates])
        gains = [candidate.measures["gain"] for candidate in candidates if candidate.measures]
        if choice.why == "no cut":
            return Verdict(None, "no column tells its rows apart")
        if choice.winner is None:
            name = self.column_name(max(candidates, key=lambda c: c.measures.get("gain", -1.0)).column)
            least = self.algorithm.recipe.min_gain
            return Verdict(None, f"no gain reaches min_gain = {least:g}; the largest is that of {name}")
        if max(gains) <= 1e-12:
            return Verdict(choice.winner, "no column gains anything, and it is the first")
        equal = sum(abs(other - candidates[choice.winner].measures["gain"]) < 1e-12 for other in gains)
        return Verdict(choice.winner, "it has the largest gain" + (", the first of equals" if equal > 1 else ""))
