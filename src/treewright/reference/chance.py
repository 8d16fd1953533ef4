"""Counted random numbers, permutations drawn from them, and the tail of a maximum of normal numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright.reference.upper_tail import log_chi_square_tail

Matrix = NDArray[np.float64]
ALL_BITS = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
SAMPLES = 2048
LEAST_MAXIMUM = 0.25  # chances near 1 are not told apart


def mixed(word: int) -> int:
    """Scatter 64 bits (the finisher of splitmix64, Steele, Lea and Flood 2014).

    >>> mixed(0), mixed(1) == mixed(2)
    (0, False)
    """
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & ALL_BITS
    return word ^ (word >> 31)


def key(*parts: int) -> int:
    """One word out of several numbers: seed, column, size of the node, repeat.

    >>> key(7, 1) == key(7, 1), key(7, 1) == key(1, 7)
    (True, False)
    """
    word = 0
    for part in parts:
        word = mixed((word + GOLDEN + part) & ALL_BITS)
    return word


def drawn(stream: int, index: int) -> int:
    """Word number `index` of a stream. There is no state, so any word can be had at any time.

    >>> drawn(5, 0) == drawn(5, 0), drawn(5, 0) == drawn(5, 1)
    (True, False)
    """
    return mixed((stream + GOLDEN * (index + 1)) & ALL_BITS)


def permuted(n: int, seed: int, column: int, repeat: int) -> list[int]:
    """A permutation of 0 .. n - 1 by exchanging (Fisher and Yates), from the last place down.

    >>> sorted(permuted(5, 0, 1, 2)), permuted(5, 0, 1, 2) == permuted(5, 0, 1, 2)
    ([0, 1, 2, 3, 4], True)
    """
    stream = key(seed, column, n, repeat)
    order = list(range(n))
    for place in range(n - 1, 0, -1):
        other = ((drawn(stream, place) >> 32) * (place + 1)) >> 32
        order[place], order[other] = order[other], order[place]
    return order


def unit(word: int) -> float:
    """A number strictly between 0 and 1 from the upper 53 bits of a word.

    >>> unit(2**63), 0 < unit(0) < 1e-15
    (0.5, True)
    """
    return ((word >> 11) + 0.5) * 2.0**-53


def _normals(streams: NDArray[np.uint64], count: int) -> Matrix:
    """The first `count` standard normal numbers of each stream, by Box and Muller, the cosine half only."""
    places = np.uint64(GOLDEN) * np.arange(1, 2 * count + 1, dtype=np.uint64)
    words = _mixed_all(streams[:, None] + places)
    units = ((words >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    found: Matrix = np.sqrt(-2 * np.log(units[:, 0::2])) * np.cos(2 * math.pi * units[:, 1::2])
    return found


def _mixed_all(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`mixed` for many words at once; the products wrap around by themselves.

    >>> [int(word) for word in _mixed_all(np.array([7, 8], dtype=np.uint64))] == [mixed(7), mixed(8)]
    True
    """
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _beyond(least: float, stream: int) -> float:
    """A standard normal number known to be above `least`, by rejection (Marsaglia 1964)."""
    index = 0
    while True:
        z = math.sqrt(least * least - 2 * math.log(unit(drawn(stream, index))))
        if unit(drawn(stream, index + 1)) * z < least:
            return z
        index += 2


def _root_of(spread: Matrix) -> Matrix:
    """A matrix S with S S' = the correlations of `spread`, without the rows that cannot vary.

    Indicators of levels with shares a have the spread diag(a) - a a' up to a factor. Its root is diag(sqrt a) -
    a sqrt(a)'; any root gives the same chances, and this one needs no decomposition. One number has the root 1.
    """
    if len(spread) == 1:
        return np.ones((1, 1))
    kept = np.diag(spread) > 0
    shares = _shares_of(spread[np.ix_(kept, kept)])
    root: Matrix = np.diag(np.sqrt(shares)) - np.outer(shares, np.sqrt(shares))
    root /= np.sqrt(shares * (1 - shares))[:, None]
    return root


def _shares_of(spread: Matrix) -> Matrix:
    """The shares a out of a multiple f of diag(a) - a a'.

    The entries off the diagonal of a row sum to -f a (1 - a), as the diagonal says too; f follows from one product.
    With two levels only the shares' order is open, and the correlations do not depend on it.
    """
    if len(spread) == 2:
        return np.array([0.5, 0.5])
    factor = -spread[0, 1] * spread[0, 2] / spread[1, 2]  # f a0^2
    first = factor / (factor + spread[0, 0])  # f a0^2 / (f a0^2 + f a0 (1 - a0)) = a0
    rest = -spread[0, 1:] * first / factor
    return np.array([first, *rest])


def chance_of_maximum(statistic: float, spread_g: Matrix, spread_h: Matrix, seed: int) -> float:
    """log P(some |Z_i| >= statistic) for normal Z with Kronecker correlations, by sampling where it matters.

    P = sum_i P(|Z_i| >= c) E[1 / N | |Z_i| >= c], N = how many reach c (Naiman and Priebe 2001): N is at least 1 and at
    most the number of entries, so the estimate is good in relation to P however small P is. Sample s forces entry
    s mod m beyond c and lets the others follow by their correlation with it.

    >>> round(math.exp(chance_of_maximum(1.959964, np.ones((1, 1)), np.ones((1, 1)), seed=0)), 6)
    0.05
    """
    root_g, root_h = _root_of(spread_g), _root_of(spread_h)
    entries = len(root_g) * len(root_h)
    alone = log_chi_square_tail(statistic**2, 1)
    if len(root_g) <= 2 and len(root_h) <= 2:
        return alone  # all entries are the same number but for its sign
    least = max(statistic, LEAST_MAXIMUM)
    streams = [key(seed, len(root_g), len(root_h), sample) for sample in range(SAMPLES)]
    noise = _normals(np.array(streams, dtype=np.uint64), entries).reshape(-1, len(root_g), len(root_h))
    free = root_g @ noise @ root_h.T
    total = 0.0
    for sample, z in enumerate(free):
        row, col = divmod(sample % entries, len(root_h))
        along = np.outer(root_g @ root_g[row], root_h @ root_h[col])
        reach = np.abs(z + along * (_beyond(least, key(streams[sample], entries)) - z[row, col])) >= least
        reach[row, col] = True
        total += 1.0 / reach.sum()
    return min(0.0, log_chi_square_tail(least**2, 1) + math.log(entries * total / SAMPLES))
