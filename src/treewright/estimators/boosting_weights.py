"""AdaBoost's arithmetic: how much a tree counts, and what its mistakes do to the weights of the rows.

Freund and Schapire (1997) for M1; Zhu, Zou, Rosset and Hastie (2009) for SAMME.
"""

from __future__ import annotations

import math
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
    say: float
    weights: NDArray[np.float64]

    @property
    def is_perfect(self) -> bool:
        """Whether there is nothing left to learn."""
        return self.error <= 0


def play_round(
    weights: NDArray[np.float64], wrong: NDArray[np.bool_], n_classes: int, learning_rate: float, algorithm: str
) -> Round | None:
    """Judge a tree by its mistakes; None if it is no better than chance allows.

    Examples
    --------
    Ten rows, three of them wrong: the say is ln(.7 / .3), and the wrong rows weigh one half together from then on.

    >>> wrong = np.arange(10) < 3
    >>> played = play_round(np.full(10, 0.1), wrong, 2, 1.0, "samme")
    >>> round(played.say, 4), played.weights.round(4).tolist()[2:4]
    (0.8473, [0.1667, 0.0714])
    >>> round(play_round(np.full(10, 0.1), wrong, 3, 1.0, "samme").say, 4)
    1.5404
    """
    whole = total(weights)
    error = total(weights[wrong]) / whole
    if error <= 0:
        return Round(0.0, 1.0, weights)
    if error >= (1 - 1 / n_classes if algorithm == "samme" else 0.5) - _LEAST:
        return None
    kept = max(error, _LEAST)
    say = learning_rate * (math.log((1 - kept) / kept) + (math.log(n_classes - 1) if algorithm == "samme" else 0.0))
    raised = np.where(wrong, weights * math.exp(min(say, _MOST_RAISE)), weights)
    return Round(error, say, raised * (whole / total(raised)))


def total(weights: NDArray[np.float64]) -> float:
    """The sum of weights, the same for any order of them: it is taken in whole numbers, of which 2^62 are enough.

    >>> total(np.array([0.1] * 10))
    1.0
    """
    if len(weights) == 0:
        return 0.0
    shift = 62 - math.frexp(float(weights.max()))[1] - len(weights).bit_length()
    return math.ldexp(int(np.rint(np.ldexp(weights, shift)).astype(np.int64).sum()), -shift)
