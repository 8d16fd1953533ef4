"""The rows of a logistic model in blocks that stay in the cache: the constant 1, and the columns less their centre."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats

_BLOCK_NUMBERS = 2**15  # 256 KiB of doubles
_SAMPLE = 4096
_FAR = 8.0  # deviations that a column's mean may lie from zero before sums lose digits that matter


@dataclass(frozen=True)
class LogisticRows:
    """What a logistic model learns from.

    Parameters
    ----------
    matrix : array of shape (n, p)
        The columns, as numbers.
    codes : array of length n
        The class of each row, 0 to `n_classes` - 1.
    weights : array of length n, or None
        How much each row counts.
    n_classes : int
    intercept : bool
        Whether a constant 1 stands before the columns.
    centre : array of length p, or None
        What is taken from each column. It changes the intercept and the digits that are lost, nothing else.
    scale : array of length p, or None
        What each column is then divided by.

    Examples
    --------
    >>> rows = LogisticRows(np.array([[1.0], [3.0]]), np.array([0, 1]), None, 2, True, np.array([2.0]))
    >>> [block.tolist() for _, block in rows.blocks()]
    [[[1.0, -1.0], [1.0, 1.0]]]
    """

    matrix: Floats
    codes: NDArray[Any]
    weights: Floats | None
    n_classes: int
    intercept: bool = True
    centre: Floats | None = None
    scale: Floats | None = None

    @property
    def width(self) -> int:
        """How many coefficients a class has."""
        return int(self.matrix.shape[1]) + self.intercept

    @property
    def n_units(self) -> int:
        """How many rows of coefficients there are: one for two classes, else one a class."""
        return 1 if self.n_classes <= 2 else self.n_classes

    @property
    def whole_weight(self) -> float:
        """The weight of all rows."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Give the rows block by block. A block is overwritten by the next one, and may be by whoever reads it."""
        n, first = len(self.codes), int(self.intercept)
        step = max(_BLOCK_NUMBERS // max(self.width, 1), 16)
        room = np.empty((min(step, n), self.width))
        for start in range(0, n, step):
            part = slice(start, min(start + step, n))
            block = room[: part.stop - start]
            block[:, :first] = 1.0
            if self.centre is None:
                block[:, first:] = self.matrix[part]
            else:
                np.subtract(self.matrix[part], self.centre, out=block[:, first:])
            if self.scale is not None:
                block[:, first:] /= self.scale
            yield part, block

    def thinned(self, every: int) -> LogisticRows:
        """Every so many rows only, each with the weight of those left out."""
        weights = np.ones(len(self.codes)) if self.weights is None else self.weights
        return replace(
            self,
            matrix=np.ascontiguousarray(self.matrix[::every]),
            codes=self.codes[::every],
            weights=weights[::every] * float(every),
        )

    def with_columns(self, kept: NDArray[np.bool_]) -> LogisticRows:
        """Some of the columns only."""
        centre = None if self.centre is None else self.centre[kept]
        scale = None if self.scale is None else self.scale[kept]
        return replace(self, matrix=np.ascontiguousarray(self.matrix[:, kept]), centre=centre, scale=scale)

    def to_plain(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Give the slopes (units × p) and the intercepts for the columns as they are."""
        slopes = coefficients[:, int(self.intercept) :] / (1.0 if self.scale is None else self.scale)
        if not self.intercept:
            return slopes, np.zeros(len(slopes))
        shift = 0.0 if self.centre is None else slopes @ self.centre
        return slopes, coefficients[:, 0] - shift

    def from_plain(self, slopes: Floats, intercepts: Floats) -> Floats:
        """Give the coefficients that these slopes and intercepts are here."""
        scaled = slopes * (1.0 if self.scale is None else self.scale)
        if not self.intercept:
            return scaled
        shift = 0.0 if self.centre is None else slopes @ self.centre
        return np.column_stack([intercepts + shift, scaled])


def usual_centre(matrix: Floats) -> Floats | None:
    """Give what to take from the columns: means of a sample, or None where no mean is far from zero.

    Examples
    --------
    >>> usual_centre(np.array([[2000.0, 1.0], [2001.0, -1.0]]))
    array([2000.5,    0. ])
    >>> usual_centre(np.array([[1.0], [-1.0]]))
    """
    sample = matrix[:: max(len(matrix) // _SAMPLE, 1)]
    if not sample.size:
        return None
    centre, spread = sample.mean(axis=0), sample.std(axis=0)
    if not np.isfinite(centre).all() or (np.abs(centre) <= _FAR * spread).all():
        return None
    return np.asarray(centre)
