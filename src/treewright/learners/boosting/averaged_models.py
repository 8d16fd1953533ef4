"""Several boosted models as one: each learns from all folds but one, and stops when that one is answered worst.

Their mean is again a sum of trees: the rounds of the models stand one after the other, every leaf divided by their
number. So a model that is averaged is stored, looked up and explained like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import Rows, Sides, Units, units_per_row
from treewright.learners.boosting.settings import BoostingSettings
from treewright.learners.ensemble.ensemble_model import Floats
from treewright.learners.trees.training_data import CodedRows
from treewright.table.frame import InputFrame

_MODELS = 41  # of the random words: the seeds of the models
OneModel = tuple[_core.Ensemble, Floats, Floats]  # trees, where they start, the losses of the rows that judge


@dataclass(frozen=True)
class JudgedRows:
    """Which rows of the table one model learns from, and which judge it, with their weights."""

    counts: NDArray[np.bool_]
    weights: Floats | None
    held_out: Rows
    held_out_weights: Floats | None  # of all rows of the table

    @property
    def judging_weight(self) -> float:
        """What the rows that judge weigh together."""
        weights = self.held_out_weights
        return float(len(self.held_out)) if weights is None else exact_sum(weights[self.held_out])


@dataclass(frozen=True, kw_only=True)
class BoostedRows(CodedRows):
    """What is boosted: coded rows, and which of them judge, where the user has said so, with their weights."""

    held_out: tuple[Rows, Floats | None] | None = None
    frame: InputFrame | None = None  # the table as it came, where rounds are looked at after they are grown
    scores: Floats | None = None  # rows × outputs: what trees or a model that are there say of the rows, or 0
    starting: Any = None  # the model that is there, fitted, where `init` is one
    split: JudgedRows | None = None  # the rows that it has learnt from, and those that judge

    @property
    def n_classes(self) -> int:
        """How many classes there are; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def n_units(self) -> int:
        """How many rows count; a whole weight is so many rows."""
        if self.given is None:
            return len(self.truth)
        units = units_per_row(self.given)
        return int((self.given > 0).sum() if units is None else units.sum())

    def without(self, held_out: Rows, held_out_weights: Floats | None) -> JudgedRows:
        """Learn from every row that counts but those that are held out."""
        counts = np.ones(len(self.truth), dtype=bool) if self.weights is None else self.weights > 0
        counts[held_out] = False
        return self._judged(counts, self.weights, held_out, held_out_weights)

    def side(self, sides: Sides) -> JudgedRows:
        """Learn from all folds but one; a row of a class that no other row has is learnt from all the same."""
        counts = np.zeros(len(self.truth), dtype=bool)
        counts[sides.kept] = True
        held, learnt, judging = np.sort(sides.held), self.weights, self.weights
        if not sides.is_whole:
            weights = np.ones(len(self.truth)) if self.weights is None else self.weights
            learnt, judging = sides.kept_weights(weights), np.zeros(len(weights))
            judging[sides.held] = sides.held_weights(weights)
        if self.classes is not None:
            alone = ~np.isin(self.truth[held], self.truth[counts])
            counts[held[alone]] = True
            if learnt is not None and judging is not None and not sides.is_whole:
                learnt[held[alone]] = judging[held[alone]]
            held = held[~alone]
        return self._judged(counts, learnt, held, judging)

    def _judged(
        self, counts: NDArray[np.bool_], weights: Floats | None, held_out: Rows, held_out_weights: Floats | None
    ) -> JudgedRows:
        if not counts.all():
            weights = np.where(counts, 1.0 if weights is None else weights, 0.0)
        return JudgedRows(counts, weights, held_out, held_out_weights)


def average_models(
    boost: Callable[..., OneModel],
    training: BoostedRows,
    settings: BoostingSettings,
    seed: int,
    progress: _core.Progress,
) -> OneModel:
    """Boost one model for each fold, and give their mean; the losses are means over the rows that judge."""
    models, weights = [], []
    seeds = _core.drawn_words(seed, _MODELS, 0, settings.n_models)
    progress.total = settings.n_models
    for number, sides in enumerate(_judged_folds(training, settings.n_models, seed)):
        own_seed = int(seeds[number] >> np.uint64(1))
        models.append(boost(training, settings, sides, own_seed, _core.Progress()))
        weights.append(sides.judging_weight)
        progress.done = number + 1
    starts = np.array([start for _, start, _ in models])
    core = _core.Ensemble.averaged([core for core, _, _ in models], starts.shape[1])
    return core, starts.mean(axis=0), _mean_losses([losses for _, _, losses in models], weights)


def _judged_folds(training: BoostedRows, n_folds: int, seed: int) -> Iterator[JudgedRows]:
    units = Units.of_training(training)
    folds = units.folds(min(n_folds, len(units)), seed)
    for sides in units.sides(folds, len(training.truth)):
        judged = training.side(sides)
        if len(judged.held_out):
            yield judged


def _mean_losses(losses: list[Floats], weights: list[float]) -> Floats:
    """The mean loss after each round that all models have gone through."""
    n_rounds = min(map(len, losses))
    shares: Any = np.array(weights) / exact_sum(np.array(weights))
    return np.array([exact_sum(shares * [each[i] for each in losses]) for i in range(n_rounds)])
