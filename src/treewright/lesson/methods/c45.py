"""C4.5 (Quinlan 1993, 1996): gain ratio among the columns of at least average gain; numbers are cut in two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.lesson.arithmetic.binary_cuts import Cut, ordered_cuts
from treewright.lesson.arithmetic.gain_ratio import cut_correction, least_side, ratio_score
from treewright.lesson.arithmetic.impurity import IMPURITIES
from treewright.lesson.arithmetic.split import Split, value_text
from treewright.lesson.arithmetic.tally import Tally
from treewright.lesson.arithmetic.value_table import ValueTable
from treewright.lesson.impurity_lines import mean_line
from treewright.lesson.measures import fixed, weight_text
from treewright.lesson.methods.c45_levels import (
    EQUAL,
    branch_a_level,
    groups_of_levels,
    one_against_the_rest,
    ratio_measures,
)
from treewright.lesson.methods.candidate import Branch, Candidate, Place, Verdict
from treewright.lesson.methods.cut_table import cut_table
from treewright.lesson.methods.method import Method

_ENTROPY = IMPURITIES["entropy"]
_AVERAGE_SLACK = 1e-3
_MANY_LEVELS = 0.3  # of the rows: such columns do not count for the average gain
_NARROW = 1e-5  # neighbours closer than this are not cut apart


class C45Method(Method):
    """Every column is scored by gain, split information and their ratio."""

    title = "C4.5"
    measures = ("remainder", "gain", "split_information", "gain_ratio")
    impurity_name = "entropy"

    @property
    def least(self) -> float:
        """The weight that two branches must have."""
        return float(self.parameters["min_samples_leaf"])

    @property
    def is_j48(self) -> bool:
        """Whether the rules are those of Weka's J48 (or else of release 8)."""
        return bool(self.parameters.get("variant", "j48") == "j48")

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
        return _ENTROPY(tally)

    def stop(self, place: Place) -> str | None:
        """Pure, or too light to be divided."""
        if place.tally.is_pure:
            return "all rows are of one class"
        if place.tally.weight < 2 * self.least - EQUAL:
            return f"it weighs less than {2 * self.least:g}, twice min_samples_leaf"
        return None

    def taken_back(self) -> str:
        """A subtree that makes no fewer errors than a leaf is collapsed."""
        return "its branches make no fewer errors on the training rows than a leaf does, so they were collapsed"

    # ------------------------------------------------------------ the candidates
    def candidates(self, place: Place) -> list[Candidate]:
        """Score every column."""
        return [self._candidate(place, j) for j in range(self.sample.n_columns)]

    def _candidate(self, place: Place, j: int) -> Candidate:
        column, table = self.sample.column(j), place.values_of(j)
        if column.kind != "nominal":
            return self._number(place, j, table)
        if self.parameters.get("subsets") and len(column.levels) > 2:
            return groups_of_levels(j, column, table, self.least, self.unit)
        if self.parameters.get("binary"):
            return one_against_the_rest(j, column, table, self.least, self.unit)
        return branch_a_level(j, column, table, self.least)

    def _number(self, place: Place, j: int, table: ValueTable) -> Candidate:
        cuts = self._allowed_cuts(j, table)
        if not cuts:
            return Candidate(j, self.column_name(j), remark="no cut leaves enough rows on both sides")
        gains = [ratio_score([cut.left, cut.right], table.missing).gain for cut in cuts]
        best = _first_best(gains, EQUAL if self.is_j48 else 0.0)
        if best is None:
            return Candidate(j, self.column_name(j), remark="no cut gains anything")
        correction = cut_correction(len(cuts), place.tally.weight) if self._pays_for_cuts else 0.0
        chosen, name = cuts[best], self.column_name(j)
        score = ratio_score([chosen.left, chosen.right], table.missing, correction)
        branches = (Branch(chosen.labels[0], chosen.left), Branch(chosen.labels[1], chosen.right))
        test, steps = (
            f"{name} {chosen.labels[0]}",
            (cut_table(name, cuts, [{"gain": gain} for gain in gains], best, self.unit),),
        )
        found = Candidate(j, test, chosen.split, branches, ratio_measures(score), "", steps)
        if score.gain > (EQUAL if self.is_j48 else 0.0):
            return found
        left = {name: value for name, value in found.measures.items() if name != "gain_ratio"}
        return replace(found, split=None, measures=left, remark="the choice among its cuts costs more than it gains")

    @property
    def _pays_for_cuts(self) -> bool:
        return bool(self.parameters.get("mdl_correction", True))

    def note_on(self, found: Split, stored: Split) -> str:
        """Cuts are stored at a value of the whole table."""
        if found.cuts == stored.cuts:
            return ""
        at = value_text(self.sample.column(stored.column), stored.cuts[0])
        return f"The cut is written as {at}, the largest value of the whole column up to it."

    def _allowed_cuts(self, j: int, table: ValueTable) -> list[Cut]:
        known = table.known.weight
        least = least_side(known, len(self.sample.classes or ()), self.least)
        gaps = [high - low for low, high in zip(table.values[:-1], table.values[1:], strict=True)]
        cuts = zip(ordered_cuts(self.sample.column(j), j, table), gaps, strict=True)
        gap_needed = self.parameters.get("value_gap", _NARROW)
        return [c for c, gap in cuts if gap > gap_needed and min(c.left.weight, c.right.weight) > least - EQUAL]

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """The remainder as a sum; the gain where it is not just the entropy less the remainder."""
        tallies = [branch.tally for branch in candidate.branches]
        if not tallies:
            return []
        left = mean_line(tallies, [self.unit.show(_ENTROPY(tally)) for tally in tallies])
        remainder = fixed(self.unit.show(candidate.measures["remainder"]))
        return [f"{candidate.test}: remainder {left} = {remainder}{self._gain_line(node, candidate, remainder)}"]

    def _gain_line(self, node: Tally, candidate: Candidate, remainder: str) -> str:
        known = candidate.branches[0].tally
        for branch in candidate.branches[1:]:
            known = known + branch.tally
        gain = candidate.measures["gain"]
        paid = known.weight / node.weight * (_ENTROPY(known) - candidate.measures["remainder"]) - gain
        if paid < 1e-9 and known.weight > node.weight - 1e-9:
            return ""
        text = f"{fixed(self.unit.show(_ENTROPY(known)))} − {remainder}"
        if known.weight < node.weight - 1e-9:
            text = f"{weight_text(known.weight)}/{weight_text(node.weight)}·({text})"
        if paid > 1e-9:
            n_cuts = round(2 ** (paid * node.weight))
            text += f" − {self.unit.logarithm}({n_cuts})/{weight_text(node.weight)}"
        return f", gain {text} = {fixed(self.unit.show(gain))}"

    # ------------------------------------------------------------ the choice
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the largest ratio among those with at least the average gain."""
        usable = [i for i, candidate in enumerate(candidates) if candidate.split is not None]
        if not usable:
            return Verdict(None, "no column can be asked")
        counted = [i for i in usable if not self._has_many_levels(candidates[i].column)]
        if self.parameters.get("subsets") or all(map(self._has_many_levels, range(self.sample.n_columns))):
            counted = usable
        if not counted:
            return Verdict(None, "only columns with very many levels are left")
        gains = [candidates[i].measures["gain"] for i in counted]
        average = sum(gains) / len(gains)
        able = [i for i in usable if candidates[i].measures["gain"] >= average - _AVERAGE_SLACK]
        best = self._best_ratio(candidates, able)
        if best is None:
            return Verdict(None, "no column has a gain")
        shown = fixed(self.unit.show(average))
        among = f" among the columns with a gain of at least the average, {shown}" if len(usable) > 1 else ""
        return Verdict(best, f"it has the largest gain ratio{among}")

    def _best_ratio(self, candidates: Sequence[Candidate], able: Sequence[int]) -> int | None:
        """J48 wants a ratio above 0, and a later one only if it is larger by 1e-6; release 8 takes 0 as well."""
        best, ratio = None, 0.0 if self.is_j48 else -_AVERAGE_SLACK
        for i in able:
            measures = candidates[i].measures
            if not self.is_j48 and measures["split_information"] <= _AVERAGE_SLACK:
                continue
            if measures["gain_ratio"] > ratio + (EQUAL if self.is_j48 else 0.0):
                best, ratio = i, measures["gain_ratio"]
        return best

    def _has_many_levels(self, j: int) -> bool:
        column = self.sample.column(j)
        return column.kind == "nominal" and len(column.levels) >= _MANY_LEVELS * self.total_weight - EQUAL


def _first_best(gains: Sequence[float], margin: float) -> int | None:
    best, place = 0.0, None
    for i, gain in enumerate(gains):
        if gain > best + margin:
            best, place = gain, i
    return place
