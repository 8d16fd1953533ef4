"""Radial basis functions of a column: bells around evenly spaced centres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.linear.basis.basis import number_text, span_of


@dataclass(frozen=True)
class Radial:
    """exp(−(x − c)² / 2s²) for centres c from the least to the greatest value; s is the space between two if not given.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> basis = Radial(3)
    >>> basis.expand(x, basis.learn(x, None)).round(3).tolist()
    [[1.0, 0.607, 0.135], [0.607, 1.0, 0.607], [0.135, 0.607, 1.0]]
    """

    count: int
    width: float | None = None

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """The width, then the centres."""
        low, high = span_of(values)
        centres = np.linspace(low, high, self.count) if self.count > 1 else np.array([(low + high) / 2])
        space = (high - low) / max(self.count - 1, 1)
        return np.array([self.width or space or 1.0, *centres])

    def check(self, learnt: Floats) -> None:
        """Refuse what is no width and centres."""
        if len(learnt) != self.count + 1 or learnt[0] <= 0:
            raise ValueError("its radial functions do not have their centres")

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """One column a centre."""
        return np.asarray(np.exp(-0.5 * ((values[:, None] - learnt[1:]) / learnt[0]) ** 2))

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """radial(age) at 35, …"""
        return [f"radial({column}) at {number_text(centre)}" for centre in learnt[1:]]
