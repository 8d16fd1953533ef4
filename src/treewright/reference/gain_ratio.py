"""The scores of C4.5: gain on the known cases, split information with the missing, gain ratio, and the price of the
choice of a cut (Quinlan 1993, 1996). All information is in bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from treewright.reference.criteria import IMPURITIES, remainder
from treewright.reference.tally import Tally, together

TINY = 1e-6  # J48 takes numbers for equal that are closer than this
EPSILON = 1e-3  # release 8 does so with this one where it speaks of gains
ROUNDING = 1e-12  # elsewhere it compares numbers as they are; what only rounding tells apart is equal here


def spread(weights: Sequence[float]) -> float:
    """Weight times entropy: n H = n log n - sum of n_k log n_k.

    >>> spread([2.0, 2.0]), round(spread([9, 5]) / 14, 4)
    (4.0, 0.9403)
    """
    return _plogp(sum(weights)) - sum(map(_plogp, weights))


def _plogp(weight: float) -> float:
    return 0.0 if weight < TINY else weight * math.log2(weight)


def ratio_measures(branches: Sequence[Any], missing: float = 0.0, correction: float = 0.0) -> dict[str, float]:
    """The scores of a test whose branches hold the known cases; `missing` is the weight of the others.

    The gain is that of the known cases times their share, less the price of the choice of a cut. The cases without a
    value are one more outcome of the split information.

    >>> from treewright.reference.tally import ClassTally
    >>> tennis = [ClassTally(5, (3.0, 2.0)), ClassTally(4, (0.0, 4.0)), ClassTally(5, (2.0, 3.0))]
    >>> {name: round(value, 4) for name, value in ratio_measures(tennis).items()}
    {'remainder': 0.6935, 'gain': 0.2467, 'split_information': 1.5774, 'gain_ratio': 0.1564}
    """
    whole: Any = together(branches)
    known = whole.weight
    total = known + missing
    fall = known / total * (spread(whole.counts) - sum(spread(branch.counts) for branch in branches))
    gain = (0.0 if abs(fall) < TINY else fall / known) - correction
    info = spread([*(branch.weight for branch in branches), missing]) / total
    ratio = 0.0 if info * total < TINY else gain / info
    return {
        "remainder": remainder(IMPURITIES["entropy"], branches),
        "gain": gain,
        "split_information": info,
        "gain_ratio": ratio,
    }


def least_side(known: float, n_classes: int, least: float) -> float:
    """The weight that each side of a cut must have: a tenth of the mean weight of a class, within `least` and 25.

    >>> least_side(14, 2, 2), least_side(100, 2, 2), least_side(10_000, 2, 2)
    (2, 5.0, 25)
    """
    tenth = 0.1 * known / n_classes
    return least if tenth <= least + TINY else min(tenth, 25)


def cut_correction(n_cuts: int, weight: float) -> float:
    """The bits that the choice among cuts costs, spread over the rows (Quinlan 1996).

    >>> round(cut_correction(8, 14.0), 4)
    0.2143
    """
    return math.log2(n_cuts) / weight


def has_two(branches: Sequence[Tally], least: float) -> bool:
    """Whether at least two branches have the least weight.

    >>> from treewright.reference.tally import ClassTally
    >>> has_two([ClassTally(3, (3.0, 0.0)), ClassTally(1, (0.0, 1.0))], least=2)
    False
    """
    return len([branch for branch in branches if branch.weight > least - TINY]) >= 2
