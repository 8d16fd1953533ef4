"""Rows dealt out to folds: by class where there are classes, the same for the same seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def deal_folds(n_rows: int, n_folds: int, seed: int, classes: NDArray[np.int32] | None = None) -> NDArray[np.int64]:
    """Give every row the number of its fold; sizes differ by at most one, and so do the classes within folds.

    Examples
    --------
    >>> deal_folds(6, 3, seed=0, classes=np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)).tolist()
    [1, 2, 0, 0, 2, 1]
    """
    shuffled = np.random.default_rng(seed).permutation(n_rows)
    order = shuffled if classes is None else shuffled[np.argsort(classes[shuffled], kind="stable")]
    folds = np.empty(n_rows, dtype=np.int64)
    folds[order] = np.arange(n_rows) % n_folds
    return folds


def hold_out(n_rows: int, share: float, seed: int, classes: NDArray[np.int32] | None = None) -> NDArray[np.bool_]:
    """Choose the share of the rows that is held out; of every class that share, give or take a row.

    Examples
    --------
    >>> hold_out(8, 0.25, seed=0, classes=np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)).tolist()
    [False, False, False, True, False, False, True, False]
    """
    shuffled = np.random.default_rng(seed).permutation(n_rows)
    order = shuffled if classes is None else shuffled[np.argsort(classes[shuffled], kind="stable")]
    steps = np.floor(np.arange(n_rows + 1) * share + 0.5)  # a row is held out wherever the running share gains one
    steps = np.minimum(steps, max(n_rows - 1, 0))  # and one row at least is left
    held = np.zeros(n_rows, dtype=bool)
    held[order] = np.diff(steps) > 0
    return held
