"""The order of numbers for people: the largest first, of equals the first in the table.

Numbers that differ only in their last bits count as equal. These bits depend on how the processor and its libraries
add up products, and would put two equal coefficients in another order on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

SURE_DIGITS = 10  # of a sum of products, whatever the processor


def largest_first(sizes: Iterable[float], digits: int = SURE_DIGITS) -> list[int]:
    """Give the places of the numbers from the largest to the smallest; what is no number comes last.

    Parameters
    ----------
    sizes : numbers
    digits : int, default 10
        Numbers that are the same in so many digits are equals, and stay in their order.

    Examples
    --------
    >>> largest_first([0.1 + 0.2, 0.5, 0.3])
    [1, 0, 2]
    >>> largest_first([0.3, 0.5, 0.1 + 0.2])
    [1, 0, 2]
    >>> largest_first([0.68349, 0.68351, 0.7], digits=4)
    [2, 0, 1]
    """
    rounded = [rounded_to(size, digits) for size in sizes]
    return [int(place) for place in np.argsort(-np.array(rounded), kind="stable")]


def rounded_to(number: float, digits: int = SURE_DIGITS) -> float:
    """Round a number to so many digits, as it is printed with them.

    Examples
    --------
    >>> rounded_to(0.1 + 0.2), rounded_to(-1234.5, 2)
    (0.3, -1200.0)
    """
    return float(f"{number:.{digits - 1}e}")
