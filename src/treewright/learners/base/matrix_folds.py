"""Folds of a matrix, for a learner that chooses its penalty by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.design_matrix import CELLS_UNHEARD, Floats


def folds_of(
    cv: Any, matrix: Floats, target: NDArray[Any], seed: int, places: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """The fold of each row: by content for a number of folds, or as a splitter or a list of splits deals them.

    `places` tells which rows of the table as it was given these are, for a list of splits.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> folds_of(KFold(2), np.zeros((4, 1)), np.arange(4.0), 0)
    array([0, 0, 1, 1])
    """
    if isinstance(cv, int | np.integer):
        return content_folds(matrix, target, int(cv), seed)
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        in_table = np.arange(len(target)) if places is None else np.argsort(places)  # a splitter sees them so
        splits = list(cv.split(matrix[in_table], target[in_table]))
        places = np.argsort(in_table)
    else:
        splits = list(cv)
    try:
        held_out = [np.asarray(held, dtype=np.int64) for _, held in splits]
    except (TypeError, ValueError):
        raise DataError(
            f"cv={cv!r} is no way to make folds. Give a number of folds, a splitter such as scikit-learn's KFold, or a "
            "list of pairs: the numbers of the rows to learn from, and of those to hold out."
        ) from None
    return _folds_of_splits(held_out, np.arange(len(target)) if places is None else places)


def _folds_of_splits(held_out: list[NDArray[np.int64]], asked: NDArray[Any]) -> NDArray[np.int64]:
    every = np.concatenate([np.zeros(0, dtype=np.int64), *held_out])
    if len(np.unique(every)) != len(every) or not np.isin(asked, every).all():
        raise DataError("cv has to hold out every row exactly once, as scikit-learn's KFold does, or be a number.")
    fold_of = np.zeros(int(every.max()) + 1, dtype=np.int64)
    fold_of[every] = np.repeat(np.arange(len(held_out)), [len(part) for part in held_out])
    different, folds = np.unique(fold_of[asked], return_inverse=True)
    if len(different) < 2:
        raise DataError("cv makes one fold of all rows, so that none are left to learn from. Give two folds or more.")
    return np.asarray(folds, dtype=np.int64)


def content_folds(matrix: Floats, target: NDArray[Any], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Give every row the number of its fold, by what is in it: neither the order of rows nor doubled rows matter.

    Equal rows share a fold, and the numbers of different rows in folds differ by at most one. Classes (whole numbers as
    a target) are dealt one after the other, so that each has about the same share of every fold.

    Examples
    --------
    >>> content_folds(np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([5.0, 6.0, 5.0, 7.0]), 3, seed=0)
    array([1, 0, 1, 2])
    >>> content_folds(np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1]), 3, seed=0)
    array([0, 1, 2, 2, 0, 1])
    """
    drawn = np.random.default_rng(seed).integers(0, 2**63, matrix.shape[1] + 1, dtype=np.uint64)
    words = drawn * np.uint64(2) + np.uint64(1)
    block = CELLS_UNHEARD // max(matrix.shape[1], 1) + 1
    starts = range(0, max(len(matrix), 1), block)
    mixed = np.concatenate([_bits(matrix[start : start + block]) @ words[:-1] for start in starts])
    mixed += _bits(target) * words[-1]
    mixed ^= mixed >> np.uint64(32)
    mixed *= words[-1]
    place = np.unique(mixed, return_inverse=True)[1]
    if target.dtype.kind != "f":
        place = np.unique(target.astype(np.int64) * len(place) + place, return_inverse=True)[1]
    n_different = int(place.max()) + 1
    if n_different < 2:
        raise DataError(
            f"The penalty is to be chosen by cross-validation, but there is 1 sample (n_samples = {len(target)} rows, "
            "all alike): nothing can be held out. Give more rows, or give the penalty as a number."
        )
    return np.asarray(place % min(n_folds, n_different), dtype=np.int64)


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """The bits of each number; −0 and 0 are one. Whole numbers have only high ones, which products lose."""
    bits = (values + 0.0).view(np.uint64)
    return np.asarray(bits ^ (bits >> np.uint64(32)))
