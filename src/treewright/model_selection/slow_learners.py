"""Who takes much longer than the others: said, so that nobody waits without knowing for whom."""

from __future__ import annotations

from collections.abc import Sequence
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
    times = [learner.fit_seconds for learner in learners]
    told = []
    for place, learner in enumerate(learners):
        others = [each for i, each in enumerate(times) if i != place and each == each]
        usual, all_folds = float(np.median(others)) if others else 0.0, learner.fit_seconds * n_folds
        if usual > 0 and learner.fit_seconds > _TIMES * usual and all_folds > _WORTH_TELLING:
            text = (
                f"it took {all_folds:.0f} s in {n_folds} folds, {learner.fit_seconds / usual:.0f} times the median of "
                "the others; name those that you want to go without it."
            )
            learner = replace(learner, notes=(*learner.notes, text))
        told.append(learner)
    return told
