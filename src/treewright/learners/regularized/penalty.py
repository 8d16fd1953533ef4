"""A penalty: its q or its mix of lasso and ridge, which λ are worth trying, and the solver that each one has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.learners.base.design_matrix import Floats
from treewright.learners.regularized.bridge import bridge, bridge_below_one, objective, threshold
from treewright.learners.regularized.lasso import lasso
from treewright.learners.regularized.quadratic import Quadratic

_STEPS = 8  # from the λ at which all is 0 to one that was asked for
_FEW = 64  # columns: so few need no steps


@dataclass(frozen=True)
class Solution:
    """Coefficients for each λ, how far the worst of them is from the minimum, and the most rounds that one took."""

    coefficients: Floats
    off: float
    rounds: int = 1


@dataclass(frozen=True)
class Penalty:
    """λ Σ|w|^q; for q = 1 and `l1_ratio` a below 1 the elastic net λ Σ (a·|w| + (1 − a)·w²/2).

    Examples
    --------
    >>> from treewright.learners.regularized.quadratic import ProductQuadratic
    >>> quadratic = ProductQuadratic(np.eye(2), np.array([2.0, 0.5]), 5.0)
    >>> Penalty(1.0).solve(quadratic, np.array([1.0, 0.25])).coefficients
    array([[1.  , 0.  ],
           [1.75, 0.25]])
    >>> Penalty(2.0).solve(quadratic, np.array([0.5])).coefficients
    array([[1.  , 0.25]])
    >>> Penalty(1.0).greatest(quadratic)
    2.0
    """

    q: float
    l1_ratio: float = 1.0
    tol: float = 1e-10
    max_iter: int = 1000

    @property
    def _is_ridge(self) -> bool:
        return self.q == 2 or (self.q == 1 and self.l1_ratio == 0)

    def solve(self, quadratic: Quadratic, alphas: Floats) -> Solution:
        """Solve for each λ, given from large to small: each answer is the start of the next."""
        least_squares = alphas == 0
        if self._is_ridge or least_squares.all():
            return Solution(self._ridge(quadratic, alphas), 0.0)
        b = np.zeros(len(quadratic.linear))
        found, worst, most = np.zeros((len(alphas), len(b))), 0.0, 1
        for place, price in enumerate(alphas):
            if price == 0:
                found[place] = self._ridge(quadratic, np.zeros(1))[0]
                continue
            b, off, rounds = self._step(quadratic, float(price), b)
            found[place], worst, most = b, max(worst, off), max(most, rounds)
        return Solution(found, worst, most)

    def solve_one(self, quadratic: Quadratic, price: float) -> Solution:
        """Solve for one λ; many columns come in step by step, from the λ at which all coefficients are 0."""
        top = 0.0 if self._is_ridge or price == 0 else self.greatest(quadratic)
        if top <= price or len(quadratic.linear) <= _FEW:
            return self.solve(quadratic, np.array([price]))
        found = self.solve(quadratic, np.geomspace(top, price, _STEPS)[1:])
        return Solution(found.coefficients[-1:], found.off, found.rounds)

    def _step(self, quadratic: Quadratic, price: float, b: Floats) -> tuple[Floats, float, int]:
        if self.q == 1:
            l1 = np.full(len(b), price * self.l1_ratio)
            return lasso(quadratic, l1, price * (1 - self.l1_ratio), b, self.tol, self.max_iter)
        if self.q > 1:
            return bridge(quadratic, price, self.q, b, self.tol, self.max_iter)
        near = self._near(quadratic, price)
        found = [
            bridge(quadratic, price, self.q, b, self.tol, self.max_iter),
            bridge_below_one(quadratic, price, self.q, near, self.tol, self.max_iter),
        ]
        return min(found, key=lambda answer: objective(quadratic, answer[0], price, self.q))

    def _near(self, quadratic: Quadratic, price: float) -> Floats:
        """The lasso at the same share of the greatest λ: where the search for q < 1 starts."""
        share = price / self.greatest(quadratic)
        top = float(np.max(np.abs(quadratic.linear), initial=0.0))
        l1 = np.full(len(quadratic.linear), min(share, 1.0) * top)
        return lasso(quadratic, l1, 0.0, np.zeros(len(l1)), self.tol, self.max_iter)[0]

    def _ridge(self, quadratic: Quadratic, alphas: Floats) -> Floats:
        """w = V diag(s / (s² + 2λ)) Uᵀy for all λ at once; for λ = 0 the shortest w of least squares."""
        values, vectors, along = quadratic.directions()
        double = 2 * alphas if self.q == 2 else alphas
        none = values <= np.max(values, initial=0.0) * len(quadratic.linear) * np.finfo(np.float64).eps
        size = np.where(none, 1.0, values)
        with np.errstate(over="ignore"):
            shares = np.where(none, 0.0, size / (size**2 + double[:, None]))
        return np.asarray((shares * along) @ vectors.T)

    # ---------------------------------------------------------------- which λ to try
    def greatest(self, quadratic: Quadratic) -> float:
        """The least λ at which all coefficients are 0; for q > 1, where there is none, one at which they are small."""
        top = float(np.max(np.abs(quadratic.linear), initial=0.0))
        size = float(np.max(quadratic.diagonal, initial=0.0))
        if top == 0 or size == 0:
            return 1.0  # no column tells anything: any λ gives the same
        if self.q == 1 and self.l1_ratio > 0:
            return top / self.l1_ratio
        if self.q < 1:
            each = np.where(quadratic.diagonal > 0, quadratic.diagonal, np.inf) ** (self.q - 1)
            prices = (np.abs(quadratic.linear) / threshold(1.0, 1.0, self.q)) ** (2 - self.q) * each
            return float(prices.max()) * (1 + 1e-9)  # rounding must not leave one of them in
        with np.errstate(over="ignore"):
            return float(1e3 * np.float64(top) ** (2 - self.q) * np.float64(size) ** (self.q - 1) / self.q)
