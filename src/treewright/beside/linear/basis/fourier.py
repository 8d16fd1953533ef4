"""Sines and cosines of a column: what comes back with a period."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.linear.basis.basis import span_of


@dataclass(frozen=True)
class Fourier:
    """sin and cos of 2πkx / period for k = 1 … order; the period is the range of the column if not given.

    Examples
    --------
    >>> basis = Fourier(1, period=4.0)
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> basis.expand(x, basis.learn(x, None)).round(9).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0]]
    """

    order: int
    period: float | None = None

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """The period."""
        low, high = span_of(values)
        return np.array([self.period or (high - low) or 1.0])

    def check(self, learnt: Floats) -> None:
        """Refuse what is no period."""
        if learnt.shape != (1,) or learnt[0] <= 0:
            raise ValueError("its sines and cosines have no period")

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """A sine and a cosine for each k."""
        turns = 2 * np.pi / learnt[0] * values[:, None] * np.arange(1, self.order + 1)
        return np.stack([np.sin(turns), np.cos(turns)], axis=2).reshape(len(values), 2 * self.order)

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """fourier(day) sin 1, fourier(day) cos 1, …"""
        return [f"fourier({column}) {wave} {k + 1}" for k in range(self.order) for wave in ("sin", "cos")]
