"""In how many ways categories could have become groups: what the p-value of merged groups has to pay (Kass 1980)."""

from __future__ import annotations

import math


def multiplier(kind: str, categories: int, groups: int) -> int:
    """Count the ways: "monotonic" joins neighbours, "free" any, "floating" neighbours and missing with any.

    For "floating" the missing category is one of the categories.

    Examples
    --------
    >>> [multiplier("monotonic", 5, r) for r in (2, 3, 4, 5)], [multiplier("free", 5, r) for r in (2, 3, 4, 5)]
    ([4, 6, 4, 1], [15, 25, 10, 1])
    >>> [multiplier("floating", 5, r) for r in (2, 3, 4, 5)]
    [7, 12, 7, 1]
    """
    if kind == "monotonic":
        return math.comb(categories - 1, groups - 1)
    if kind == "floating":
        return math.comb(categories - 2, groups - 2) + groups * math.comb(categories - 2, groups - 1)
    return _stirling(categories, groups)


def exhaustive_multiplier(kind: str, categories: int, adjust: str = "biggs") -> int:
    """Count the pair tests of exhaustive CHAID (Biggs, de Ville and Suen 1991); SPSS prints three times as many.

    >>> exhaustive_multiplier("monotonic", 5), [exhaustive_multiplier("free", 5, how) for how in ("biggs", "spss")]
    (10, [20, 60])
    """
    if kind == "free":
        return categories * (categories**2 - 1) // (6 if adjust == "biggs" else 2)
    return categories * (categories - 1) // 2


def _stirling(things: int, parts: int) -> int:
    row = [1] + [0] * parts
    for _ in range(things):
        row = [0] + [k * row[k] + row[k - 1] for k in range(1, parts + 1)]
    return row[parts]
