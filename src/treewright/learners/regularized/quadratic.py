"""The loss of a regression as a quadratic of the coefficients: ½ bᵀGb − cᵀb + ½ s, with G never larger than needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.interruptible_algebra import heard_within
from treewright.learners.linear.least_squares import (
    CentredRows,
    Moments,
    moments_of,
    qr_of_moments,
    qr_of_rows,
    refuse_overflow,
    scales_of,
)

MOST_PRODUCTS = 3000  # columns: 72 MB of products


class Quadratic(Protocol):
    """½ of the mean squared error of centred, scaled columns with coefficients b is ½ bᵀGb − cᵀb + ½ square."""

    @property
    def linear(self) -> Floats:
        """c: each column times the target."""
        ...

    @property
    def square(self) -> float:
        """The mean square of the target."""
        ...

    @property
    def diagonal(self) -> Floats:
        """The mean square of each column."""
        ...

    def block(self, columns: NDArray[Any]) -> Floats:
        """The rows and columns of G for some columns."""
        ...

    def times(self, coefficients: Floats) -> Floats:
        """G b."""
        ...

    def directions(self) -> tuple[Floats, Floats, Floats]:
        """Singular values s, right vectors V and Uᵀy of the columns, so that G = V diag(s²) Vᵀ and c = V (s · Uᵀy)."""
        ...


@dataclass(frozen=True)
class ProductQuadratic:
    """The quadratic with all of G at hand.

    `factor` is a triangle R of columns and target with RᵀR = G, where one is known that keeps more digits than G.

    Examples
    --------
    >>> quadratic = ProductQuadratic(np.diag([1.0, 4.0]), np.array([2.0, 0.0]), 5.0)
    >>> quadratic.times(np.ones(2)), quadratic.directions()[0]
    (array([1., 4.]), array([1., 2.]))
    """

    products: Floats
    linear: Floats
    square: float
    factor: Floats | None = None

    @cached_property
    def diagonal(self) -> Floats:
        """The mean square of each column."""
        return np.array(self.products.diagonal())

    def block(self, columns: NDArray[Any]) -> Floats:
        """The rows and columns of G for some columns."""
        whole = len(columns) == len(self.linear)
        return self.products if whole else self.products[columns[:, None], columns]

    def times(self, coefficients: Floats) -> Floats:
        """G b."""
        return np.asarray(self.products @ coefficients)

    def directions(self) -> tuple[Floats, Floats, Floats]:
        """By the triangle where there is one, else by the products."""
        if self.factor is not None:
            return _singular(self.factor[:, :-1], self.factor[:, -1])
        values, vectors = heard_within(np.linalg.eigh, self.products)
        values = np.sqrt(np.maximum(values, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            along = np.where(values > 0, self.linear @ vectors / values, 0.0)
        return values, vectors, along


@dataclass(frozen=True)
class RowQuadratic:
    """The quadratic of a wide table: G is never made, only the parts of it that are asked for.

    Examples
    --------
    >>> quadratic = RowQuadratic(np.array([[1.0, 2.0, 0.0]]), np.array([3.0]))
    >>> quadratic.times(np.array([1.0, 0.0, 5.0])), quadratic.block(np.array([0, 1])).tolist()
    (array([1., 2., 0.]), [[1.0, 2.0], [2.0, 4.0]])
    """

    rows: Floats  # centred, scaled, times the root of weight / all weight
    target: Floats

    @cached_property
    def linear(self) -> Floats:
        """c: each column times the target."""
        return np.asarray(self.target @ self.rows)

    @cached_property
    def square(self) -> float:
        """The mean square of the target."""
        return float(self.target @ self.target)

    @cached_property
    def diagonal(self) -> Floats:
        """The mean square of each column."""
        return np.asarray(np.einsum("ij,ij->j", self.rows, self.rows))

    def block(self, columns: NDArray[Any]) -> Floats:
        """The rows and columns of G for some columns."""
        part = self.rows[:, columns]
        return np.asarray(part.T @ part)

    def times(self, coefficients: Floats) -> Floats:
        """G b."""
        used = np.flatnonzero(coefficients)
        return np.asarray((self.rows[:, used] @ coefficients[used]) @ self.rows)

    def directions(self) -> tuple[Floats, Floats, Floats]:
        """By the rows."""
        return _singular(self.rows, self.target)


def _singular(columns: Floats, target: Floats) -> tuple[Floats, Floats, Floats]:
    left, values, right = heard_within(partial(np.linalg.svd, full_matrices=False), columns)
    return values, right.T, target @ left


@dataclass(frozen=True)
class Scaled:
    """A regression with its columns centred and scaled, and the way back.

    Examples
    --------
    >>> rows = CentredRows(np.array([[1.0], [3.0], [5.0]]), np.array([5.0, 9.0, 13.0]), None, True)
    >>> problem = scaled_problem(rows, True)
    >>> problem.scales.round(4), problem.quadratic.linear.round(4)
    (array([1.633]), array([3.266]))
    >>> [part.round(4).tolist() for part in problem.unscaled(np.array([[3.265986]]))]
    [[[2.0]], [3.0]]
    """

    quadratic: Quadratic
    means: Floats
    target_mean: float
    scales: Floats

    def unscaled(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Coefficients in the units of the table, and the intercepts, for each row of coefficients."""
        own = coefficients / self.scales
        return own, np.asarray(self.target_mean - own @ self.means)


def scaled_problem(rows: CentredRows, standardize: bool, exact: bool = False) -> Scaled:
    """Make the quadratic: of products where there are more rows than columns, else of the rows themselves.

    `exact` asks for a triangle that keeps all digits of ill-conditioned columns.
    """
    if rows.n_rows <= rows.n_columns or rows.n_columns > MOST_PRODUCTS:
        return _of_rows(rows, standardize)
    moments = moments_of(rows)
    factor = None
    if exact:
        r_factor = qr_of_moments(moments) or qr_of_rows(rows)
        unit = r_factor.scales if not standardize else np.ones_like(r_factor.scales)
        factor = r_factor.factor * np.append(unit, 1.0) / np.sqrt(rows.weight)
    return problem_of_moments(moments, standardize, factor)


def problem_of_moments(moments: Moments, standardize: bool, factor: Floats | None = None) -> Scaled:
    """Make the quadratic of sums of products."""
    means, target_mean = moments.means[:-1], float(moments.means[-1])
    spreads, constant = scales_of(moments.products.diagonal()[:-1], means, moments.weight)
    scales = spreads if standardize else np.ones_like(spreads)
    size = np.append(np.where(constant, np.inf, scales), 1.0)  # a constant column has no part in anything
    products = moments.products / (size[:, None] * size * moments.weight)
    made = ProductQuadratic(products[:-1, :-1], products[:-1, -1], float(products[-1, -1]), factor)
    return Scaled(made, means, target_mean, scales)


def _of_rows(rows: CentredRows, standardize: bool) -> Scaled:
    with np.errstate(over="ignore", invalid="ignore"):
        centred = rows.matrix - rows.means
        if rows.roots is not None:
            centred *= rows.roots[:, None]
        squares = np.einsum("ij,ij->j", centred, centred)
    refuse_overflow(squares)
    spreads, constant = scales_of(squares, rows.means, rows.weight)
    scales = spreads if standardize else np.ones_like(spreads)
    centred /= np.where(constant, np.inf, scales) * np.sqrt(rows.weight)
    made = RowQuadratic(centred, rows.centred_target / np.sqrt(rows.weight))
    return Scaled(made, rows.means, rows.target_mean, scales)
