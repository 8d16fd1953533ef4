"""Sums of doubles as whole numbers: the same for any order of the numbers, and for any division of them into parts.

A number is taken apart into two whole numbers of 42 bits below a power of two that holds the largest: 84 bits below
the largest, where a double itself has 53. As doubles these add up without rounding, 2,048 at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[Any]  # of Python's own whole numbers, which never overflow

BITS = 42  # of each of the two parts
AT_ONCE = 2**11  # so many parts stay below 2^53 together
_PART = 28  # of three parts of a weight, of which many can be added up
_MOST_PARTS = 2**25
_FARTHEST = 992  # powers of two that are doubles, and so are those of the second part


def shifts_for(largest: Floats) -> NDArray[np.int32]:
    """The powers of two that numbers are multiplied with, so that the largest has 42 bits before the point.

    Examples
    --------
    >>> shifts_for(np.array([1.5, 0.0])).tolist()
    [41, 42]
    """
    return np.asarray(np.minimum(BITS - np.frexp(largest)[1], _FARTHEST))


def whole_sums(scaled: Floats) -> Whole:
    """Add up the last axis, of at most 2,048 numbers that have at most 42 bits before the point; these are changed.

    The sums are in units of 2^-42: what lies below is cut off, of each number for itself.

    Examples
    --------
    >>> parts = whole_sums(np.array([2.0**40, 0.5])), whole_sums(np.array([-(2.0**40)]))
    >>> parts[0] + parts[1] == 2**41
    True
    """
    upper = np.floor(scaled)
    scaled -= upper
    scaled *= 2.0**BITS
    np.floor(scaled, out=scaled)
    above, below = upper.sum(axis=-1), scaled.sum(axis=-1)
    return np.asarray(above.astype(np.int64).astype(object) * 2**BITS + below.astype(np.int64).astype(object))


def as_doubles(sums: Whole, shifts: NDArray[np.int32]) -> Floats:
    """The nearest doubles of such sums; infinite beyond the largest.

    Examples
    --------
    >>> as_doubles(whole_sums(np.array([[3.0, 4.5]])), np.array([1]))
    array([3.75])
    """
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(sums.astype(np.float64), -BITS - shifts))


def quotients(sums: Whole, shifts: NDArray[np.int32], weights: Whole) -> Floats:
    """Divide such sums by sums of weights (`weight_sums`), with one rounding: a mean of equal numbers is that number.

    Examples
    --------
    >>> three = weight_sums(np.array([0, 0, 0]), None, 0, 1)
    >>> quotients(whole_sums(np.array([[0.1, 0.1, 0.1]])), np.array([0]), three)
    array([0.1])
    """
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp((sums / weights).astype(np.float64), BITS - shifts))


# Sums of weights: of each of some codes.


def weight_shift(heaviest: float) -> int:
    """The power of two that weights are multiplied with so that none is above 1.

    Examples
    --------
    >>> weight_shift(1.0), weight_shift(3.0)
    (0, -2)
    """
    return 0 if heaviest == 1 else -int(np.frexp(heaviest)[1])


def weight_sums(codes: NDArray[Any], weights: Floats | None, shift: int, n_codes: int) -> Whole:
    """Add up the weights of each code, times two to the power of the shift, in units of 2^-84; None: all are 1.

    Examples
    --------
    >>> weight_sums(np.array([0, 2, 2]), np.array([1.0, 0.5, 0.25]), 0, 3) / 2**84
    array([1.0, 0.0, 0.75], dtype=object)
    """
    if weights is None:
        return np.asarray(np.bincount(codes, minlength=n_codes).astype(object) * 2 ** (2 * BITS))
    found = np.zeros(n_codes, dtype=object)
    for start in range(0, len(codes), _MOST_PARTS):
        here = slice(start, start + _MOST_PARTS)
        left = np.ldexp(weights[here], shift)
        for place in range(_PART, 2 * BITS + 1, _PART):
            left *= 2.0**_PART
            part = np.floor(left)
            left -= part
            added = np.bincount(codes[here], part, minlength=n_codes)
            found += added.astype(np.int64).astype(object) * 2 ** (2 * BITS - place)
    return found


def as_weights(sums: Whole, shift: int) -> Floats:
    """The nearest doubles of such sums.

    Examples
    --------
    >>> as_weights(weight_sums(np.array([0, 0]), np.array([0.1, 3.0]), -2, 1), -2)
    array([3.1])
    """
    return np.asarray(np.ldexp(sums.astype(np.float64), -2 * BITS - shift))
