"""Many small weighted regressions at once, by their normal equations; those that are too close to singular are told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats

RIDGE = 1e-6  # of the mean square of the slopes' columns, where rows are too few
_SAFE = 1e-9  # pivots below it, of equations with a diagonal of 1, have lost more than half of their digits
_NOTHING = 1e-290


@dataclass(frozen=True)
class Moments:
    """Weighted sums around each query: of 1, x, x xᵀ, y and x y, where x is the difference to the query.

    `few` tells where rows count for fewer than there are unknowns: the slopes are then held by a small ridge.
    """

    one: Floats
    x: Floats
    xx: Floats
    y: Floats
    xy: Floats
    few: NDArray[np.bool_]


@dataclass(frozen=True)
class Fits:
    """The value of each local regression at its query, what a weight of 1 there adds to it, and whether to trust it."""

    values: Floats
    leverage: Floats
    safe: NDArray[np.bool_]


def solve(moments: Moments) -> Fits:
    """Solve for the intercepts, which stand last: elimination then gives them without solving for the slopes.

    Examples
    --------
    >>> one, none = np.array([2.0]), np.array([[0.0]])
    >>> moments = Moments(one, none, np.array([[[2.0]]]), np.array([6.0]), none, np.array([False]))
    >>> solve(moments).values, solve(moments).leverage
    (array([3.]), array([0.5]))
    """
    n, p = moments.x.shape
    equations = np.empty((n, p + 1, p + 1))
    equations[:, :p, :p] = moments.xx
    equations[:, p, :p] = equations[:, :p, p] = moments.x
    equations[:, p, p] = moments.one
    slopes = np.arange(p)
    ridge = RIDGE * np.trace(moments.xx, axis1=1, axis2=2) / max(p, 1)
    equations[:, slopes, slopes] += np.where(moments.few, ridge, 0.0)[:, None]
    diagonal = np.einsum("njj->nj", equations)
    scale = 1 / np.sqrt(np.where(diagonal > _NOTHING, diagonal, 1.0))
    equations *= scale[:, :, None]
    equations *= scale[:, None, :]
    right = np.column_stack([moments.xy, moments.y]) * scale
    last, pivot, safe = _eliminate(equations, right)
    values, leverage = last / pivot * scale[:, p], (scale[:, p] / pivot) ** 2
    here = (np.trace(moments.xx, axis1=1, axis2=2) == 0) & (moments.one > _NOTHING)  # all rows that count are here
    values[here], leverage[here] = moments.y[here] / moments.one[here], 1 / moments.one[here]
    return Fits(values, leverage, (safe & (moments.one > _NOTHING)) | here)


def _eliminate(equations: Floats, right: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Cholesky's triangle, all equations in step; the last unknown needs the way forward only."""
    n, size = right.shape
    lower = np.zeros_like(equations)
    forward = np.zeros_like(right)
    safe = np.ones(n, dtype=bool)
    for j in range(size):
        column = equations[:, j:, j] - np.einsum("nik,nk->ni", lower[:, j:, :j], lower[:, j, :j])
        safe &= column[:, 0] > _SAFE
        pivot = np.sqrt(np.where(column[:, 0] > _SAFE, column[:, 0], 1.0))
        lower[:, j:, j] = np.where(safe[:, None], column / pivot[:, None], 0.0)
        forward[:, j] = (right[:, j] - np.einsum("nk,nk->n", lower[:, j, :j], forward[:, :j])) / pivot
    return forward[:, -1], pivot, safe
