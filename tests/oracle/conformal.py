"""Conformal intervals and sets by their definitions, in plain Python: every row a list, every bound tried.

CV+: Barber, Candès, Ramdas, Tibshirani (2021), equation 9; cross-conformal sets: Vovk (2015). The new row counts one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction


def interval(
    answers: Sequence[float], judged: Sequence[tuple[int, float, int]], coverage: Fraction
) -> tuple[float, float]:
    """Bounds of one new row: `answers` of each fold's model, and (fold, score, count) of each row that was judged."""
    total = sum(count for _, _, count in judged)
    upper, lower = math.inf, -math.inf
    for bound in sorted({answers[fold] + score for fold, score, _ in judged}):
        if sum(count for fold, score, count in judged if answers[fold] + score <= bound) >= coverage * (total + 1):
            upper = bound
            break
    for bound in sorted({answers[fold] - score for fold, score, _ in judged}, reverse=True):
        if sum(count for fold, score, count in judged if answers[fold] - score >= bound) >= coverage * (total + 1):
            lower = bound
            break
    return lower, upper


def is_in_set(shares: Sequence[float], judged: Sequence[tuple[int, float, int]], coverage: Fraction) -> bool:
    """Whether a class conforms in one new row: `shares` are the probabilities that each fold's model gives it."""
    total = sum(count for _, _, count in judged)
    below = sum(count for fold, score, count in judged if score < 1 - shares[fold])
    return below < coverage * (total + 1)
