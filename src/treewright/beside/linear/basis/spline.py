"""Cubic splines of a column: natural ones, which go on as straight lines, and B-splines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline as BSplineCurve
from scipy.interpolate import CubicSpline

from treewright.beside.columns import Floats
from treewright.beside.linear.basis.basis import number_text, span_of, weighted_quantiles


@dataclass(frozen=True)
class Spline:
    """A natural cubic spline with knots at quantiles: smooth between the ends of training, straight beyond them.

    It spans what R's `ns(x, df)` spans. Each function is 1 at its knot and 0 at the others, so a coefficient says how
    far the curve at that knot lies above the curve at the first one.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    >>> basis = Spline(2)
    >>> knots = basis.learn(x, None)
    >>> basis.labels("age", knots)
    ['spline(age) at 2', 'spline(age) at 4']
    >>> basis.expand(np.array([2.0, 4.0, 6.0]), knots).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.5, 2.25]]
    """

    df: int

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """The knots: df + 1 of them, or fewer where quantiles coincide."""
        return np.unique(weighted_quantiles(values, weights, np.linspace(0.0, 1.0, self.df + 1)))

    def check(self, learnt: Floats) -> None:
        """Refuse what is no list of knots."""
        if not 1 <= len(learnt) <= self.df + 1 or (np.diff(learnt) <= 0).any():
            raise ValueError("its splines do not have their knots")

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """One column a knot, without the first."""
        if len(learnt) == 1:
            return np.zeros((len(values), 1))
        unit = learnt[-1] - learnt[0]  # knots next to 0 would have squares that are no numbers
        curve = CubicSpline((learnt - learnt[0]) / unit, np.eye(len(learnt)), bc_type="natural")
        places = (values - learnt[0]) / unit
        inside = np.clip(places, 0.0, 1.0)
        beyond = places - inside
        made = curve(inside)
        for end in (0.0, 1.0):
            outside = (inside == end) & (beyond != 0)
            if outside.any():
                made[outside] += np.outer(beyond[outside], curve(end, 1))
        return np.asarray(made[:, 1:])

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """spline(age) at 35, …"""
        return [f"spline({column}) at {number_text(knot)}" for knot in learnt[min(1, len(learnt) - 1) :]]


@dataclass(frozen=True)
class BSpline:
    """Cubic B-splines with knots at quantiles, as R's `bs(x, df)`; beyond the ends of training the curve stays level.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    >>> basis = BSpline(3)
    >>> basis.expand(np.array([2.0, 9.0]), basis.learn(x, None)).tolist()
    [[0.375, 0.375, 0.125], [0.0, 0.0, 1.0]]
    """

    df: int

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """The ends and the knots between them."""
        low, high = span_of(values)
        inner = weighted_quantiles(values, weights, np.linspace(0.0, 1.0, self.df - 1)[1:-1])
        return np.array([low, *np.unique(inner[(inner > low) & (inner < high)]), *([high] if high > low else [])])

    def check(self, learnt: Floats) -> None:
        """Refuse what is no list of knots."""
        if not 1 <= len(learnt) <= self.df - 1 or (np.diff(learnt) <= 0).any():
            raise ValueError("its splines do not have their knots")

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """One column a function, without the first: all together are 1."""
        if len(learnt) == 1:
            return np.zeros((len(values), 1))
        knots = np.concatenate([[learnt[0]] * 3, learnt, [learnt[-1]] * 3])
        made = BSplineCurve.design_matrix(np.clip(values, learnt[0], learnt[-1]), knots, 3)
        return np.asarray(made.toarray()[:, 1:])

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """bspline(age) 1, …"""
        return [f"bspline({column}) {k + 1}" for k in range(max(len(learnt) + 1, 1) if len(learnt) > 1 else 1)]
