"""Logistic regression by its definition, row by row in plain numbers: losses, penalties, and slopes by differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Row = Sequence[float]


def sigmoid(z: float) -> float:
    """1 / (1 + e^-z)."""
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


def total(row: Row, coefficients: Sequence[float], intercept: bool) -> float:
    """The sum of a row; the constant comes first."""
    constant = coefficients[0] if intercept else 0.0
    return constant + sum(x * c for x, c in zip(row, coefficients[int(intercept) :], strict=True))


def log_loss(row: Row, code: int, coefficients: Sequence[Sequence[float]], intercept: bool = True) -> float:
    """-log of the share that the row's class gets: of two by the sigmoid, of more by softmax.

    >>> round(log_loss([], 1, [[-4.0]]), 4)
    4.0181
    """
    sums = [total(row, unit, intercept) for unit in coefficients]
    if len(sums) == 1:
        sums = [0.0, sums[0]]
    highest = max(sums)
    return highest + math.log(sum(math.exp(z - highest) for z in sums)) - sums[code]


def squared_loss(row: Row, code: int, coefficients: Sequence[Sequence[float]], intercept: bool = True) -> float:
    """Half the squared difference between the class, as 0 or 1, and the sigmoid of the row's sum."""
    return (code - sigmoid(total(row, coefficients[0], intercept))) ** 2 / 2


def whole_loss(
    loss: Callable[..., float],
    rows: Sequence[Row],
    codes: Sequence[int],
    weights: Sequence[float],
    coefficients: Sequence[Sequence[float]],
    intercept: bool = True,
) -> float:
    """The loss of all rows, each by its weight."""
    losses = (loss(row, code, coefficients, intercept) for row, code in zip(rows, codes, strict=True))
    return sum(weight * value for weight, value in zip(weights, losses, strict=True))


def penalty(coefficients: Sequence[Sequence[float]], C: float, l1_ratio: float, intercept: bool = True) -> float:
    """What scikit-learn adds to the loss, in units of a row: the constants are free."""
    slopes = [c for unit in coefficients for c in list(unit)[int(intercept) :]]
    squares, sizes = sum(c * c for c in slopes) / 2, sum(abs(c) for c in slopes)
    return ((1 - l1_ratio) * squares + l1_ratio * sizes) / C


def slopes(
    function: Callable[[list[list[float]]], float], at: Sequence[Sequence[float]], step: float = 1e-6
) -> list[list[float]]:
    """The gradient by central differences.

    >>> [[round(s, 6) for s in unit] for unit in slopes(lambda c: c[0][0] ** 2 + c[0][1], [[3.0, 1.0]])]
    [[6.0, 1.0]]
    """
    found = []
    for k, unit in enumerate(at):
        line = []
        for j, value in enumerate(unit):
            h = step * (1 + abs(value))
            ends = []
            for sign in (1, -1):
                moved = [list(other) for other in at]
                moved[k][j] = value + sign * h
                ends.append(function(moved))
            line.append((ends[0] - ends[1]) / (2 * h))
        found.append(line)
    return found
