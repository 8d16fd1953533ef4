"""CHAID (Kass 1980; exhaustive: Biggs, de Ville and Suen 1991): merge alike categories, split by the smallest p."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from treewright.errors import DataError
from treewright.lesson.measures import p_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.chi_square_table import contingency_table, merging_table
from treewright.lesson.methods.method import Method
from treewright.lesson.sample import Sample
from treewright.lesson.split_text import value_text
from treewright.lesson.unit import Unit
from treewright.pages.blocks import Block
from treewright.reference.chaid import Chaid, ColumnMerged, Recipe
from treewright.reference.chaid_merging import MISSING, Group
from treewright.reference.group_tests import Classes, GroupTests, Numbers, OrderedClasses
from treewright.reference.table import Place


class ChaidMethod(Method):
    """Every column's categories are merged as far as they are alike; the most significant column is asked."""

    title = "CHAID"

    def __init__(self, sample: Sample, parameters: Mapping[str, Any], unit: Unit) -> None:
        super().__init__(sample, parameters, unit)
        if parameters.get("weights") == "sampling" and any(weight != 1 for weight in sample.table.weights):
            raise DataError(
                "A lesson in CHAID shows weights that say how often a row occurred. Leave weights='sampling' out, or "
                "leave sample_weight out."
            )

    @property
    def measures(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the table of candidates shows."""
        statistic = ("f", "degrees", "degrees_within") if self.sample.classes is None else ("chi_square", "degrees")
        return (*statistic, "log_p", "multiplier", "log_p_adjusted")

    def introduction(self) -> list[str]:
        """Say how CHAID merges, chooses and stops."""
        test = "the F test of their means" if self.sample.classes is None else "a chi-square test"
        if self.sample.class_scores:
            test = "the chi-square test for a shift along the scale of the classes"
        merge, split = self.parameters["alpha_merge"], self.parameters["alpha_split"]
        how = (
            "down to two groups, and the stage with the smallest p is kept"
            if self.parameters.get("exhaustive")
            else f"while p is above {merge:g} (alpha_merge) and more than two groups are left"
        )
        return [
            f"The categories of every column are compared in pairs by {test}. The pair with the largest p is merged, "
            f"{how}. Levels may join any other; ordered categories, and numbers in bins, only their neighbours.",
            "The groups that are left are tested as a whole. Their p is multiplied by the number of ways in which "
            f"they could have been formed. The column with the smallest adjusted p is asked if it is at most {split:g} "
            "(alpha_split); each group is a branch.",
        ]

    @cached_property
    def algorithm(self) -> Chaid:
        """The definition of the algorithm, which does the working."""
        given = self.given(Recipe) | {"max_depth": self.parameters.get("max_depth", Recipe.max_depth)}
        for name, option in (("min_samples_split", "min_parent"), ("min_samples_leaf", "min_child")):
            given[name] = self.parameters.get(option, given.get(name, getattr(Recipe, name)))
        return Chaid(self.sample.table, self._tests, Recipe(**given))

    @property
    def _tests(self) -> GroupTests:
        if self.sample.classes is None:
            return Numbers()
        scores = self.sample.class_scores
        return OrderedClasses(scores) if scores else Classes(self.parameters.get("statistic", "pearson"))

    def stop(self, place: Place) -> str | None:
        """The rules of size, depth and purity; the least size counts weight."""
        return self.stop_text(self.algorithm.stop(place))

    # ------------------------------------------------------------ the candidates
    def candidates(self, place: Place) -> list[Candidate]:
        """Merge and test every column; small branches of the best one join others."""
        return [self._worded(found) for found in self.algorithm.candidates(place)]

    def _worded(self, found: ColumnMerged) -> Candidate:
        j, name = found.column, self.column_name(found.column)
        if found.merged is None or found.division is None:
            return Candidate(j, name, remark="all values are equal", trace=found)
        groups = zip(found.merged.groups, found.division.branches, strict=True)
        branches = tuple(Branch(self.group_label(j, group), tally) for group, tally in groups)
        remark = "one group is left" if found.why else ""
        return Candidate(j, name, found.split, branches, found.measures, remark, self._steps(found), found)

    # ------------------------------------------------------------ in words
    def group_label(self, j: int, group: Group) -> str:
        """Name a group: its levels, the range of its bins, or missing."""
        column, known = self.sample.column(j), [category for category in group if category != MISSING]
        if column.kind == "numeric":
            parts = [self._range(j, min(known), max(known))] if known else []
        else:
            parts = [value_text(column, category) for category in known]
        return ", ".join([*parts, *(["missing"] if MISSING in group else [])])

    def _range(self, j: int, first: int, last: int) -> str:
        edges, column = self.algorithm.edges[j], self.sample.column(j)
        low = value_text(column, edges[first - 2]) if first > 1 else None
        high = value_text(column, edges[last - 1]) if last <= len(edges) else None
        if low is None:
            return f"<= {high}" if high is not None else "any"
        return f"> {low}" if high is None else f"> {low} to {high}"

    def _steps(self, found: ColumnMerged) -> tuple[Block, ...]:
        def label(group: Group) -> str:
            return self.group_label(found.column, group)

        merging, merged, name = found.merging, found.merged, self.column_name(found.column)
        assert merging is not None
        assert merged is not None
        table = contingency_table(name, [(c,) for c in sorted(merging.cells)], merging, label, self.sample.classes)
        steps: list[Block] = [table]
        if merged.steps:
            steps.append(merging_table(name, merged.steps, label))
            if len(merged.groups) < len(merging.cells):
                steps.append(contingency_table(f"{name}, merged", merged.groups, merging, label, self.sample.classes))
        return tuple(steps)

    # ------------------------------------------------------------ the choice
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the smallest adjusted p."""
        found = [candidate.trace for candidate in candidates]
        choice = self.algorithm.choose(place, found)
        if choice.why == "no cut":
            return Verdict(None, "no column has two categories")
        best = self.algorithm.ahead(found) if choice.winner is None else choice.winner
        assert best is not None
        p, alpha = p_text(candidates[best].measures["log_p_adjusted"]), self.algorithm.recipe.alpha_split
        if choice.winner is None:
            return Verdict(None, f"the smallest adjusted p, that of {candidates[best].test}, is {p}: above {alpha:g}")
        return Verdict(best, f"its adjusted p is the smallest, {p}, and at most alpha_split = {alpha:g}")
