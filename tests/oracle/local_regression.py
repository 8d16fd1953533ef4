"""Locally weighted regression by its definition: weights, normal equations, elimination, one query at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

RIDGE = Fraction(1, 10**6)


def weight(kernel: str, distance: float, bandwidth: float) -> float:
    """What a row counts at a distance."""
    u = distance / bandwidth
    if kernel == "gaussian":
        return math.exp(-u * u / 2)
    if u >= 1:
        return 0.0
    return (1 - u**3) ** 3 if kernel == "tricube" else 1 - u * u


def local_fit(
    x: Sequence[Sequence[float]], y: Sequence[float], weights: Sequence[float], at: Sequence[float], degree: int
) -> tuple[float, float] | None:
    """The value of the weighted regression at `at`, and what a weight of 1 there adds to it; None: no row counts.

    Where the weights add up to less than there are unknowns, or the equations are singular, the slopes are held by a
    ridge of 1e-6 of the mean square of their columns; where these are all 0, the answer is the mean. The columns of x
    have a spread of 1. Everything after the weights is exact.
    """
    rows = [i for i, w in enumerate(weights) if w > 0]
    if not rows:
        return None
    total = sum(Fraction(weights[i]) for i in rows)
    width = len(at) if degree else 0
    gaps = {i: [Fraction(1)] + [Fraction(x[i][j]) - Fraction(at[j]) for j in range(width)] for i in rows}
    squares = sum(Fraction(weights[i]) * g * g for i in rows for g in gaps[i][1:])
    if squares == 0:
        mean = sum(Fraction(weights[i]) * Fraction(y[i]) for i in rows) / total
        return float(mean), float(1 / total)
    size = width + 1
    equations = [
        [sum(Fraction(weights[i]) * gaps[i][a] * gaps[i][b] for i in rows) for b in range(size)] for a in range(size)
    ]
    right = [sum(Fraction(weights[i]) * Fraction(y[i]) * gaps[i][a] for i in rows) for a in range(size)]
    if total < size or len(rows) < size or inverse_column(equations, [Fraction(1)] + [Fraction(0)] * width) is None:
        for a in range(1, size):
            equations[a][a] += RIDGE * squares / width
    solved = inverse_column(equations, right)
    first = inverse_column(equations, [Fraction(1)] + [Fraction(0)] * width)
    assert solved is not None
    assert first is not None
    return float(solved[0]), float(first[0])


def inverse_column(equations: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve by elimination; None: singular."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(equations, right, strict=True)]
    for j in range(size):
        pivot = next((i for i in range(j, size) if rows[i][j] != 0), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        for i in range(size):
            if i != j:
                factor = rows[i][j] / rows[j][j]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[j], strict=True)]
    return [rows[i][-1] / rows[i][i] for i in range(size)]
