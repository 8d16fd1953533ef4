"""The logarithm of normal densities of many rows, columns and classes by two products of matrices."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats

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
        self.square, self.linear, self.constant = square.T.copy(), linear.T.copy(), constant.T.copy()

    def logarithms(self, numbers: Floats) -> Floats:
        """The log density of each row (rows × classes), missing values left out."""
        z = (numbers - self.centre) * self.scale
        with np.errstate(invalid="ignore"):
            np.clip(z, -_FAR, _FAR, out=z)
        found: Floats
        if np.isnan(z.sum()):
            known = ~np.isnan(z)
            z[~known] = 0
            found = known.astype(np.float64) @ self.constant
        else:
            known = None
            found = np.tile(self.constant.sum(axis=0), (len(z), 1))
        for j in self.apart:
            part = -0.5 * (z[:, j, None] - self.means[:, j]) ** 2 / self.variances[:, j]
            found += part if known is None else np.where(known[:, j, None], part, 0.0)
        found += z @ self.linear
        z *= z
        found += z @ self.square
        return found
