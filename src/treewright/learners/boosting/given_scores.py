"""Boosting that does not start at the best constant: it goes on from trees that are there, from a model, or from 0.

The core starts a loss of one's own at 0 and asks it for gradients only. So a smooth loss is boosted by its gradients at
the given scores plus what the new trees say. The losses whose leaves are answered by ranks of residuals stay the same
when target and scores move together: there the new trees learn what the scores leave over.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.boosting.averaged_models import BoostedRows, JudgedRows
from treewright.learners.boosting.grow_rounds import RoundsGrower, stage_sums
from treewright.learners.boosting.kept_scores import RowsOfRounds, earlier_scores, joined_scores, scores_of_rounds
from treewright.learners.boosting.objectives import RANK_LOSSES
from treewright.learners.boosting.settings import BoostingSettings
from treewright.learners.trees.training_data import CodedRows
from treewright.table.frame import InputFrame

Floats = NDArray[np.float64]
_GOING_ON = 43  # of the random words: the seeds of rounds that are added later


def grow_from_scores(
    model: Any, training: BoostedRows, settings: BoostingSettings, sides: JudgedRows, progress: _core.Progress
) -> tuple[_core.Ensemble, Floats, dict[str, Any]]:
    """The trees that are there and those that are missing, where they start, and what is kept of the rounds."""
    scores = np.asarray(training.scores)
    before = trees_to_go_on_from(model, training)
    start = np.zeros(scores.shape[1]) if before is None else np.asarray(model.baseline_)
    n_before = 0 if before is None else before.n_trees // len(start)
    seed = seed_of_more(model._seed(), n_before) if n_before else model._seed()
    more = replace(settings, n_estimators=settings.n_estimators - n_before)
    if before is not None and more.n_estimators == 0:
        return before, start, earlier_scores(model, n_before)
    core, constant, losses = RoundsGrower(model, training, more, sides, seed, progress).grow()
    if model.loss in RANK_LOSSES:
        core = with_constant(core, float(constant[0]))
    kept: dict[str, Any] = {}
    if len(losses):
        kept = {"loss_curve_": losses, "validation_score_": -float(losses.min())}
    if model.keep_scores:
        draws = RowsOfRounds(training, sides, settings.subsample, seed)
        later = scores_of_rounds(model, training, draws, stage_sums(model, training, core, scores))
        kept |= joined_scores(earlier_scores(model, n_before), later)
    return core if before is None else before.extended(core), start, kept


def seed_of_more(seed: int, n_rounds: int) -> int:
    """The seed of rounds that are added to so many: what they draw is not what the first ones drew."""
    return int(_core.drawn_words(seed, _GOING_ON, n_rounds, 1)[0] >> np.uint64(1))


def with_constant(core: _core.Ensemble, constant: float) -> _core.Ensemble:
    """Add the constant that new trees of one output start from to the leaves of the first: the sums stay the same.

    Examples
    --------
    >>> import treewright as tw
    >>> core = tw.GradientBoostingRegressor(n_estimators=2, min_samples_leaf=1).fit([[1], [2]], [0, 2]).trees_.core
    >>> core.arrays()["value"].round(2).tolist(), with_constant(core, 5.0).arrays()["value"].round(2).tolist()
    ([-0.1, 0.1, -0.09, 0.09], [4.9, 5.1, -0.09, 0.09])
    """
    arrays = {name: array.copy() for name, array in core.arrays().items()}
    n_leaves = np.count_nonzero(arrays["test"][: arrays["tree_nodes"][0]] == 0)
    arrays["value"][:n_leaves] += constant
    return _core.Ensemble(arrays, core.n_columns, core.n_classes)


def goes_on(model: Any) -> bool:
    """Tell whether a fit keeps the trees that are there."""
    return bool(model.warm_start and "trees_" in model.__dict__)


def scores_to_go_on_from(model: Any, frame: InputFrame, coded: CodedRows) -> Floats | None:
    """What the sums of the rows start at (rows × outputs) where that is not the best constant; None where it is."""
    is_warm = goes_on(model)
    if not is_warm and model.init is None:
        return None
    what = "warm_start=True" if is_warm else "init='zero'"
    if model.loss in ("poisson", "gamma") or (not is_warm and model.loss in RANK_LOSSES):
        raise DataError(f"{what} does not go with loss='{model.loss}'. Leave it out, and fit all rounds at once.")
    if not is_warm:
        n_classes = 0 if coded.classes is None else len(coded.classes)
        return np.zeros((len(coded.truth), n_classes if n_classes > 2 else 1))
    trees_to_go_on_from(model, coded)
    sums: Floats = model._lookup.sums(frame, coded.threads)
    return sums


def trees_to_go_on_from(model: Any, coded: CodedRows) -> _core.Ensemble | None:
    """The trees that a warm start keeps; None where there are none."""
    if not goes_on(model):
        return None
    before = model.trees_
    classes = model.__dict__.get("classes_")
    if before.schema != coded.schema or not (classes is None or np.array_equal(classes, np.asarray(coded.classes))):
        raise DataError(
            "warm_start=True goes on with the table of the first fit, and this one has other columns, levels or "
            "classes. Pass the same table, or fit with warm_start=False."
        )
    if isinstance(model.n_estimators, int) and model.n_estimators < model.n_estimators_:
        raise DataError(
            f"n_estimators={model.n_estimators} is less than the {model.n_estimators_} rounds that are there, and with "
            "warm_start rounds are added, not taken away. Raise n_estimators, or set warm_start=False."
        )
    core: _core.Ensemble = before.core
    return core
