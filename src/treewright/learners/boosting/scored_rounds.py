"""Rounds that are judged by a score in place of the loss: `scoring` of early stopping.

The core knows losses only. So rounds are grown without a judge, twice as many each time, and looked at afterwards; the
first rounds come out the same whenever they are grown again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError, nearest
from treewright.learners.boosting.settings import BoostingSettings
from treewright.table.frame import InputFrame

Floats = NDArray[np.float64]
_FIRST_ROUNDS = 64


def make_scorer(model: Any) -> Callable[..., float]:
    """What scikit-learn makes of `scoring`.

    Examples
    --------
    >>> import treewright as tw
    >>> make_scorer(tw.GradientBoostingClassifier(scoring="roc_auk"))
    Traceback (most recent call last):
    treewright.errors.DataError: There is no scoring='roc_auk'. Did you mean 'roc_auc'?
    """
    from sklearn.metrics import check_scoring, get_scorer_names

    if isinstance(model.scoring, str) and model.scoring not in get_scorer_names():
        raise DataError(f"There is no scoring={model.scoring!r}. {nearest(model.scoring, get_scorer_names())}")
    scorer: Callable[..., float] = check_scoring(model, scoring=model.scoring)
    return scorer


def rows_of_frame(frame: InputFrame, rows: NDArray[Any]) -> Any:
    """Some rows of a table as a user would have them.

    Examples
    --------
    >>> from treewright.table.frame import open_frame
    >>> rows_of_frame(open_frame(np.array([[1], [2], [3]])), np.array([2, 0])).tolist()
    [[3], [1]]
    """
    if frame.matrix is not None:
        return frame.matrix[rows]
    if frame.sparse is not None:
        return frame.sparse.tocsr()[rows]
    import pandas as pd

    columns = dict(zip(frame.names, frame.columns, strict=True))
    return pd.DataFrame({name: column.to_pandas() for name, column in columns.items()}).iloc[rows]


@dataclass(frozen=True)
class ScoringRows:
    """The rows that judge, and how."""

    scorer: Callable[..., float]
    X: Any
    y: NDArray[Any]
    weights: Floats | None

    def loss(self, model: Any) -> float:
        """Minus the score of a model, so that less is better."""
        others = {} if self.weights is None else {"sample_weight": self.weights}
        return -float(self.scorer(model, self.X, self.y, **others))


def best_rounds(
    grow: Callable[[int], _core.Ensemble],
    losses_of: Callable[[_core.Ensemble], Iterator[float]],
    settings: BoostingSettings,
    tolerance: float,
) -> tuple[_core.Ensemble, int, Floats]:
    """Grow until no round of the last `n_iter_no_change` was better than those before; give trees, best round, losses.

    `grow` gives the trees of so many rounds; `losses_of` the loss before the first of them and after each.
    """
    limit, patience = settings.n_estimators, settings.n_iter_no_change
    rounds = min(limit, max(_FIRST_ROUNDS, 2 * patience))
    while True:
        core = grow(rounds)
        losses: list[float] = []
        for loss in losses_of(core):
            losses.append(loss)
            if _has_stalled(losses, patience, tolerance):
                break
        if len(losses) <= rounds or rounds == limit:
            return core, 1 + int(np.argmin(losses[1:])), np.array(losses)
        rounds = min(limit, 2 * rounds)


def _has_stalled(losses: list[float], patience: int, tolerance: float) -> bool:
    """As the core has it."""
    if len(losses) <= patience:
        return False
    return min(losses[-patience:]) >= min(losses[:-patience]) - tolerance
