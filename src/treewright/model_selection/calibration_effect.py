"""What a calibration is worth: log loss, Brier score and calibration error before and after, on rows not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.folds import Units, units_per_row
from treewright.model_selection.calibration_fit import JudgedRows, learn_calibration
from treewright.model_selection.measures import SMALLEST_PROBABILITY

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
_EFFECT_FOLDS, _CONFIDENCE_BINS = 5, 15


def effect_of(method: str, shares: Floats, codes: Codes, weights: Floats) -> Floats:
    """Log loss, Brier score and calibration error before, and after by maps that did not see the rows: two lines.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> true = rng.random(4000)
    >>> sure = 1 / (1 + np.exp(-3 * np.log(true / (1 - true))))  # three times too sure
    >>> shares, codes = np.column_stack([1 - sure, sure]), (rng.random(4000) < true).astype(int)
    >>> effect_of("temperature", shares, codes, np.ones(4000)).round(2)
    array([[0.73, 0.2 , 0.15],
           [0.51, 0.17, 0.01]])
    """
    order = np.lexsort((weights, codes, *shares.T[::-1])).astype(np.uint32)
    units = Units.of(order, weights, None)  # whole weights are so many rows, dealt each by itself
    whole = units_per_row(weights) is not None
    shares, codes, weights = shares[units.rows], codes[units.rows], weights[units.rows]
    weights = np.ones(len(codes)) if whole else weights
    fold = units.folds(min(_EFFECT_FOLDS, len(codes)), seed=0)
    after = shares.copy()
    for number in np.unique(fold) if len(codes) > 1 else ():
        kept, held = fold != number, fold == number
        learnt = learn_calibration(JudgedRows.counted(shares[kept], codes[kept], weights[kept]), method)
        after[held] = learnt.apply(shares[held])
    return np.array([_measured(shares, codes, weights), _measured(after, codes, weights)])


def _measured(shares: Floats, codes: Codes, weights: Floats) -> list[float]:
    of_truth = shares[np.arange(len(codes)), codes]
    apart = shares.copy()
    apart[np.arange(len(codes)), codes] -= 1
    squares = np.square(apart[:, 1] if shares.shape[1] == 2 else apart)
    brier = squares if squares.ndim == 1 else squares.sum(axis=1)
    return [
        float(np.average(-np.log(np.maximum(of_truth, SMALLEST_PROBABILITY)), weights=weights)),
        float(np.average(brier, weights=weights)),
        calibration_error(shares, codes, weights),
    ]


def calibration_error(
    probabilities: NDArray[np.float64], codes: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> float:
    """Give the expected calibration error: how far the largest probability is from the share of right answers.

    Rows are put into 15 bins of equal width by their largest probability, as by Guo, Pleiss, Sun, Weinberger (2017),
    On calibration of modern neural networks, equation 3.

    Parameters
    ----------
    probabilities : array (n, number of classes)
    codes : array of n class numbers
        Which column came true.
    weights : array of n numbers, optional
        How much each row counts.

    Examples
    --------
    >>> round(calibration_error(np.array([[0.9, 0.1]] * 4), np.array([0, 0, 0, 1])), 3)
    0.15
    """
    weights = np.ones(len(codes)) if weights is None else weights
    answer, surest = probabilities.argmax(axis=1), probabilities.max(axis=1)
    bins = np.minimum((surest * _CONFIDENCE_BINS).astype(np.int64), _CONFIDENCE_BINS - 1)
    gaps = np.bincount(bins, weights=weights * (surest - (answer == codes)), minlength=_CONFIDENCE_BINS)
    return float(np.abs(gaps).sum() / weights.sum())
