"""How mixed a set of rows is, and how good a division of it is, straight from the formulas.

A sample is a list of (class, weight) or (number, weight) pairs. Everything is a Decimal.
Quality of the worked split (1, 7) | (5, 3), which the examples below use: gini .125, entropy .2054 bits,
error .125, twoing .0625, hellinger .5629.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import cache

from oracle.table import Sample

TWO = Decimal(2)
LOGARITHMS = Context(prec=60)


@cache
def ln(number: Decimal) -> Decimal:
    """The natural logarithm to 60 digits, remembered because the same shares come again and again.

    >>> round(ln(Decimal(2)), 6)
    Decimal('0.693147')
    """
    return number.ln(LOGARITHMS)


def weight_of(sample: Sample) -> Decimal:
    """The weight of a sample.

    >>> weight_of([(0, 1), (1, 2)])
    Decimal('3')
    """
    return Decimal(sum(weight for _, weight in sample))


def class_weights(sample: Sample) -> dict[int, Decimal]:
    """The weight of each class that is present.

    >>> class_weights([(0, 1), (2, 2), (2, 1)])
    {0: Decimal('1'), 2: Decimal('3')}
    """
    found: dict[int, Decimal] = {}
    for label, weight in sample:
        found[label] = found.get(label, Decimal(0)) + weight
    return found


def gini(sample: Sample) -> Decimal:
    """1 - sum of squared class shares.

    >>> float(gini([(0, 6), (1, 10)]))
    0.46875
    """
    total = weight_of(sample)
    return 1 - sum(((w / total) ** 2 for w in class_weights(sample).values()), Decimal(0))


def entropy(sample: Sample) -> Decimal:
    """Minus the sum of p log2 p, in bits.

    >>> float(entropy([(0, 1), (1, 1)]))
    1.0
    """
    total = weight_of(sample)
    shares = [w / total for w in class_weights(sample).values()]
    return -sum((p * ln(p) for p in shares), Decimal(0)) / ln(TWO)


def error(sample: Sample) -> Decimal:
    """The share of rows that the majority class gets wrong.

    >>> error([(0, 3), (1, 1)])
    Decimal('0.25')
    """
    return 1 - max(class_weights(sample).values()) / weight_of(sample)


def mean(sample: Sample) -> Decimal:
    """The weighted mean.

    >>> mean([(1, 1), (4, 2)])
    Decimal('3')
    """
    return sum((Decimal(y) * w for y, w in sample), Decimal(0)) / weight_of(sample)


def lower_median(sample: Sample) -> int:
    """The smallest y with at least half of the weight at or below it.

    >>> lower_median([(5, 1), (1, 1)]), lower_median([(5, 2), (1, 1)])
    (1, 5)
    """
    half, below = weight_of(sample) / 2, 0
    for y, weight in sorted(sample):
        below += weight
        if below >= half:
            return y
    raise ValueError("an empty sample has no median")


def squared_error(sample: Sample) -> Decimal:
    """The variance around the mean.

    >>> squared_error([(1, 1), (3, 1)])
    Decimal('1')
    """
    centre = mean(sample)
    return sum((w * (y - centre) ** 2 for y, w in sample), Decimal(0)) / weight_of(sample)


def absolute_error(sample: Sample) -> Decimal:
    """The mean distance to the median.

    >>> absolute_error([(1, 1), (2, 1), (6, 2)])
    Decimal('2.25')
    """
    centre = lower_median(sample)
    return sum((Decimal(w * abs(y - centre)) for y, w in sample), Decimal(0)) / weight_of(sample)


def poisson(sample: Sample) -> Decimal:
    """The mean half deviance: y ln(y / mean) - y + mean.

    >>> round(poisson([(0, 1), (2, 1)]), 6)  # ln 2
    Decimal('0.693147')
    """
    centre = mean(sample)
    terms = (w * ((y * ln(y / centre) if y else Decimal(0)) - y + centre) for y, w in sample)
    return sum(terms, Decimal(0)) / weight_of(sample) if centre else Decimal(0)


IMPURITY: dict[str, Callable[[Sample], Decimal]] = {
    "gini": gini,
    "entropy": entropy,
    "error": error,
    "twoing": gini,
    "hellinger": gini,
    "squared_error": squared_error,
    "absolute_error": absolute_error,
    "poisson": poisson,
}


def gain(criterion: str, branches: Sequence[Sample]) -> Decimal:
    """How much the impurity falls when a node is divided into these branches.

    >>> split = [[(0, 1), (1, 7)], [(0, 5), (1, 3)]]
    >>> [round(float(gain(criterion, split)), 4) for criterion in ("gini", "error", "entropy")]
    [0.125, 0.125, 0.2054]
    """
    impurity = IMPURITY[criterion]
    node = [pair for branch in branches for pair in branch]
    within = sum((weight_of(b) / weight_of(node) * impurity(b) for b in branches), Decimal(0))
    return impurity(node) - within


def twoing(branches: Sequence[Sample]) -> Decimal:
    """(pL pR / 4) (sum over classes of |share on the left - share on the right|) squared; two branches only.

    >>> float(twoing([[(0, 1), (1, 7)], [(0, 5), (1, 3)]]))
    0.0625
    """
    left, right = branches
    w_left, w_right = weight_of(left), weight_of(right)
    counts_left, counts_right = class_weights(left), class_weights(right)
    zero = Decimal(0)
    apart = sum(
        (abs(counts_left.get(k, zero) / w_left - counts_right.get(k, zero) / w_right))
        for k in counts_left.keys() | counts_right.keys()
    )
    return w_left * w_right / (w_left + w_right) ** 2 / 4 * apart**2


def hellinger_of_class(label: int, branches: Sequence[Sample]) -> Decimal:
    """The Hellinger distance between one class and the rest, over the branches; 0 when one of the two is absent.

    >>> round(hellinger_of_class(0, [[(0, 1), (1, 7)], [(0, 5), (1, 3)]]), 4)
    Decimal('0.5629')
    """
    inside = [sum((Decimal(w) for k, w in b if k == label), Decimal(0)) for b in branches]
    outside = [weight_of(b) - i for b, i in zip(branches, inside, strict=True)]
    if not sum(inside) or not sum(outside):
        return Decimal(0)
    terms = (((i / sum(inside)).sqrt() - (o / sum(outside)).sqrt()) ** 2 for i, o in zip(inside, outside, strict=True))
    return sum(terms, Decimal(0)).sqrt()


def hellinger(branches: Sequence[Sample]) -> Decimal:
    """The largest Hellinger distance of any class from the rest (for two classes they are the same).

    >>> round(hellinger([[(0, 1), (1, 7)], [(0, 5), (1, 3)]]), 4)
    Decimal('0.5629')
    """
    return max(hellinger_of_class(k, branches) for k in {k for b in branches for k, _ in b})


def score(criterion: str, branches: Sequence[Sample]) -> Decimal:
    """What the choice between splits goes by: the gain, or the criterion's own measure.

    >>> [float(score(criterion, [[(0, 1)], [(1, 1)]])) for criterion in ("twoing", "gini")]
    [0.25, 0.5]
    """
    own = {"twoing": twoing, "hellinger": hellinger}
    found = own[criterion](branches) if criterion in own else gain(criterion, branches)
    return max(found, Decimal(0))


def best_possible(criterion: str, node: Sample) -> Decimal:
    """The score that no split of this node can beat: the unit of the quantised comparison.

    >>> [float(best_possible(criterion, [(0, 1), (1, 1)])) for criterion in ("gini", "twoing")]
    [0.5, 1.0]
    """
    if criterion == "twoing":
        return Decimal(1)
    return TWO.sqrt() if criterion == "hellinger" else IMPURITY[criterion](node)


def quantised(found: Decimal, unit: Decimal) -> int:
    """The score as a whole number of steps of 2^-40 of the best possible one.

    The share is rounded to 20 digits first, so that a share which is 1/2 on paper is exactly 1/2 here.

    >>> quantised(Decimal(1), Decimal(2)) == 2**39
    True
    """
    return int(round(found / unit, 20) * 2**40)
