"""Rows dealt out: to folds, to a part that is held out, and by groups that belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.trees.training_data import CodedRows
from treewright.table.frame import is_frame, to_table
from treewright.table.sparse import is_sparse

# What is dealt out: units, in the order of their content, so that neither the order of the rows nor the way in which
# weights are written changes where a row goes.


Rows = NDArray[np.uint32]
_FOLDS, _PART, _JUDGES = 33, 32, 31  # of the random words: what is drawn
_MOST_UNITS = 2**24  # whole weights beyond this sum are no counts of rows that anyone could have written out


def units_per_row(weights: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """How many units each row is: whole weights are counts, as if the row stood there so often; None: one unit a row.

    Examples
    --------
    >>> units_per_row(np.array([1.0, 3.0]))
    array([1, 3])
    >>> units_per_row(np.array([0.5, 3.0]))
    """
    if not (weights == np.floor(weights)).all() or not weights.sum() <= max(len(weights), _MOST_UNITS):
        return None
    return weights.astype(np.int64)


@dataclass(frozen=True)
class Units:
    """The rows that are dealt out, by content, each as often as it counts; of classes each gets its share.

    Examples
    --------
    >>> units = Units.of(np.array([2, 0, 1], dtype=np.uint32), None, np.array([0, 0, 1], dtype=np.int32))
    >>> units.folds(3, seed=0).tolist()
    [2, 1, 0]
    """

    rows: Rows  # the row of each unit
    classes: NDArray[Any] | None  # of each unit

    @classmethod
    def of(cls, order: Rows, weights: NDArray[np.float64] | None, classes: NDArray[Any] | None) -> Units:
        """Lay out the rows that count, given by content; weights and classes are those of the table's rows."""
        counts = None if weights is None else units_per_row(weights[order])
        rows = order if counts is None else np.repeat(order, counts)
        return cls(rows, None if classes is None else classes[rows])

    @classmethod
    def of_training(cls, training: CodedRows) -> Units:
        """The units of coded rows."""
        order = training.by_content()
        return cls.of(order, training.given, None if training.classes is None else training.truth)

    def __len__(self) -> int:
        return len(self.rows)

    def folds(self, n_folds: int, seed: int, deal: int = 0) -> NDArray[np.int64]:
        """Give every unit the number of its fold; sizes differ by at most one, and so do the classes within folds."""
        folds = np.empty(len(self), dtype=np.int64)
        folds[self._shuffled(seed, _FOLDS, deal)] = np.arange(len(self)) % n_folds
        return folds

    def part(self, share: float, seed: int) -> NDArray[np.bool_]:
        """Choose the share of the units that is held out; of every class that share, give or take one."""
        steps = np.floor(np.arange(len(self) + 1) * share + 0.5)  # one is held out wherever the running share gains one
        steps = np.minimum(steps, max(len(self) - 1, 0))  # and one at least is left
        held = np.zeros(len(self), dtype=bool)
        held[self._shuffled(seed, _PART, 0)] = np.diff(steps) > 0
        return held

    def _shuffled(self, seed: int, purpose: int, deal: int) -> NDArray[np.int64]:
        """The places of the units as they are dealt: shuffled, and one class after the other."""
        shuffled = np.argsort(_core.drawn_words(seed, purpose, deal, len(self)), kind="stable")
        return shuffled if self.classes is None else shuffled[np.argsort(self.classes[shuffled], kind="stable")]

    def sides(self, fold_of_unit: NDArray[np.int64], n_rows: int) -> Iterator[Sides]:
        """Hold out one fold after the other; a fold with all of the units, or with none, is left out.

        Examples
        --------
        >>> units = Units.of(np.array([2, 0], dtype=np.uint32), np.array([1.0, 0.0, 2.0]), None)
        >>> [(sides.kept.tolist(), sides.held.tolist()) for sides in units.sides(np.array([0, 1, 0]), n_rows=3)]
        [([2], [2, 0]), ([0, 2], [2])]
        """
        is_first = np.append(True, self.rows[1:] != self.rows[:-1])[: len(self)]
        order, all_units = self.rows[is_first], np.bincount(self.rows, minlength=n_rows)
        for fold in range(int(fold_of_unit.max(initial=-1)) + 1):
            is_held = fold_of_unit == fold
            if not is_held.any() or is_held.all():
                continue
            if len(order) == len(self):
                yield Sides(np.sort(order[~is_held]), order[is_held])
                continue
            kept = np.bincount(self.rows[~is_held], minlength=n_rows)
            held_rows = order[(kept < all_units)[order]]
            yield Sides(np.flatnonzero(kept).astype(np.uint32), held_rows, kept, all_units)


@dataclass(frozen=True)
class Sides:
    """The rows that a model learns from, and those that judge it, which stand in the order of their content.

    Of a row that is several units a part may be on either side.
    """

    kept: Rows
    held: Rows
    kept_units: NDArray[np.int64] | None = None  # of each row of the table; None: every row is on one side
    all_units: NDArray[np.int64] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every row is on one side."""
        return self.kept_units is None

    def kept_weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is left of the weights of the table's rows; rows that are not kept at all may have any."""
        if self.kept_units is None or self.all_units is None:
            return weights
        return np.asarray(weights * self.kept_units / np.maximum(self.all_units, 1))

    def held_weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the rows that judge weigh, one number for each of `held`.

        Examples
        --------
        >>> sides = Sides(np.array([0], dtype=np.uint32), np.array([0], dtype=np.uint32), np.array([2]), np.array([3]))
        >>> sides.kept_weights(np.array([3.0])).tolist(), sides.held_weights(np.array([3.0])).tolist()
        ([2.0], [1.0])
        """
        if self.kept_units is None or self.all_units is None:
            return weights[self.held]
        return np.asarray(weights * (self.all_units - self.kept_units) / np.maximum(self.all_units, 1))[self.held]


# Rows that are held out to judge a model while it is trained.


def draw_held_out(training: CodedRows, fraction: float, seed: int) -> Rows:
    """Draw a share (or number) of the rows that count; every class keeps its share, and one row to learn from.

    What is drawn depends on what is in the rows, not on their order.
    """
    order = training.by_content()
    words = _core.drawn_words(seed, _JUDGES, 0, len(order))
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
    if is_sparse(first) or is_sparse(second):
        from scipy.sparse import csc_array, vstack

        first, second = csc_array(first), csc_array(second)
        if first.shape[1] != second.shape[1]:
            raise DataError(f"X has the shape {first.shape} and X_val {second.shape}. Pass the same columns in both.")
        return vstack([first, second], format="csc")
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
