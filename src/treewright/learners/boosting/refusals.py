"""What boosting refuses: judges that cannot judge, and sums that are no numbers any more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.boosting.averaged_models import BoostedRows
from treewright.learners.boosting.settings import BoostingSettings
from treewright.sources.source import Source

Floats = NDArray[np.float64]


def refuse_runaway(model: Any, core: _core.Ensemble, start: Floats, settings: BoostingSettings) -> None:
    """Refuse sums of trees that are no numbers any more."""
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.abs(core.arrays()["value"]).sum() + np.abs(start).sum()
    if not np.isfinite(reach):
        raise runaway(model, settings)


def runaway(model: Any, settings: BoostingSettings) -> DataError:
    """What is said where sums of trees, or the gradients at them, are no numbers any more."""
    why = "the loss function gives gradients that are too large" if callable(model.loss) else "it overshoots"
    return DataError(
        f"The answers grew beyond all numbers with learning_rate={settings.learning_rate:g}: {why}. "
        "Choose a learning_rate of 1 or less."
    )


def refuse_source_with_judges(X: Any, X_val: Any) -> None:
    """Refuse rows that judge beside a source, or that are one."""
    if isinstance(X, Source) or isinstance(X_val, Source):
        raise DataError(
            "X_val and y_val are rows in memory beside rows in memory. With a source say early_stopping=True, which "
            "holds out some of its rows, or read the rows with tw.read."
        )


def refuse_odd_judges(model: Any, training: BoostedRows, settings: BoostingSettings) -> None:
    """Refuse to stop by a loss that is not known, or by rows that only one of several models would see."""
    if callable(model.loss) and settings.early_stopping:
        raise DataError(
            "early_stopping=True has to know the loss of a row, and a loss of your own gives gradients only. Say "
            "early_stopping=False, or choose one of the losses by name."
        )
    if training.held_out is not None and settings.n_models > 1:
        raise DataError(
            f"X_val and y_val judge one model, and n_models={settings.n_models} are judged by their folds. Leave "
            "one of them out."
        )
    if model.keep_scores and settings.n_models > 1:
        raise DataError("keep_scores=True tells of the rounds of one model. Give n_estimators as a number.")
    goes_on = model.warm_start and "trees_" in model.__dict__
    if goes_on and (settings.early_stopping or settings.n_models > 1):
        raise DataError(
            "warm_start=True goes on with a given number of rounds. Give n_estimators as a number, and no early "
            "stopping."
        )
    if training.scores is not None and settings.n_models > 1:
        raise DataError(
            f"With init there is one model, and n_models={settings.n_models} would each start from rows that judge "
            "them. Leave one of them out."
        )
