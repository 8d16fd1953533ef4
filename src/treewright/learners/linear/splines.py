"""Cubic splines of a column as pieces of polynomials: what they are at a place is the same sum everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline as BSplineCurve
from scipy.interpolate import CubicSpline, PPoly

from treewright.learners.base.design_matrix import Floats
from treewright.learners.linear.basis import number_text, span_of, weighted_quantiles

_AT_A_TIME = 4_096  # rows: their coefficients are looked up


@dataclass(frozen=True)
class Curves:
    """Functions that are polynomials between cuts: numbers[0] + numbers[1] s + …, where s is x less the origin.

    The piece of a place is that of the last cut which is not above it; the first and the last piece are lines, which go
    on for ever. `numbers` are powers × pieces × functions.

    Examples
    --------
    >>> bend = Curves(np.array([-np.inf, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]), np.zeros((4, 3, 1)))
    >>> bend.numbers[2, 1], bend.numbers[:2, 2] = 1.0, np.array([[1.0], [2.0]])
    >>> bend.at(np.array([-1.0, 0.5, 2.0])).tolist()
    [[0.0], [0.25], [3.0]]
    """

    cuts: Floats
    origins: Floats
    numbers: Floats

    def at(self, places: Floats) -> Floats:
        """Places × functions, the powers added up from the lowest, so that an export can do the same."""
        made = np.empty((len(places), self.numbers.shape[2]))
        for start in range(0, len(places), _AT_A_TIME):
            part = places[start : start + _AT_A_TIME]
            piece = np.searchsorted(self.cuts, part, side="right") - 1
            gap = (part - self.origins[piece])[:, None]
            bent = np.where((piece > 0) & (piece < len(self.cuts) - 1), gap[:, 0], 0.0)[:, None]
            total = self.numbers[0, piece] + self.numbers[1, piece] * gap
            square = bent * bent
            total += self.numbers[2, piece] * square
            made[start : start + _AT_A_TIME] = total + self.numbers[3, piece] * (square * bent)
        return made


def _between_lines(curve: PPoly, slopes: tuple[Floats, Floats]) -> Curves:
    """The pieces of a curve from 0 to 1, with lines of given slopes beyond."""
    inner = curve.x
    numbers = np.zeros((4, len(inner) + 1, curve.c.shape[2]))
    numbers[:, 1:-1] = curve.c[::-1]
    numbers[0, 0] = numbers[0, 1]
    step = 1.0 - inner[-2]
    last = numbers[:, -2]
    numbers[0, -1] = last[0] + last[1] * step + last[2] * (step * step) + last[3] * (step * step * step)
    numbers[1, 0], numbers[1, -1] = slopes
    return Curves(np.concatenate([[-np.inf], inner]), np.concatenate([[0.0], inner[:-1], [1.0]]), numbers)


# Cubic splines of a column: natural ones, which go on as straight lines, and B-splines.


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

    def check(self, fitted: Floats) -> None:
        """Refuse what is no list of knots."""
        if not 1 <= len(fitted) <= self.df + 1 or (np.diff(fitted) <= 0).any():
            raise ValueError("its splines do not have their knots")

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """One column a knot, without the first."""
        if len(fitted) == 1:
            return np.zeros((len(values), 1))
        return self.curves(fitted).at((values - fitted[0]) / (fitted[-1] - fitted[0]))

    def curves(self, fitted: Floats) -> Curves:
        """The functions of places between the first knot, 0, and the last, 1."""
        unit = fitted[-1] - fitted[0]  # knots next to 0 would have squares that are no numbers
        curve = CubicSpline((fitted - fitted[0]) / unit, np.eye(len(fitted))[:, 1:], bc_type="natural")
        return _between_lines(curve, (curve(0.0, 1), curve(1.0, 1)))

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """spline(age) at 35, …"""
        return [f"spline({column}) at {number_text(knot)}" for knot in fitted[min(1, len(fitted) - 1) :]]


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

    def check(self, fitted: Floats) -> None:
        """Refuse what is no list of knots."""
        if not 1 <= len(fitted) <= self.df - 1 or (np.diff(fitted) <= 0).any():
            raise ValueError("its splines do not have their knots")

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """One column a function, without the first: all together are 1."""
        if len(fitted) == 1:
            return np.zeros((len(values), 1))
        return self.curves(fitted).at((values - fitted[0]) / (fitted[-1] - fitted[0]))

    def curves(self, fitted: Floats) -> Curves:
        """The functions of places between the ends, 0 and 1."""
        inner = (fitted - fitted[0]) / (fitted[-1] - fitted[0])
        knots = np.concatenate([[0.0] * 3, inner, [1.0] * 3])
        each = [PPoly.from_spline(BSplineCurve(knots, one, 3)).c[:, 3:-3] for one in np.eye(len(inner) + 2)[1:]]
        level = np.zeros(len(each))
        return _between_lines(PPoly(np.stack(each, axis=2), inner), (level, level))

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """bspline(age) 1, …"""
        return [f"bspline({column}) {k + 1}" for k in range(max(len(fitted) + 1, 1) if len(fitted) > 1 else 1)]
