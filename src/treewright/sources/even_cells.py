"""Cells of one width for a column of numbers: a product tells which of them a number is in, where others take a search.

The width is a power of two and the ends are its multiples. So the product has no rounding, and a number is in its cell
by the product exactly if it is by comparing it with the ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.sources.questions import Numbers

_TAIL = 0.005  # of the numbers on either side share the first and the last cell
_CROWDED = 3.0  # a cell with so many times its part of the numbers: stretches of equal parts are better
_FARTHEST = 60  # powers of two that a width may be
_SMALLEST = -1075  # 2 to this power, and less, is rounded to 0


@dataclass(frozen=True)
class EvenCells:
    """Cells whose ends are the multiples first, first + 1 … of 2^-shift; the first and the last one are open.

    Examples
    --------
    >>> EvenCells(shift=1, first=3, count=4).ends()
    array([1.5, 2. , 2.5, inf])
    """

    shift: int
    first: int
    count: int

    def ends(self) -> Numbers:
        """The upper ends of the cells."""
        ends = np.ldexp(np.arange(self.first, self.first + self.count - 1, dtype=np.float64), -self.shift)
        if self.shift < 0:
            ends[ends == 0] = 2.0 ** (_SMALLEST - self.shift)  # what the product rounds to 0 is in the cell of 0
        return np.append(ends, np.inf)


def even_cells(sample: Numbers, few: int) -> EvenCells | None:
    """Cells for numbers like those of a sample, `few` of them or up to twice as many; None where numbers crowd.

    Examples
    --------
    >>> even_cells(np.arange(1000.0), 10)
    EvenCells(shift=-6, first=1, count=17)
    >>> even_cells(np.exp(np.arange(1000.0) / 20), 10) is None
    True
    """
    low, high = np.quantile(sample, [_TAIL, 1 - _TAIL], method="nearest").tolist()
    with np.errstate(over="ignore"):
        if not 0 < high - low < np.inf:
            return None
    shift = -int(np.floor(np.log2((high - low) / few)))
    if abs(shift) > _FARTHEST or max(abs(low), abs(high)) >= np.ldexp(1.0, 52 - shift):
        return None
    first, last = (int(np.ceil(np.ldexp(end, shift))) for end in (low, high))
    cells = EvenCells(shift, first, last - first + 2)
    held = np.bincount(np.searchsorted(cells.ends(), sample))
    return cells if held.max() <= _CROWDED * len(sample) / few else None


def even_cells_of(ends: Numbers) -> EvenCells | None:
    """The cells that have these ends; None where they have not one width.

    Examples
    --------
    >>> even_cells_of(np.array([-1.0, -0.5, 0.0, 0.5, np.inf]))
    EvenCells(shift=1, first=-2, count=5)
    >>> even_cells_of(np.array([1.0, 2.0, 4.0, np.inf])) is None
    True
    """
    if len(ends) < 3 or not np.isfinite(ends[:-1]).all():
        return None
    mantissa, exponent = np.frexp(np.diff(ends[:-1]).max())
    shift = 1 - int(exponent)
    if mantissa != 0.5 or abs(shift) > _FARTHEST:
        return None
    last = np.ldexp(ends[-2], shift)
    if abs(last) >= 2.0**53:
        return None
    found = EvenCells(shift, int(np.ceil(last)) - len(ends) + 2, len(ends))
    return found if np.array_equal(found.ends(), ends) else None
