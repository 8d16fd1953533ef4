"""One booster's rounds: grown by the core, judged by the loss or by a score, from the best constant or given scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.column_rules import column_groups, monotone_ways
from treewright.learners.boosting.averaged_models import BoostedRows, JudgedRows, OneModel
from treewright.learners.boosting.kept_scores import mean_loss, row_losses
from treewright.learners.boosting.objectives import RANK_LOSSES, objective_from
from treewright.learners.boosting.refusals import runaway
from treewright.learners.boosting.rows_of_workers import RowsOfWorkers
from treewright.learners.boosting.scored_rounds import ScoringRows, best_rounds, make_scorer, rows_of_frame
from treewright.learners.boosting.settings import BoostingSettings, column_count
from treewright.learners.trees.training_data import rows_of

Floats = NDArray[np.float64]
_PLAIN = ("max_depth", "min_hessian", "min_gain", "level_smoothing")
_SETTINGS = ("n_estimators", "learning_rate", "max_leaf_nodes", "l2_regularization", "subsample", "level_charge")


@dataclass(frozen=True)
class RoundsGrower:
    """Grows the rounds of a model from some rows; others may judge."""

    model: Any
    training: BoostedRows
    settings: BoostingSettings
    sides: JudgedRows
    seed: int
    progress: _core.Progress

    def grow(self) -> OneModel:
        """The trees, where they start, and the losses of the rows that judge."""
        if self.training.classes is not None:
            _refuse_unlearnt_classes(self.training.truth, self.sides.counts, self.training.classes)
        if self.settings.early_stopping and (self.model._judges_by_score() or self.training.scores is not None):
            return self._grow_by_score()
        return self._boost(self.settings)

    def _boost(self, settings: BoostingSettings) -> OneModel:
        sides, truth = self.sides, np.ascontiguousarray(self.training.truth, dtype=np.float64)
        rows, loss, scores = np.flatnonzero(sides.counts).astype(np.uint32), self.model.loss, self.training.scores
        own_loss = loss if callable(loss) else None
        if scores is not None and loss in RANK_LOSSES:
            truth = truth - scores[:, 0]
        elif scores is not None:
            own_loss = objective_from(loss, scores[rows], self.training.n_classes)
        try:
            if isinstance(self.training, RowsOfWorkers):
                return *self.training.grow(self.rules_of_workers(), self.progress), np.empty(0)
            return _core.boost(
                self.training.table.core,
                truth,
                self.training.n_classes,
                sides.weights,
                rows,
                sides.held_out,
                sides.held_out_weights,
                self._rules(settings, own_loss is not None, len(rows)),
                own_loss,
                self.training.threads,
                self.progress,
            )
        except OverflowError:
            raise runaway(self.model, settings) from None

    def rules_of_workers(self) -> dict[str, Any]:
        """The rules for the core, of rows that lie elsewhere."""
        assert isinstance(self.training, RowsOfWorkers)
        return self._rules(self.settings, callable(self.model.loss), self.training.n_counted)

    def _rules(self, settings: BoostingSettings, has_own_loss: bool, n_rows: int) -> dict[str, Any]:
        model, schema = self.model, self.training.table.schema
        rules: dict[str, Any] = {name: getattr(model, name) for name in _PLAIN}
        rules |= {name: getattr(settings, name) for name in _SETTINGS}
        return rules | {
            "loss": "" if has_own_loss else model.loss,
            "alpha": getattr(model, "alpha", 0.5),
            "level_wise": model.growth == "level",
            "min_samples_leaf": rows_of(settings.min_samples_leaf, n_rows),
            "columns_per_node": column_count(settings.max_features, len(schema.columns)),
            "columns_per_tree": column_count(model.max_features_per_tree, len(schema.columns)),
            "seed": self.seed,
            "max_bins": 0 if model.max_bins is None else model.max_bins,
            "monotone": monotone_ways(model.monotonic_cst, schema),
            "together": column_groups(model.interaction_cst, schema),
            "patience": settings.n_iter_no_change if settings.early_stopping else 0,
            "tolerance": model.tol,
        }

    # ---------------------------------------------------------------- by a score, or from given scores
    def _grow_by_score(self) -> OneModel:
        start: Floats = np.empty(0)

        def grow(rounds: int) -> _core.Ensemble:
            nonlocal start
            core, start, _ = self._boost(replace(self.settings, n_estimators=rounds, early_stopping=False))
            return core

        core, best, losses = best_rounds(grow, lambda core: self._losses(core, start), self.settings, self.model.tol)
        return core.first(best * len(start)), start, losses

    def _losses(self, core: _core.Ensemble, start: Floats) -> Iterator[float]:
        """Minus the score of the rows that judge, or their loss, before the first round and after each."""
        training, frame = self.training, self.training.frame
        assert frame is not None  # kept where a score judges
        rows, weights = self._judges()
        truth = training.truth[rows]
        first = start if training.scores is None else training.scores + start
        stages = stage_sums(self.model, training, core, first)
        if not self.model._judges_by_score():
            counts = np.ones(len(rows)) if weights is None else weights
            yield from (mean_loss(row_losses(self.model, truth, sums[rows]), counts) for sums in stages)
            return
        judges = ScoringRows(
            make_scorer(self.model),
            rows_of_frame(frame, rows),
            truth if training.classes is None else training.classes[truth],
            weights,
        )
        stage = model_of_trees(self.model, training, core, start)
        for sums in stages:
            stage._known_sums = judges.X, sums[rows]
            yield judges.loss(stage)

    def _judges(self) -> tuple[NDArray[np.uint32], Floats | None]:
        """The rows that judge, and their weights, in the order of what is in them: a score adds up as they stand."""
        training, sides = self.training, self.sides
        rows = sides.held_out if len(sides.held_out) else np.flatnonzero(sides.counts)
        weights = sides.held_out_weights if len(sides.held_out) else sides.weights
        counts = np.zeros(len(training.truth))
        counts[rows] = 1.0 if weights is None else weights[rows]
        target = _core.Target.numbers(np.ascontiguousarray(training.truth, dtype=np.float64), counts, False)
        order = _core.rows_by_content(training.table.core, target, training.threads, counts)
        judges = order[counts[order] > 0]
        return judges, None if weights is None else counts[judges]


def model_of_trees(model: Any, training: BoostedRows, core: _core.Ensemble, start: Floats) -> Any:
    """A fitted model of its own with these trees."""
    made, frame = type(model)(**model.get_params(deep=False)), training.frame
    names = None if frame is None or frame.matrix is not None or frame.is_array else np.array(frame.names, object)
    trees = model._sequence(core, training.schema, training.classes)
    fitted = {"trees_": trees, "baseline_": start, "n_estimators_": core.n_trees // len(start)}
    made._set_fitted(training.schema, training.classes, names, fitted)
    return made


def stage_sums(model: Any, training: BoostedRows, core: _core.Ensemble, start: Floats) -> Iterator[Floats]:
    """What the trees say of all rows, before the first round and after each; `start` may be a row of sums for each."""
    first = np.atleast_2d(start)
    yield np.broadcast_to(first, (len(training.truth), first.shape[1]))
    made = model_of_trees(model, training, core, np.zeros(first.shape[1]))
    for _, sums in made._lookup.stages(training.frame, first.shape[1], training.threads):
        yield first + sums


def _refuse_unlearnt_classes(truth: NDArray[Any], counts: NDArray[np.bool_], classes: NDArray[Any]) -> None:
    seen = np.bincount(truth[counts], minlength=len(classes))
    judged = np.bincount(truth[~counts], minlength=len(classes))
    strange = np.flatnonzero((seen == 0) & (judged > 0))
    if len(strange) and seen.any() and len(classes) > 1:
        raise DataError(
            f"No row that is learnt from has the class {classes[strange[0]]!r}. Give it some, or leave out the rows of "
            "that class."
        )
