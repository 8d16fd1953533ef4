"""The points of a ROC curve: what share of one class is found at what share of false alarms, at every cut-off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.model_selection.measures import alike_scores

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RocPoints:
    """False and true positive rates from the highest cut-off to the lowest, and the area under them."""

    false_positive_rate: Floats
    true_positive_rate: Floats
    cut_off: Floats
    auc: float

    def at(self, shares: Iterable[float]) -> list[tuple[float, float, float]]:
        """Give for each share of false alarms the largest true positive rate within it, and the cut-off there.

        Examples
        --------
        >>> points = roc_points(np.array([True, False, True, False]), np.array([0.9, 0.6, 0.4, 0.1]))
        >>> points.at([0.5])
        [(0.5, 1.0, 0.4)]
        """
        found = []
        for share in shares:
            last = int(np.flatnonzero(self.false_positive_rate <= share + 1e-12)[-1])
            found.append((share, float(self.true_positive_rate[last]), float(min(self.cut_off[last], 1.0))))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Give the curve as plain values."""
        names = ("false_positive_rate", "true_positive_rate", "cut_off")
        return {"auc": self.auc, **{name: getattr(self, name).tolist() for name in names}}


def roc_points(is_positive: NDArray[np.bool_], score: Floats) -> RocPoints:
    """Walk down the scores; rows with alike scores are passed together.

    Examples
    --------
    >>> roc_points(np.array([True, False, True]), np.array([0.9, 0.5, 0.5])).auc
    0.75
    """
    positives, others = int(is_positive.sum()), int((~is_positive).sum())
    if not positives or not others:
        raise DataError("A ROC curve needs rows of the class that is looked for, and others. All rows are of one kind.")
    score = alike_scores(np.asarray(score, dtype=np.float64))
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)
    true = np.concatenate([[0.0], np.cumsum(is_positive[order])[ends] / positives])
    false = np.concatenate([[0.0], np.cumsum(~is_positive[order])[ends] / others])
    area = float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))
    return RocPoints(false, true, np.concatenate([[np.inf], score[order][ends]]), area)
