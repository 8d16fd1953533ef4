"""CHAID's merging step by step: which categories of a column are alike enough to become one branch (Kass 1980)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, cast

from treewright.lesson.arithmetic.group_test import ALIKE, GroupTest, chi_square, f_test
from treewright.lesson.arithmetic.multiplier import exhaustive_multiplier, multiplier
from treewright.lesson.arithmetic.row_effects import row_effects_test
from treewright.reference.tally import ClassTally, NumberTally, Tally

MISSING = 1_000_000  # comes after every other category
_MOST_SUBSETS = 12  # a nominal group of more categories is put in order before it is divided in two

Group = tuple[int, ...]


@dataclass(frozen=True)
class MergeRules:
    """The numbers that a user may set."""

    alpha_merge: float = 0.05
    alpha_resplit: float | None = None
    exhaustive: bool = False
    exhaustive_adjust: str = "biggs"
    bonferroni: bool = True
    statistic: str = "pearson"
    class_scores: tuple[float, ...] = ()  # of classes that have an order
    min_segment: float = 0.0


@dataclass(frozen=True)
class Step:
    """One thing that was done, or was not: the groups looked at, their test, what followed."""

    groups: tuple[Group, ...]
    test: GroupTest
    verdict: str


@dataclass(frozen=True)
class Merged:
    """The groups of a column with their test, the multiplier and the logarithm of the adjusted p-value."""

    groups: tuple[Group, ...]
    test: GroupTest
    tries: int
    log_p_adjusted: float
    steps: tuple[Step, ...] = field(default=())


def order_of(number: float) -> float:
    """The place of a statistic or a logarithm, so coarse that rounding cannot tell equals apart."""
    size = math.log1p(abs(number)) * 2**36
    return size if math.isinf(size) else float(round(size))


class Merging:
    """One column at one node: its categories, and how they may merge ("free", "monotonic", "floating").

    Examples
    --------
    >>> counts = {1: (40, 10), 2: (38, 12), 3: (20, 30), 4: (18, 32), 5: (5, 45)}
    >>> cells = {code: ClassTally(50, tuple(map(float, pair))) for code, pair in counts.items()}
    >>> merged = Merging("monotonic", cells, MergeRules()).run()
    >>> merged.groups, round(merged.test.statistic, 4), merged.tries
    (((1, 2), (3, 4), (5,)), 68.9346, 6)
    """

    def __init__(self, kind: str, cells: Mapping[int, Tally], rules: MergeRules) -> None:
        self.kind, self.cells, self.rules = kind, cells, rules
        self.steps: list[Step] = []

    def tally(self, group: Group) -> Tally:
        """What the rows of a group hold."""
        total = self.cells[group[0]]
        for category in group[1:]:
            total = total + self.cells[category]
        return total

    def test(self, groups: Sequence[Group]) -> GroupTest:
        """Compare groups."""
        tallies = [self.tally(group) for group in groups]
        if isinstance(tallies[0], NumberTally):
            return f_test([cast(NumberTally, tally) for tally in tallies])
        counts = [cast(ClassTally, tally).counts for tally in tallies]
        if self.rules.class_scores:
            return row_effects_test(counts, self.rules.class_scores)
        return chi_square(counts, self.rules.statistic)

    def run(self) -> Merged:
        """Merge, place the missing category, and judge what came out."""
        known: list[Group] = [
            (category,) for category in sorted(self.cells) if self.kind != "floating" or category != MISSING
        ]
        groups = self._exhaust(known) if self.rules.exhaustive else self._merge_alike(known)
        if self.kind == "floating":
            groups = self._place_missing(groups)
        return self.judged(self.join_small(groups, self.rules.min_segment))

    def judged(self, groups: Sequence[Group]) -> Merged:
        """Test the final groups; the p-value pays for the ways in which they could have been formed."""
        if len(groups) < 2:
            return Merged(tuple(groups), ALIKE, 1, 0.0, tuple(self.steps))
        found, tries = self.test(groups), 1
        if self.rules.bonferroni and self.rules.exhaustive:
            tries = exhaustive_multiplier(self.kind, len(self.cells), self.rules.exhaustive_adjust)
        elif self.rules.bonferroni:
            tries = multiplier(self.kind, len(self.cells), len(groups))
        return Merged(tuple(groups), found, tries, min(0.0, found.log_p + math.log(tries)), tuple(self.steps))

    # ------------------------------------------------------------ who is alike
    def _may_merge(self, groups: Sequence[Group], i: int, j: int) -> bool:
        if self.kind == "free" or (MISSING,) in (groups[i], groups[j]):
            return True
        ordered = [k for k, group in enumerate(groups) if group != (MISSING,)]
        return abs(ordered.index(i) - ordered.index(j)) == 1

    def _most_alike(self, groups: Sequence[Group], of: int | None = None) -> tuple[int, int, GroupTest] | None:
        """The pair with the largest p; among equals the smaller statistic, then the first pair."""
        best: tuple[tuple[float, float], int, int, GroupTest] | None = None
        for i, j in combinations(range(len(groups)), 2):
            if not self._may_merge(groups, i, j) or of not in (None, i, j):
                continue
            found = self.test([groups[i], groups[j]])
            key = (order_of(found.log_p), order_of(found.statistic))
            if best is None or key < best[0]:
                best = (key, i, j, found)
        return None if best is None else best[1:]

    # ------------------------------------------------------------ merging
    def _merge_alike(self, groups: list[Group]) -> list[Group]:
        """Merge the most alike pair while it does not differ significantly and more than two groups are left."""
        seen = {tuple(groups)}
        while len(groups) > 2 and (pair := self._most_alike(groups)):
            i, j, found = pair
            if found.log_p <= math.log(self.rules.alpha_merge):
                self._note((groups[i], groups[j]), found, "differ: stop")
                break
            self._note((groups[i], groups[j]), found, "merged")
            groups = sorted([*_without(groups, i, j), *self._resplit(tuple(sorted(groups[i] + groups[j])))])
            if tuple(groups) in seen:  # merging and dividing again would go round for ever
                break
            seen.add(tuple(groups))
        return groups

    def _exhaust(self, groups: list[Group]) -> list[Group]:
        """Merge down to two groups, and go back to the stage whose whole table has the smallest p."""
        stages = [groups]
        while len(groups) > 2 and (pair := self._most_alike(groups)):
            i, j, found = pair
            self._note((groups[i], groups[j]), found, "merged")
            groups = sorted([*_without(groups, i, j), tuple(sorted(groups[i] + groups[j]))])
            stages.append(groups)
        best = min(stages, key=lambda stage: -order_of(self.test(stage).log_p))
        if len(stages) > 1:
            self._note(tuple(best), self.test(best), "the stage with the smallest p")
        return best

    def _resplit(self, group: Group) -> list[Group]:
        """The group, or its two parts where they differ significantly."""
        alpha = self.rules.alpha_resplit
        if alpha is None or len(group) < 3:
            return [group]
        tests = [(self.test(parts), parts) for parts in self._divisions(group)]
        found, parts = min(tests, key=lambda t: (-order_of(t[0].log_p), -order_of(t[0].statistic)))
        if found.log_p > math.log(alpha):
            return [group]
        self._note(parts, found, "divided again")
        return list(parts)

    def _divisions(self, group: Group) -> list[tuple[Group, Group]]:
        if self.kind == "free" and len(group) <= _MOST_SUBSETS:
            first, others = group[0], group[1:]
            lefts = [
                (first, *(c for bit, c in enumerate(others) if mask >> bit & 1)) for mask in range(2 ** len(others) - 1)
            ]
            return [(left, tuple(c for c in others if c not in left)) for left in lefts]
        order = list(group)
        if self.kind == "free":
            order.sort(key=lambda category: (_rate(self.cells[category], self.rules.class_scores), category))
        return [(tuple(sorted(order[:cut])), tuple(sorted(order[cut:]))) for cut in range(1, len(order))]

    def _place_missing(self, groups: list[Group]) -> list[Group]:
        """Missing stays alone or joins the group most like it: whichever gives the whole table the smaller p."""
        alone = [*groups, (MISSING,)]
        pair = self._most_alike(alone, of=len(groups))
        if pair is None:
            return alone
        joined = [(*group, MISSING) if k in pair[:2] else group for k, group in enumerate(groups)]
        if order_of(self.test(joined).log_p) > order_of(self.test(alone).log_p):
            self._note((groups[pair[0]], (MISSING,)), pair[2], "merged: smaller p overall")
            return joined
        return alone

    def join_small(self, groups: Sequence[Group], least: float) -> list[Group]:
        """Let groups below a size join the group most like them, the smallest first."""
        groups = list(groups)
        while len(groups) > 1:
            small = min(range(len(groups)), key=lambda k: (self.tally(groups[k]).weight, k))
            pair = self._most_alike(groups, of=small)
            if self.tally(groups[small]).weight >= least or pair is None:
                break
            i, j, found = pair
            self._note((groups[i], groups[j]), found, "merged: too few rows")
            groups = sorted([*_without(groups, i, j), tuple(sorted(groups[i] + groups[j]))])
        return groups

    def _note(self, groups: tuple[Group, ...], found: GroupTest, verdict: str) -> None:
        self.steps.append(Step(groups, found, verdict))


def _without(groups: Sequence[Group], *places: int) -> list[Group]:
    return [group for k, group in enumerate(groups) if k not in places]


def _rate(tally: Tally, scores: tuple[float, ...]) -> Any:
    """By what the levels of a wide group are put in order: the mean, the mean score, the share of the first class."""
    if isinstance(tally, NumberTally):
        return tally.mean
    counts = cast(ClassTally, tally).counts
    if scores:
        return sum(score * count for score, count in zip(scores, counts, strict=True)) / tally.weight
    return counts[0] / tally.weight
