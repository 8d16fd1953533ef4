"""CHAID's merging: which categories of a column are alike enough to become one branch.

A group is a tuple of categories in ascending order. `MISSING` comes after every other category. Groups are kept in the
order of their first category.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from oracle.chaid_outcomes import Answer, Cell, Outcome, rank

MISSING = 1_000_000
MOST_SUBSETS = 12  # a nominal group of more categories than this is put in order before it is divided in two

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
    min_segment: int = 0
    most_levels: int = 500


@dataclass(frozen=True)
class Merged:
    """The groups of a column, their test, and the logarithm of the p-value times the multiplier."""

    groups: tuple[Group, ...]
    answer: Answer
    log_p_adjusted: float


class Column:
    """One column at one node: its categories with their cells, and how they may merge.

    `kind` is "monotonic" (neighbours only), "free" (any pair) or "floating" (as monotonic, and missing joins any).
    """

    def __init__(self, kind: str, cells: Mapping[int, Cell], outcome: Outcome, rules: Rules) -> None:
        self.kind, self.cells, self.outcome, self.rules = kind, cells, outcome, rules

    def cell(self, group: Group) -> Cell:
        """What is known about the rows of a group."""
        return tuple(map(sum, zip(*(self.cells[category] for category in group), strict=True)))

    def test(self, groups: Sequence[Group]) -> Answer:
        """Compare groups."""
        return self.outcome.test([self.cell(group) for group in groups])

    def size(self, group: Group) -> float:
        """The weight of a group."""
        return float(self.outcome.weight(self.cell(group)))

    # ------------------------------------------------------------ who may merge, and who is most alike
    def may_merge(self, groups: Sequence[Group], i: int, j: int) -> bool:
        """Whether two groups may become one: any pair, or neighbours; a group of missing alone may join any."""
        if self.kind == "free" or (MISSING,) in (groups[i], groups[j]):
            return True
        ordered = [k for k, group in enumerate(groups) if group != (MISSING,)]
        return abs(ordered.index(i) - ordered.index(j)) == 1

    def most_alike(self, groups: Sequence[Group], of: int | None = None) -> tuple[int, int, Answer] | None:
        """The pair that may merge with the largest p; among equals the smaller statistic, then the first pair."""
        pairs = [
            (i, j)
            for i, j in combinations(range(len(groups)), 2)
            if self.may_merge(groups, i, j) and of in (None, i, j)
        ]
        tests = [(self.test([groups[i], groups[j]]), i, j) for i, j in pairs]
        tests.sort(key=lambda t: (rank(t[0].log_p), rank(t[0].statistic), t[1], t[2]))
        return (tests[0][1], tests[0][2], tests[0][0]) if tests else None

    # ------------------------------------------------------------ the step
    def merge(self) -> Merged:
        """Find the groups of the column and their adjusted p-value."""
        known = [(category,) for category in sorted(self.cells) if self.kind != "floating" or category != MISSING]
        if self.kind == "free" and len(known) > self.rules.most_levels:
            known = self.runs_by_rate(self.rules.most_levels)
        groups = self.exhaust(known) if self.rules.exhaustive else self.merge_alike(known)
        if self.kind == "floating":
            groups = self.place_missing(groups)
        groups = self.join_small(groups, self.rules.min_segment)
        return self.judged(groups)

    def runs_by_rate(self, runs: int) -> list[Group]:
        """The categories of a wide nominal column in runs of about equal weight, along the order of their rates."""
        order = sorted(self.cells, key=lambda category: (self.outcome.rate(self.cells[category]), category))
        weights = [self.outcome.weight(self.cells[category]) for category in order]
        found: dict[int, list[int]] = {}
        for place, category in enumerate(order, start=1):
            found.setdefault(math.ceil(runs * Fraction(sum(weights[:place])) / sum(weights)), []).append(category)
        return sorted(tuple(sorted(group)) for group in found.values())

    def judged(self, groups: Sequence[Group]) -> Merged:
        """Test the final groups and adjust the p-value; a single group has p = 1."""
        if len(groups) < 2:
            return Merged(tuple(groups), Answer(0.0, 0, 0.0), 0.0)
        answer = self.test(groups)
        factor = multiplier(self.kind, len(self.cells), len(groups), self.rules)
        return Merged(tuple(groups), answer, min(0.0, answer.log_p + math.log(factor)))

    def merge_alike(self, groups: list[Group]) -> list[Group]:
        """Merge the most alike pair while it is not significantly different and more than two groups are left."""
        seen = {tuple(groups)}
        while len(groups) > 2 and (pair := self.most_alike(groups)):
            i, j, answer = pair
            if answer.log_p <= math.log(self.rules.alpha_merge):
                break
            merged = tuple(sorted(groups[i] + groups[j]))
            groups = sorted([g for k, g in enumerate(groups) if k not in (i, j)] + self.resplit(merged))
            if tuple(groups) in seen:  # merging and dividing again would go round for ever
                break
            seen.add(tuple(groups))
        return groups

    def resplit(self, group: Group) -> list[Group]:
        """The group, or its two parts where the best division in two is significant."""
        alpha = self.rules.alpha_resplit
        if alpha is None or len(group) < 3:
            return [group]
        tests = [(self.test(parts), parts) for parts in self.divisions(group)]
        answer, parts = min(tests, key=lambda t: (-rank(t[0].log_p), -rank(t[0].statistic)))
        return list(parts) if answer.log_p <= math.log(alpha) else [group]

    def divisions(self, group: Group) -> list[tuple[Group, Group]]:
        """Every division of a group in two; nominal groups of many categories only along the order of their rates."""
        if self.kind == "free" and len(group) <= MOST_SUBSETS:
            first, others = group[0], group[1:]
            found = []
            for mask in range(2 ** len(others) - 1):
                left = tuple(c for bit, c in enumerate(others) if mask >> bit & 1)
                found.append(((first, *left), tuple(c for c in others if c not in left)))
            return found
        order = list(group)
        if self.kind == "free":
            order.sort(key=lambda category: (self.outcome.rate(self.cells[category]), category))
        return [(tuple(sorted(order[:cut])), tuple(sorted(order[cut:]))) for cut in range(1, len(order))]

    def exhaust(self, groups: list[Group]) -> list[Group]:
        """Merge down to two groups whatever the p-values, and take the stage whose whole table has the smallest p."""
        stages = [groups]
        while len(groups) > 2 and (pair := self.most_alike(groups)):
            i, j, _ = pair
            groups = sorted(
                [g for k, g in enumerate(groups) if k not in (i, j)] + [tuple(sorted(groups[i] + groups[j]))]
            )
            stages.append(groups)
        return min(stages, key=lambda stage: -rank(self.test(stage).log_p))

    def place_missing(self, groups: list[Group]) -> list[Group]:
        """Missing stays alone or joins the group most like it: whichever gives the whole table the smaller p."""
        alone = [*groups, (MISSING,)]
        pair = self.most_alike(alone, of=len(groups))
        if pair is None:
            return alone
        joined = [(*group, MISSING) if k in pair[:2] else group for k, group in enumerate(groups)]
        return joined if rank(self.test(joined).log_p) > rank(self.test(alone).log_p) else alone

    def join_small(self, groups: Sequence[Group], smallest: float) -> list[Group]:
        """Groups below a size join the group most like them, the smallest first."""
        groups = list(groups)
        while len(groups) > 1:
            small = min(range(len(groups)), key=lambda k: (self.size(groups[k]), k))
            if self.size(groups[small]) >= smallest:
                break
            pair = self.most_alike(groups, of=small)
            assert pair is not None  # in every kind of column each group has a neighbour
            i, j, _ = pair
            groups = sorted(
                [g for k, g in enumerate(groups) if k not in (i, j)] + [tuple(sorted(groups[i] + groups[j]))]
            )
        return groups


def multiplier(kind: str, categories: int, groups: int, rules: Rules) -> int:
    """In how many ways the categories could have become so many groups; or how many pairs exhaustive CHAID tests.

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
