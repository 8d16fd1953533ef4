"""The local regressions of many queries: which rows count, and the sums over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from treewright.learners.base.design_matrix import Floats
from treewright.learners.local_regression.careful_fit import RIDGE, fit_one
from treewright.learners.neighbors.metric import Points
from treewright.learners.neighbors.search import Search
from treewright.memory import Block

# How much a row counts by its distance: 1 at the place itself, less and less farther off.


KERNELS = ("gaussian", "tricube", "epanechnikov")
COMPACT = ("tricube", "epanechnikov")  # nothing counts beyond the bandwidth
GAUSSIAN_REACH = 8.5  # bandwidths; beyond them a row counts less than the rounding of one that is here


def kernel_weights(kernel: str, distances: Floats, bandwidth: Floats) -> Floats:
    """The weight of each distance (queries × rows); bandwidths are a column, one a query.

    Examples
    --------
    >>> kernel_weights("epanechnikov", np.array([[0.0, 1.0, 3.0]]), np.array([[2.0]]))
    array([[1.  , 0.75, 0.  ]])
    """
    with np.errstate(over="ignore"):
        u = np.divide(distances, bandwidth, out=np.where(distances > 0, np.inf, 0.0), where=bandwidth > 0)
        if kernel == "gaussian":
            return np.asarray(np.exp(-0.5 * u**2))
        u = np.minimum(u, 1.0)
        return np.asarray((1 - u**3) ** 3 if kernel == "tricube" else 1 - u**2)


def relative_weights(kernel: str, distances: Floats, bandwidth: Floats) -> Floats:
    """The same, but never all 0 with a gaussian kernel: far from all rows only the ratios of weights count.

    Examples
    --------
    >>> relative_weights("gaussian", np.array([[100.0, 101.0]]), np.array([[1.0]])).round(3)
    array([[1., 0.]])
    """
    if kernel != "gaussian":
        return kernel_weights(kernel, distances, bandwidth)
    nearest = distances.min(axis=1, keepdims=True)
    if not (bandwidth > 0).all():
        return kernel_weights(kernel, np.sqrt((distances - nearest) * (distances + nearest)), bandwidth)
    with np.errstate(over="ignore"):
        weights = distances + nearest
        weights *= distances - nearest
        weights *= -0.5 / bandwidth**2
        return np.asarray(np.exp(weights, out=weights))


# Many small weighted regressions at once, by their normal equations; those that are too close to singular are told.


_SAFE = 1e-9  # pivots below it, of equations with a diagonal of 1, have lost more than half of their digits
_NOTHING = 1e-290


@dataclass(frozen=True)
class Moments:
    """Weighted sums around each query: of 1, x, x xᵀ, y and x y, where x is the difference to the query.

    `few` tells where rows count for fewer than there are unknowns: the slopes are then held by a small ridge.
    """

    one: Floats
    x: Floats
    xx: Floats
    y: Floats
    xy: Floats
    few: NDArray[np.bool_]


@dataclass(frozen=True)
class Fits:
    """The value of each local regression at its query, what a weight of 1 there adds to it, and whether to trust it."""

    values: Floats
    leverage: Floats
    safe: NDArray[np.bool_]


def solve(moments: Moments) -> Fits:
    """Solve for the intercepts, which stand last: elimination then gives them without solving for the slopes.

    Examples
    --------
    >>> one, none = np.array([2.0]), np.array([[0.0]])
    >>> moments = Moments(one, none, np.array([[[2.0]]]), np.array([6.0]), none, np.array([False]))
    >>> solve(moments).values, solve(moments).leverage
    (array([3.]), array([0.5]))
    """
    n, p = moments.x.shape
    equations = np.empty((n, p + 1, p + 1))
    equations[:, :p, :p] = moments.xx
    equations[:, p, :p] = equations[:, :p, p] = moments.x
    equations[:, p, p] = moments.one
    slopes = np.arange(p)
    ridge = RIDGE * np.trace(moments.xx, axis1=1, axis2=2) / max(p, 1)
    equations[:, slopes, slopes] += np.where(moments.few, ridge, 0.0)[:, None]
    diagonal = np.einsum("njj->nj", equations)
    scale = 1 / np.sqrt(np.where(diagonal > _NOTHING, diagonal, 1.0))
    equations *= scale[:, :, None]
    equations *= scale[:, None, :]
    right = np.column_stack([moments.xy, moments.y]) * scale
    last, pivot, safe = _eliminate(equations, right)
    values, leverage = last / pivot * scale[:, p], (scale[:, p] / pivot) ** 2
    here = (np.trace(moments.xx, axis1=1, axis2=2) == 0) & (moments.one > _NOTHING)  # all rows that count are here
    values[here], leverage[here] = moments.y[here] / moments.one[here], 1 / moments.one[here]
    return Fits(values, leverage, (safe & (moments.one > _NOTHING)) | here)


def _eliminate(equations: Floats, right: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Cholesky's triangle, all equations in step; the last unknown needs the way forward only."""
    n, size = right.shape
    lower = np.zeros_like(equations)
    forward = np.zeros_like(right)
    safe = np.ones(n, dtype=bool)
    for j in range(size):
        column = equations[:, j:, j] - np.einsum("nik,nk->ni", lower[:, j:, :j], lower[:, j, :j])
        safe &= column[:, 0] > _SAFE
        pivot = np.sqrt(np.where(column[:, 0] > _SAFE, column[:, 0], 1.0))
        lower[:, j:, j] = np.where(safe[:, None], column / pivot[:, None], 0.0)
        forward[:, j] = (right[:, j] - np.einsum("nk,nk->n", lower[:, j, :j], forward[:, :j])) / pivot
    return forward[:, -1], pivot, safe


