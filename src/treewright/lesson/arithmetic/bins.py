"""Numbers in a few bins of about equal weight, as CHAID takes them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def bin_edges(values: Sequence[tuple[float, float]], bins: int) -> tuple[float, ...]:
    """Give the largest value of every bin but the last, from (value, weight) pairs.

    A value lies in bin number ceil(bins · share of the weight up to it); numbers that do not occur are no bins.

    Examples
    --------
    >>> bin_edges([(v, 1.0) for v in (1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9)], 4)
    (3, 6)
    """
    weights: dict[float, float] = {}
    for value, weight in values:
        weights[value] = weights.get(value, 0.0) + weight
    total, below = math.fsum(weights.values()), 0.0
    last: dict[int, float] = {}
    for value in sorted(weights):
        below += weights[value]
        last[math.ceil(bins * below / total - 1e-9 * bins)] = value
    return tuple(last[number] for number in sorted(last))[:-1]
