"""Basis functions: a column of numbers as several columns, so that a linear model can bend."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats

# What a basis is: it learns a few numbers from a column, and makes columns of the matrix by them.


class Basis(Protocol):
    """A way to write one column as several."""

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """The numbers to keep: knots, centres, means."""
        ...

    def check(self, fitted: Floats) -> None:
        """Refuse with a ValueError numbers that this basis cannot have learnt."""
        ...

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """The columns: rows × functions."""
        ...

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """What the columns are called."""
        ...


def span_of(values: Floats) -> tuple[float, float]:
    """The least and the greatest value.

    Examples
    --------
    >>> span_of(np.array([3.0, 1.0, 2.0]))
    (1.0, 3.0)
    """
    return float(values.min()), float(values.max())


def weighted_quantiles(values: Floats, weights: Floats | None, shares: Floats) -> Floats:
    """Quantiles as R's `quantile` gives them, a row of weight 2 being as good as two rows.

    Examples
    --------
    >>> weighted_quantiles(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0]), np.array([0.0, 0.5, 1.0]))
    array([1., 3., 4.])
    """
    if weights is None:
        return np.asarray(np.quantile(values, shares))
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    place = np.maximum(ends[-1] - 1.0, 0.0) * shares
    low = np.floor(place)
    places = np.searchsorted(ends, np.array([low, low + 1.0]), side="right")
    below, above = values[order][np.minimum(places, len(values) - 1)]
    return np.asarray(below + (place - low) * (above - below))


def number_text(number: float) -> str:
    """A knot or centre as it stands in a name.

    Examples
    --------
    >>> number_text(35.0), number_text(0.123456)
    ('35', '0.1235')
    """
    return f"{number:.4g}"


# Sines and cosines of a column: what comes back with a period.


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

    def check(self, fitted: Floats) -> None:
        """Refuse what is no period."""
        if fitted.shape != (1,) or fitted[0] <= 0:
            raise ValueError("its sines and cosines have no period")

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """A sine and a cosine for each k."""
        turns = 2 * np.pi / fitted[0] * values[:, None] * np.arange(1, self.order + 1)
        return np.stack([np.sin(turns), np.cos(turns)], axis=2).reshape(len(values), 2 * self.order)

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """fourier(day) sin 1, fourier(day) cos 1, …"""
        return [f"fourier({column}) {wave} {k + 1}" for k in range(self.order) for wave in ("sin", "cos")]


# Any functions of a column, given as callables. They cannot be saved: a model file never holds code.


@dataclass(frozen=True)
class Functions:
    """Functions that take the column and give one column, or several, of the same length.

    Examples
    --------
    >>> basis = Functions((np.log, np.sqrt))
    >>> x = np.array([1.0, 4.0])
    >>> basis.labels("age", basis.learn(x, None)), basis.expand(x, np.ones(2)).round(3).tolist()
    (['log(age)', 'sqrt(age)'], [[0.0, 1.0], [1.386, 2.0]])
    """

    functions: tuple[Callable[[Floats], Any], ...]

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """How many columns each function gives."""
        return np.array([self._ask(function, values).shape[1] for function in self.functions], dtype=np.float64)

    def check(self, fitted: Floats) -> None:
        """Refuse what is no number of columns for each."""
        if fitted.shape != (len(self.functions),):
            raise ValueError("its functions are not those that it learnt with")

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """The columns of all functions side by side."""
        return np.hstack([self._ask(function, values) for function in self.functions])

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """log(age), …"""
        labels = []
        for place, (function, width) in enumerate(zip(self.functions, fitted, strict=True)):
            name = f"{_name(function, place)}({column})"
            labels += [name] if width == 1 else [f"{name} {k + 1}" for k in range(int(width))]
        return labels

    def _ask(self, function: Callable[[Floats], Any], values: Floats) -> Floats:
        with np.errstate(all="ignore"):
            made = np.asarray(function(values), dtype=np.float64)
        made = made[:, None] if made.ndim == 1 else made
        name = _name(function, self.functions.index(function))
        if made.ndim != 2 or len(made) != len(values):
            raise DataError(
                f"The basis function {name} gave an array of shape {made.shape} for {len(values)} rows. "
                "It has to give one number for each row, or one row of numbers."
            )
        wrong = ~np.isfinite(made).all(axis=1)
        if wrong.any():
            value = values[int(np.argmax(wrong))]
            raise DataError(
                f"The basis function {name} gives no finite number for {value:g}. Choose one that does, "
                "or change the column first."
            )
        return made


def _name(function: Any, place: int) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return f"function {place + 1}" if name == "<lambda>" else str(name)


# Radial basis functions of several columns together: bells in a plane or in space.


@dataclass(frozen=True)
class JointRadial:
    """exp(−‖x − c‖² / 2s²) for rows x of several columns, each divided by its spread.

    The first centre is the row nearest the mean, and each further one the row farthest from all centres before, so
    that they cover the rows whatever their order. s is the mean distance of a centre from its nearest if not given.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    >>> basis = JointRadial(3)
    >>> fitted = basis.learn(rows, None)
    >>> basis.labels("lon, lat", fitted)
    ['radial(lon, lat) at 0.5, 0.5', 'radial(lon, lat) at 0, 0', 'radial(lon, lat) at 0, 1']
    >>> basis.expand(rows[:2], fitted).round(3).tolist()
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

    def check(self, fitted: Floats) -> None:
        """Refuse what is no width, spreads and centres."""
        size = int(fitted[0]) if len(fitted) else 0
        centres = len(fitted) - 2 - size
        fits = size > 0 and size <= centres <= self.count * size and centres % size == 0
        if not fits or (fitted[1 : 2 + size] <= 0).any():
            raise ValueError("its radial functions do not have their centres")

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """One column a centre."""
        size = int(fitted[0])
        spreads, centres = fitted[2 : 2 + size], fitted[2 + size :].reshape(-1, size)
        made = np.zeros((len(values), len(centres)))
        for column in range(size):  # one column at a time, so that no block of rows × centres × columns is needed
            made += ((values[:, column, None] - centres[:, column]) / spreads[column]) ** 2
        return np.asarray(np.exp(made / (-2 * fitted[1] ** 2)))

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """radial(lon, lat) at 8.5, 47.4, …"""
        size = int(fitted[0])
        centres = fitted[2 + size :].reshape(-1, size)
        return [f"radial({column}) at {', '.join(number_text(number) for number in centre)}" for centre in centres]


