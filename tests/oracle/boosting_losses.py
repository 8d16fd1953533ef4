"""The losses of gradient boosting by their definitions: the loss of a row, its slope, its bend, and the best start."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Scores = Sequence[float]


@dataclass(frozen=True)
class RowLoss:
    """What a row with target y and raw score f costs, and the first and second derivative of that by f.

    >>> loss = LOSSES["poisson"]
    >>> loss.cost(2.0, 0.0), loss.gradient(2.0, 0.0), loss.hessian(2.0, 0.0)
    (1.0, -1.0, 1.0)
    """

    cost: Callable[[float, float], float]
    gradient: Callable[[float, float], float]
    hessian: Callable[[float, float], float]


def sigmoid(f: float) -> float:
    """The probability that belongs to a raw score.

    >>> sigmoid(0.0)
    0.5
    """
    return 1 / (1 + math.exp(-f))


def sign(x: float) -> int:
    """-1, 0 or 1.

    >>> sign(-3.5)
    -1
    """
    return (x > 0) - (x < 0)


def pinball(alpha: float) -> RowLoss:
    """The loss whose smallest mean is at the alpha-quantile."""
    return RowLoss(
        lambda y, f: alpha * (y - f) if y > f else (1 - alpha) * (f - y),
        lambda y, f: -alpha if y > f else 1 - alpha if y < f else 0.0,
        lambda y, f: 1.0,
    )


def huber(delta: float) -> RowLoss:
    """Half the square up to delta, a straight line beyond."""
    return RowLoss(
        lambda y, f: (y - f) ** 2 / 2 if abs(y - f) <= delta else delta * (abs(y - f) - delta / 2),
        lambda y, f: max(-delta, min(delta, f - y)),
        lambda y, f: 1.0,
    )


LOSSES = {
    "log_loss": RowLoss(
        lambda y, f: math.log1p(math.exp(-f if y else f)),
        lambda y, f: sigmoid(f) - y,
        lambda y, f: sigmoid(f) * (1 - sigmoid(f)),
    ),
    "squared_error": RowLoss(lambda y, f: (y - f) ** 2 / 2, lambda y, f: f - y, lambda y, f: 1.0),
    "absolute_error": RowLoss(lambda y, f: abs(y - f), lambda y, f: float(-sign(y - f)), lambda y, f: 1.0),
    "poisson": RowLoss(lambda y, f: math.exp(f) - y * f, lambda y, f: math.exp(f) - y, lambda y, f: math.exp(f)),
    "gamma": RowLoss(
        lambda y, f: f + y * math.exp(-f), lambda y, f: 1 - y * math.exp(-f), lambda y, f: y * math.exp(-f)
    ),
}


def softmax_cost(label: int, scores: Scores) -> float:
    """Minus the logarithm of the probability of the true class.

    >>> round(softmax_cost(0, [0.0, 0.0, 0.0]), 4)
    1.0986
    """
    return math.log(sum(math.exp(f) for f in scores)) - scores[label]


def softmax_slopes(label: int, scores: Scores) -> tuple[list[float], list[float]]:
    """Gradients of `softmax_cost` by each score, and what each step is divided by.

    That is the diagonal of the hessian times K / (K - 1): one number added to all K scores changes nothing, so K steps
    by the diagonal alone go too far.

    >>> softmax_slopes(0, [0.0, 0.0])
    ([-0.5, 0.5], [0.5, 0.5])
    """
    total = sum(math.exp(f) for f in scores)
    shares = [math.exp(f) / total for f in scores]
    bend = len(scores) / (len(scores) - 1) if len(scores) > 1 else 1.0
    return [p - (k == label) for k, p in enumerate(shares)], [bend * (p * (1 - p)) for p in shares]


def weighted_quantile(numbers: Sequence[float], weights: Sequence[int], share: float) -> float:
    """The quantile of numbers that stand there as often as they weigh; between two, the middle.

    >>> weighted_quantile([5, 1, 3], [1, 1, 1], 0.5), weighted_quantile([1, 3], [1, 1], 0.5)
    (3, 2.0)
    """
    spread = sorted(x for x, w in zip(numbers, weights, strict=True) for _ in range(w))
    place = share * len(spread)
    if abs(place - round(place)) < 1e-9 and 1 <= round(place) < len(spread):
        return (spread[round(place) - 1] + spread[round(place)]) / 2
    return spread[min(math.floor(place), len(spread) - 1)]


def start(name: str, y: Sequence[float], weights: Sequence[int], n_classes: int, alpha: float) -> list[float]:
    """The raw scores that boosting starts from.

    >>> [round(f, 4) for f in start("log_loss", [1, 0, 1, 1, 0], [1] * 5, 2, 0.5)]
    [0.4055]
    """
    total = sum(weights)
    if name == "log_loss":
        shares = [sum(w for t, w in zip(y, weights, strict=True) if t == k) / total for k in range(n_classes)]
        return [math.log(shares[1] / shares[0])] if n_classes == 2 else [math.log(share) for share in shares]
    if name in ("absolute_error", "huber", "quantile"):
        return [weighted_quantile(y, weights, alpha if name == "quantile" else 0.5)]
    mean = sum(w * t for t, w in zip(y, weights, strict=True)) / total
    return [mean if name == "squared_error" else math.log(mean)]
