"""Locally weighted regression on mixed tables: a straight line through the near rows, anew for every question."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats, learn_design
from treewright.learners.base.learnt import Arrays, Numbers, count, real, reals
from treewright.learners.base.matrix_model import MatrixModel, Target
from treewright.learners.base.parameters import above, fitted, number, one_of, parameter, whole
from treewright.learners.local_regression.bandwidth import choose_bandwidth
from treewright.learners.local_regression.local_fits import LocalRows, Queries
from treewright.learners.neighbors.metric import METRICS, METRICS_WITH_HOLES, learn_metric
from treewright.learners.neighbors.metric_choice import MetricChoice
from treewright.learners.neighbors.search import Search
from treewright.learners.neighbors.state import ROWS_KEPT, check_rows, stored_columns
from treewright.learners.neighbors.votes import settled_search
from treewright.table.schema import Schema
from treewright.table.target import encode_numbers, refuse_extremes
from treewright.tree.format import estimate_text

# A model of local regressions in a few lines.


_SHAPES = {"gaussian": "exp(-u²/2)", "tricube": "(1 - u³)³", "epanechnikov": "1 - u²"}


def local_text(model: Any) -> str:
    """Write a fitted model for people."""
    schema = model.schema_
    target = f" for '{schema.target}'" if schema.target else ""
    fit = "straight lines" if model.degree else "weighted means"
    lines = [f"{type(model).__name__}{target}: {fit} through near rows"]
    lines.append(f"  rows       {model.n_samples_fit_:,}")
    lines.append(f"  kernel     {model.kernel}, {_SHAPES[model.kernel]}")
    lines.append(f"  metric     {model.metric}")
    if model.span is not None:
        lines.append(f"  bandwidth  as far as {100 * model.span:g} % of the rows")
    else:
        lines.append(f"  bandwidth  {estimate_text(model.bandwidth_)}")
    if hasattr(model, "loo_errors_"):
        least, most = (estimate_text(model.bandwidths_[place], 3) for place in (-1, 0))
        tried = f"{len(model.bandwidths_)} from {least} to {most}"
        lines.append(
            f"  chosen     of {tried}: mean squared error {estimate_text(model.loo_errors_.min())} on rows left out"
        )
    return "\n".join(lines)


_LARGEST = 1e140  # a target whose squares are numbers


class LocallyWeightedRegression(RegressorMixin, MatrixModel):  # type: ignore[misc]
    """Answers a row with a regression in which near rows count more.

    At every row that is asked for, a weighted least-squares fit is made anew; its value there is the answer. Numbers
    and ordinal levels enter the fit as they are, nominal levels as contrasts, holes as the mean.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth in use (not with `span`).
    bandwidths_, loo_errors_ : array
        With ``bandwidth="loo"``: what was tried, and the mean squared error of each.

    References
    ----------
    W. S. Cleveland, Robust Locally Weighted Regression and Smoothing Scatterplots, JASA 74, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> x = np.linspace(0, 1, 11)
    >>> model = tw.LocallyWeightedRegression(bandwidth=0.1).fit(x[:, None], np.sin(2 * np.pi * x))
    >>> round(model.predict_one([0.25]), 4)
    0.8221
    """

    kernel: str = parameter(
        default="gaussian",
        takes=one_of("gaussian", "tricube", "epanechnikov"),
        doc="""How the weight falls with distance/bandwidth u: exp(−u²/2), (1 − u³)³ or 1 − u²; the last two are 0 from
        u = 1 on.""",
    )
    bandwidth: float | str = parameter(
        default="loo",
        takes=[above(0.0), one_of("loo")],
        doc="""How far a row reaches. Raising it gives a smoother answer. "loo": the bandwidth with the smallest squared
        error on rows that are left out one at a time.""",
    )
    span: float | None = parameter(
        default=None,
        takes=[number(0.0, 1.0, "right"), None],
        doc="""In place of a bandwidth the share of the rows that each fit reaches, as in loess: the bandwidth is the
        distance to the last of them.""",
    )
    degree: int = parameter(
        default=1,
        takes=whole(0, 1),
        kind="{0, 1}",
        doc="A straight line, or only the weighted mean of the near rows.",
    )
    metric: str = parameter(
        default="heom",
        takes=one_of(*(name for name in METRICS if name not in ("hvdm", "minkowski", "chebyshev"))),
        kind="str",
        doc="What near means, as in `KNeighborsRegressor`.",
    )
    factors: Mapping[Any, float] | Any = parameter(
        default=None,
        takes=[dict, "array-like", None],
        doc="What the differences in each column are multiplied by in the distance; 0 leaves a column out there.",
    )
    empty: str = parameter(
        default="nearest",
        takes=one_of("nearest", "refuse"),
        doc="""What happens to a row that has no neighbour within the bandwidth: the nearest row answers, or it is an
        error.""",
    )
    n_jobs: int | None = parameter(default=None, doc="Not used. It is there so that all estimators can be set alike.")

    _sparing = "Choose degree=0, which takes no products of columns, or leave columns out."
    _fitted_numbers: ClassVar[Numbers] = {"n_samples_fit_": count(1), "bandwidth_": real(0.0, absent="left out")}
    _fitted_arrays: ClassVar[Arrays] = {
        **ROWS_KEPT,
        "bandwidths_": reals("bandwidths", needed=False),
        "loo_errors_": reals("bandwidths", unknown=True, infinite=True, needed=False),
    }

    n_samples_fit_: int = fitted()
    bandwidth_: float = fitted()
    fit_target_: Floats = fitted()

    # ---------------------------------------------------------------- learning
    def _encode_numbers(self, column: Any) -> NDArray[np.float64]:
        numbers = encode_numbers(column)
        if np.abs(numbers).max(initial=0.0) < 1:  # large ones are refused where columns are, with their spread
            refuse_extremes(numbers, self._target_exponent, type(self).__name__)
        return numbers

    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        fitted: dict[str, Any] = {
            "fit_numbers_": columns.numbers.copy(),  # the user's own table may change later
            "fit_codes_": columns.codes,
            "fit_target_": truth.values,
            "n_samples_fit_": columns.n_rows,
        }
        if truth.weights is not None:
            fitted["fit_weights_"] = truth.weights
        if self.span is not None:
            return fitted
        if not isinstance(self.bandwidth, str):
            return {**fitted, "bandwidth_": float(self.bandwidth)}
        if columns.n_rows < 2:
            raise DataError(
                "bandwidth='loo' leaves out one row at a time, and the table has n_samples = 1. Give it a number."
            )
        local = _Prepared(self, columns, truth)
        self._refuse_beyond_memory("fit", *local.rows.memory(columns.n_rows))
        tried, errors, best = choose_bandwidth(local.rows, local.queries(columns))
        return {**fitted, "bandwidths_": tried, "loo_errors_": errors, "bandwidth_": best}

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        check_rows(schema, classes, fitted)
        if self.span is None and not fitted.get("bandwidth_", 0) > 0:
            raise ValueError("its bandwidth is no length")
        tried, errors = fitted.get("bandwidths_"), fitted.get("loo_errors_")
        if (tried is None) != (errors is None):
            raise ValueError("its errors do not fit its bandwidths")

    def _prepare(self) -> None:
        columns = stored_columns(self.schema_, self.__dict__)
        self._local = _Prepared(self, columns, Target(self.fit_target_, getattr(self, "fit_weights_", None)))

    # ---------------------------------------------------------------- answering
    def _answers(self, columns: Columns) -> Floats:
        local = self._local
        self._refuse_beyond_memory("predict", *local.rows.memory(columns.n_rows))
        queries = local.queries(columns)
        with np.errstate(over="ignore", invalid="ignore"):  # of rows far outside, which the nearest row answers
            values = local.rows.fit_all(queries, self._bandwidths(queries)).values
        empty = np.flatnonzero(~np.isfinite(values))
        if len(empty):
            values[empty] = self._without_neighbours(queries.take(empty), empty)
        return values + local.centre

    def _bandwidths(self, queries: Queries) -> Floats:
        if self.span is None:
            return np.full(len(queries.design), float(self.bandwidth_))
        rows = self._local.rows
        wanted = self.span * float(rows.weights.sum()) * (1 - 1e-12)  # in weight: weight 2 is as good as two rows
        sums, near = settled_search(
            lambda which, m: rows.search.nearest(queries.points.take(which), m),
            len(queries.design),
            wanted,
            self.n_samples_fit_,
            rows.weights,
            "first",
        )
        weight = rows.weights[near]
        needed = np.cumsum(weight, axis=1) - weight < wanted
        return rows.search.metric.distances(np.where(needed & np.isfinite(sums), sums, 0.0).max(axis=1))

    def _without_neighbours(self, queries: Queries, numbers: NDArray[np.int64]) -> Floats:
        if self.empty == "refuse":
            raise DataError(
                f"Row {numbers[0] + 1} has no neighbour within its bandwidth. Choose a larger bandwidth, "
                "empty='nearest', or kernel='gaussian', which reaches everywhere."
            )
        nearest = self._local.rows.search.nearest(queries.points, 1)[1][:, 0]
        return np.asarray(self._local.rows.target[nearest])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric in METRICS_WITH_HOLES
        return tags

    def __str__(self) -> str:
        return local_text(self) if self._fitted_by in self.__dict__ else repr(self)


def _refuse_far_apart(names: tuple[str, ...], spread: Floats, target: Floats) -> None:
    wrong = [f"column '{names[place]}'" for place in np.flatnonzero(~np.isfinite(spread))]
    if (np.abs(target) > _LARGEST).any():
        wrong.append("the target")
    if wrong:
        raise DataError(f"The numbers of {wrong[0]} are too far apart to measure. Divide them by a power of 10.")


class _Prepared:
    """The rows ready to fit: distances, and a design whose columns are centred and of spread 1."""

    def __init__(self, model: LocallyWeightedRegression, columns: Columns, truth: Target) -> None:
        self.design = learn_design(columns, truth.weights)
        matrix, weights = self.design.matrix(columns), truth.row_weights
        with np.errstate(over="ignore", invalid="ignore"):
            self.middle = np.average(matrix, axis=0, weights=weights)
            squares = matrix - self.middle  # and then squared and weighted in place: a table may be all the memory
            squares *= squares
            squares *= weights[:, None]
            spread = np.sqrt(squares.sum(axis=0) / weights.sum())
            del squares
        _refuse_far_apart(self.design.names, spread, truth.values)
        varies = (matrix != matrix[:1]).any(axis=0) & (spread > 0)
        if model.degree == 0:
            varies[:] = False  # a mean has no slopes
        self.kept, self.spread = np.flatnonzero(varies), spread[varies]
        self.centre = float(np.average(truth.values, weights=weights))
        self._metric = learn_metric(MetricChoice(model.metric, model.factors), columns, truth)
        self._columns, self._truth = columns, truth
        self._kernel, self._degree = model.kernel, int(model.degree)

    @cached_property
    def rows(self) -> LocalRows:
        """The rows as they are searched and fitted, made when a row is first asked for."""
        search = Search(self._metric, self._metric.points(self._columns), "auto")
        target, weights = self._truth.values - self.centre, self._truth.row_weights
        matrix = self._scaled(self.design.matrix(self._columns))
        return LocalRows(search, matrix, target, weights, self._kernel, self._degree)

    def _scaled(self, matrix: Floats) -> Floats:
        return np.ascontiguousarray((matrix[:, self.kept] - self.middle[self.kept]) / self.spread)

    def queries(self, columns: Columns) -> Queries:
        """New rows, as points and as rows of the design."""
        return Queries(self.rows.search.metric.points(columns), self._scaled(self.design.matrix(columns)))
