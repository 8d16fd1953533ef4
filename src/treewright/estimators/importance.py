"""How much each column matters to a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def column_importance(arrays: Mapping[str, NDArray[Any]], n_columns: int) -> Floats:
    """The gains of the splits of each column, as shares that sum to 1.

    Where the surrogates of a node were chosen by agreement, a surrogate earns its adjusted agreement times the gain of
    the split that it stands in for; the gain is then that on the rows which the split can send itself (as rpart). The
    surrogates of conditional trees were chosen by tests and earn nothing.
    """
    gain = arrays["gain"]
    if "improvement" in arrays:
        gain = np.where(np.isnan(arrays["improvement"]), gain, arrays["improvement"])
    inner = arrays["column"] >= 0
    largest = np.max(gain[inner], initial=0.0)
    share = np.where(inner, gain / largest, 0.0) if 0 < largest < np.inf else np.zeros(len(gain))
    worth = arrays["weight"] / arrays["weight"][0] * share
    total = np.bincount(arrays["column"][inner], weights=worth[inner], minlength=n_columns).astype(np.float64)
    if "surrogate_start" in arrays and "improvement" in arrays:
        of_node = np.repeat(worth, np.diff(arrays["surrogate_start"]))
        column = arrays["surrogate_column"].astype(np.int64)
        total += np.bincount(column, weights=of_node * arrays["surrogate_adjusted"], minlength=n_columns)
    return total / total.sum() if total.sum() > 0 else total


def importance_with_sums(arrays: Mapping[str, NDArray[Any]], n_columns: int) -> Floats:
    """The same for a tree with tests of weighted sums: a sum counts for its columns in parts.

    The parts are the sizes of the coefficients per standard deviation.
    """
    worth = arrays["weight"] / arrays["weight"][0] * arrays["gain"]
    largest = np.max(worth, initial=0.0)
    if not 0 < largest < np.inf:
        return np.zeros(n_columns)
    terms = np.diff(arrays["term_start"]) if "term_start" in arrays else np.zeros(len(worth), np.int64)
    alone = (arrays["column"] >= 0) & (terms == 0)
    total = np.bincount(arrays["column"][alone], worth[alone] / largest, n_columns)
    if terms.any():
        in_parts = np.repeat(worth / largest, terms) * arrays["term_share"]
        total = total + np.bincount(arrays["term_column"].astype(np.int64), in_parts, n_columns)
    return np.asarray(total / total.sum())
