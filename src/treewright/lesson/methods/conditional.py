"""Conditional inference trees: test every column, ask the most significant one, then look for its best cut."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from treewright.lesson.arithmetic.permutation_test import Influence, log_sidak, maximum_statistic, quadratic_statistic
from treewright.lesson.measures import p_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.cut_table import cut_table
from treewright.lesson.methods.method import Method
from treewright.lesson.methods.stop_rules import shared_stop
from treewright.lesson.split_text import split_labels
from treewright.reference.divisions import level_cuts, ordered_cuts
from treewright.reference.split import Division, Split
from treewright.reference.table import Place, ValueTable
from treewright.reference.upper_tail import log_chi_square_tail
from treewright.table.schema import Column

_STEPS = 2.0**40  # statistics are compared in steps of (n - 1) / 2^40
_STEPS_OF_LOG = 2.0**26
_CERTAIN = 0.5 * math.log(np.finfo(float).tiny)  # below this p is as good as zero and only the statistic counts
_STATISTICS = {"quadratic": quadratic_statistic, "maximum": maximum_statistic}
_IN_OR_OUT = np.array([[1.0], [0.0]])


class ConditionalMethod(Method):
    """Every column is tested for independence of the target; only the winner is cut."""

    title = "Conditional inference tree"
    measures = ("statistic", "degrees", "log_p", "log_p_adjusted")

    @property
    def adjusts(self) -> bool:
        """Whether p-values pay for the number of columns."""
        return "bonferroni" in str(self.parameters.get("test", "bonferroni"))

    @cached_property
    def _statistic(self) -> partial[tuple[float, int]]:
        kind = self.parameters.get("statistic", "quadratic")
        return partial(_STATISTICS[kind], influence=Influence(self.sample.class_scores))

    @cached_property
    def _cut_statistic(self) -> partial[tuple[float, int]]:
        kind = self.parameters.get("split_statistic") or self.parameters.get("statistic", "quadratic")
        return partial(_STATISTICS[kind], influence=Influence(self.sample.class_scores))

    @property
    def has_formula(self) -> bool:
        """Whether p comes from the chi-square distribution (and not from permutations or a maximum)."""
        by_chance = str(self.parameters.get("test", "bonferroni")).startswith("monte_carlo")
        return not by_chance and self.parameters.get("statistic", "quadratic") == "quadratic"

    def introduction(self) -> list[str]:
        """Say how the column and the cut are chosen, and when to stop."""
        alpha = self.parameters["alpha"]
        adjusted = (
            "With m columns tested, p becomes 1 − (1 − p)^m, the chance that the best of m is as good."
            if self.adjusts
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
        return super().as_fitted() if self.has_formula else "its p-value, as the estimator found it, is the smallest"

    def stop(self, place: Place) -> str | None:
        """The rules of size and purity; the least size counts weight."""
        least = self.parameters.get("min_weight_split", self.parameters.get("min_samples_split", 20))
        if place.tally.weight < least:
            return f"it has fewer than {least:g} rows (min_samples_split)"
        return shared_stop(place, {**self.parameters, "min_samples_split": 2})

    # ------------------------------------------------------------ the tests
    def candidates(self, place: Place) -> list[Candidate]:
        """Test every column; then look for a cut in the significant ones, best first."""
        tested = [self._tested(place, j) for j in range(self.sample.n_columns)]
        m = sum("statistic" in candidate.measures for candidate in tested) if self.adjusts else 1
        if not self.has_formula:
            return tested
        found = [self._adjusted(candidate, m) for candidate in tested]
        for i in self._ranked(found, place)[: int(self.parameters.get("split_tries", 2))]:
            if not self._is_significant(found[i]):
                break
            found[i] = self._with_cut(place, found[i])
            if found[i].split is not None:
                break
        return found

    def _tested(self, place: Place, j: int) -> Candidate:
        column, table = self.sample.column(j), place.values_of(j)
        if len(table.values) < 2 or table.known.is_pure:
            return Candidate(j, self.column_name(j), remark="nothing to test: all values, or all targets, are equal")
        statistic, degrees = self._statistic(_transform(column, table), table.tallies, table.known)
        log_p = min(log_chi_square_tail(statistic, degrees), 0.0)
        measures = {"statistic": statistic, "degrees": float(degrees)}
        return Candidate(
            j, self.column_name(j), measures={**measures, "log_p": log_p} if self.has_formula else measures
        )

    def _adjusted(self, candidate: Candidate, m: int) -> Candidate:
        if "log_p" not in candidate.measures:
            return candidate
        return replace(
            candidate, measures={**candidate.measures, "log_p_adjusted": log_sidak(candidate.measures["log_p"], m)}
        )

    def _is_significant(self, candidate: Candidate) -> bool:
        return candidate.measures["log_p_adjusted"] < math.log(self.parameters["alpha"])

    def _ranked(self, candidates: Sequence[Candidate], place: Place) -> list[int]:
        """Smallest p first, then the larger statistic, then the later column, as ctree does."""

        def key(i: int) -> tuple[float, float, int]:
            measures = candidates[i].measures
            chance = round(max(measures["log_p_adjusted"], _CERTAIN) * _STEPS_OF_LOG)
            return chance, -round(measures["statistic"] / (place.tally.weight - 1) * _STEPS), -i

        return sorted((i for i, candidate in enumerate(candidates) if "log_p" in candidate.measures), key=key)

    # ------------------------------------------------------------ the cut of the winner
    def _with_cut(self, place: Place, candidate: Candidate) -> Candidate:
        name, table = self.column_name(candidate.column), place.values_of(candidate.column)
        least = max(
            self.parameters.get("min_weight_leaf", self.parameters.get("min_samples_leaf", 7)),
            math.ceil(self.parameters.get("min_branch_share", 0.01) * place.tally.weight),
        )
        cuts = [c for c in self._cuts(candidate.column, table) if min(b.weight for b in c.branches) >= least]
        scores = [self._cut_statistic(_IN_OR_OUT, c.branches, table.known)[0] for c in cuts]
        # The square of a maximum of standardised numbers is on the scale of the quadratic form.
        squares = scores if self._cut_statistic.func is quadratic_statistic else [score**2 for score in scores]
        steps = [round(square / (table.known.weight - 1) * _STEPS) for square in squares]
        if not cuts or max(steps) <= 0:
            return replace(candidate, remark=f"no cut leaves {least:g} rows on both sides")
        best = steps.index(max(steps))
        chosen = cuts[best]
        left, right = chosen.branches
        labels = split_labels(self.sample.column(candidate.column), chosen.split)
        is_word = "is " if chosen.split.levels else ""
        tried = [(cut, {"statistic": score}) for cut, score in zip(cuts, scores, strict=True)]
        return replace(
            candidate,
            test=f"{name} {is_word}{labels[0]}",
            split=replace(chosen.split, missing=0 if left.weight > right.weight else 1),
            branches=(Branch(labels[0], left), Branch(labels[1], right)),
            steps=(cut_table(self.sample.column(candidate.column), tried, best, self.unit),),
        )

    def _cuts(self, j: int, table: ValueTable) -> Iterator[Division]:
        """Cuts lie on observed values, not between them."""
        column = self.sample.table.columns[j]
        if column.kind == "nominal":
            yield from level_cuts(j, table, len(self.sample.classes or ()), along_rates=False)
            return
        for cut, low in zip(ordered_cuts(column, j, table), table.values, strict=False):
            yield replace(cut, split=Split(j, cuts=(low,)))

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the most significant column that has a cut."""
        alpha = self.parameters["alpha"]
        if not self.has_formula:
            return Verdict(None, f"no p-value, as the estimator found it, is below alpha = {alpha:g}")
        ranked = self._ranked(candidates, place)
        if not ranked:
            return Verdict(None, "no column can be tested")
        for i in ranked:
            if candidates[i].split is not None:
                p = p_text(candidates[i].measures["log_p_adjusted"])
                return Verdict(i, f"its p is the smallest, {p}, and below alpha = {alpha:g}")
        first = candidates[ranked[0]]
        if self._is_significant(first):
            return Verdict(None, "no significant column has a cut with enough rows on both sides")
        p = p_text(first.measures["log_p_adjusted"])
        return Verdict(None, f"the smallest p, that of {self.column_name(first.column)}, is {p}: not below {alpha:g}")


def _transform(column: Column, table: ValueTable) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """g(x) of each value: an indicator for each level; a number, or the place of an ordinal level, itself."""
    if column.kind == "nominal":
        return np.eye(len(table.values))
    return np.array(table.values, dtype=float).reshape(-1, 1)
