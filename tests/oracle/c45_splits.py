"""How C4.5 judges one column at one node: the gain, the split information and the ratio of every test it offers.

A case is a (row, weight) pair: a row with a missing value has been shared out among branches, so its weight here may
be a fraction. All formulas are in bits. Two programs are meant: J48 (Weka 3.6 to 3.8) and C4.5 release 8; where they
differ, `Settings.variant` says which one is followed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from treewright.reference.table import Table

TINY = 1e-6  # J48 takes numbers for equal that are closer than this
EPSILON = 1e-3  # release 8 does so with this one where it speaks of gains
ROUNDING = 1e-12  # elsewhere it compares numbers as they are; what only rounding tells apart is equal here
Cases = Sequence[tuple[int, float]]
Counts = list[float]
Cut = tuple[float, float, Counts, Counts]


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


@dataclass(frozen=True)
class NodeTest:
    """One test with its worth: a threshold, or for every level the branch it takes (`branch_of`)."""

    column: int
    n_branches: int
    gain: float
    ratio: float
    split_info: float
    threshold: float | None = None
    branch_of: tuple[tuple[int, int], ...] = ()

    def branch(self, value: float | None) -> int | None:
        """The branch of a value; None where the value is missing or its level has no branch."""
        if value is None:
            return None
        if self.threshold is not None:
            return 0 if value <= self.threshold else 1
        return dict(self.branch_of).get(int(value))


def plogp(weight: float) -> float:
    """The term w log2 w, with 0 log 0 = 0.

    >>> plogp(4.0), plogp(0.0)
    (8.0, 0.0)
    """
    return 0.0 if weight < TINY else weight * math.log2(weight)


def spread(counts: Counts) -> float:
    """Weight times entropy: n H = n log n - sum of n_k log n_k.

    >>> spread([2.0, 2.0]), round(spread([9, 5]) / 14, 4)
    (4.0, 0.9403)
    """
    return plogp(sum(counts)) - sum(plogp(count) for count in counts)


def class_counts(table: Table, cases: Cases) -> Counts:
    """The weight of each class among the cases."""
    counts = [0.0] * table.n_classes
    for row, weight in cases:
        counts[table.target[row]] += weight
    return counts


def raw_gain(branches: Sequence[Counts], total: float) -> float:
    """The known share times (entropy before - mean entropy after), over cases with a known value.

    >>> round(raw_gain([[2, 3], [4, 0], [3, 2]], 14), 4)
    0.2467
    """
    whole = [sum(parts) for parts in zip(*branches, strict=True)]
    known = sum(whole)
    fall = (known / total) * (spread(whole) - sum(spread(branch) for branch in branches))
    return 0.0 if abs(fall) < TINY else fall / known


def split_information(branches: Sequence[Counts], total: float) -> float:
    """The entropy of the outcomes, where cases without a value are one more outcome.

    >>> round(split_information([[2, 3], [4, 0], [3, 2]], 14), 4)
    1.5774
    """
    sizes = [sum(branch) for branch in branches]
    missing = total - sum(sizes)
    return (plogp(total) - sum(plogp(size) for size in sizes) - plogp(missing)) / total


def gain_ratio(gain: float, info: float, total: float) -> float:
    """Gain over split information; 0 where the test has one outcome only."""
    return 0.0 if info * total < TINY else gain / info


def scored(column: int, branches: Sequence[Counts], gain: float, total: float, **how: object) -> NodeTest:
    """Put a test and its three numbers together."""
    info = split_information(branches, total)
    return NodeTest(column, len(branches), gain, gain_ratio(gain, info, total), info, **how)  # type: ignore[arg-type]


def level_counts(table: Table, index: int, cases: Cases, n_levels: int) -> list[Counts]:
    """The weight of each class at each level 1, 2, ... of a column."""
    values = table.columns[index].values
    counts = [[0.0] * table.n_classes for _ in range(n_levels)]
    for row, weight in cases:
        value = values[row]
        if value is not None:
            counts[int(value) - 1][table.target[row]] += weight
    return counts


def enough(branches: Sequence[Counts], least: float) -> bool:
    """Do at least two branches have the least weight?"""
    return sum(sum(branch) > least - TINY for branch in branches) >= 2


def multiway(table: Table, index: int, cases: Cases, settings: Settings) -> NodeTest | None:
    """One branch for each level of the column."""
    levels = table.columns[index].present(range(len(table.target)))
    branches = level_counts(table, index, cases, len(levels))
    if not enough(branches, settings.min_samples_leaf):
        return None
    total = sum(weight for _, weight in cases)
    to = tuple((code + 1, code) for code in range(len(levels)))
    return scored(index, branches, raw_gain(branches, total), total, branch_of=to)


def one_against_the_rest(table: Table, index: int, cases: Cases, settings: Settings) -> NodeTest | None:
    """The level that is best told from all others: the largest gain ratio, the first of equals (J48 -B)."""
    levels = table.columns[index].present(range(len(table.target)))
    counts = level_counts(table, index, cases, len(levels))
    total = sum(weight for _, weight in cases)
    best: NodeTest | None = None
    for code, inside in enumerate(counts, start=1):
        outside = [sum(parts) - part for parts, part in zip(zip(*counts, strict=True), inside, strict=True)]
        if not enough([inside, outside], settings.min_samples_leaf):
            continue
        to = tuple((level + 1, int(level + 1 != code)) for level in range(len(levels)))
        test = scored(index, [inside, outside], raw_gain([inside, outside], total), total, branch_of=to)
        if best is None or test.ratio > best.ratio + TINY:
            best = test
    return best


def smallest_side(known: float, n_classes: int, least: float) -> float:
    """A cut leaves a tenth of the mean class weight on each side; `least` will do for few cases, 25 always.

    >>> smallest_side(14, 2, 2), smallest_side(100, 2, 2), smallest_side(1000, 2, 2)
    (2, 5.0, 25.0)
    """
    share = 0.1 * known / n_classes
    return least if share <= least + TINY else min(share, 25.0)


def allowed_cuts(
    table: Table, index: int, cases: Cases, settings: Settings
) -> list[tuple[float, float, Counts, Counts]]:
    """Every cut between neighbours (a, b) with enough weight on both sides, with the class weights left and right."""
    values = table.columns[index].values
    known = sorted((value, row, weight) for row, weight in cases if (value := values[row]) is not None)
    right = class_counts(table, [(row, weight) for _, row, weight in known])
    left = [0.0] * table.n_classes
    side = smallest_side(sum(right), table.n_classes, settings.min_samples_leaf)
    found = []
    for (a, row, weight), (b, _, _) in itertools.pairwise(known):
        left[table.target[row]] += weight
        right[table.target[row]] -= weight
        if a + settings.value_gap < b and min(sum(left), sum(right)) > side - TINY:
            found.append((a, b, list(left), list(right)))
    return found


def best_threshold(table: Table, index: int, cases: Cases, settings: Settings) -> NodeTest | None:
    """The cut with the largest gain, the first of equals; then all cuts that were tried are paid for."""
    total = sum(weight for _, weight in cases)
    cuts = allowed_cuts(table, index, cases, settings)
    margin = TINY if settings.variant == "j48" else ROUNDING
    best, chosen = 0.0, None
    for cut in cuts:
        gain = raw_gain(cut[2:], total)
        if gain > best + margin:
            best, chosen = gain, cut
    if chosen is None:
        return None
    price = math.log2(len(cuts)) / total if settings.mdl_correction else 0.0
    if best - price <= margin:
        return None
    low, high, left, right = chosen
    # A cut of an ordinal column lies on a level.
    how = "observed" if table.columns[index].kind == "ordinal" else settings.threshold
    place = threshold_value(values_of(table, index), (low, high), how, margin)
    return scored(index, [left, right], best - price, total, threshold=place)


def values_of(table: Table, index: int) -> list[float]:
    """The different values of a column in all rows that count."""
    return table.columns[index].present(table.rows())


def threshold_value(values: Sequence[float], around: tuple[float, float], how: str, margin: float = 0.0) -> float:
    """The middle of two neighbours, or the largest value of the whole column that is not above the middle.

    Decimals are rounded to doubles, and so is their middle: a value within four roundings of it is not above it. With
    J48's `margin` it may be above by almost a millionth.

    >>> values = (1.0, 2.0, 4.0, 9.0)
    >>> threshold_value(values, (1.0, 9.0), "observed"), threshold_value(values, (1.0, 9.0), "midpoint")
    (4.0, 5.0)
    >>> (0.1 + 0.7) / 2, threshold_value((0.1, 0.4, 0.7), (0.1, 0.7), "observed")
    (0.39999999999999997, 0.4)
    """
    low, high = around
    middle = (low + high) / 2
    middle = middle if middle < high else low
    if how == "midpoint":
        return middle
    rounding = 4 * math.ulp(1.0) * max(abs(low), abs(high))
    reach = [value for value in values if value <= middle + rounding or value - middle < margin]
    return max(value for value in reach if value < high)
