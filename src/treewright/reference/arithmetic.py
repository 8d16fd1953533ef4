"""Sums, logarithms and the tie rule, written once for floats, fractions and decimals.

A lesson reckons with floats. A whole tree is grown in decimals of 60 digits, so that two scores that are equal on
paper are equal here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from functools import cache
from typing import Any

Number = Any  # an int, a float, a Fraction or a Decimal
DECIMALS = Context(prec=60)
_STEPS = 2**40


def total(numbers: Iterable[Number]) -> Number:
    """Add up; floats without a loss on the way.

    >>> total([0.1] * 10), total([Decimal("0.1")] * 10), total([])
    (1.0, Decimal('1.0'), 0)
    """
    found = list(numbers)
    return math.fsum(found) if any(isinstance(number, float) for number in found) else sum(found)


@cache
def _decimal_ln(number: Decimal) -> Decimal:
    """Remembered because the same shares come again and again."""
    return number.ln(DECIMALS)


def ln(number: Number) -> Number:
    """The natural logarithm, of a decimal to 60 digits.

    >>> ln(1.0), round(ln(Decimal(2)), 6)
    (0.0, Decimal('0.693147'))
    """
    return _decimal_ln(number) if isinstance(number, Decimal) else math.log(number)


def log2(number: Number) -> Number:
    """The logarithm to base 2.

    >>> log2(8), log2(0.5)
    (3.0, -1.0)
    """
    return _decimal_ln(number) / _decimal_ln(Decimal(2)) if isinstance(number, Decimal) else math.log2(number)


def square_root(number: Number) -> Number:
    """The square root.

    >>> square_root(4.0), square_root(Decimal(9))
    (2.0, Decimal('3'))
    """
    return number.sqrt() if isinstance(number, Decimal) else math.sqrt(number)


def quantised(score: Number, unit: Number) -> int:
    """A score as a whole number of steps of 2^-40 of `unit`, the best that there could be.

    >>> quantised(1.0, 2.0) == 2**39, quantised(0.1 + 0.2, 1.0) == quantised(0.3, 1.0)
    (True, True)
    """
    return round(score / unit * _STEPS) if unit > 0 else 0


def first_largest(scores: Sequence[Number | None], unit: Number) -> int | None:
    """The tie rule: the place of the largest score in steps, the first of equals; None is no score.

    >>> first_largest([0.1 + 0.2, None, 0.3], 1.0), first_largest([None], 1.0)
    (0, None)
    """
    places = [place for place, score in enumerate(scores) if score is not None]
    return min(places, key=lambda place: -quantised(scores[place], unit), default=None)
