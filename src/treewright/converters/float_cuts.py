"""Tests in single precision as tests of doubles: ``float32(x) <= t`` holds exactly where ``x <= w`` does.

scikit-learn's trees and XGBoost round every number of a row to single precision before they compare it. Our trees
compare doubles. Rounding never changes the order of two numbers, so for each cut there is one largest double that still
rounds to the left; with it in place of the cut both send every row the same way, rows exactly at the cut among them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Doubles = NDArray[np.float64]
_BEYOND = 2.0**128  # where the next number of single precision would be after the largest


def cuts_at_most(threshold: ArrayLike) -> Doubles:
    """Give for each t the largest double w with: ``float32(x) <= t`` if and only if ``x <= w``.

    Examples
    --------
    >>> w = cuts_at_most([0.1])[0]
    >>> float(np.float32(w)) <= 0.1, float(np.float32(np.nextafter(w, 1))) <= 0.1
    (True, False)
    """
    cut = np.atleast_1d(np.asarray(threshold, dtype=np.float64))
    with np.errstate(over="ignore", under="ignore"):
        single = cut.astype(np.float32)
    too_high = single.astype(np.float64) > cut
    single[too_high] = np.nextafter(single[too_high], np.float32(-np.inf))
    return _last_that_rounds_to(single)


def cuts_below(threshold: ArrayLike) -> Doubles:
    """Give for each t of single precision the largest double w with: ``float32(x) < t`` if and only if ``x <= w``.

    Below minus infinity there is nothing; a t of that kind has no such w.

    Examples
    --------
    >>> w = cuts_below([0.5])[0]
    >>> float(np.float32(w)) < 0.5, float(np.float32(np.nextafter(w, 1))) < 0.5
    (True, False)
    """
    single = np.atleast_1d(np.asarray(threshold, dtype=np.float32))
    return _last_that_rounds_to(np.nextafter(single, np.float32(-np.inf)))


def _last_that_rounds_to(single: NDArray[np.float32]) -> Doubles:
    """The largest double that is at most this number after rounding: about half way to the next one.

    Half way itself rounds to the neighbour whose last bit is 0. Both neighbours and the middle are exact as doubles.
    """
    following = np.nextafter(single, np.float32(np.inf)).astype(np.float64)
    lower = np.where(np.isneginf(single), -_BEYOND, single.astype(np.float64))
    upper = np.where(np.isposinf(following), _BEYOND, following)
    middle = lower / 2 + upper / 2
    middle_rounds_down = (single.view(np.uint32) & 1) == 0
    cut = np.where(middle_rounds_down, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isposinf(single), np.inf, cut)