def _space_between(centres: Floats) -> float:
    """The mean distance from a centre to the nearest other one; 1 where there is only one."""
    if len(centres) < 2:
        return 1.0
    squares = ((centres[:, None] - centres) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    return float(np.sqrt(squares.min(axis=1)).mean())


# Orthogonal polynomials of a column, as R's `poly` makes them.

_NO_CENTRE = 1e-14  # of a column of mean 0 and spread 1: what rounding leaves where the true centre is 0


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
            if abs(centre) < _NO_CENTRE:
                centre = 0.0
            before, now = now, (u - centre) * now - ratio * before
            square = float(w @ now**2)
            enough = square > 1e-20 * length * float(np.max(u**2, initial=1.0))
            centres.append(centre)
            lengths.append(square if enough else 0.0)
            if not enough:
                break
            ratio, length = square / length, square
        return np.array([mean, spread, *_filled(centres, self.degree), *_filled(lengths, self.degree), float(w.sum())])

    def check(self, fitted: Floats) -> None:
        """Refuse what is no such list of numbers."""
        if fitted.shape != (2 * self.degree + 3,) or (fitted[-1 - self.degree :] < 0).any():
            raise ValueError("its polynomials do not have their degree")
        length = float(fitted[-1])
        for following in fitted[2 + self.degree : -1].tolist():
            if following == 0:
                break  # no further one is asked for
            if length == 0 or math.isinf(following / length):
                raise ValueError("the lengths of its polynomials cannot be divided by each other")
            length = following

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """One column a degree."""
        mean, spread, centres, lengths, length = (
            fitted[0],
            fitted[1],
            fitted[2 : 2 + self.degree],
            fitted[2 + self.degree : -1],
            fitted[-1],
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

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """polynomial(age) 1, …"""
        return [f"polynomial({column}) {k + 1}" for k in range(self.degree)]


def _filled(numbers: list[float], size: int) -> list[float]:
    return numbers + [0.0] * (size - len(numbers))


# Radial basis functions of a column: bells around evenly spaced centres.


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

    def check(self, fitted: Floats) -> None:
        """Refuse what is no width and centres."""
        if len(fitted) != self.count + 1 or fitted[0] <= 0:
            raise ValueError("its radial functions do not have their centres")

    def expand(self, values: Floats, fitted: Floats) -> Floats:
        """One column a centre."""
        return np.asarray(np.exp(-0.5 * ((values[:, None] - fitted[1:]) / fitted[0]) ** 2))

    def labels(self, column: str, fitted: Floats) -> list[str]:
        """radial(age) at 35, …"""
        return [f"radial({column}) at {number_text(centre)}" for centre in fitted[1:]]
