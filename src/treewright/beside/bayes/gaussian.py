"""The logarithm of normal densities of many rows, columns and classes by two products of matrices."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats

_BLOCK = 2048  # rows that stay in the cache
_FAR = 1e100  # beyond so many deviations a square would overflow; which class is nearest does not change
_NARROW = 1e-6  # a class so narrow beside the whole column is taken apart: sums would lose its digits


class GaussianDensities:
    """Normal densities: means and variances are classes × columns.

    Examples
    --------
    >>> densities = GaussianDensities(np.array([[0.0], [3.0]]), np.ones((2, 1)))
    >>> densities.logarithms(np.array([[0.0]])).round(4)
    array([[-0.9189, -5.4189]])
    """

    def __init__(self, means: Floats, variances: Floats) -> None:
        self.centre = means.mean(axis=0)
        spread = np.sqrt(variances.mean(axis=0) + ((means - self.centre) ** 2).mean(axis=0))
        self.scale = 1 / np.where(spread > 0, spread, 1.0)
        self.means = (means - self.centre) * self.scale
        self.variances = variances * self.scale**2
        self.apart = np.flatnonzero((self.variances < _NARROW).any(axis=0))
        self.heights = -0.5 * np.log(2 * np.pi * variances)
        square, linear = -0.5 / self.variances, self.means / self.variances
        constant = self.heights - 0.5 * self.means**2 / self.variances
        for part in (square, linear):
            part[:, self.apart] = 0
        constant[:, self.apart] = self.heights[:, self.apart]
        self.constant = constant.T.copy()
        self.linear = (linear * self.scale).T.copy()  # of plain differences to the centre
        self.square = (square * self.scale**2).T.copy()

    def logarithms(self, numbers: Floats) -> Floats:
        """The log density of each row (rows × classes), missing values left out."""
        found = np.empty((self.constant.shape[1], len(numbers)))  # by classes: what follows runs along the rows
        room = np.empty((2, min(_BLOCK, len(numbers)), numbers.shape[1]))
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK]
            part = found[:, start : start + _BLOCK]
            with np.errstate(over="ignore", invalid="ignore"):
                part[:] = self._plain(block, room[:, : len(block)])
            if len(self.apart) or not np.isfinite(part.sum()):
                part[:] = self._with_care(block)
        return found.T

    def _plain(self, numbers: Floats, room: Floats) -> Floats:
        """Rows without a hole, none of them far out; otherwise the sum of the answer is no number."""
        gaps, squares = room
        np.subtract(numbers, self.centre, out=gaps)
        np.multiply(gaps, gaps, out=squares)
        return np.asarray((gaps @ self.linear + squares @ self.square + self.constant.sum(axis=0)).T)

    def _with_care(self, numbers: Floats) -> Floats:
        gaps = numbers - self.centre
        reach = _FAR / self.scale
        with np.errstate(invalid="ignore"):
            np.clip(gaps, -reach, reach, out=gaps)
        known = ~np.isnan(gaps)
        gaps[~known] = 0
        found = known.astype(np.float64) @ self.constant + gaps @ self.linear + gaps**2 @ self.square
        for j in self.apart:
            z = gaps[:, j, None] * self.scale[j]
            part = -0.5 * (z - self.means[:, j]) ** 2 / self.variances[:, j]
            found += np.where(known[:, j, None], part, 0.0)
        return np.asarray(found.T)
