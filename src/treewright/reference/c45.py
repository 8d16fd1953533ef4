"""C4.5 (Quinlan 1993, 1996): the largest gain ratio among the columns of at least average gain; numbers are cut in two.

A row without a value is shared out among the branches, so that cases have weights that are fractions. Two programs are
meant: J48 (Weka 3.6 to 3.8) and C4.5 release 8; where they differ, `Settings.variant` says which one is followed.
`gain_ratio` has the scores, `c45_subsets` groups levels, `error_based` prunes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.reference.c45_subsets import grouped
from treewright.reference.criteria import IMPURITIES
from treewright.reference.divisions import ordered_cuts
from treewright.reference.gain_ratio import EPSILON, ROUNDING, TINY, cut_correction, has_two, least_side, ratio_measures
from treewright.reference.growing import Algorithm, Candidate, Choice, Node
from treewright.reference.split import Division, Split, share_out
from treewright.reference.table import Cases, Place, Table, Value, ValueTable

_ENTROPY = IMPURITIES["entropy"]


@dataclass(frozen=True)
class Settings:
    """What a user may set, by the names a user types."""

    variant: str = "j48"
    min_samples_leaf: float = 2
    confidence: float = 0.25
    prune: bool = True
    raise_subtrees: bool = True
    collapse: bool = True
    binary: bool = False
    subsets: bool = False
    reduced_error: bool = False
    laplace: bool = False
    mdl_correction: bool = True
    threshold: str = "observed"
    value_gap: float = 1e-5

    @property
    def margin(self) -> float:
        """By how much a gain must be larger."""
        return TINY if self.variant == "j48" else ROUNDING


def stored_threshold(values: Sequence[float], between: tuple[float, float], how: str, margin: float = 0.0) -> float:
    """The middle of two neighbours, or the largest value of the whole column that is not above the middle.

    Decimals are rounded to doubles, and so is their middle: a value within four roundings of it is not above it. With
    J48's `margin` it may be above by almost a millionth.

    >>> values = (1.0, 2.0, 4.0, 9.0)
    >>> stored_threshold(values, (1.0, 9.0), "observed"), stored_threshold(values, (1.0, 9.0), "midpoint")
    (4.0, 5.0)
    >>> (0.1 + 0.7) / 2, stored_threshold((0.1, 0.4, 0.7), (0.1, 0.7), "observed")
    (0.39999999999999997, 0.4)
    """
    low, high = between
    middle = (low + high) / 2
    middle = middle if middle < high else low
    if how == "midpoint":
        return middle
    rounding = 4 * math.ulp(1.0) * max(abs(low), abs(high))
    reach = [value for value in values if value <= middle + rounding or value - middle < margin]
    return max(value for value in reach if value < high)


def heaviest(counts: Sequence[float]) -> int:
    """The class with the largest weight, the first of equals.

    >>> heaviest([1.0, 3.0, 3.0])
    1
    """
    best = 0
    for k, count in enumerate(counts):
        if count > counts[best] + TINY:
            best = k
    return best


class C45(Algorithm):
    """One table and the settings.

    >>> from treewright.reference.table import Column
    >>> sky = Column("nominal", (1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3))
    >>> tennis = Table((sky,), (0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1), (1.0,) * 14, n_classes=2)
    >>> [candidate] = C45(tennis).candidates(Place(tennis, tennis.cases()))
    >>> round(candidate.measures["gain_ratio"], 4)
    0.1564
    """

    def __init__(self, table: Table, settings: Settings | None = None) -> None:
        super().__init__(table)
        self.settings = settings or Settings()
        self.weight = table.weight(table.rows())

    def impurity(self, tally: Any) -> float:
        """The entropy in bits."""
        return float(_ENTROPY(tally))

    def stop(self, place: Place) -> str | None:
        """Pure, or too light to be divided."""
        tally: Any = place.tally
        if tally.errors < TINY:
            return "pure"
        return "min_samples_leaf" if tally.weight < 2 * self.settings.min_samples_leaf - TINY else None

    # ------------------------------------------------------------------------------------------ the candidates
    def candidates(self, place: Place) -> list[Candidate]:
        """Score every column."""
        return [self.candidate(place, j) for j in range(len(self.table.columns))]

    def candidate(self, place: Place, j: int) -> Candidate:
        """The best test of one column."""
        table, column = place.values_of(j), self.table.columns[j]
        if column.kind != "nominal":
            return self.best_cut(j, table, place.tally.weight)
        if self.settings.subsets and len(column.codes) > 2:
            return grouped(j, column, table, self.settings.min_samples_leaf)
        return self.one_against_the_rest(j, table) if self.settings.binary else self.branch_a_level(j, table)

    def branch_a_level(self, j: int, table: ValueTable) -> Candidate:
        """One branch for each level; at least two must have enough cases."""
        codes = self.table.columns[j].codes
        branches = tuple(table.of_value(code) for code in codes)
        if not has_two(branches, self.settings.min_samples_leaf):
            return Candidate(j, why="too small")
        division = Division(Split(j, levels={code: code - 1 for code in codes}), branches)
        return Candidate(j, division, ratio_measures(branches, table.missing.weight))

    def one_against_the_rest(self, j: int, table: ValueTable) -> Candidate:
        """The level that is best told from all others: the largest gain ratio, the first of equals (J48 -B)."""
        codes, tried = self.table.columns[j].codes, []
        for code in codes:
            inside = table.of_value(code)
            outside = table.sum_of([place for place, value in enumerate(table.values) if value != code])
            if has_two([inside, outside], self.settings.min_samples_leaf):
                split = Split(j, levels={level: int(level != code) for level in codes})
                tried.append(
                    (Division(split, (inside, outside)), ratio_measures([inside, outside], table.missing.weight))
                )
        if not tried:
            return Candidate(j, why="too small")
        best = 0
        for i, (_, measures) in enumerate(tried):
            if measures["gain_ratio"] > tried[best][1]["gain_ratio"] + TINY:
                best = i
        return Candidate(j, *tried[best], tried=tried, best=best)

    def allowed_cuts(self, j: int, table: ValueTable) -> list[Division]:
        """The cuts between neighbours that are not too close, with enough weight on both sides."""
        least = least_side(table.known.weight, self.table.n_classes, self.settings.min_samples_leaf)
        found = []
        for cut in ordered_cuts(self.table.columns[j], j, table):
            low, high = cut.between or (0.0, 0.0)
            if low + self.settings.value_gap < high and min(b.weight for b in cut.branches) > least - TINY:
                found.append(cut)
        return found

    def best_cut(self, j: int, table: ValueTable, total: float) -> Candidate:
        """The cut with the largest gain, the first of equals; then all cuts that were tried are paid for."""
        cuts, margin, missing = self.allowed_cuts(j, table), self.settings.margin, table.missing.weight
        tried: list[tuple[Division, Mapping[str, float]]] = [
            (cut, {"gain": ratio_measures(cut.branches, missing)["gain"]}) for cut in cuts
        ]
        best, gain = None, 0.0
        for i, (_, measures) in enumerate(tried):
            if measures["gain"] > gain + margin:
                best, gain = i, measures["gain"]
        if best is None:
            return Candidate(j, why="no gain" if cuts else "too small")
        price = cut_correction(len(cuts), total) if self.settings.mdl_correction else 0.0
        measures = ratio_measures(cuts[best].branches, missing, price)
        if gain - price > margin:
            return Candidate(j, cuts[best], measures, "", tried, best)
        del measures["gain_ratio"]
        return Candidate(j, cuts[best], measures, "not worth its price", tried, best)

    # ------------------------------------------------------------------------------------------ the choice
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Choice:
        """Among the tests whose gain is not below the average: the largest gain ratio, the first of equals."""
        usable = [i for i, candidate in enumerate(candidates) if candidate.split is not None]
        if not usable:
            return Choice(None, "no cut")
        # Release 8 counts no column as having too many levels when it may group them.
        all_count = self.settings.subsets or all(map(self.has_many_levels, range(len(self.table.columns))))
        counted = [i for i in usable if all_count or not self.has_many_levels(candidates[i].column)]
        if not counted:
            return Choice(None, "many levels")
        average = sum(candidates[i].measures["gain"] for i in counted) / len(counted)
        best = self.best_ratio(candidates, [i for i in usable if candidates[i].measures["gain"] >= average - EPSILON])
        return Choice(best, "no gain" if best is None else "best", average)

    def best_ratio(self, candidates: Sequence[Candidate], able: Sequence[int]) -> int | None:
        """J48 wants a ratio above 0 and takes a later one only if it is larger by 1e-6; release 8 takes 0 as well."""
        is_j48 = self.settings.variant == "j48"
        best, ratio = None, 0.0 if is_j48 else -EPSILON
        for i in able:
            measures = candidates[i].measures
            tells = is_j48 or measures["split_information"] > EPSILON
            if tells and measures["gain_ratio"] > ratio + self.settings.margin:
                best, ratio = i, measures["gain_ratio"]
        return best

    def has_many_levels(self, j: int) -> bool:
        """Whether a nominal column has so many levels that its gain says little."""
        column = self.table.columns[j]
        return column.kind == "nominal" and len(column.codes) >= 0.3 * self.weight - TINY

    # ------------------------------------------------------------------------------------------ whole trees
    def written(self, candidate: Candidate) -> Split:
        """The test as a node stores it: a cut lies on a value of the whole column, if it is not to be the middle."""
        assert candidate.division is not None
        if candidate.division.between is None:
            return candidate.division.split
        column = self.table.columns[candidate.column]
        how = "observed" if column.kind == "ordinal" else self.settings.threshold
        values = column.present(self.table.rows())
        place = stored_threshold(values, candidate.division.between, how, self.settings.margin)
        return Split(candidate.column, cuts=(place,))

    def divide(self, split: Split, cases: Cases, n_branches: int) -> list[Cases]:
        """A case without a value goes to all branches, in the shares of those that have one."""
        return share_out(self.table, cases, split, n_branches)

    def answer(self, node: Node) -> int:
        """The heaviest class; a node without cases answers like its parent."""
        tally: Any = node.tally
        if tally.weight >= TINY:
            return heaviest(tally.counts)
        return 0 if node.parent is None else int(node.parent.answer)

    def predict(self, root: Node, values: Sequence[Value]) -> list[float]:
        """The class shares for one row: each leaf that it reaches speaks with the weight that arrives there."""
        shares = [0.0] * self.table.n_classes
        waiting = [(root, 1.0)]
        while waiting:
            node, weight = waiting.pop()
            branch = None if node.split is None else node.split.branch(values[node.split.column])
            if node.split is None or (branch is not None and node.children[branch].weight < TINY):
                shares = [a + weight * b for a, b in zip(shares, self.leaf_shares(node), strict=True)]
            elif branch is not None:
                waiting.append((node.children[branch], weight))
            else:
                full = [child for child in node.children if child.weight >= TINY]
                waiting += [(child, weight * child.weight / node.weight) for child in full]
        return shares

    def leaf_shares(self, node: Node) -> list[float]:
        """The class shares of a node's cases, with one more case of each class if Laplace's rule is asked for."""
        more = 1.0 if self.settings.laplace else 0.0
        counts: Any = node.tally.counts  # type: ignore[attr-defined]
        return [(count + more) / (node.weight + more * len(counts)) for count in counts]
