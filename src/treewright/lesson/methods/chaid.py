"""CHAID (Kass 1980; exhaustive: Biggs, de Ville and Suen 1991): merge alike categories, split by the smallest p."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from treewright.errors import DataError
from treewright.lesson.arithmetic.bins import bin_edges
from treewright.lesson.arithmetic.merge_groups import MISSING, Group, Merged, MergeRules, Merging, order_of
from treewright.lesson.measures import p_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.chi_square_table import contingency_table, merging_table
from treewright.lesson.methods.method import Method
from treewright.lesson.methods.stop_rules import shared_stop
from treewright.lesson.sample import Sample
from treewright.lesson.split_text import value_text
from treewright.lesson.unit import Unit
from treewright.pages.blocks import Block
from treewright.reference.split import Split
from treewright.reference.table import Place, ValueTable
from treewright.reference.tally import Tally


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

    def stop(self, place: Place) -> str | None:
        """The rules of size, depth and purity; the least size counts weight."""
        least = self.parameters.get("min_parent", self.parameters.get("min_samples_split", 100))
        if place.tally.weight < least:
            return f"it has fewer than {least:g} rows (min_samples_split)"
        return shared_stop(place, {**self.parameters, "min_samples_split": 2})

    # ------------------------------------------------------------ categories
    @cached_property
    def edges(self) -> list[tuple[float, ...]]:
        """The bins of each numeric column, made once on all rows."""
        return [self._edges_of(j) for j in range(self.sample.n_columns)]

    def _edges_of(self, j: int) -> tuple[float, ...]:
        cells = self.sample.table.columns[j].values
        known = [(value, weight) for row, weight in self.sample.table.cases() if (value := cells[row]) is not None]
        is_number = self.sample.column(j).kind == "numeric"
        return bin_edges(known, int(self.parameters.get("bins", 10))) if is_number and known else ()

    def _cells(self, j: int, table: ValueTable) -> dict[int, Tally]:
        is_number = self.sample.column(j).kind == "numeric"
        cells: dict[int, Tally] = {}
        for value, tally in zip(table.values, table.tallies, strict=True):
            category = bisect_left(self.edges[j], value) + 1 if is_number else int(value)
            cells[category] = cells[category] + tally if category in cells else tally
        if table.missing.rows and self.parameters.get("missing", "branch") == "branch":
            cells[MISSING] = table.missing
        return cells

    def _merging(self, j: int, table: ValueTable) -> Merging:
        rules = MergeRules(
            alpha_merge=self.parameters["alpha_merge"],
            alpha_resplit=self.parameters.get("alpha_resplit"),
            exhaustive=self.parameters.get("exhaustive", False),
            exhaustive_adjust=self.parameters.get("exhaustive_adjust", "biggs"),
            bonferroni=self.parameters.get("bonferroni", True),
            statistic=self.parameters.get("statistic", "pearson"),
            class_scores=self.sample.class_scores,
            min_segment=self.parameters.get("min_segment") or 0.0,
        )
        cells = self._cells(j, table)
        kind = "floating" if MISSING in cells else "monotonic"
        return Merging("free" if self.sample.column(j).kind == "nominal" else kind, cells, rules)

    # ------------------------------------------------------------ the candidates
    def candidates(self, place: Place) -> list[Candidate]:
        """Merge and test every column; small branches of the best one join others."""
        mergings = {j: self._merging(j, place.values_of(j)) for j in range(self.sample.n_columns)}
        merged = {j: merging.run() for j, merging in mergings.items() if len(merging.cells) > 1}
        found = [
            self._candidate(j, mergings[j], merged[j])
            if j in merged
            else Candidate(j, self.column_name(j), remark="all values are equal")
            for j in range(self.sample.n_columns)
        ]
        best = self._most_significant(found)
        if best is not None and self._is_significant(found[best]):
            merging = mergings[found[best].column]
            least = self.parameters.get("min_child", self.parameters.get("min_samples_leaf", 50))
            joined = merging.join_small(merged[found[best].column].groups, least)
            found[best] = replace(self._candidate(found[best].column, merging, merging.judged(joined)), leads=True)
        return found

    def _candidate(self, j: int, merging: Merging, merged: Merged) -> Candidate:
        test = merged.test
        measures = {"degrees": float(test.degrees), "log_p": test.log_p, "multiplier": float(merged.tries)}
        measures |= {"log_p_adjusted": merged.log_p_adjusted}
        if test.within is not None:
            measures["degrees_within"] = test.within
        measures["f" if self.sample.classes is None else "chi_square"] = test.statistic
        branches = tuple(Branch(self.group_label(j, group), merging.tally(group)) for group in merged.groups)
        found = Candidate(j, self.column_name(j), None, branches, measures, steps=self._steps(j, merging, merged))
        if len(merged.groups) < 2:
            return replace(found, remark="one group is left")
        return replace(found, split=self._split(j, merged.groups))

    def _split(self, j: int, groups: Sequence[Group]) -> Split:
        missing = next((b for b, group in enumerate(groups) if MISSING in group), None)
        if self.sample.column(j).kind == "nominal":
            levels = {code: b for b, group in enumerate(groups) for code in group if code != MISSING}
            return Split(j, levels=levels, missing=missing)
        tops = [max(c for c in group if c != MISSING) for group in groups if group != (MISSING,)]
        edges = self.edges[j]
        cuts = [edges[top - 1] if edges else float(top) for top in tops[:-1]]
        return Split(j, cuts=tuple(cuts), missing=missing)

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
        edges, column = self.edges[j], self.sample.column(j)
        low = value_text(column, edges[first - 2]) if first > 1 else None
        high = value_text(column, edges[last - 1]) if last <= len(edges) else None
        if low is None:
            return f"<= {high}" if high is not None else "any"
        return f"> {low}" if high is None else f"> {low} to {high}"

    def _steps(self, j: int, merging: Merging, merged: Merged) -> tuple[Block, ...]:
        def label(group: Group) -> str:
            return self.group_label(j, group)

        name = self.column_name(j)
        table = contingency_table(name, [(c,) for c in sorted(merging.cells)], merging, label, self.sample.classes)
        steps: list[Block] = [table]
        if merged.steps:
            steps.append(merging_table(name, merged.steps, label))
            if len(merged.groups) < len(merging.cells):
                steps.append(contingency_table(f"{name}, merged", merged.groups, merging, label, self.sample.classes))
        return tuple(steps)

    # ------------------------------------------------------------ the choice
    def _most_significant(self, candidates: Sequence[Candidate]) -> int | None:
        def key(i: int) -> tuple[float, float, int]:
            measures = candidates[i].measures
            statistic = measures["f" if self.sample.classes is None else "chi_square"]
            return -order_of(measures["log_p_adjusted"]), -order_of(statistic / max(measures["degrees"], 1)), i

        tested = [i for i, candidate in enumerate(candidates) if candidate.measures]
        return min(tested, key=key, default=None)

    def _is_significant(self, candidate: Candidate) -> bool:
        return candidate.measures["log_p_adjusted"] <= math.log(self.parameters["alpha_split"])

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the smallest adjusted p."""
        ahead = (i for i, candidate in enumerate(candidates) if candidate.leads)
        best = next(ahead, self._most_significant(candidates))
        if best is None:
            return Verdict(None, "no column has two categories")
        p, alpha = p_text(candidates[best].measures["log_p_adjusted"]), self.parameters["alpha_split"]
        if candidates[best].split is None or not self._is_significant(candidates[best]):
            return Verdict(None, f"the smallest adjusted p, that of {candidates[best].test}, is {p}: above {alpha:g}")
        return Verdict(best, f"its adjusted p is the smallest, {p}, and at most alpha_split = {alpha:g}")
