"""AdaBoost by its definition, in plain numbers; the tree of each round is grown by whoever is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# From the weights of the rows to what a tree grown with them answers for each row.
Learner = Callable[[Sequence[float]], Sequence[int]]


@dataclass(frozen=True)
class Boosted:
    """What was learnt: of every tree that was kept its answers for the training rows, error and say."""

    answers: list[list[int]]
    errors: list[float]
    says: list[float]
    weights: list[list[float]]  # those that each kept tree was grown with


def boost(
    truth: Sequence[int],
    weights: Sequence[float],
    n_classes: int,
    learner: Learner,
    n_trees: int,
    rate: float = 1.0,
    algorithm: str = "samme",
) -> Boosted:
    """Boost; it ends early with a perfect tree, or before a tree that is no better than chance."""
    whole = math.fsum(weights)
    now = list(weights)
    boosted = Boosted([], [], [], [])
    for _ in range(n_trees):
        answers = list(learner(now))
        wrong = [answer != true for answer, true in zip(answers, truth, strict=True)]
        error = math.fsum(w for w, is_wrong in zip(now, wrong, strict=True) if is_wrong) / math.fsum(now)
        # Weights that were just evened out leave an error of one half but for rounding: that is chance, too.
        if error >= (1 - 1 / n_classes if algorithm == "samme" else 0.5) - 1e-10 and error > 0:
            break
        say = 1.0
        if error > 0:
            bounded = max(error, 1e-10)
            say = rate * (math.log((1 - bounded) / bounded) + (math.log(n_classes - 1) if algorithm == "samme" else 0))
        for learnt, found in zip(
            (boosted.answers, boosted.errors, boosted.says, boosted.weights),
            (answers, error, say, list(now)),
            strict=True,
        ):
            learnt.append(found)  # type: ignore[arg-type]
        if error <= 0:
            break
        now = [w * math.exp(say) if is_wrong else w for w, is_wrong in zip(now, wrong, strict=True)]
        total = math.fsum(now)
        now = [w * whole / total for w in now]
    return boosted


def votes(boosted: Boosted, n_classes: int, row: int) -> list[float]:
    """The say that each class has at a training row."""
    return [
        math.fsum(say for answers, say in zip(boosted.answers, boosted.says, strict=True) if answers[row] == k)
        for k in range(n_classes)
    ]
