"""Radial basis functions of several columns together: bells in a plane or in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.linear.basis.basis import number_text


@dataclass(frozen=True)
class JointRadial:
    """exp(−‖x − c‖² / 2s²) for rows x of several columns, each divided by its spread.

    The first centre is the row nearest the mean, and each further one the row farthest from all centres before, so
    that they cover the rows whatever their order. s is the mean distance of a centre from its nearest if not given.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    >>> basis = JointRadial(3)
    >>> learnt = basis.learn(rows, None)
    >>> basis.labels("lon, lat", learnt)
    ['radial(lon, lat) at 0.5, 0.5', 'radial(lon, lat) at 0, 0', 'radial(lon, lat) at 0, 1']
    >>> basis.expand(rows[:2], learnt).round(3).tolist()
    [[0.607, 1.0, 0.368], [0.607, 0.368, 0.135]]
    """

    count: int
    width: float | None = None

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """The number of columns, the width, the spread of each column, then the centres."""
        means = np.average(values, axis=0, weights=weights)
        spreads = np.sqrt(np.average((values - means) ** 2, axis=0, weights=weights))
        spreads = np.where(spreads > 0, spreads, 1.0)
        rows = np.unique(values, axis=0)
        scaled = rows / spreads
        chosen = [int(np.argmin(((scaled - means / spreads) ** 2).sum(axis=1)))]
        nearest = ((scaled - scaled[chosen[0]]) ** 2).sum(axis=1)
        while len(chosen) < min(self.count, len(rows)):
            chosen.append(int(np.argmax(nearest)))
            nearest = np.minimum(nearest, ((scaled - scaled[chosen[-1]]) ** 2).sum(axis=1))
        width = self.width or _space_between(scaled[chosen])
        return np.array([values.shape[1], width, *spreads, *rows[chosen].ravel()])

    def check(self, learnt: Floats) -> None:
        """Refuse what is no width, spreads and centres."""
        size = int(learnt[0]) if len(learnt) else 0
        centres = len(learnt) - 2 - size
        fits = size > 0 and size <= centres <= self.count * size and centres % size == 0
        if not fits or (learnt[1 : 2 + size] <= 0).any():
            raise ValueError("its radial functions do not have their centres")

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """One column a centre."""
        size = int(learnt[0])
        spreads, centres = learnt[2 : 2 + size], learnt[2 + size :].reshape(-1, size)
        made = np.zeros((len(values), len(centres)))
        for column in range(size):  # one column at a time, so that no block of rows × centres × columns is needed
            made += ((values[:, column, None] - centres[:, column]) / spreads[column]) ** 2
        return np.asarray(np.exp(made / (-2 * learnt[1] ** 2)))

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """radial(lon, lat) at 8.5, 47.4, …"""
        size = int(learnt[0])
        centres = learnt[2 + size :].reshape(-1, size)
        return [f"radial({column}) at {', '.join(number_text(number) for number in centre)}" for centre in centres]


def _space_between(centres: Floats) -> float:
    """The mean distance from a centre to the nearest other one; 1 where there is only one."""
    if len(centres) < 2:
        return 1.0
    squares = ((centres[:, None] - centres) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    return float(np.sqrt(squares.min(axis=1)).mean())
