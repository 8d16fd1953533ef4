"""Orthogonal polynomials of a column, as R's `poly` makes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.beside.columns import Floats


@dataclass(frozen=True)
class Polynomial:
    """Polynomials of degree 1, 2, … that are uncorrelated on the training rows, each with a sum of squares of 1.

    They span what x, x², … span, without their bad condition. The three-term recurrence is R's (Kennedy and Gentle,
    Statistical Computing, 1980, p. 343), on a column brought to mean 0 and spread 1, so that no power overflows.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> basis = Polynomial(2)
    >>> basis.expand(x, basis.learn(x, None)).round(4).tolist()
    [[-0.7071, 0.4082], [0.0, -0.8165], [0.7071, 0.4082]]
    """

    degree: int

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """Mean, spread, then a centre and a length for each degree; a length of 0 where there are too few values."""
        w = np.ones(len(values)) if weights is None else weights
        mean = float(np.average(values, weights=w))
        spread = float(np.sqrt(np.average((values - mean) ** 2, weights=w)))
        u = (values - mean) / (spread or 1.0)
        before, now, length = np.zeros_like(u), np.ones_like(u), float(w.sum())
        centres, lengths, ratio = [], [], 0.0
        for _ in range(self.degree):
            centre = float(w @ (u * now**2)) / length
            before, now = now, (u - centre) * now - ratio * before
            square = float(w @ now**2)
            enough = square > 1e-20 * length * float(np.max(u**2, initial=1.0))
            centres.append(centre)
            lengths.append(square if enough else 0.0)
            if not enough:
                break
            ratio, length = square / length, square
        return np.array([mean, spread, *_filled(centres, self.degree), *_filled(lengths, self.degree), float(w.sum())])

    def check(self, learnt: Floats) -> None:
        """Refuse what is no such list of numbers."""
        if learnt.shape != (2 * self.degree + 3,) or (learnt[-1 - self.degree :] < 0).any():
            raise ValueError("its polynomials do not have their degree")

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """One column a degree."""
        mean, spread, centres, lengths, length = (
            learnt[0],
            learnt[1],
            learnt[2 : 2 + self.degree],
            learnt[2 + self.degree : -1],
            learnt[-1],
        )
        u = (values - mean) / (spread or 1.0)
        made = np.zeros((len(values), self.degree))
        before, now, ratio = np.zeros_like(u), np.ones_like(u), 0.0
        for k in range(self.degree):
            if lengths[k] == 0:
                break  # the training rows had too few values for this degree: the column stays 0
            before, now = now, (u - centres[k]) * now - ratio * before
            made[:, k] = now / np.sqrt(lengths[k])
            ratio, length = lengths[k] / length, lengths[k]
        return made

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """polynomial(age) 1, …"""
        return [f"polynomial({column}) {k + 1}" for k in range(self.degree)]


def _filled(numbers: list[float], size: int) -> list[float]:
    return numbers + [0.0] * (size - len(numbers))
