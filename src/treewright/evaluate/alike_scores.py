"""Scores that are equal but for their last bits, made equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LAST_BITS = 1e-14  # of a score


def alike_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give alike scores one number, so that their rows are tied, whatever the processor.

    A product of matrices may give rows that are the same in all columns scores that differ in the last bits, by where
    they stand in the table. No order of rows, and no area under a curve, may come from these bits.

    Examples
    --------
    >>> alike_scores(np.array([0.3, 0.5, 0.1 + 0.2])).tolist()
    [0.3, 0.5, 0.3]
    """
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    reach = np.where(np.isfinite(ordered), _LAST_BITS * np.abs(ordered), 0.0)
    with np.errstate(invalid="ignore"):
        is_new = ~(np.diff(ordered, prepend=-np.inf) <= reach)
    made = np.empty_like(ordered)
    made[order] = ordered[is_new][np.cumsum(is_new) - 1]
    return made
