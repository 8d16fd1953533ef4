"""A sum that is the same for any order of its numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_WHOLE = 2.0**53  # whole numbers add up without rounding as long as the sum is below this


def exact_sum(numbers: NDArray[np.float64]) -> float:
    """Add numbers up as if without rounding, and round once: whatever their order, the sum has the same last bit.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    >>> exact_sum(np.array([3.0, 4.0]))
    7.0
    """
    quick = float(np.abs(numbers).sum())
    if quick < _WHOLE and (numbers == np.floor(numbers)).all():
        return float(numbers.sum())
    return math.fsum(numbers.tolist())
