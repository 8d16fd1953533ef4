"""AdaBoost's arithmetic: how much a tree counts, and what its mistakes do to the weights of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_RAISE = 300.0  # whatever the learning rate, the others keep some weight
_LEAST = 1e-10  # errors nearer than this to 0 would give a tree a say beyond all others; to chance, none worth having


@dataclass(frozen=True)
class Round:
    """What one tree brought: its weighted error, its say, and the weights of the rows for the next tree.

    The weights keep their sum: recipes such as C4.5 ask for leaves of a certain weight.
    """

    error: float
    estimator_weight: float
    weights: NDArray[np.float64]

    @property
    def is_perfect(self) -> bool:
        """Whether there is nothing left to learn."""
        return self.error <= 0


def update_weights(
    weights: NDArray[np.float64], wrong: NDArray[np.bool_], n_classes: int, learning_rate: float, algorithm: str
) -> Round | None:
    """Judge a tree by its mistakes; None if it is no better than chance allows.

    Examples
    --------
    Ten rows, three of them wrong: the say is ln(.7 / .3), and the wrong rows weigh one half together from then on.

    >>> wrong = np.arange(10) < 3
    >>> updated = update_weights(np.full(10, 0.1), wrong, 2, 1.0, "samme")
    >>> round(updated.estimator_weight, 4), updated.weights.round(4).tolist()[2:4]
    (0.8473, [0.1667, 0.0714])
    >>> round(update_weights(np.full(10, 0.1), wrong, 3, 1.0, "samme").estimator_weight, 4)
    1.5404
    """
    whole = total(weights)
    error = total(weights[wrong]) / whole
    if error <= 0:
        return Round(0.0, 1.0, weights)
    if error >= (1 - 1 / n_classes if algorithm == "samme" else 0.5) - _LEAST:
        return None
    kept = max(error, _LEAST)
    estimator_weight = learning_rate * (
        math.log((1 - kept) / kept) + (math.log(n_classes - 1) if algorithm == "samme" else 0.0)
    )
    raised = np.where(wrong, weights * math.exp(min(estimator_weight, _MOST_RAISE)), weights)
    return Round(error, estimator_weight, raised * (whole / total(raised)))


def total(weights: NDArray[np.float64]) -> float:
    """The sum of weights, the same for any order of them: it is taken in whole numbers, of which 2^62 are enough.

    >>> total(np.array([0.1] * 10))
    1.0
    """
    if len(weights) == 0:
        return 0.0
    shift = 62 - math.frexp(float(weights.max()))[1] - len(weights).bit_length()
    return math.ldexp(int(np.rint(np.ldexp(weights, shift)).astype(np.int64).sum()), -shift)


# Numbers: AdaBoost.R2 (Drucker 1997).


_LOSSES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "linear": lambda share: share,
    "square": np.square,
    "exponential": lambda share: 1 - np.exp(-share),
}
LOSSES = tuple(_LOSSES)


def update_weights_by_errors(
    weights: NDArray[np.float64], errors: NDArray[np.float64], learning_rate: float, loss: str
) -> Round | None:
    """Judge a tree by how far off it is; None if its mean loss is one half or more.

    Errors count as shares of the largest one among the rows that have weight. A row whose loss is L is weighed down by
    `beta ** ((1 - L) * learning_rate)`, where beta = e / (1 - e) for the mean loss e.

    Examples
    --------
    Four rows, of which one is off by 2: the mean loss is 1/4, and beta is 1/3.

    >>> updated = update_weights_by_errors(np.ones(4), np.array([2.0, 0, 0, 0]), 1.0, "linear")
    >>> updated.error, round(updated.estimator_weight, 4), updated.weights.round(4).tolist()
    (0.25, 1.0986, [2.0, 0.6667, 0.6667, 0.6667])
    """
    whole = total(weights)
    largest = float(errors[weights > 0].max())
    if largest <= 0:
        return Round(0.0, 1.0, weights)
    losses = np.where(weights > 0, _LOSSES[loss](np.minimum(errors / largest, 1.0)), 0.0)
    error = total(weights * losses) / whole
    if error <= 0:
        return Round(0.0, 1.0, weights)
    if error >= 0.5 - _LEAST:
        return None
    kept = max(error, _LEAST)
    beta = kept / (1 - kept)
    lowered = weights * beta ** ((1 - losses) * learning_rate)
    return Round(error, learning_rate * math.log(1 / beta), lowered * (whole / total(lowered)))
