"""Do two learners really differ, when their scores come from folds of one table? The corrected resampled t-test.

The folds share most of their training rows, so their scores vary together and the usual t-test finds differences that
are none. C. Nadeau and Y. Bengio (2003), "Inference for the generalization error", Machine Learning 52, 239-281,
put 1/J + n_test/n_training in the place of 1/J in the variance of a mean over J folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any

import numpy as np


def corrected_p_value(first: Sequence[float], second: Sequence[float], test_to_training: float) -> float:
    """Give the two-sided p-value of the hypothesis that both learners score the same.

    Parameters
    ----------
    first, second : scores
        Of the two learners, on the same folds in the same order.
    test_to_training : float
        Rows tested for each row learnt from: 1/9 for ten folds.

    Examples
    --------
    >>> round(corrected_p_value([0.8, 0.9, 0.7], [0.7, 0.7, 0.6], 0.5), 4)
    0.1271
    >>> corrected_p_value([0.8, 0.9], [0.8, 0.9], 1.0)
    1.0
    """
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    mean, error = float(np.mean(difference)), corrected_error(difference, test_to_training)
    if mean == 0:
        return 1.0
    from scipy.stats import t

    return float(2 * t.sf(abs(mean) / error if error > 0 else inf, len(difference) - 1))


def corrected_error(scores: Any, test_to_training: float) -> float:
    """Give the standard error of a mean over folds that share training rows.

    Examples
    --------
    >>> round(corrected_error([0.7, 0.8, 0.9], 0.5), 4)
    0.0913
    """
    values = np.asarray(scores, dtype=np.float64)
    return sqrt((1 / len(values) + test_to_training) * float(np.var(values, ddof=1)))


def corrected_interval(scores: Any, test_to_training: float, level: float = 0.95) -> tuple[float, float]:
    """Give the range in which the mean score would lie in so many of a hundred repetitions.

    Examples
    --------
    >>> low, high = corrected_interval([0.7, 0.8, 0.9], 0.5)
    >>> round(low, 3), round(high, 3)
    (0.407, 1.193)
    """
    from scipy.stats import t

    values = np.asarray(scores, dtype=np.float64)
    reach = float(t.ppf((1 + level) / 2, len(values) - 1)) * corrected_error(values, test_to_training)
    return float(np.mean(values)) - reach, float(np.mean(values)) + reach
