"""How mixed a node is: entropy, Gini, error; squared and absolute error, poisson deviance. Entropies are in bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

from treewright.lesson.arithmetic.tally import ClassTally, NumberTally, Tally

Impurity = Callable[[Tally], float]


def entropy(counts: Sequence[float]) -> float:
    """Minus the sum of p log2 p over the shares p; 0 of nothing.

    >>> round(entropy([9, 5]), 4), round(entropy([1, 7]) * math.log(2), 4)  # in bits, and one in nats
    (0.9403, 0.3768)
    """
    total = math.fsum(counts)
    return math.fsum(-c / total * math.log2(c / total) for c in counts if c > 0) + 0.0 if total else 0.0


def gini(counts: Sequence[float]) -> float:
    """1 minus the sum of the squared shares: how often two rows drawn at random are of different classes.

    >>> round(gini([1, 7]), 4), round(gini([6, 10]), 4)
    (0.2188, 0.4688)
    """
    total = math.fsum(counts)
    return max(1 - math.fsum((c / total) ** 2 for c in counts), 0.0) if total else 0.0


def error(counts: Sequence[float]) -> float:
    """The share of rows that are not of the most frequent class.

    >>> error([1, 3])
    0.25
    """
    total = math.fsum(counts)
    return 1 - max(counts) / total if total else 0.0


def squared_error(tally: NumberTally) -> float:
    """The variance around the mean."""
    return tally.squared_errors / tally.weight if tally.weight else 0.0


def absolute_error(tally: NumberTally) -> float:
    """The mean distance to the (lower) median."""
    median = tally.median
    return math.fsum(w * abs(y - median) for y, w in tally.values) / tally.weight if tally.weight else 0.0


def poisson(tally: NumberTally) -> float:
    """The mean half deviance of counts around their rate: y ln(y / rate) - y + rate."""
    if tally.is_pure or tally.mean <= 0:
        return 0.0
    return max((tally.logarithms - tally.total * math.log(tally.mean)) / tally.weight, 0.0)


def _of_counts(function: Callable[[Sequence[float]], float]) -> Impurity:
    return lambda tally: function(cast(ClassTally, tally).counts)


def _of_numbers(function: Callable[[NumberTally], float]) -> Impurity:
    return lambda tally: function(cast(NumberTally, tally))


IMPURITIES: dict[str, Impurity] = {
    "gini": _of_counts(gini),
    "entropy": _of_counts(entropy),
    "gain_ratio": _of_counts(entropy),
    "error": _of_counts(error),
    "twoing": _of_counts(gini),
    "hellinger": _of_counts(gini),
    "squared_error": _of_numbers(squared_error),
    "absolute_error": _of_numbers(absolute_error),
    "poisson": _of_numbers(poisson),
}


def remainder(impurity: Impurity, branches: Sequence[Tally]) -> float:
    """The impurity that is left after a split: the mean over the branches, each by its weight.

    >>> split = [ClassTally(8, (1, 7)), ClassTally(8, (5, 3))]
    >>> round(remainder(IMPURITIES["entropy"], split) * math.log(2), 4), round(remainder(IMPURITIES["gini"], split), 4)
    (0.5192, 0.3438)
    """
    total = math.fsum(branch.weight for branch in branches)
    return math.fsum(b.weight / total * impurity(b) for b in branches if b.weight > 0) if total else 0.0
