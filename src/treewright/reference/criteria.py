"""How mixed a node is, and how good a division of it is, straight from the formulas. Entropies are in bits.

Quality of the worked split (1, 7) | (5, 3), which the examples below use: gini .125, entropy .2054 bits,
error .125, twoing .0625, hellinger .5629.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treewright.reference.arithmetic import Number, ln, log2, square_root, total
from treewright.reference.tally import NumberTally, Tally, together

Impurity = Callable[[Any], Number]


def entropy(counts: Sequence[Number]) -> Number:
    """Minus the sum of p log2 p over the shares p; 0 of nothing.

    >>> round(entropy([9, 5]), 4), entropy([8, 8])
    (0.9403, 1.0)
    """
    whole = total(counts)
    return total(-(c / whole) * log2(c / whole) for c in counts if c > 0) + 0 if whole else 0


def gini(counts: Sequence[Number]) -> Number:
    """1 minus the sum of the squared shares: how often two rows drawn at random are of different classes.

    >>> round(gini([1, 7]), 4), round(gini([6, 10]), 4)
    (0.2188, 0.4688)
    """
    whole = total(counts)
    return max(1 - total((c / whole) ** 2 for c in counts), 0) if whole else 0


def error(counts: Sequence[Number]) -> Number:
    """The share of rows that are not of the most frequent class.

    >>> error([1, 3])
    0.25
    """
    whole = total(counts)
    return 1 - max(counts) / whole if whole else 0


def squared_error(tally: NumberTally) -> Number:
    """The variance around the mean.

    >>> squared_error(NumberTally.of([(1.0, 1.0), (3.0, 1.0)]))
    1.0
    """
    return tally.squared_errors / tally.weight if tally.weight else 0


def absolute_error(tally: NumberTally) -> Number:
    """The mean distance to the (lower) median.

    >>> absolute_error(NumberTally.of([(1.0, 1.0), (2.0, 1.0), (6.0, 2.0)], keep_values=True))
    2.25
    """
    median = tally.median
    return total(w * abs(y - median) for y, w in tally.values) / tally.weight if tally.weight else 0


def poisson(tally: NumberTally) -> Number:
    """The mean half deviance of counts around their rate: y ln(y / rate) - y + rate.

    >>> round(poisson(NumberTally.of([(0.0, 1.0), (2.0, 1.0)])), 6)  # ln 2
    0.693147
    """
    if tally.is_pure or tally.mean <= 0:
        return 0
    return max((tally.logarithms - tally.total * ln(tally.mean)) / tally.weight, 0)


def _of_counts(function: Callable[[Sequence[Number]], Number]) -> Impurity:
    return lambda tally: function(tally.counts)


IMPURITIES: dict[str, Impurity] = {
    "gini": _of_counts(gini),
    "entropy": _of_counts(entropy),
    "gain_ratio": _of_counts(entropy),
    "error": _of_counts(error),
    "twoing": _of_counts(gini),
    "hellinger": _of_counts(gini),
    "squared_error": squared_error,
    "absolute_error": absolute_error,
    "poisson": poisson,
}
# What is measured for each criterion; the last one decides.
MEASURED = {
    "gini": ("impurity_left", "impurity_gain"),
    "entropy": ("remainder", "gain"),
    "gain_ratio": ("remainder", "gain", "split_information", "gain_ratio"),
    "error": ("impurity_left", "impurity_gain"),
    "twoing": ("twoing",),
    "hellinger": ("hellinger",),
    "squared_error": ("squared_errors", "squared_errors_gain"),
    "absolute_error": ("impurity_left", "impurity_gain"),
    "poisson": ("impurity_left", "impurity_gain"),
}


def remainder(impurity: Impurity, branches: Sequence[Tally]) -> Number:
    """The impurity that is left after a split: the mean over the branches, each by its weight.

    >>> from treewright.reference.tally import ClassTally
    >>> split = [ClassTally(8, (1, 7)), ClassTally(8, (5, 3))]
    >>> round(remainder(IMPURITIES["entropy"], split), 4), round(remainder(IMPURITIES["gini"], split), 4)
    (0.749, 0.3438)
    """
    whole = total(branch.weight for branch in branches)
    return total(b.weight / whole * impurity(b) for b in branches if b.weight > 0) if whole else 0


def fall(impurity: Impurity, branches: Sequence[Tally]) -> Number:
    """How much the impurity falls when a node is divided into these branches.

    >>> from treewright.reference.tally import ClassTally
    >>> fall(IMPURITIES["error"], [ClassTally(8, (1, 7)), ClassTally(8, (5, 3))])
    0.125
    """
    return impurity(together(branches)) - remainder(impurity, branches)


def measures_of(criterion: str, branches: Sequence[Tally]) -> dict[str, Number]:
    """Measure a division by a criterion; the last measure decides.

    >>> from treewright.reference.tally import ClassTally
    >>> split = [ClassTally(8, (1, 7)), ClassTally(8, (5, 3))]
    >>> {name: round(value, 4) for name, value in measures_of("gini", split).items()}
    {'impurity_left': 0.3438, 'impurity_gain': 0.125}
    >>> round(measures_of("twoing", split)["twoing"], 4), round(measures_of("hellinger", split)["hellinger"], 4)
    (0.0625, 0.5629)
    """
    if criterion in _OWN:
        return {criterion: _OWN[criterion](branches)}
    impurity = IMPURITIES[criterion]
    left, gain = remainder(impurity, branches), max(fall(impurity, branches), 0)
    if criterion == "squared_error":
        weight = total(branch.weight for branch in branches)
        return {"squared_errors": left * weight, "squared_errors_gain": gain * weight}
    found = dict(zip(MEASURED[criterion], (left, gain), strict=False))
    if criterion == "gain_ratio":
        spread = entropy([branch.weight for branch in branches])
        found |= {"split_information": spread, "gain_ratio": gain / spread if spread else 0}
    return found


def best_possible(criterion: str, node: Tally) -> Number:
    """The score that no division of a node can beat, in the unit of the deciding measure.

    >>> from treewright.reference.tally import ClassTally
    >>> best_possible("gini", ClassTally(2, (1, 1))), best_possible("twoing", ClassTally(2, (1, 1)))
    (0.5, 1)
    """
    if criterion in ("twoing", "gain_ratio"):
        return 1
    if criterion == "hellinger":
        return square_root(2 * node.weight / node.weight)
    worst = IMPURITIES[criterion](node)
    return worst * node.weight if criterion == "squared_error" else worst


def twoing(branches: Sequence[Any]) -> Number:
    """(pL pR / 4) (sum over classes of |share on the left - share on the right|) squared (Breiman and others 1984).

    >>> from treewright.reference.tally import ClassTally
    >>> twoing([ClassTally(8, (1, 7)), ClassTally(8, (5, 3))])
    0.0625
    """
    left, right = branches[:2]
    if not left.weight or not right.weight:
        return 0
    apart = total(abs(a / left.weight - b / right.weight) for a, b in zip(left.counts, right.counts, strict=True))
    return left.weight * right.weight / (left.weight + right.weight) ** 2 / 4 * apart**2


def hellinger(branches: Sequence[Any]) -> Number:
    """The largest Hellinger distance of any class from the rest, over the branches.

    >>> from treewright.reference.tally import ClassTally
    >>> round(hellinger([ClassTally(8, (1, 7)), ClassTally(8, (5, 3))]), 4)
    0.5629
    """
    counts = [branch.counts for branch in branches]
    return max(_hellinger_of([c[k] for c in counts], [sum(c) - c[k] for c in counts]) for k in range(len(counts[0])))


def _hellinger_of(inside: Sequence[Number], outside: Sequence[Number]) -> Number:
    if not sum(inside) or not sum(outside):
        return 0
    pairs = zip(inside, outside, strict=True)
    return square_root(sum((square_root(i / sum(inside)) - square_root(o / sum(outside))) ** 2 for i, o in pairs))


_OWN: dict[str, Callable[[Sequence[Any]], Number]] = {"twoing": twoing, "hellinger": hellinger}
