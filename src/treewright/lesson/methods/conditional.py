"""Conditional inference trees: test every column, ask the most significant one, then look for its best cut."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from treewright.lesson.measures import p_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.cut_table import cut_table
from treewright.lesson.methods.method import Method
from treewright.lesson.split_text import split_labels
from treewright.reference.conditional import Conditional, Recipe
from treewright.reference.growing import Candidate as Found
from treewright.reference.table import Place


class ConditionalMethod(Method):
    """Every column is tested for independence of the target; only the winner is cut."""

    title = "Conditional inference tree"
    measures = ("statistic", "degrees", "log_p", "log_p_adjusted")

    @cached_property
    def algorithm(self) -> Conditional:
        """The definition of the algorithm, which does the working."""
        given = self.given(Recipe)
        for name, option in (("min_samples_split", "min_weight_split"), ("min_samples_leaf", "min_weight_leaf")):
            given[name] = self.parameters.get(option, given.get(name, getattr(Recipe, name)))
        given |= {"class_scores": self.sample.class_scores, "split_tries": int(given.get("split_tries", 2))}
        return Conditional(self.sample.table, Recipe(**given))

    def introduction(self) -> list[str]:
        """Say how the column and the cut are chosen, and when to stop."""
        alpha = self.parameters["alpha"]
        adjusted = (
            "With m columns tested, p becomes 1 − (1 − p)^m, the chance that the best of m is as good."
            if self.algorithm.recipe.adjusts
            else "The p-values are not adjusted for the number of columns."
        )
        return [
            "Each column is tested: does the target depend on it? The statistic compares the sums of the target over "
            "the values of the column with what they would be if the target were shuffled; p is the chance of a "
            f"statistic that large. {adjusted}",
            f"The column with the smallest p is asked if p is below {alpha:g} (alpha); otherwise the node is a leaf. "
            "Then the cut of that column with the largest statistic is taken.",
        ]

    def as_fitted(self) -> str:
        """What to say where the p-values are not from a formula."""
        by_formula = self.algorithm.recipe.has_formula
        return super().as_fitted() if by_formula else "its p-value, as the estimator found it, is the smallest"

    def stop(self, place: Place) -> str | None:
        """The rules of size and purity; the least size counts weight."""
        return self.stop_text(self.algorithm.stop(place))

    def candidates(self, place: Place) -> list[Candidate]:
        """Test every column; then look for a cut in the significant ones, best first. Without a formula for p the
        statistics are all that is shown."""
        if self.algorithm.recipe.has_formula:
            return [self._worded(place, found) for found in self.algorithm.candidates(place)]
        return [self._worded(place, self.algorithm.tested(place, j)) for j in range(self.sample.n_columns)]

    def _worded(self, place: Place, found: Found) -> Candidate:
        column, name, division = self.sample.column(found.column), self.column_name(found.column), found.division
        if division is None:
            remark = f"no cut leaves {self.algorithm.least_side(place):g} rows on both sides" if found.why else ""
            if not found.measures:
                remark = "nothing to test: all values, or all targets, are equal"
            return Candidate(found.column, name, measures=found.measures, remark=remark, trace=found)
        labels = split_labels(column, division.split)
        branches = tuple(Branch(label, tally) for label, tally in zip(labels, division.branches, strict=True))
        test = f"{name} {'is ' if division.split.levels else ''}{labels[0]}"
        steps = (cut_table(column, found.tried, found.best or 0, self.unit),)
        return Candidate(found.column, test, division.split, branches, found.measures, steps=steps, trace=found)

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the most significant column that has a cut."""
        alpha, found = self.algorithm.recipe.alpha, [candidate.trace for candidate in candidates]
        if not self.algorithm.recipe.has_formula:
            return Verdict(None, f"no p-value, as the estimator found it, is below alpha = {alpha:g}")
        choice = self.algorithm.choose(place, found)
        if choice.winner is not None:
            p = p_text(candidates[choice.winner].measures["log_p_adjusted"])
            return Verdict(choice.winner, f"its p is the smallest, {p}, and below alpha = {alpha:g}")
        if choice.why == "no test":
            return Verdict(None, "no column can be tested")
        if choice.why == "no cut":
            return Verdict(None, "no significant column has a cut with enough rows on both sides")
        first = candidates[self.algorithm.ranked(place, found)[0]]
        p = p_text(first.measures["log_p_adjusted"])
        return Verdict(None, f"the smallest p, that of {self.column_name(first.column)}, is {p}: not below {alpha:g}")
