"""The rows of a regression, centred and weighted block by block: what all sums and factors are made from.

Nothing here makes a second copy of the whole matrix: a block fits the second-level cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.errors import DataError

_BLOCK_CELLS = 2**15  # 256 KiB of doubles


@dataclass(frozen=True)
class CentredRows:
    """A matrix, a target and weights, with the means that are taken off.

    Parameters
    ----------
    matrix : array of shape (n_rows, n_columns)
        The columns.
    target : array of length n_rows
        What is learnt.
    weights : array of length n_rows or None
        How much each row counts; None: all the same.
    has_intercept : bool
        Whether means are taken off at all.
    known_means : array or None
        The means of the columns, where they are known already.

    Examples
    --------
    >>> rows = CentredRows(np.array([[1.0], [3.0]]), np.array([5.0, 9.0]), None, True)
    >>> rows.means, rows.target_mean
    (array([2.]), 7.0)
    >>> list(rows.blocks())
    [(slice(0, 2, None), array([[-1.],
           [ 1.]]))]
    """

    matrix: Floats
    target: Floats
    weights: Floats | None
    has_intercept: bool
    known_means: Floats | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.target)

    @property
    def n_columns(self) -> int:
        """How many columns there are, the target left out."""
        return int(self.matrix.shape[1])

    @cached_property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @cached_property
    def means(self) -> Floats:
        """The mean of each column; 0 where there is no intercept."""
        if not self.has_intercept:
            return np.zeros(self.n_columns)
        return self._mean(self.matrix) if self.known_means is None else self.known_means

    @cached_property
    def target_mean(self) -> float:
        """The mean of the target; 0 where there is no intercept."""
        return float(self._mean(self.target[:, None])[0]) if self.has_intercept else 0.0

    def _mean(self, values: Floats) -> Floats:
        shares = np.full(self.n_rows, 1 / self.weight) if self.weights is None else self.weights / self.weight
        means: Floats = shares @ values
        return means

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Give the centred columns block by block, with the place of the block; the next block takes its room."""
        step = max(_BLOCK_CELLS // max(self.n_columns, 1), 64)
        room = np.empty((min(step, self.n_rows), self.n_columns))
        means = np.ascontiguousarray(np.broadcast_to(self.means, room.shape))  # one long loop beats many short ones
        for start in range(0, self.n_rows, step):
            part = slice(start, min(start + step, self.n_rows))
            size = part.stop - start
            yield part, np.subtract(self.matrix[part], means[:size], out=room[:size])

    @cached_property
    def roots(self) -> Floats | None:
        """The roots of the weights: what rows are multiplied with."""
        return None if self.weights is None else np.sqrt(self.weights)

    @cached_property
    def centred_target(self) -> Floats:
        """The target less its mean, each row times the root of its weight."""
        centred = self.target - self.target_mean
        return centred if self.roots is None else centred * self.roots

    def residuals(self, coefficients: Floats) -> Floats:
        """What the coefficients leave of the target: not weighted."""
        left = self.target - self.target_mean
        for part, block in self.blocks():
            left[part] -= block @ coefficients
        return left

    def against(self, residuals: Floats) -> Floats:
        """The sum of each centred column times residuals and weights."""
        weighed = residuals if self.weights is None else residuals * self.weights
        total: Floats = weighed @ self.matrix - weighed.sum() * self.means
        return total

    def take(self, rows: NDArray[Any] | slice) -> CentredRows:
        """Some of the rows, with means of their own."""
        weights = None if self.weights is None else self.weights[rows]
        return CentredRows(self.matrix[rows], self.target[rows], weights, self.has_intercept)


def refuse_overflow(sums: Floats) -> None:
    """Refuse numbers whose sums of squares are no numbers any more.

    Examples
    --------
    >>> refuse_overflow(np.array([np.inf]))
    Traceback (most recent call last):
    treewright.errors.DataError: Some numbers are so large that their squares are beyond the largest number. \
Divide the column, or the target, by a power of 10.
    """
    if not np.isfinite(sums).all():
        raise DataError(
            "Some numbers are so large that their squares are beyond the largest number. "
            "Divide the column, or the target, by a power of 10."
        )
