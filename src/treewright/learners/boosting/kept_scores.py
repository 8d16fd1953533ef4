"""What is kept of the rounds of a booster, as scikit-learn has it: `train_score_`, `oob_improvement_`, `oob_scores_`.

`train_score_` is the loss of the rows that a round drew, after it; out of bag are the others. As in scikit-learn
squared error and the log loss of two classes are not halved.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.boosting.averaged_models import BoostedRows, JudgedRows

Floats = NDArray[np.float64]
_ROWS = 11  # of the random words of the core: the rows that a round draws


KEPT_SCORES = ("train_score_", "oob_improvement_", "oob_scores_")


def scores_of_rounds(
    model: Any, training: BoostedRows, draws: RowsOfRounds, stages: Iterable[Floats]
) -> dict[str, Any]:
    """The arrays by the names of the attributes; `stages` are the sums before the first round and after each."""
    rows = draws.rows
    weights, y = draws.all_weights[rows], training.truth[rows]
    kept: dict[str, list[float]] = {"train_score_": [], "oob_improvement_": [], "oob_scores_": []}
    before = None
    for number, sums in enumerate(stages):
        losses = row_losses(model, y, sums[rows])
        if before is not None:
            drawn = draws.weights(number - 1)[rows]
            kept["train_score_"].append(mean_loss(losses, drawn))
            if draws.subsample < 1:
                out = weights - drawn if _are_whole(weights) else np.where(drawn > 0, 0.0, weights)
                kept["oob_scores_"].append(mean_loss(losses, out))
                kept["oob_improvement_"].append(mean_loss(before, out) - kept["oob_scores_"][-1])
        before = losses
    return _with_last({name: np.array(values) for name, values in kept.items() if values})


def earlier_scores(model: Any, n_rounds: int) -> dict[str, Any]:
    """What the rounds that a warm start goes on from have kept; NaN where they have kept nothing."""
    unknown = np.full(n_rounds, np.nan)
    kept = {name: model.__dict__.get(name) for name in KEPT_SCORES}
    if all(array is None for array in kept.values()):
        return {} if not model.keep_scores else dict.fromkeys(KEPT_SCORES[:1], unknown)
    return _with_last({name: array for name, array in kept.items() if array is not None})


def joined_scores(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """One after the other; rounds that have kept less than the others are NaN there."""
    n_earlier, n_later = (len(arrays.get("train_score_", ())) for arrays in (earlier, later))
    names = [name for name in KEPT_SCORES if name in earlier or name in later]
    return _with_last(
        {
            name: np.concatenate(
                [earlier.get(name, np.full(n_earlier, np.nan)), later.get(name, np.full(n_later, np.nan))]
            )
            for name in names
        }
    )


def _with_last(arrays: dict[str, Any]) -> dict[str, Any]:
    """`oob_score_` is the last of `oob_scores_`."""
    scores = arrays.get("oob_scores_")
    return {**arrays, "oob_score_": float(scores[-1])} if scores is not None and len(scores) else arrays


def row_losses(model: Any, y: Floats, sums: Floats) -> Floats:
    """The loss of each row, as scikit-learn's gradient boosting tells it.

    Examples
    --------
    >>> import treewright as tw
    >>> row_losses(tw.GradientBoostingRegressor(), np.array([5.0]), np.array([[3.0]])).tolist()
    [4.0]
    """
    if model.loss == "log_loss" and sums.shape[1] == 1 and len(y):
        return np.asarray(2 * np.logaddexp(0, np.where(y > 0, -sums[:, 0], sums[:, 0])))
    if model.loss == "log_loss":
        return np.asarray(logsumexp(sums, axis=1) - sums[np.arange(len(y)), y.astype(np.int64)])
    score = sums[:, 0]
    error = y - score
    if model.loss == "squared_error":
        return np.asarray(error**2)
    if model.loss == "absolute_error":
        return np.abs(error)
    if model.loss == "quantile":
        return np.asarray(np.where(error > 0, model.alpha * error, (model.alpha - 1) * error))
    if model.loss == "huber":
        delta = np.quantile(np.abs(error), model.alpha)
        return np.where(np.abs(error) <= delta, error**2 / 2, delta * (np.abs(error) - delta / 2))
    if model.loss == "poisson":
        return np.exp(score) - y * score
    if model.loss == "gamma":
        return score + y * np.exp(-score)
    raise DataError("keep_scores=True has to know the loss of a row, and a loss of your own gives gradients only.")


class RowsOfRounds:
    """Which rows each round draws, as the core does.

    In the order of what is in the rows each is taken with the chance that is still needed; a whole weight is so many.
    """

    def __init__(self, training: BoostedRows, sides: JudgedRows, subsample: float, seed: int) -> None:
        self.all_weights = sides.weights if sides.weights is not None else sides.counts.astype(np.float64)
        self.rows, self.subsample, self._seed = np.flatnonzero(sides.counts), subsample, seed
        if subsample >= 1:
            return
        target = _core.Target.numbers(np.ascontiguousarray(training.truth, dtype=np.float64), sides.weights, False)
        order = _core.rows_by_content(training.table.core, target, training.threads, sides.weights)
        order = order[sides.counts[order]]
        self._whole = _are_whole(self.all_weights[order])
        copies = self.all_weights[order].astype(np.int64) if self._whole else np.ones(len(order), np.int64)
        self._units = np.repeat(order, copies)

    def weights(self, number: int) -> Floats:
        """What each row of the table weighs in a round; 0 where it is not drawn."""
        if self.subsample >= 1:
            return self.all_weights
        left, drawn = len(self._units), np.zeros(len(self.all_weights))
        needed = max(1, int(np.floor(self.subsample * left + 0.5)))  # as llround has it
        words = _core.drawn_words(self._seed, _ROWS, number, left)
        chances = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
        for unit, chance in zip(self._units.tolist(), chances.tolist(), strict=True):
            if chance * left < needed:
                drawn[unit] += 1
                needed -= 1
            left -= 1
        return drawn if self._whole else np.where(drawn > 0, self.all_weights, 0.0)


def _are_whole(weights: Floats) -> bool:
    return bool((weights == np.floor(weights)).all() and weights.sum() < 2**31)


def mean_loss(losses: Floats, weights: Floats) -> float:
    """The mean over rows that weigh so much; NaN where none does.

    Examples
    --------
    >>> mean_loss(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    2.0
    """
    total = exact_sum(weights)
    return exact_sum(losses * weights) / total if total > 0 else float("nan")
