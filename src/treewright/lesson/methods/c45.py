"""C4.5 (Quinlan 1993, 1996): gain ratio among the columns of at least average gain; numbers are cut in two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from treewright.lesson.impurity_lines import mean_line
from treewright.lesson.measures import fixed, weight_text
from treewright.lesson.methods.candidate import Branch, Candidate, Verdict
from treewright.lesson.methods.cut_table import cut_table
from treewright.lesson.methods.method import Method
from treewright.lesson.split_text import level_label, split_labels, value_text
from treewright.pages.blocks import Table
from treewright.reference.c45 import C45, Settings
from treewright.reference.c45_subsets import Blocks
from treewright.reference.growing import Candidate as Found
from treewright.reference.split import Split
from treewright.reference.table import Place
from treewright.reference.tally import Tally, together


class C45Method(Method):
    """Every column is scored by gain, split information and their ratio."""

    title = "C4.5"
    measures = ("remainder", "gain", "split_information", "gain_ratio")
    impurity_name = "entropy"

    @cached_property
    def algorithm(self) -> C45:
        """The definition of the algorithm, which does the working."""
        return C45(self.sample.table, Settings(**self.given(Settings)))

    @property
    def least(self) -> float:
        """The weight that two branches must have."""
        return self.algorithm.settings.min_samples_leaf

    def introduction(self) -> list[str]:
        """Say how C4.5 chooses and stops."""
        return [
            "The gain of a column is the entropy less the mean entropy of its branches, on the rows that have a value, "
            "times their share. The split information is the entropy of the branch sizes, missing values counted as a "
            "branch; the gain ratio is gain / split information. Of the columns with at least the average gain, the "
            "node asks the one with the largest ratio.",
            "A number is cut in two where the gain is largest; for the choice among m cuts, log(m) / rows is taken "
            "off its gain. A row without a value goes down every branch with a part of its weight.",
            f"At least two branches must have a weight of {self.least:g} (min_samples_leaf). A node is a leaf if its "
            f"rows are of one class, if it weighs less than {2 * self.least:g}, or if no column has a gain.",
        ]

    def impurity(self, tally: Tally) -> float:
        """The entropy in bits."""
        return self.algorithm.impurity(tally)

    def stop(self, place: Place) -> str | None:
        """Pure, or too light to be divided."""
        reason = self.algorithm.stop(place)
        if reason == "min_samples_leaf":
            return f"it weighs less than {2 * self.least:g}, twice min_samples_leaf"
        return self.stop_text(reason)

    def taken_back(self) -> str:
        """A subtree that makes no fewer errors than a leaf is collapsed."""
        return "its branches make no fewer errors on the training rows than a leaf does, so they were collapsed"

    # ------------------------------------------------------------ the candidates
    def candidates(self, place: Place) -> list[Candidate]:
        """Score every column."""
        return [self._worded(found) for found in self.algorithm.candidates(place)]

    def _worded(self, found: Found) -> Candidate:
        column, name, division = self.sample.column(found.column), self.column_name(found.column), found.division
        if division is None:
            return Candidate(found.column, name, remark=self._why_not(found), trace=found)
        labels = split_labels(column, division.split)
        test = f"{name} {labels[0]}" if division.split.cuts else name
        if found.tried and division.split.levels:
            labels[1], test = "any other", f"{name} is {labels[0]}"
        branches = tuple(Branch(label, tally) for label, tally in zip(labels, division.branches, strict=True))
        worded = Candidate(found.column, test, found.split, branches, found.measures, self._why_not(found), trace=found)
        if found.tried:
            shown = "gain" if division.split.cuts else "gain_ratio"
            tried = [(cut, {shown: measures[shown]}) for cut, measures in found.tried]
            return replace(worded, steps=(cut_table(column, tried, found.best or 0, self.unit),))
        return replace(worded, steps=(self._climb_table(found.column, found.steps),)) if found.steps else worded

    def _why_not(self, found: Found) -> str:
        """Why a column cannot be asked, in words; nothing where it can."""
        is_level, settings = self.sample.column(found.column).kind == "nominal", self.algorithm.settings
        if found.why == "too small" and is_level:
            sides = f"no level leaves {self.least:g} rows on both sides"
            return sides if settings.binary else f"under two branches of {self.least:g} rows"
        if found.why == "no gain" and is_level:
            return f"no grouping with two branches of {self.least:g} rows gains anything"
        return {
            "too small": "no cut leaves enough rows on both sides",
            "no gain": "no cut gains anything",
            "not worth its price": "the choice among its cuts costs more than it gains",
            "no value": "no row has a value",
        }.get(found.why, "")

    def _climb_table(self, j: int, stages: Sequence[Blocks]) -> Table:
        column = self.sample.column(j)
        rows = tuple(
            (
                " | ".join(level_label(column, list(block)) for block in stage.levels),
                fixed(self.unit.show(stage.gain)),
                fixed(stage.worth),
            )
            for stage in stages
        )
        caption = f"Groups of {self.column_name(j)}, merged step by step"
        return Table(("groups", "gain", "gain ratio"), rows, frozenset({1, 2}), frozenset({len(rows) - 1}), caption)

    def note_on(self, found: Split, stored: Split) -> str:
        """Cuts are stored at a value of the whole table."""
        if found.cuts == stored.cuts:
            return ""
        at = value_text(self.sample.column(stored.column), stored.cuts[0])
        return f"The cut is written as {at}, the largest value of the whole column up to it."

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """The remainder as a sum; the gain where it is not just the entropy less the remainder."""
        tallies = [branch.tally for branch in candidate.branches]
        if not tallies:
            return []
        left = mean_line(tallies, [self.unit.show(self.impurity(tally)) for tally in tallies])
        remainder = fixed(self.unit.show(candidate.measures["remainder"]))
        return [f"{candidate.test}: remainder {left} = {remainder}{self._gain_line(node, candidate, remainder)}"]

    def _gain_line(self, node: Tally, candidate: Candidate, remainder: str) -> str:
        known = together([branch.tally for branch in candidate.branches])
        gain = candidate.measures["gain"]
        paid = known.weight / node.weight * (self.impurity(known) - candidate.measures["remainder"]) - gain
        if paid < 1e-9 and known.weight > node.weight - 1e-9:
            return ""
        text = f"{fixed(self.unit.show(self.impurity(known)))} − {remainder}"
        if known.weight < node.weight - 1e-9:
            text = f"{weight_text(known.weight)}/{weight_text(node.weight)}·({text})"
        if paid > 1e-9:
            n_cuts = round(2 ** (paid * node.weight))
            text += f" − {self.unit.logarithm}({n_cuts})/{weight_text(node.weight)}"
        return f", gain {text} = {fixed(self.unit.show(gain))}"

    # ------------------------------------------------------------ the choice
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the largest ratio among those with at least the average gain."""
        choice = self.algorithm.choose(place, [candidate.trace for candidate in candidates])
        if choice.winner is None:
            nothing = {"no cut": "no column can be asked", "no gain": "no column has a gain"}
            return Verdict(None, nothing.get(choice.why, "only columns with very many levels are left"))
        several = sum(candidate.split is not None for candidate in candidates) > 1
        average = fixed(self.unit.show(choice.average or 0.0))
        among = f" among the columns with a gain of at least the average, {average}" if several else ""
        return Verdict(choice.winner, f"it has the largest gain ratio{among}")
