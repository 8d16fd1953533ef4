"""The errors that C4.5 fears from a leaf: the upper limit of its error rate, times its rows (Quinlan 1993)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

from treewright.lesson.arithmetic.tally import ClassTally

_TINY = 1e-6
_CONFIDENCES = (0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)  # release 8 reads z from a table
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


@dataclass(frozen=True)
class Pessimism:
    """How pessimistic: the confidence, and whether the rules are those of J48 or of release 8.

    Examples
    --------
    >>> book = Pessimism(0.25, is_j48=False)
    >>> [round(book.extra_errors(n, e), 3) for n, e in ((6, 0), (9, 0), (1, 0), (16, 1))]
    [1.238, 1.285, 0.75, 1.507]
    >>> round(Pessimism(0.25).extra_errors(16, 1), 4), round(Pessimism(0.25).extra_errors(2.4, 2), 4)
    (1.4757, 0.4)
    """

    confidence: float
    is_j48: bool = True

    @property
    def deviation(self) -> float:
        """How many standard deviations the limit lies above the rate."""
        if self.is_j48:
            return NormalDist().inv_cdf(1 - self.confidence)
        for (c0, d0), (c1, d1) in pairwise(zip(_CONFIDENCES, _DEVIATIONS, strict=True)):
            if self.confidence <= c1:
                return d0 + (d1 - d0) * (self.confidence - c0) / (c1 - c0)
        return 0.0

    def extra_errors(self, rows: float, errors: float) -> float:
        """What is added to the errors that a leaf makes on its training rows."""
        if self.is_j48 and self.confidence > 0.5:
            return 0.0
        nothing = rows * (1 - float(self.confidence ** (1 / rows)))
        if errors < _TINY:
            return nothing
        if errors < (1.0 if self.is_j48 else 0.9999):
            return nothing + errors * (self.extra_errors(rows, 1.0) - nothing)
        if errors + 0.5 >= rows:
            return max(rows - errors, 0.0) if self.is_j48 else 0.67 * (rows - errors)
        z, half = self.deviation, errors + 0.5
        limit = half + z * z / 2 + z * math.sqrt(half * (1 - half / rows) + z * z / 4)
        return rows * limit / (rows + z * z) - errors

    def estimate(self, tally: ClassTally) -> float:
        """The errors to be feared from a leaf with these counts; none from a leaf without rows."""
        if tally.weight < _TINY:
            return 0.0
        errors = tally.errors if tally.errors > 1e-9 else 0.0
        return errors + self.extra_errors(tally.weight, errors)
