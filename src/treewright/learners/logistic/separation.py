"""Whether classes can be parted by a plane: then a likelihood without penalty has no greatest value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, vstack

from treewright.learners.base.design_matrix import Floats
from treewright.learners.logistic.loss import LogisticRows
from treewright.tree.format import largest_first

_MOST_NUMBERS = 4_000_000  # larger programs take minutes
_SURE = 1e-7


@dataclass(frozen=True)
class Separation:
    """A direction along which the likelihood never falls.

    Parameters
    ----------
    direction : array of shape (units, width)
        How coefficients may grow: the constant first, then the columns, each of which was divided by its spread.
    complete : bool
        Whether every row lies strictly on its side; else some lie on the border.

    Examples
    --------
    >>> Separation(np.array([[0.0, 1.0, 0.0]]), True).columns
    [0]
    """

    direction: Floats
    complete: bool

    @property
    def columns(self) -> list[int]:
        """The columns that take part, the strongest first."""
        strength = np.abs(self.direction[:, 1:]).max(axis=0)
        return [j for j in largest_first(strength) if strength[j] > 1e-6]


def can_look_for_separation(rows: LogisticRows) -> bool:
    """Whether the table is small enough for the linear program.

    Examples
    --------
    >>> can_look_for_separation(LogisticRows(np.zeros((3, 1)), np.zeros(3), None, 2))
    True
    """
    return bool(len(rows.codes) * (rows.matrix.shape[1] + 1) * max(rows.n_classes - 1, 1) <= _MOST_NUMBERS)


def find_separation(rows: LogisticRows) -> Separation | None:
    """Give a direction that parts the classes, or None; one column alone where one does (Albert and Anderson 1984).

    A linear program looks for the direction with the largest sum of margins among those that put no row on the wrong
    side, each coefficient between -1 and 1.

    Examples
    --------
    >>> apart = LogisticRows(np.array([[1.0, 3.0], [2.0, 1.0], [8.0, 2.0]]), np.array([0, 0, 1]), None, 2)
    >>> find_separation(apart).columns, find_separation(apart).complete
    ([0], True)
    >>> find_separation(LogisticRows(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0]), None, 2))
    """
    n, width = len(rows.codes), rows.matrix.shape[1] + 1
    spread = rows.matrix.std(axis=0)
    scaled = (rows.matrix - rows.matrix.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    constant = np.full((n, 1), float(rows.intercept))
    for j in range(width - 1):
        alone = _solve(np.hstack([constant, scaled[:, j : j + 1]]), rows)
        if alone is not None:
            direction = np.zeros((len(alone.direction), width))
            direction[:, [0, j + 1]] = alone.direction
            return Separation(direction, alone.complete)
    return _solve(np.hstack([constant, scaled]), rows)


def _solve(table: Floats, rows: LogisticRows) -> Separation | None:
    if rows.n_classes == 2 and table.shape[1] == 2:
        return _one_column(table, rows)
    margins = _margins(table, rows)
    found = linprog(-np.asarray(margins.sum(axis=0)).ravel(), A_ub=-margins, b_ub=np.zeros(margins.shape[0]),
                    bounds=(-1, 1), method="highs")  # fmt: skip
    if found.status != 0 or -found.fun <= _SURE * margins.shape[0]:
        return None
    reached = margins @ found.x
    units = 1 if rows.n_classes == 2 else rows.n_classes
    return Separation(found.x.reshape(units, table.shape[1]), bool((reached > _SURE).all()))


def _one_column(table: Floats, rows: LogisticRows) -> Separation | None:
    """The same for one column and two classes, by looking where each class ends."""
    low, high = table[rows.codes == 0, 1], table[rows.codes == 1, 1]
    for sign in (1.0, -1.0):
        below, above = (sign * low).max(), (sign * high).min()
        border = sign * (below + above) / 2
        spreads = (sign * table[:, 1]).max() > (sign * table[:, 1]).min()
        if below <= above and spreads and (rows.intercept or abs(border) <= 0):
            return Separation(np.array([[-sign * border, sign]]), bool(below < above))
    return None


def _margins(table: Floats, rows: LogisticRows) -> csr_array:
    """One line a row and other class: what the direction gives the row's own class, less what it gives the other."""
    if rows.n_classes == 2:
        return csr_array(table * np.where(rows.codes == 1, 1.0, -1.0)[:, None])
    lines = []
    for k in range(rows.n_classes):
        own = table[rows.codes == k]
        for other in range(rows.n_classes):
            if other != k:
                zero = csr_array(own.shape)
                parts = [csr_array(own) if c == k else csr_array(-own) if c == other else zero
                         for c in range(rows.n_classes)]  # fmt: skip
                lines.append(hstack(parts, format="csr"))
    return vstack(lines, format="csr")


def separation_text(found: Separation | None, names: tuple[str, ...]) -> str:
    """Say that the coefficients grow without end, why, and what to do.

    Examples
    --------
    >>> separation_text(Separation(np.array([[0.0, 1.0]]), True), ("age",))[:70]
    "The classes are separable: column 'age' alone parts them without error"
    """
    cure = "The coefficients are only where the search stopped. Use penalty='l2', or leave the column out."
    if found is None:
        return (
            "The likelihood still rose while the coefficients grew: the classes are separable, or nearly so. "
            "The coefficients are only where the search stopped. Use penalty='l2'."
        )
    of_two = len(found.direction) == 1
    how = "without error" if found.complete else "but for rows on the border" if of_two else "in part"
    what = "The classes are separable" if of_two or found.complete else "Some classes are separable from others"
    named = [f"'{names[j]}'" for j in found.columns[:5]]
    more = len(found.columns) - len(named)
    if len(named) == 1:
        return f"{what}: column {named[0]} alone parts them {how}. {cure}"
    told = ", ".join(named) + (f" and {more} more" if more > 0 else "")
    return f"{what}: the columns {told} together part them {how}. {cure}"
