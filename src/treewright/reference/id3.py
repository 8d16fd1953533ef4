"""ID3 (Quinlan 1986; "decision tree learning" in textbooks): one branch for each level of the column with the largest
information gain, and the column is not asked again below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import localcontext
from typing import Any

from treewright.reference.arithmetic import DECIMALS, Number, first_largest
from treewright.reference.criteria import IMPURITIES, remainder
from treewright.reference.growing import Algorithm, Candidate, Choice, Node
from treewright.reference.split import Division, Split
from treewright.reference.table import Place, Table

ROUNDING = 1e-12
_ENTROPY = IMPURITIES["entropy"]


@dataclass(frozen=True)
class Recipe:
    """What a user may set. `missing` is "branch" where a missing value is one more level."""

    min_gain: float = 0.0
    missing: str = "refuse"


class ID3(Algorithm):
    """One table of nominal columns and one recipe.

    >>> from treewright.reference.table import Column
    >>> wind, sky = Column("nominal", (1, 1, 2, 2)), Column("nominal", (1, 2, 1, 1))
    >>> days = Table((wind, sky), target=(0, 1, 1, 1), weights=(1.0,) * 4, n_classes=2)
    >>> root = Place(days, days.cases())
    >>> [round(candidate.measures["gain"], 4) for candidate in ID3(days).candidates(root)]
    [0.3113, 0.1226]
    """

    def __init__(self, table: Table, recipe: Recipe | None = None) -> None:
        super().__init__(table)
        self.recipe = recipe or Recipe()

    def impurity(self, tally: Any) -> Number:
        """The entropy in bits."""
        return _ENTROPY(tally)

    def stop(self, place: Place) -> str | None:
        """Pure, or nothing left to ask."""
        if place.tally.is_pure:
            return "pure"
        return "no column" if len(set(place.asked)) == len(self.table.columns) else None

    def candidates(self, place: Place) -> list[Candidate]:
        """Score every column that has not been asked on the path."""
        return [self.candidate(place, j) for j in range(len(self.table.columns)) if j not in place.asked]

    def candidate(self, place: Place, j: int) -> Candidate:
        """The gain of a column: the entropy less the mean entropy of its branches."""
        column, found = self.table.columns[j], place.values_of(j)
        branches = [found.of_value(code) for code in column.codes]
        has_branch = self.recipe.missing == "branch" and None in column.values
        split = Split(
            j, levels={code: code - 1 for code in column.codes}, missing=len(branches) if has_branch else None
        )
        branches += [found.missing] if has_branch else []
        if sum(branch.rows > 0 for branch in branches) < 2:
            return Candidate(j, why="all equal")
        left = remainder(_ENTROPY, branches)
        return Candidate(j, Division(split, tuple(branches)), {"remainder": left, "gain": _ENTROPY(place.tally) - left})

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Choice:
        """Take the largest gain, the first of equals."""
        best = first_largest([c.measures.get("gain") for c in candidates], _ENTROPY(place.tally))
        if best is None:
            return Choice(None, "no cut")
        is_enough = candidates[best].measures["gain"] >= self.recipe.min_gain - ROUNDING
        return Choice(best, "best") if is_enough else Choice(None, "min_gain")

    def answer(self, node: Node) -> Number:
        """The majority."""
        return node.majority()


def grow(table: Table, recipe: Recipe | None = None) -> list[Node]:
    """Grow a tree by the definition, in decimals; the nodes come in preorder.

    >>> from treewright.reference.table import Column
    >>> xor = Table((Column("nominal", (1, 1, 2, 2)), Column("nominal", (1, 2, 1, 2))), (0, 1, 1, 0), (1,) * 4, 2)
    >>> [(node.split.column if node.split else None, node.answer) for node in grow(xor)]
    [(0, 0), (1, 0), (None, 0), (None, 1), (1, 0), (None, 1), (None, 0)]
    """
    with localcontext(DECIMALS):
        return list(ID3(table.exact(), recipe).grow().preorder())
