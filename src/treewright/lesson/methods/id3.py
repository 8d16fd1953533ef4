"""ID3 (Quinlan 1986; "decision tree learning" in textbooks): information gain, one branch a level."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.lesson.arithmetic.impurity import IMPURITIES, remainder
from treewright.lesson.arithmetic.split import Split, level_label
from treewright.lesson.arithmetic.tally import Tally
from treewright.lesson.impurity_lines import mean_line
from treewright.lesson.measures import fixed
from treewright.lesson.methods.candidate import Branch, Candidate, Place, Verdict, first_largest
from treewright.lesson.methods.method import Method

_ENTROPY = IMPURITIES["entropy"]


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

    def impurity(self, tally: Tally) -> float:
        """The entropy in bits."""
        return _ENTROPY(tally)

    def stop(self, place: Place) -> str | None:
        """Pure, or nothing left to ask."""
        if place.tally.is_pure:
            return "all rows are of one class"
        if len(set(place.asked)) == self.sample.n_columns:
            return "no column is left to ask"
        return None

    def candidates(self, place: Place) -> list[Candidate]:
        """Score every column that has not been asked on the path."""
        return [self._candidate(place, j) for j in range(self.sample.n_columns) if j not in place.asked]

    def _candidate(self, place: Place, j: int) -> Candidate:
        column, table = self.sample.column(j), place.values_of(j)
        codes = range(1, len(column.levels) + 1)
        branches = [Branch(level_label(column, [code]), table.of_value(code)) for code in codes]
        missing = None
        if self.parameters.get("missing") == "branch":
            missing = len(branches)
            branches.append(Branch("missing", table.missing))
        if sum(branch.tally.rows > 0 for branch in branches) < 2:
            return Candidate(j, self.column_name(j), remark="all rows have the same level")
        left = remainder(_ENTROPY, [branch.tally for branch in branches])
        measures = {"remainder": left, "gain": _ENTROPY(place.tally) - left}
        split = Split(j, levels={code: code - 1 for code in codes}, missing=missing)
        return Candidate(j, self.column_name(j), split, tuple(branches), measures)

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """The remainder as a sum."""
        tallies = [branch.tally for branch in candidate.branches]
        if not tallies:
            return []
        left = mean_line(tallies, [self.unit.show(_ENTROPY(tally)) for tally in tallies])
        return [f"{candidate.test}: remainder {left} = {fixed(self.unit.show(candidate.measures['remainder']))}"]

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Take the largest gain, the first of equals."""
        scores = [candidate.measures.get("gain") for candidate in candidates]
        best = first_largest(scores, _ENTROPY(place.tally))
        if best is None:
            return Verdict(None, "no column tells its rows apart")
        gains = [score for score in scores if score is not None]
        name, gain = self.column_name(candidates[best].column), candidates[best].measures["gain"]
        least = self.parameters.get("min_gain", 0.0)
        if gain < least - 1e-12:
            return Verdict(None, f"no gain reaches min_gain = {least:g}; the largest is that of {name}")
        if max(gains) <= 1e-12:
            return Verdict(best, "no column gains anything, and it is the first")
        equal = sum(abs(other - gain) < 1e-12 for other in gains)
        return Verdict(best, "it has the largest gain" + (", the first of equals" if equal > 1 else ""))
