"""The perceptron, the delta rule and stochastic gradient descent as the lectures write them, in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from oracle.keyed_words import below, drawn, key_of
from oracle.logistic import sigmoid

Row = Sequence[float]


def dot(a: Row, b: Row) -> float:
    """The sum of the products."""
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


@dataclass
class TrainedUnits:
    """Weights and what happened on the way."""

    weights: list[list[float]]
    mistakes: list[int] = field(default_factory=list)  # of each pass
    pocket: list[list[float]] = field(default_factory=list)
    mean: list[list[float]] = field(default_factory=list)


def is_mistake(row: Row, target: int, weights: Sequence[Row]) -> bool:
    """Whether the row is on the wrong side, or on the border."""
    if len(weights) == 1:
        return (1 if target == 1 else -1) * dot(row, weights[0]) <= 0
    sums = [dot(row, unit) for unit in weights]
    return sums[target] <= max(s for k, s in enumerate(sums) if k != target)


def errors(rows: Sequence[Row], targets: Sequence[int], sizes: Sequence[float], weights: Sequence[Row]) -> float:
    """The weight of the rows that are mistaken."""
    wrong = [size for row, target, size in zip(rows, targets, sizes, strict=True) if is_mistake(row, target, weights)]
    return math.fsum(wrong)


def updated(row: Row, target: int, weights: list[list[float]], step: float) -> list[list[float]]:
    """The weights after the rule has acted on a mistake."""
    if len(weights) == 1:
        sign = 1 if target == 1 else -1
        return [[w + sign * step * x for w, x in zip(weights[0], row, strict=True)]]
    sums = [dot(row, unit) for unit in weights]
    rival = max((k for k in range(len(sums)) if k != target), key=lambda k: (sums[k], -k))
    moved = [list(unit) for unit in weights]
    moved[target] = [w + step * x for w, x in zip(weights[target], row, strict=True)]
    moved[rival] = [w - step * x for w, x in zip(weights[rival], row, strict=True)]
    return moved


def perceptron(
    rows: Sequence[Row],
    targets: Sequence[int],
    sizes: Sequence[float],
    orders: Sequence[Sequence[int]],
    n_units: int = 1,
    rate: float = 1.0,
) -> TrainedUnits:
    """Go over the rows in the given orders, to the first pass without a mistake."""
    learnt = TrainedUnits([[0.0] * len(rows[0]) for _ in range(n_units)])
    learnt.pocket, best, longest, run, history = learnt.weights, math.inf, 0, 0, []

    def look() -> None:
        nonlocal best, longest
        longest = max(run, longest)
        wrong = errors(rows, targets, sizes, learnt.weights)
        if wrong < best:
            best, learnt.pocket = wrong, learnt.weights

    for order in orders:
        made = 0
        for i in order:
            if is_mistake(rows[i], targets[i], learnt.weights):
                if run > longest:
                    look()
                learnt.weights = updated(rows[i], targets[i], learnt.weights, rate * sizes[i])
                made, run = made + 1, 0
            else:
                run += 1
            history.append(learnt.weights)
        look()
        learnt.mistakes.append(made)
        if made == 0:
            break
    n = len(history)
    learnt.mean = [[math.fsum(w[k][j] for w in history) / n for j in range(len(rows[0]))] for k in range(n_units)]
    return learnt


def slope(unit: str, z: float, target: float) -> float:
    """The derivative of a row's loss by its sum."""
    if unit == "squared_linear":
        return z - target
    p = sigmoid(z)
    return (p - target) * (p * (1 - p) if unit == "squared_sigmoid" else 1)


def stochastic(
    rows: Sequence[Row],
    targets: Sequence[float],
    sizes: Sequence[float],
    orders: Sequence[Sequence[int]],
    unit: str,
    rate: float,
    penalty: float = 0.0,
    shrunk: Sequence[float] = (),
) -> list[float]:
    """One unit, one step a row: w ← w - η_t (slope · x + λ w), η_t = η / (1 + η λ t)."""
    w, t = [0.0] * len(rows[0]), 0
    for order in orders:
        for i in order:
            eta = rate / (1 + rate * penalty * t)
            by_sum = slope(unit, dot(rows[i], w), targets[i])
            w = [
                (1 - eta * penalty * (s if penalty else 0)) * v - eta * sizes[i] * by_sum * x
                for v, x, s in zip(w, rows[i], shrunk or [0.0] * len(w), strict=True)
            ]
            t += 1
    return w


def shuffled(n: int, seed: int, number: int) -> list[int]:
    """The order of a pass: Fisher and Yates with words by number."""
    order, stream = list(range(n)), key_of(seed, number)
    for i in range(n, 1, -1):
        j = below(drawn(stream, i), i)
        order[i - 1], order[j] = order[j], order[i - 1]
    return order
