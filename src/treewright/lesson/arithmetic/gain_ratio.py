"""The scores of C4.5 (Quinlan 1993): gain on the known rows, split information with the missing, gain ratio, and the
correction for the choice of a cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treewright.lesson.arithmetic.impurity import IMPURITIES, entropy, remainder
from treewright.lesson.arithmetic.tally import Tally

_EQUAL = 1e-6
_ENTROPY = IMPURITIES["entropy"]


@dataclass(frozen=True)
class RatioScore:
    """What a split is worth, in bits."""

    known_share: float
    entropy: float
    remainder: float
    gain: float
    split_information: float

    @property
    def ratio(self) -> float:
        """Gain for each bit of split information; 0 where there is none."""
        return self.gain / self.split_information if self.split_information > 1e-12 else 0.0


def ratio_score(branches: Sequence[Tally], missing: Tally, correction: float = 0.0) -> RatioScore:
    """Score a split whose branches hold the known rows; the missing ones are an outcome of the split information.

    Examples
    --------
    >>> from treewright.lesson.arithmetic.tally import ClassTally
    >>> nothing = ClassTally(0, (0.0, 0.0))
    >>> tennis = [ClassTally(5, (3.0, 2.0)), ClassTally(4, (0.0, 4.0)), ClassTally(5, (2.0, 3.0))]
    >>> score = ratio_score(tennis, nothing)
    >>> round(score.gain, 4), round(score.split_information, 4), round(score.ratio, 4)
    (0.2467, 1.5774, 0.1564)
    """
    known = branches[0]
    for branch in branches[1:]:
        known = known + branch
    total = known.weight + missing.weight
    share = known.weight / total if total else 0.0
    before, after = _ENTROPY(known), remainder(_ENTROPY, branches)
    spread = entropy([*(branch.weight for branch in branches), missing.weight])
    gain = share * (before - after)
    gain = 0.0 if gain * total < _EQUAL else gain
    return RatioScore(share, before, after, gain - correction, spread)


def least_side(known: float, n_classes: int, least: float) -> float:
    """The weight that each side of a numeric cut must have: a tenth of the known weight a class, within `least` and 25.

    >>> least_side(14, 2, 2), least_side(100, 2, 2), least_side(10_000, 2, 2)
    (2, 5.0, 25)
    """
    tenth = 0.1 * known / n_classes
    return least if tenth <= least + 1e-6 else min(tenth, 25)


def cut_correction(n_cuts: int, weight: float) -> float:
    """The bits that the choice among cuts costs, spread over the rows (Quinlan 1996).

    >>> round(cut_correction(8, 14.0), 4)
    0.2143
    """
    return math.log2(n_cuts) / weight if n_cuts > 1 else 0.0
