"""Sums of products of columns that no order of the rows changes, nor how they are divided into parts.

Each number is taken apart into three whole numbers of 21 bits below a power of two that holds the largest of its
column. Products of matrices of these are exact in doubles, so many rows at a time, whatever adds them up (Ozaki,
Ogita, Oishi and Rump 2012, Numerical Algorithms 59). What lies 63 bits below the largest is left out, of each number
for itself; a double has 53.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Floats
from treewright.learners.linear.least_squares import Moments, refuse_overflow

Whole = NDArray[Any]  # of Python's own whole numbers, which never overflow

_BITS = 21
_AT_ONCE = 2**10  # rows whose products stay below 2^53 together
_FINE = 256  # bits of the triangle behind the point
_DEPENDENT = 200  # of these; what is left of a square below them is 0
_DIGITS = 120  # of the largest coefficient
_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of the three parts
_MOST_BLOCKS = 2**9  # whose sums stay below 2^62
_FARTHEST = 1000  # powers of two that are doubles; the smallest numbers are multiplied twice


@dataclass(frozen=True)
class Frame:
    """What is taken off each column, and the powers of two that then hold it; the target's are in the last place.

    `ends` are the smallest and the largest number of each column, `heaviest` is the largest weight.

    Examples
    --------
    >>> Frame.of(np.array([[1.0, 0.0], [3.0, 8.0]]), 1.0, True)
    Frame(centres=array([2., 4.]), exponents=array([1, 3, 1], dtype=int32))
    """

    centres: Floats
    exponents: NDArray[np.int32]  # and that of the roots of weights behind them

    @classmethod
    def of(cls, ends: Floats, heaviest: float, has_intercept: bool) -> Frame:
        """Of a table; without an intercept nothing is taken off."""
        low, high = ends
        centres = low / 2 + high / 2 if has_intercept else np.zeros(len(low))
        reach = np.append(np.maximum(np.abs(low - centres), np.abs(high - centres)), 1.0)
        return cls(centres, np.frexp(reach * np.sqrt(heaviest))[1].astype(np.int32))


@dataclass(frozen=True)
class WholeProducts:
    """Sums of products of all pairs of columns, the target behind them, the roots of the weights last.

    Examples
    --------
    >>> matrix, target = np.array([[1.0], [3.0]]), np.array([5.0, 9.0])
    >>> frame = Frame.of(ends_of(matrix, target), 1.0, True)
    >>> both = WholeProducts.together([WholeProducts.of(matrix[i:i + 1], target[i:i + 1], None, frame) for i in (0, 1)])
    >>> both.moments(True)
    Moments(weight=2.0, means=array([2., 7.]), products=array([[2., 4.],
           [4., 8.]]))
    """

    frame: Frame
    sums: Whole

    @classmethod
    def of(cls, matrix: Floats, target: Floats, roots: Floats | None, frame: Frame) -> WholeProducts:
        """Of rows; `roots` are those of their weights."""
        width = matrix.shape[1] + 2
        found = np.zeros((width, width), dtype=object)
        for start in range(0, len(target), _AT_ONCE * _MOST_BLOCKS):
            part = slice(start, start + _AT_ONCE * _MOST_BLOCKS)
            found += _added(matrix[part], target[part], None if roots is None else roots[part], frame)
        return cls(frame, found)

    @classmethod
    def together(cls, parts: Sequence[WholeProducts]) -> WholeProducts:
        """Of all rows of some parts."""
        return replace(parts[0], sums=sum((part.sums for part in parts[1:]), parts[0].sums))

    def centred(self, has_intercept: bool) -> Whole:
        """The products around the means, times the weight of all rows where there is an intercept."""
        if not has_intercept:
            return self.sums[:-1, :-1]
        last = self.sums[-1]
        return np.asarray(self.sums[:-1, :-1] * last[-1] - np.multiply.outer(last[:-1], last[:-1]))

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(np.ldexp(float(self.sums[-1, -1]), 2 * int(self.frame.exponents[-1]) - 6 * _BITS))

    @property
    def means(self) -> Floats:
        """The mean of each column, the target's last."""
        last = self.sums[-1]
        shifts = (last[:-1] / last[-1]).astype(np.float64)
        return np.asarray(self.frame.centres + np.ldexp(shifts, self.frame.exponents[:-1] - self.frame.exponents[-1]))

    def moments(self, has_intercept: bool) -> Moments:
        """The same as doubles."""
        own, last = self.frame.exponents[:-1], self.sums[-1]
        divisor = last[-1] if has_intercept else 1
        products = (self.centred(has_intercept) / divisor).astype(np.float64)
        with np.errstate(over="ignore"):
            products = np.ldexp(products, own[:, None] + own - 6 * _BITS)
        refuse_overflow(products)
        return Moments(self.weight, self.means if has_intercept else np.zeros(len(own)), products)

    def triangle(self, has_intercept: bool) -> Floats:
        """The triangle R of the columns and the target, each brought to length 1, by Cholesky with 256 bits.

        A row is 0 where the column is a combination of those before it.
        """
        centred = self.centred(has_intercept)
        lengths = np.array([isqrt(int(square) << _FINE) or 1 for square in centred.diagonal()], dtype=object)
        left = centred * 2 ** (2 * _FINE) // np.multiply.outer(lengths, lengths)
        found = np.zeros(left.shape, dtype=object)
        for j in range(len(left)):
            if left[j, j] >> (_FINE - _DEPENDENT) > 0:
                found[j, j:] = left[j, j:] * 2**_FINE // isqrt(int(left[j, j]) << _FINE)
                left[j:, j:] -= np.multiply.outer(found[j, j:], found[j, j:]) >> _FINE
        return np.asarray((found / 2**_FINE).astype(np.float64))

    def slopes(self, coefficients: Floats, has_intercept: bool) -> tuple[Floats, float]:
        """What coefficients leave: the sum of each centred column times the residuals, and that of their squares.

        Nothing is rounded before the end: the coefficients are whole numbers, too, of 120 bits.
        """
        own = self.frame.exponents[:-1]
        sizes = np.append(-coefficients, 1.0)
        reach = np.frexp(sizes)[1] + own
        unit = int(reach[sizes != 0].max())
        mantissas = np.ldexp(np.frexp(sizes)[0], 53).astype(np.int64).tolist()
        left = [_shifted(m, int(r) - unit + _DIGITS - 53) for m, r in zip(mantissas, reach, strict=True)]
        half = self.centred(has_intercept) @ np.array(left, dtype=object)
        divisor = self.sums[-1, -1] if has_intercept else 1
        slopes = np.ldexp((half / (divisor << _DIGITS)).astype(np.float64), own + unit - 6 * _BITS)
        whole = int(half @ np.array(left, dtype=object))
        return slopes[:-1], float(np.ldexp(whole / (divisor << 2 * _DIGITS), 2 * unit - 6 * _BITS))


