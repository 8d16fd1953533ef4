"""Who takes much longer than the others: said, so that nobody waits without knowing for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

import numpy as np

from treewright.model_selection.comparison import LearnerScores

_TIMES = 10.0  # of the median of the others
_WORTH_TELLING = 5.0  # seconds in all


def tell_slow_ones(learners: Sequence[LearnerScores], n_folds: int) -> list[LearnerScores]:
    """Give the learners, with a note for each whose fits take ten times the median of the others' and more.

    Examples
    --------
    >>> scores = {"accuracy": (1.0,)}
    >>> made = [LearnerScores(name, scores, seconds) for name, seconds in (("cart", 0.1), ("c45", 0.2), ("mlp", 6.0))]
    >>> tell_slow_ones(made, n_folds=10)[2].notes
    ('it took 60 s in 10 folds, 40 times the median of the others; name those that you want to go without it.',)
    """
    factors = _factors([learner.fit_seconds for learner in learners], n_folds)
    told = []
    for learner, factor in zip(learners, factors, strict=True):
        if factor is not None:
            text = (
                f"it took {learner.fit_seconds * n_folds:.0f} s in {n_folds} folds, {factor:.0f} times the median of "
                "the others; name those that you want to go without it."
            )
            learner = replace(learner, notes=(*learner.notes, text))
        told.append(learner)
    return told


def _factors(seconds: Sequence[float], n_folds: int) -> list[float | None]:
    """How many times the median of the others each fit takes; None where that is not worth telling."""
    factors: list[float | None] = []
    for place, own in enumerate(seconds):
        others = [each for i, each in enumerate(seconds) if i != place and each == each]
        usual = float(np.median(others)) if others else 0.0
        is_slow = usual > 0 and own > _TIMES * usual and own * n_folds > _WORTH_TELLING
        factors.append(own / usual if is_slow else None)
    return factors


# While they run: who waits may want to stop and to name the others.

_tell: ContextVar[Callable[[str], None] | None] = ContextVar("tell_of_slow_ones", default=None)


@contextmanager
def telling_of_slow_ones(tell: Callable[[str], None]) -> Iterator[None]:
    """Have a sentence told of each slow learner as soon as the first fold shows it, as long as this lasts."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


class SlowOnes:
    """Waits until each learner has learnt from the first fold, and then tells of those that take long.

    Examples
    --------
    >>> with telling_of_slow_ones(print):
    ...     slow = SlowOnes(["cart", "c45", "mlp"], n_folds=10)
    ...     for learner, seconds in enumerate((0.1, 0.2, 6.0)):
    ...         slow.first_fold(learner, seconds)
    mlp takes 6 s in each of 10 folds, 40 times the median of the others: about 60 s of work in all. To go without ...
    """

    def __init__(self, names: Sequence[str], n_folds: int) -> None:
        self.names, self.n_folds = names, n_folds
        self.seconds: dict[int, float] = {}

    def first_fold(self, learner: int, seconds: float) -> None:
        """Note how long a learner took; the last one makes it known."""
        self.seconds[learner] = seconds
        tell = _tell.get()
        if tell is None or len(self.seconds) < len(self.names) or self.n_folds == 1:
            return
        times = [self.seconds[i] for i in range(len(self.names))]
        for name, own, factor in zip(self.names, times, _factors(times, self.n_folds), strict=True):
            if factor is not None:
                tell(
                    f"{name} takes {own:.0f} s in each of {self.n_folds} folds, {factor:.0f} times the median of the "
                    f"others: about {own * self.n_folds:.0f} s of work in all. To go without it, stop with Ctrl-C and "
                    "name those that you want."
                )
