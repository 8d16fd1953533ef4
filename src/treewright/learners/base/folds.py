"""Rows dealt out: to folds, to a part that is held out, and by groups that belong together."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.trees.training_data import CodedRows
from treewright.table.frame import is_frame, to_table

# Rows dealt out to folds: by class where there are classes, the same for the same seed.


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


# Rows that are held out to judge a model while it is trained.


Rows = NDArray[np.uint32]
_PURPOSE = 31  # of the random words


def draw_held_out(training: CodedRows, fraction: float, seed: int) -> Rows:
    """Draw a share (or number) of the rows that count; every class keeps its share, and one row to learn from.

    What is drawn depends on what is in the rows, not on their order.
    """
    order = _core.rows_by_content(training.table.core, training.core_target(), training.threads)
    words = _core.drawn_words(seed, _PURPOSE, 0, len(order))
    share = fraction if fraction < 1 else min(1.0, fraction / len(order))
    groups = np.zeros(len(order), dtype=np.int64) if training.classes is None else training.truth[order]
    taken = [_draw_from(order[groups == group], words[groups == group], share) for group in np.unique(groups)]
    held_out = np.sort(np.concatenate(taken))
    if len(held_out) == 0:
        raise DataError(
            f"validation_fraction={fraction} of {len(order)} sample(s) holds out none. Raise it, or say "
            "early_stopping=False."
        )
    return held_out


def _draw_from(rows: Rows, words: NDArray[np.uint64], share: float) -> Rows:
    count = min(len(rows) - 1, round(share * len(rows)))
    return rows[np.argsort(words, kind="stable")[:count]]


def join_tables(first: Any, second: Any) -> Any:
    """Put the rows of two tables of the same columns one below the other.

    Examples
    --------
    >>> join_tables([[1, 2]], [[3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    first, second = to_table(first), to_table(second)
    if is_frame(first) != is_frame(second):
        raise DataError("X and X_val are of different kinds. Pass both as data frames, or both as arrays.")
    if not is_frame(first):
        first, second = np.asarray(first), np.asarray(second)
        if first.shape[1:] != second.shape[1:]:
            raise DataError(f"X has the shape {first.shape} and X_val {second.shape}. Pass the same columns in both.")
        return np.concatenate([first, second])
    frames = [nw.from_native(frame, eager_only=True) for frame in (first, second)]
    if frames[0].columns != frames[1].columns:
        raise DataError(f"X has the columns {frames[0].columns} and X_val {frames[1].columns}. Pass the same in both.")
    return nw.concat(frames, how="vertical").to_native()


def join_columns(first: Any, second: Any) -> NDArray[Any]:
    """Put one column below the other.

    Examples
    --------
    >>> join_columns([1, 2], [3])
    array([1, 2, 3])
    """
    return np.concatenate([np.asarray(first), np.asarray(second)])


# Groups of rows that belong together: all rows of a patient, a household, a day.


def encode_groups(groups: Any, n_rows: int) -> NDArray[np.uint32]:
    """Number the groups of the rows from 0 on, in the order of their names.

    Examples
    --------
    >>> encode_groups(["b", "a", "b"], 3)
    array([1, 0, 1], dtype=uint32)
    """
    column = np.asarray(groups)
    if column.ndim != 1 or len(column) != n_rows:
        raise DataError(
            f"groups has the shape {column.shape}, and the table has {n_rows:,} rows. Give one group for each row."
        )
    holes = pd.isna(column)
    if holes.any():
        raise DataError(f"Row {int(np.argmax(holes)) + 1} has no group. Give every row one, or leave the row out.")
    try:
        codes = np.unique(column, return_inverse=True)[1]
    except TypeError:
        raise DataError("The groups are of kinds that cannot be put in order. Give numbers, or names.") from None
    return np.asarray(codes, dtype=np.uint32)