_MOST_CELLS = 2**21
_MOST_SQUARES = 2**23  # of two columns, for all queries of a block
_SUMS_AT_ONCE = 5  # arrays of queries × columns × columns
_QUERIES = 4096
_LOST = 1e-9  # of what was taken away: less has lost more than half of its digits
_MANY = 8  # where more than an eighth of the rows count, sums over all rows are one product of matrices


@dataclass(frozen=True)
class Queries:
    """Rows to answer: as points for distances, and as rows of the design for regression."""

    points: Points
    design: Floats

    def take(self, which: NDArray[np.int64] | slice) -> Queries:
        """Some of them."""
        return Queries(self.points.take(which), self.design[which])


@dataclass(frozen=True)
class LocalRows:
    """The rows that were learnt: as points, as rows of the design (spread of 1 in each column), target and weights."""

    search: Search
    design: Floats
    target: Floats
    weights: Floats
    kernel: str
    degree: int

    @cached_property
    def _products(self) -> Floats:
        """1, x, y, all products of two x, and x y, of each row: what sums are made of."""
        x, y = self.design, self.target[:, None]
        upper = np.triu_indices(x.shape[1])
        return np.hstack([np.ones((len(x), 1)), x, y, x[:, upper[0]] * x[:, upper[1]], x * y])

    # ---------------------------------------------------------------- distances
    def distances(self, queries: Queries) -> Floats:
        """From each query to each row."""
        metric, rows, asked = self.search.metric, self.search.all_rows, queries.points
        plain = not len(metric.apart) and metric.mixing is None and not metric.averaged
        if plain and not (np.isnan(rows.numbers.sum()) or np.isnan(asked.numbers.sum())):
            kind = "cityblock" if metric.power == 1 else "euclidean"
            return np.asarray(cdist(asked.numbers * metric.scale, rows.numbers * metric.scale, kind))
        i = np.repeat(np.arange(len(asked)), len(rows))
        j = np.tile(np.arange(len(rows)), len(asked))
        return metric.distances(metric.pair_sums(asked, i, rows, j)).reshape(len(asked), len(rows))

    def blocks(self, queries: Queries) -> list[Queries]:
        """Parts of the queries whose distances to all rows fit into memory."""
        return [queries.take(slice(start, start + self._at_once)) for start in self._starts(queries)]

    @property
    def _at_once(self) -> int:
        """How many queries: their distances to all rows and their sums of products are in memory at one time."""
        width = int(self.design.shape[1]) + 1
        return max(1, min(_MOST_CELLS // len(self.target), _MOST_SQUARES // width**2))

    def memory(self, n_queries: int) -> list[Block]:
        """What fits of so many queries have in memory."""
        n_rows, width = self.design.shape
        at_once = min(n_queries, self._at_once)
        if self._is_wide:
            return [Block(32, rows=n_rows, columns=width), Block(24, rows_to_answer=at_once, rows=n_rows)]
        return [
            Block(8, rows=n_rows, products_of_two_columns=(width + 1) * (width + 2) // 2 + width + 1),
            Block(8 * _SUMS_AT_ONCE, rows_to_answer=at_once, columns=width, columns_=width),
            Block(24, rows_to_answer=at_once, rows=n_rows),
        ]

    @property
    def _is_wide(self) -> bool:
        """Whether there are as many slopes as rows: sums of two columns would be larger than the rows themselves."""
        return bool(self.degree) and self.design.shape[1] >= len(self.target)

    # ---------------------------------------------------------------- fits
    def fit_all(self, queries: Queries, bandwidth: Floats) -> Fits:
        """Fit at each query with its own bandwidth; a query that no row counts for has the value NaN."""
        if self._by_tree(queries):
            return self._fit_near(queries, bandwidth)
        parts = []
        for start, block in zip(self._starts(queries), self.blocks(queries), strict=True):
            part = bandwidth[start : start + len(block.design)]
            parts.append(self.fit_block(block, self.distances(block), part))
        return _joined(parts)

    def _starts(self, queries: Queries) -> range:
        return range(0, len(queries.design), self._at_once)

    def _by_tree(self, queries: Queries) -> bool:
        complete = not np.isnan(queries.points.numbers.sum())
        return self.kernel in COMPACT and complete and self.search.tree is not None and self.search.distinct is None

    def fit_block(self, queries: Queries, distances: Floats, bandwidth: Floats) -> Fits:
        """Fit where all distances are known."""
        widths = bandwidth[:, None]
        weights = relative_weights(self.kernel, distances, widths) * self.weights
        full = weights.sum(axis=1)
        if self.kernel not in COMPACT:  # the weights are relative to that of the nearest row
            full = full * kernel_weights(self.kernel, distances.min(axis=1, keepdims=True), widths)[:, 0]
        few = full < self.design.shape[1] + 1
        if self._is_wide:
            return self._careful(self._unsolved(len(few)), queries, weights, few)
        counts = (weights > 0).sum(axis=1) if self.kernel in COMPACT else self._reached(distances, widths)
        if counts.sum() * _MANY > distances.size:
            return self._careful(self._solved(self._summed(queries, weights, few)), queries, weights, few)
        order = np.argpartition(distances, min(int(counts.max(initial=1)), distances.shape[1]) - 1, axis=1)
        near = order[:, : max(int(counts.max(initial=1)), 1)]
        taken = np.take_along_axis(weights, near, axis=1)
        fits = self._solved(self._gathered(queries, near, taken, few))
        return self._careful(fits, queries, weights, few)

    def _reached(self, distances: Floats, widths: Floats) -> NDArray[np.int64]:
        nearest = distances.min(axis=1, keepdims=True)
        return np.asarray((distances**2 <= nearest**2 + (GAUSSIAN_REACH * widths) ** 2).sum(axis=1))

    def _fit_near(self, queries: Queries, bandwidth: Floats) -> Fits:
        """Fit with the rows that a k-d tree finds within the bandwidth, queries with about as many rows together."""
        tree = self.search.tree
        assert tree is not None
        n = len(queries.design)
        fits = Fits(np.full(n, np.nan), np.full(n, np.nan), np.ones(n, dtype=bool))
        counts = tree.count_within(queries.points, bandwidth)
        order = np.argsort(counts, kind="stable")
        for part in _even_parts(order, counts):
            lists = tree.rows_within(queries.points.take(part), bandwidth[part])
            found = self._fit_lists(queries.take(part), lists, bandwidth[part])
            fits.values[part], fits.leverage[part] = found.values, found.leverage
        return fits

    def _fit_lists(self, queries: Queries, lists: list[NDArray[np.int64]], bandwidth: Floats) -> Fits:
        longest = max(1, max(len(rows) for rows in lists))
        near = np.zeros((len(lists), longest), dtype=np.int64)
        there = np.arange(longest) < np.array([len(rows) for rows in lists])[:, None]
        near[there] = np.concatenate([np.asarray(rows, dtype=np.int64) for rows in lists])
        i = np.repeat(np.arange(len(lists)), longest)
        metric = self.search.metric
        far = metric.distances(metric.pair_sums(queries.points, i, self.search.all_rows, near.ravel()))
        weights = kernel_weights(self.kernel, far.reshape(near.shape), bandwidth[:, None]) * self.weights[near] * there
        few = weights.sum(axis=1) < self.design.shape[1] + 1
        fits = self._unsolved(len(few)) if self._is_wide else self._solved(self._gathered(queries, near, weights, few))
        values, leverage = fits.values.copy(), fits.leverage.copy()
        for q in np.flatnonzero(~fits.safe):
            values[q], leverage[q] = self._one(queries.design[q], near[q], weights[q], bool(few[q]))
        return Fits(values, leverage, np.ones(len(values), dtype=bool))

    # ---------------------------------------------------------------- sums
    def _summed(self, queries: Queries, weights: Floats, few: NDArray[np.bool_]) -> Moments:
        """Sums over all rows by one product, then moved to the query."""
        p, at = self.design.shape[1], queries.design
        sums = weights @ self._products
        one, x, y = sums[:, 0], sums[:, 1 : p + 1], sums[:, p + 1]
        xx = np.empty((len(at), p, p))
        upper = np.triu_indices(p)
        xx[:, upper[0], upper[1]] = xx[:, upper[1], upper[0]] = sums[:, p + 2 : p + 2 + len(upper[0])]
        cross = at[:, :, None] * x[:, None, :]
        xx += one[:, None, None] * (at[:, :, None] * at[:, None, :]) - cross - cross.transpose(0, 2, 1)
        self._forget_lost(xx, one[:, None] * at**2)
        xy = sums[:, p + 2 + len(upper[0]) :] - at * y[:, None]
        return Moments(one, x - one[:, None] * at, xx, y, xy, few)

    @staticmethod
    def _forget_lost(xx: Floats, moved: Floats) -> None:
        """Take squares for 0 that are only what rounding left of larger ones: else it would pass for a slope."""
        places = np.arange(xx.shape[1])
        squares = xx[:, places, places]
        xx[:, places, places] = np.where(squares < _LOST * moved, 0.0, squares)

    def _gathered(self, queries: Queries, near: NDArray[np.int64], weights: Floats, few: NDArray[np.bool_]) -> Moments:
        """Sums over the rows that count, taken around the query from the start."""
        x = self.design[near] - queries.design[:, None, :]
        y = self.target[near]
        heavy = x * weights[:, :, None]
        xx = np.matmul(heavy.transpose(0, 2, 1), x)
        xy = np.einsum("nmp,nm->np", heavy, y)
        return Moments(weights.sum(axis=1), heavy.sum(axis=1), xx, (weights * y).sum(axis=1), xy, few)

    def _solved(self, moments: Moments) -> Fits:
        if self.degree == 1 and self.design.shape[1]:
            return solve(moments)
        some = moments.one > 0
        inverse = np.divide(1.0, moments.one, out=np.full(len(some), np.nan), where=some)
        return Fits(moments.y * inverse, inverse, some)

    @staticmethod
    def _unsolved(n: int) -> Fits:
        return Fits(np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, dtype=bool))

    def _careful(self, fits: Fits, queries: Queries, weights: Floats, few: NDArray[np.bool_]) -> Fits:
        """Fit the unsafe ones again, one by one."""
        values, leverage = fits.values.copy(), fits.leverage.copy()
        for q in np.flatnonzero(~fits.safe):
            rows = np.flatnonzero(weights[q])
            values[q], leverage[q] = self._one(queries.design[q], rows, weights[q, rows], bool(few[q]))
        return Fits(values, leverage, np.ones(len(values), dtype=bool))

    def _one(self, at: Floats, rows: NDArray[np.int64], weights: Floats, few: bool) -> tuple[float, float]:
        rows, weights = rows[weights > 0], weights[weights > 0]
        if not len(rows):
            return np.nan, np.nan
        slopes = self.design[rows] - at
        return fit_one(slopes if self.degree else slopes[:, :0], self.target[rows], weights, few)


def _even_parts(order: NDArray[np.int64], counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Queries in the order of how many rows they have, so many that their longest lists together fit."""
    parts, start = [], 0
    while start < len(order):
        longest = int(counts[order[min(start + _QUERIES, len(order)) - 1]])
        stop = min(start + max(1, min(_QUERIES, _MOST_CELLS // 8 // max(longest, 1))), len(order))
        parts.append(order[start:stop])
        start = stop
    return parts


def _joined(parts: list[Fits]) -> Fits:
    parts = [Fits(np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool)), *parts]  # no rows have no parts
    return Fits(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.leverage for part in parts]),
        np.concatenate([part.safe for part in parts]),
    )