def _shifted(number: int, bits: int) -> int:
    return number << bits if bits >= 0 else number >> -bits


def ends_of(matrix: Floats, target: Floats) -> Floats:
    """The smallest and the largest number of each column, holes left out, the target's last.

    Examples
    --------
    >>> ends_of(np.array([[1.0], [3.0], [2.0]]), np.array([5.0, 9.0, 7.0])).tolist()
    [[1.0, 5.0], [3.0, 9.0]]
    """
    low, high = (_folded(matrix, choose) for choose in (np.fmin, np.fmax))
    return np.array([np.append(low, target.min()), np.append(high, target.max())]) + 0.0


def _folded(matrix: Floats, choose: np.ufunc) -> Floats:
    """Halves laid over each other: as fast as a copy, where a loop over columns stops at each row."""
    size = min(len(matrix), _AT_ONCE)
    found = matrix[:size].copy()
    for start in range(size, len(matrix), size):
        part = matrix[start : start + size]
        choose(found[: len(part)], part, out=found[: len(part)])
    return np.asarray(choose.reduce(found, axis=0))


def _added(matrix: Floats, target: Floats, roots: Floats | None, frame: Frame) -> Whole:
    width = matrix.shape[1] + 2
    rows = min(_AT_ONCE, len(target))
    centres = np.broadcast_to(np.append(frame.centres, 0.0), (rows, width))
    shifts = _BITS - frame.exponents
    powers = np.broadcast_to(np.ldexp(1.0, np.minimum(shifts, _FARTHEST)), (rows, width))
    rest = np.ldexp(1.0, np.maximum(shifts - _FARTHEST, 0)) if shifts.max() > _FARTHEST else None
    centres, powers = np.ascontiguousarray(centres), np.ascontiguousarray(powers)  # one long loop beats many short ones
    left, parts = np.empty((rows, width)), [np.empty((rows, width)) for _ in range(3)]
    found = np.zeros((len(_PAIRS), width, width), dtype=np.int64)
    for start in range(0, len(target), rows):
        here = slice(start, start + rows)
        n = len(target[here])
        scaled, three = left[:n], [part[:n] for part in parts]
        np.subtract(matrix[here], centres[:n, :-2], out=scaled[:, :-2])
        np.subtract(target[here], frame.centres[-1], out=scaled[:, -2])
        scaled[:, -1] = 1.0
        if roots is not None:
            scaled *= roots[here, None]
        scaled *= powers[:n]
        if rest is not None:
            scaled *= rest
        _take_apart(scaled, three)
        for place, (one, other) in enumerate(_PAIRS):
            found[place] += (three[one].T @ three[other]).astype(np.int64)
    total = np.zeros((width, width), dtype=object)
    for (one, other), own in zip(_PAIRS, found.astype(object), strict=True):
        total += (own if one == other else own + own.T) * 2 ** (_BITS * (4 - one - other))
    return total


def _take_apart(scaled: Floats, parts: Sequence[Floats]) -> None:
    for part in parts[:-1]:
        np.rint(scaled, out=part)
        np.subtract(scaled, part, out=scaled)
        scaled *= 2.0**_BITS
    np.rint(scaled, out=parts[-1])
