"""Rows that are held out to judge a model while it is trained."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.input_frame import is_frame, to_table
from treewright.errors import DataError
from treewright.estimators.training_data import TrainingData

Rows = NDArray[np.uint32]
_PURPOSE = 31  # of the random words


def draw_held_out(training: TrainingData, fraction: float, seed: int) -> Rows:
    """Draw a share (or number) of the rows that count; every class keeps its share, and one row to learn from.

    What is drawn depends on what is in the rows, not on their order.
    """
    order = _core.rows_by_content(training.table.core, training.target, training.threads)
    words = _core.drawn_words(seed, _PURPOSE, 0, len(order))
    share = fraction if fraction < 1 else min(1.0, fraction / len(order))
    groups = np.zeros(len(order), dtype=np.int64) if training.classes is None else training.truth[order]
    taken = [_draw_from(order[groups == group], words[groups == group], share) for group in np.unique(groups)]
    held_out = np.sort(np.concatenate(taken))
    if len(held_out) == 0:
        raise DataError(
            f"validation_fraction={fraction} of {len(order)} sample(s) holds out none. Raise it, or say early_stopping=False."
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
