"""Folds by what is in the rows: equal rows share a fold, so neither the order of rows nor doubled rows matter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.errors import DataError


def content_folds(matrix: Floats, target: Floats, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Give every row the number of its fold; the numbers of different rows in folds differ by at most one.

    Examples
    --------
    >>> content_folds(np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([5.0, 6.0, 5.0, 7.0]), 3, seed=0)
    array([0, 1, 0, 2])
    """
    drawn = np.random.default_rng(seed).integers(0, 2**63, matrix.shape[1] + 1, dtype=np.uint64)
    words = drawn * np.uint64(2) + np.uint64(1)
    mixed = _bits(matrix) @ words[:-1] + _bits(target) * words[-1]
    mixed ^= mixed >> np.uint64(32)
    mixed *= words[-1]
    different, place = np.unique(mixed, return_inverse=True)
    if len(different) < 2:
        raise DataError(
            f"lambda_ is to be chosen by cross-validation, but there is 1 sample (n_samples = {len(target)} rows, all "
            "alike): nothing can be held out. Give more rows, or give lambda_ as a number."
        )
    return np.asarray(place % min(n_folds, len(different)), dtype=np.int64)


def _bits(values: Floats) -> NDArray[np.uint64]:
    return (values + 0.0).view(np.uint64)  # −0 and 0 are one number
