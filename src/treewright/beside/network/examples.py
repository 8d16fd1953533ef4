"""Rows to learn from, and the order in which an epoch takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.beside.network.activations import Array
from treewright.beside.network.initial_weights import uniform_numbers

_MASK, _HELD_OUT = 43, 44  # of the random words
Batch = tuple[Array, NDArray[Any], Array | None]


@dataclass(frozen=True)
class Examples:
    """Inputs, targets and weights (None: all 1; otherwise their mean is 1) of the rows.

    Examples
    --------
    >>> examples = Examples(np.eye(3), np.arange(3), None)
    >>> [target.tolist() for _, target, _ in examples.batches(2, None)]
    [[0, 1], [2]]
    >>> order = epoch_order(3, seed=0, epoch=0)
    >>> sorted(order.tolist())
    [0, 1, 2]
    """

    rows: Array
    target: NDArray[Any]
    weights: Array | None

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, chosen: NDArray[np.intp]) -> Examples:
        """Some of the rows; their weights get the mean 1 again."""
        weights = None if self.weights is None else self.weights[chosen]
        if weights is not None:
            weights = weights / weights.mean()
        return Examples(self.rows[chosen], self.target[chosen], weights)

    def batches(self, size: int, order: NDArray[np.intp] | None) -> Iterator[Batch]:
        """Go through the rows in this order (None: as they are). The inputs of a batch are overwritten by the next."""
        weights = self.weights
        if order is None:
            for start in range(0, len(self), size):
                part = slice(start, start + size)
                yield self.rows[part], self.target[part], None if weights is None else weights[part]
            return
        room = np.empty((min(size, len(self)), self.rows.shape[1]), dtype=self.rows.dtype)
        for start in range(0, len(self), size):
            chosen = order[start : start + size]
            rows = room[: len(chosen)]
            np.take(self.rows, chosen, axis=0, out=rows, mode="clip")  # without "clip" numpy copies once more
            yield rows, self.target[chosen], None if weights is None else weights[chosen]


def epoch_order(n_rows: int, seed: int, epoch: int) -> NDArray[np.uint32]:
    """Give the order of the rows in an epoch: a function of seed and epoch alone."""
    return _core.shuffled(n_rows, seed, epoch)


def masked(rows: Array, share: float, seed: int, step: int) -> Array:
    """Give the rows with a share of their numbers set to 0, drawn anew for every step.

    Examples
    --------
    >>> bool(masked(np.ones((1, 8)), 0.5, seed=1, step=0).sum() < 8)
    True
    """
    kept = uniform_numbers(seed, _MASK, step, rows.size).reshape(rows.shape) >= share
    return np.asarray(rows * kept)


def hold_out(groups: NDArray[Any], share: float, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Part the rows into those to learn from and those to judge by; every group keeps a row to learn from.

    Examples
    --------
    >>> learn, judge = hold_out(np.array([0, 0, 0, 0, 1, 1]), 0.5, seed=0)
    >>> len(learn), len(judge)
    (3, 3)
    """
    words = _core.drawn_words(seed, _HELD_OUT, 0, len(groups))
    judging = np.zeros(len(groups), dtype=bool)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        count = min(len(members) - 1, round(share * len(members)))
        judging[members[np.argsort(words[members])[:count]]] = True
    return np.flatnonzero(~judging), np.flatnonzero(judging)
