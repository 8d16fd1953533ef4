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


# Numbers: AdaBoost.R2 as Drucker (1997) has it, with weights in place of drawn rows.


@dataclass(frozen=True)
class BoostedNumbers:
    """What was learnt: of every tree that was kept its answers for the training rows, mean loss and say."""

    answers: list[list[float]]
    errors: list[float]
    says: list[float]


def boost_numbers(
    truth: Sequence[float],
    weights: Sequence[float],
    learner: Callable[[Sequence[float]], Sequence[float]],
    n_trees: int,
    rate: float = 1.0,
    loss: str = "linear",
) -> BoostedNumbers:
    """Boost; it ends early with a perfect tree, or before a tree whose mean loss is one half or more."""
    whole, now = math.fsum(weights), list(weights)
    boosted = BoostedNumbers([], [], [])
    for _ in range(n_trees):
        answers = [float(answer) for answer in learner(now)]
        off = [abs(answer - true) for answer, true in zip(answers, truth, strict=True)]
        largest = max(one for one, w in zip(off, now, strict=True) if w > 0)
        shares = [min(one / largest, 1.0) if largest > 0 else 0.0 for one in off]
        losses = [{"linear": s, "square": s * s, "exponential": 1 - math.exp(-s)}[loss] for s in shares]
        error = math.fsum(w * part for w, part in zip(now, losses, strict=True)) / math.fsum(now)
        if error >= 0.5 - 1e-10:
            break
        beta = max(error, 1e-10) / (1 - max(error, 1e-10))
        boosted.answers.append(answers)
        boosted.errors.append(error)
        boosted.says.append(rate * math.log(1 / beta) if error > 0 else 1.0)
        if error <= 0:
            break
        now = [w * beta ** ((1 - part) * rate) for w, part in zip(now, losses, strict=True)]
        total = math.fsum(now)
        now = [w * whole / total for w in now]
    return boosted


def weighted_median(boosted: BoostedNumbers, row: int) -> float:
    """The smallest answer for a training row such that the answers up to it have half of the say."""
    pairs = sorted((answers[row], say) for answers, say in zip(boosted.answers, boosted.says, strict=True))
    whole, so_far = math.fsum(say for _, say in pairs), 0.0
    for answer, say in pairs:
        so_far += say
        if so_far >= 0.5 * whole - 1e-12:
            return answer
    raise ValueError("no tree")
