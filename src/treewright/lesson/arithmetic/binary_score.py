"""How good a division of a node in branches is: the fall of impurity, or twoing, Hellinger distance, gain ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from treewright.lesson.arithmetic.impurity import IMPURITIES, entropy, remainder
from treewright.lesson.arithmetic.tally import ClassTally, Tally

# What a table of candidates shows for each criterion; the last one decides.
SHOWN = {
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


def measures_of(criterion: str, branches: Sequence[Tally]) -> dict[str, float]:
    """Measure a division by a criterion.

    Examples
    --------
    >>> split = [ClassTally(8, (1, 7)), ClassTally(8, (5, 3))]
    >>> {name: round(value, 4) for name, value in measures_of("gini", split).items()}
    {'impurity_left': 0.3438, 'impurity_gain': 0.125}
    >>> round(measures_of("twoing", split)["twoing"], 4), round(measures_of("hellinger", split)["hellinger"], 4)
    (0.0625, 0.5629)
    """
    if criterion == "twoing":
        return {"twoing": _twoing(branches)}
    if criterion == "hellinger":
        return {"hellinger": _hellinger(branches)}
    impurity = IMPURITIES[criterion]
    node = branches[0]
    for branch in branches[1:]:
        node = node + branch
    left = remainder(impurity, branches)
    gain = max(impurity(node) - left, 0.0)
    if criterion == "squared_error":
        return {"squared_errors": left * node.weight, "squared_errors_gain": gain * node.weight}
    if criterion not in ("entropy", "gain_ratio"):
        return {"impurity_left": left, "impurity_gain": gain}
    found = {"remainder": left, "gain": gain}
    if criterion == "gain_ratio":
        spread = entropy([branch.weight for branch in branches])
        found |= {"split_information": spread, "gain_ratio": gain / spread if spread else 0.0}
    return found


def best_possible(criterion: str, node: Tally) -> float:
    """The score that no division of a node can beat, in the unit of the deciding measure.

    >>> best_possible("gini", ClassTally(2, (1, 1))), best_possible("twoing", ClassTally(2, (1, 1)))
    (0.5, 1.0)
    """
    if criterion in ("twoing", "gain_ratio"):
        return 1.0
    if criterion == "hellinger":
        return math.sqrt(2)
    worst = IMPURITIES[criterion](node)
    return worst * node.weight if criterion == "squared_error" else worst


def _twoing(branches: Sequence[Tally]) -> float:
    """(pL pR / 4) (sum over classes of |share on the left - share on the right|) squared (Breiman and others 1984)."""
    left, right = (cast(ClassTally, branch) for branch in branches[:2])
    total = left.weight + right.weight
    if not left.weight or not right.weight:
        return 0.0
    apart = math.fsum(abs(a / left.weight - b / right.weight) for a, b in zip(left.counts, right.counts, strict=True))
    return left.weight * right.weight / total**2 / 4 * apart**2


def _hellinger(branches: Sequence[Tally]) -> float:
    """The largest Hellinger distance of any class from the rest, over the branches."""
    counts = [cast(ClassTally, branch).counts for branch in branches]
    return max(_hellinger_of([c[k] for c in counts], [sum(c) - c[k] for c in counts]) for k in range(len(counts[0])))


def _hellinger_of(inside: Sequence[float], outside: Sequence[float]) -> float:
    if not sum(inside) or not sum(outside):
        return 0.0
    pairs = zip(inside, outside, strict=True)
    return math.sqrt(sum((math.sqrt(i / sum(inside)) - math.sqrt(o / sum(outside))) ** 2 for i, o in pairs))
