"""CHAID's merging step by step: which categories of a column are alike enough to become one branch (Kass 1980).

A group is a tuple of categories in ascending order. `MISSING` comes after every other category. Groups are kept in the
order of their first category.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from treewright.reference.arithmetic import Number
from treewright.reference.group_tests import ALIKE, GroupTest, GroupTests
from treewright.reference.tally import Tally, together

MISSING = 1_000_000
MOST_SUBSETS = 12  # a nominal group of more categories is put in order before it is divided in two

Group = tuple[int, ...]


@dataclass(frozen=True)
class Rules:
    """The numbers a user may set, by the names a user types."""

    alpha_merge: float = 0.05
    alpha_split: float = 0.05
    alpha_resplit: float | None = None
    exhaustive: bool = False
    exhaustive_adjust: str = "biggs"
    bonferroni: bool = True
    min_segment: float = 0
    most_levels: int = 500


@dataclass(frozen=True)
class Step:
    """One thing that was done, or was not: the groups looked at, their test, what followed."""

    groups: tuple[Group, ...]
    test: GroupTest
    verdict: str


@dataclass(frozen=True)
class Merged:
    """The groups of a column with their test, the multiplier, the logarithm of the adjusted p-value, and the steps."""

    groups: tuple[Group, ...]
    test: GroupTest
    tries: int
    log_p_adjusted: float
    steps: tuple[Step, ...] = ()


def order_of(number: float) -> float:
    """The place of a statistic or of the logarithm of a p-value, coarse enough that rounding cannot tell equals apart.

    >>> order_of(0.1 + 0.2) == order_of(0.3), order_of(-1e9) < order_of(-1e9 - 1), order_of(-math.inf)
    (True, True, inf)
    """
    size = math.log1p(abs(number)) * 2**36
    return size if math.isinf(size) else float(round(size))


class Merging:
    """One column at one node: its categories with their tallies, and how they may merge.

    `kind` is "monotonic" (neighbours only), "free" (any pair) or "floating" (as monotonic, and missing joins any).

    >>> from treewright.reference.group_tests import Classes
    >>> from treewright.reference.tally import ClassTally
    >>> counts = {1: (40, 10), 2: (38, 12), 3: (20, 30), 4: (18, 32), 5: (5, 45)}
    >>> cells = {code: ClassTally(50, pair) for code, pair in counts.items()}
    >>> merged = Merging("monotonic", cells, Classes(), Rules()).run()
    >>> merged.groups, round(merged.test.statistic, 4), merged.tries
    (((1, 2), (3, 4), (5,)), 68.9346, 6)
    >>> [(step.groups, step.verdict) for step in merged.steps]
    [(((3,), (4,)), 'merged'), (((1,), (2,)), 'merged'), (((3, 4), (5,)), 'differ: stop')]
    """

    def __init__(self, kind: str, cells: Mapping[int, Tally], tests: GroupTests, rules: Rules) -> None:
        self.kind, self.cells, self.tests, self.rules = kind, cells, tests, rules
        self.steps: list[Step] = []

    def tally(self, group: Group) -> Any:
        """What the rows of a group hold."""
        return together([self.cells[category] for category in group])

    def test(self, groups: Sequence[Group]) -> GroupTest:
        """Compare groups."""
        return self.tests.test([self.tally(group) for group in groups])

    def size(self, group: Group) -> Number:
        """How much a group counts."""
        return self.tests.size(self.tally(group))

    def run(self) -> Merged:
        """Merge, place the missing category, and judge what came out."""
        known: list[Group] = [(c,) for c in sorted(self.cells) if self.kind != "floating" or c != MISSING]
        if self.kind == "free" and len(known) > self.rules.most_levels:
            known = self.runs_by_rate(self.rules.most_levels)
        groups = self.exhaust(known) if self.rules.exhaustive else self.merge_alike(known)
        if self.kind == "floating":
            groups = self.place_missing(groups)
        return self.judged(self.join_small(groups, self.rules.min_segment))

    def judged(self, groups: Sequence[Group]) -> Merged:
        """Test the final groups; the p-value pays for the ways in which they could have been formed."""
        if len(groups) < 2:
            return Merged(tuple(groups), ALIKE, 1, 0.0, tuple(self.steps))
        found, tries = self.test(groups), multiplier(self.kind, len(self.cells), len(groups), self.rules)
        return Merged(tuple(groups), found, tries, min(0.0, found.log_p + math.log(tries)), tuple(self.steps))

    def note(self, groups: Sequence[Group], found: GroupTest, verdict: str) -> None:
        """Leave a trace."""
        self.steps.append(Step(tuple(groups), found, verdict))

    # ------------------------------------------------------------------------------------------ who is alike
    def may_merge(self, groups: Sequence[Group], i: int, j: int) -> bool:
        """Whether two groups may become one: any pair, or neighbours; a group of missing alone may join any."""
        if self.kind == "free" or (MISSING,) in (groups[i], groups[j]):
            return True
        ordered = [k for k, group in enumerate(groups) if group != (MISSING,)]
        return abs(ordered.index(i) - ordered.index(j)) == 1

    def most_alike(self, groups: Sequence[Group], of: int | None = None) -> tuple[int, int, GroupTest] | None:
        """The pair that may merge with the largest p; among equals the smaller statistic, then the first pair."""
        pairs = [
            (i, j, self.test([groups[i], groups[j]]))
            for i, j in combinations(range(len(groups)), 2)
            if self.may_merge(groups, i, j) and of in (None, i, j)
        ]
        return min(pairs, key=lambda pair: (order_of(pair[2].log_p), order_of(pair[2].statistic)), default=None)

    def by_rate(self, categories: Sequence[int]) -> list[int]:
        """Categories in the order of their rates."""
        return sorted(categories, key=lambda category: (self.tests.rate(self.cells[category]), category))

    # ------------------------------------------------------------------------------------------ merging
    def runs_by_rate(self, runs: int) -> list[Group]:
        """The categories of a wide nominal column in runs of about equal weight, along the order of their rates."""
        order = self.by_rate(list(self.cells))
        sizes = [self.size((category,)) for category in order]
        found: dict[int, list[int]] = {}
        for place, category in enumerate(order, start=1):
            found.setdefault(share_ceiling(sum(sizes[:place]), sum(sizes), runs), []).append(category)
        return sorted(tuple(sorted(group)) for group in found.values())

    def merge_alike(self, groups: list[Group]) -> list[Group]:
        """Merge the most alike pair while it does not differ significantly and more than two groups are left."""
        seen = {tuple(groups)}
        while len(groups) > 2 and (pair := self.most_alike(groups)):
            i, j, found = pair
            if found.log_p <= math.log(self.rules.alpha_merge):
                self.note((groups[i], groups[j]), found, "differ: stop")
                break
            self.note((groups[i], groups[j]), found, "merged")
            groups = sorted([*_without(groups, i, j), *self.resplit(_joined(groups, i, j))])
            if tuple(groups) in seen:  # merging and dividing again would go round for ever
                break
            seen.add(tuple(groups))
        return groups

    def exhaust(self, groups: list[Group]) -> list[Group]:
        """Merge down to two groups, and go back to the stage whose whole table has the smallest p."""
        stages = [groups]
        while len(groups) > 2 and (pair := self.most_alike(groups)):
            i, j, found = pair
            self.note((groups[i], groups[j]), found, "merged")
            groups = sorted([*_without(groups, i, j), _joined(groups, i, j)])
            stages.append(groups)
        best = min(stages, key=lambda stage: -order_of(self.test(stage).log_p))
        if len(stages) > 1:
            self.note(best, self.test(best), "the stage with the smallest p")
        return best

    def resplit(self, group: Group) -> list[Group]:
        """The group, or its two parts where the best division in two is significant."""
        alpha = self.rules.alpha_resplit
        if alpha is None or len(group) < 3:
            return [group]
        tests = [(self.test(parts), parts) for parts in self.divisions(group)]
        found, parts = min(tests, key=lambda t: (-order_of(t[0].log_p), -order_of(t[0].statistic)))
        if found.log_p > math.log(alpha):
            return [group]
        self.note(parts, found, "divided again")
        return list(parts)

    def divisions(self, group: Group) -> list[tuple[Group, Group]]:
        """Every division of a group in two; nominal groups of many categories only along the order of their rates."""
        if self.kind == "free" and len(group) <= MOST_SUBSETS:
            first, others = group[0], group[1:]
            lefts = [
                (first, *(c for bit, c in enumerate(others) if mask >> bit & 1)) for mask in range(2 ** len(others) - 1)
            ]
            return [(left, tuple(c for c in others if c not in left)) for left in lefts]
        order = self.by_rate(group) if self.kind == "free" else list(group)
        return [(tuple(sorted(order[:cut])), tuple(sorted(order[cut:]))) for cut in range(1, len(order))]

    def place_missing(self, groups: list[Group]) -> list[Group]:
        """Missing stays alone or joins the group most like it: whichever gives the whole table the smaller p."""
        alone = [*groups, (MISSING,)]
        pair = self.most_alike(alone, of=len(groups))
        if pair is None:
            return alone
        together_with = [(*group, MISSING) if k in pair[:2] else group for k, group in enumerate(groups)]
        if order_of(self.test(together_with).log_p) > order_of(self.test(alone).log_p):
            self.note((groups[pair[0]], (MISSING,)), pair[2], "merged: smaller p overall")
            return together_with
        return alone

    def join_small(self, groups: Sequence[Group], least: float) -> list[Group]:
        """Let groups below a size join the group most like them, the smallest first."""
        groups = list(groups)
        while len(groups) > 1:
            small = min(range(len(groups)), key=lambda k: (self.size(groups[k]), k))
            pair = self.most_alike(groups, of=small)
            if self.size(groups[small]) >= least or pair is None:
                break
            i, j, found = pair
            self.note((groups[i], groups[j]), found, "merged: too few rows")
            groups = sorted([*_without(groups, i, j), _joined(groups, i, j)])
        return groups


def _without(groups: Sequence[Group], *places: int) -> list[Group]:
    """The groups but for some."""
    return [group for k, group in enumerate(groups) if k not in places]


def _joined(groups: Sequence[Group], i: int, j: int) -> Group:
    """Two groups as one."""
    return tuple(sorted(groups[i] + groups[j]))


def share_ceiling(below: Number, total: Number, parts: int) -> int:
    """In which of so many parts a share lies; rounding does not push it into the next.

    >>> share_ceiling(0.3, 1.0, 10), share_ceiling(4, 12, 4)
    (3, 2)
    """
    return math.ceil(parts * float(below / total) - 1e-9 * parts)


def multiplier(kind: str, categories: int, groups: int, rules: Rules) -> int:
    """In how many ways the categories could have become so many groups (Kass 1980); or how many pairs exhaustive CHAID
    tests (Biggs, de Ville and Suen 1991; SPSS prints three times as many).

    For "floating" the missing category is one of the categories.

    >>> [multiplier("monotonic", 5, r, Rules()) for r in (2, 3, 4, 5)]
    [4, 6, 4, 1]
    >>> [multiplier("free", 5, r, Rules()) for r in (2, 3, 4, 5)]
    [15, 25, 10, 1]
    >>> [multiplier("floating", 5, r, Rules()) for r in (2, 3, 4, 5)]
    [7, 12, 7, 1]
    >>> [multiplier(kind, 5, 3, Rules(exhaustive=True)) for kind in ("monotonic", "free")]
    [10, 20]
    """
    if not rules.bonferroni:
        return 1
    if rules.exhaustive:
        if kind == "free":
            return categories * (categories**2 - 1) // (6 if rules.exhaustive_adjust == "biggs" else 2)
        return categories * (categories - 1) // 2
    if kind == "monotonic":
        return math.comb(categories - 1, groups - 1)
    if kind == "floating":
        return math.comb(categories - 2, groups - 2) + groups * math.comb(categories - 2, groups - 1)
    return stirling(categories, groups)


def stirling(things: int, parts: int) -> int:
    """The number of ways to divide things into so many parts, none of them empty.

    >>> stirling(5, 3)
    25
    """
    row = [1] + [0] * parts
    for _ in range(things):
        row = [0] + [k * row[k] + row[k - 1] for k in range(1, parts + 1)]
    return row[parts]
