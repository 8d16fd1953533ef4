"""Nearest neighbours on mixed tables: what near rows answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, RegressorMixin

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.learnt import Arrays, Numbers, count, reals, wholes
from treewright.learners.base.matrix_model import LaidOutRows, MatrixClassifier, MatrixModel, Target
from treewright.learners.base.parameters import at_least, declares_parameters, fitted, one_of, parameter, whole
from treewright.learners.base.several_targets import fit_one_by_one
from treewright.learners.base.threads import one_blas_thread, thread_count
from treewright.learners.neighbors.metric import METRICS, METRICS_WITH_HOLES
from treewright.learners.neighbors.metric_choice import OTHER_NAMES, MetricChoice
from treewright.learners.neighbors.search import Search
from treewright.learners.neighbors.state import ROWS_KEPT, check_neighbours, check_rows, stored_columns
from treewright.learners.neighbors.text import WhyNeighbours, neighbour_table, neighbours_text
from treewright.learners.neighbors.votes import (
    ROWS_AT_ONCE,
    Neighbours,
    Trial,
    class_shares,
    count_neighbours,
    error_curve,
    make_searcher,
    mean_values,
    nearest_others,
    settled_search,
)
from treewright.memory import Block
from treewright.table.schema import Schema

_HVDM_FOLDS = 10


@declares_parameters
class NeighboursModel(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share beside `MatrixModel`."""

    n_neighbors: int | str = parameter(
        default=5,
        takes=[whole(1), one_of("cv")],
        kw_only=False,
        doc="""How many of the nearest rows answer. "cv": the number with the smallest error on rows that are left out,
        the smallest of them on a tie; `cv_curve_` keeps the errors. With weights it counts weight: the nearest rows
        that weigh so much together.""",
    )
    weights: Any = parameter(
        default="uniform",
        takes=[one_of("uniform", "distance"), callable, None],
        kind="str or a function",
        doc="""All neighbours count the same; or each counts 1/distance, and where some are at distance 0 only those
        count. A function is given the distances (rows × neighbours) and gives what each counts; a model file cannot
        hold it, a pickle can. None is "uniform".""",
    )
    metric: str = parameter(
        default="heom",
        takes=one_of(*METRICS, *OTHER_NAMES),
        kind="str",
        doc="""What near means. For mixed columns and missing values: "heom", "gower", "hvdm" (classes only). For
        numbers: "euclidean", "manhattan", "minkowski" (with `p`), "chebyshev" (the largest difference),
        "standardised", "weighted", "mahalanobis". For levels: "hamming". Other names: "l1" and "cityblock" of
        "manhattan", "l2" of "euclidean", "infinity" of "chebyshev", "seuclidean" of "standardised".""",
    )
    p: float = parameter(
        default=2,
        takes=at_least(1.0),
        doc="""The power of ``metric="minkowski"``: 1 adds the differences, as "manhattan" does, 2 their squares, as
        "euclidean".""",
    )
    metric_params: Mapping[str, Any] | None = parameter(
        default=None,
        takes=[dict, None],
        doc="""What else the metric is to know: ``{"w": weights}`` of the columns for "minkowski" and "euclidean",
        ``{"V": variances}`` for "standardised", ``{"V": covariance}`` or its inverse ``{"VI": …}`` for
        "mahalanobis".""",
    )
    factors: Mapping[Any, float] | Any = parameter(
        default=None,
        takes=[dict, "array-like", None],
        doc="What the differences in each column are multiplied by; 0 leaves a column out.",
    )
    ties: str = parameter(
        default="all",
        takes=one_of("all", "first"),
        doc="""Rows as far away as the last neighbour count too, so that the order of rows changes nothing; or only the
        first of them, as many as are needed.""",
    )
    algorithm: str = parameter(
        default="auto",
        takes=one_of("auto", "kd_tree", "ball_tree", "brute"),
        doc="""How neighbours are looked for. It changes the time, never the answer; "ball_tree" is another name of
        "kd_tree".""",
    )
    leaf_size: int = parameter(
        default=30,
        takes=whole(1),
        doc="Not used, and in no model file: a k-d tree has leaves of the size that was fastest.",
    )
    folds: int | None = parameter(
        default=None,
        takes=[whole(2), None],
        doc="""With ``n_neighbors="cv"``: the number of folds. None leaves out one row at a time (10 folds with "hvdm",
        which looks at the classes).""",
    )
    max_neighbors: int = parameter(
        default=50,
        takes=whole(1),
        doc='With ``n_neighbors="cv"``: the largest number that is tried.',
    )
    n_jobs: int | None = parameter(
        default=None,
        doc="Threads; None and -1 use all processors. It changes the time, never the answer.",
    )

    _fitted_numbers: ClassVar[Numbers] = {"n_neighbors_": count(1), "n_samples_fit_": count(1)}
    _fitted_arrays: ClassVar[Arrays] = {
        **ROWS_KEPT,
        "fit_rows_": wholes("rows", lowest=0, needed=False),
        "cv_curve_": reals("numbers of neighbours", unknown=True, infinite=True, needed=False),
    }

    n_neighbors_: int = fitted()
    n_samples_fit_: int = fitted()
    fit_target_: NDArray[Any] = fitted()

    _fit_targets: ClassVar[Any] = fit_one_by_one
    _why_no_source: ClassVar[str | None] = "the rows are the model, in the order that they have"

    def _refuse_file(self) -> None:
        if callable(self.weights):
            raise DataError(
                "The votes of this model are weighed by a function, and a model file holds none: it never runs code. "
                "Pickle the model, or take weights='distance'."
            )

    # ---------------------------------------------------------------- learning
    def _fit_blocks(self, data: LaidOutRows) -> list[Block]:
        return [Block(16, rows=data.columns.n_rows, columns=len(data.schema.columns))]

    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        fitted: dict[str, Any] = {
            "fit_numbers_": columns.numbers.copy(),  # the user's own table may change later
            "fit_codes_": columns.codes,
            "fit_target_": truth.values,
            "n_samples_fit_": columns.n_rows,
        }
        if truth.weights is not None:
            fitted["fit_weights_"] = truth.weights
        if truth.rows is not None:
            fitted["fit_rows_"] = truth.rows
        if self.n_neighbors == "cv":
            fitted |= self._choose(columns, truth)
        else:
            _refuse_more_than_there_are(self.n_neighbors, truth)
            fitted["n_neighbors_"] = int(self.n_neighbors)
        return fitted

    def _keeps_order(self) -> bool:
        return self.ties == "first"

    def _choose(self, columns: Columns, truth: Target) -> dict[str, Any]:
        n_folds = self.folds if self.folds is not None or self.metric != "hvdm" else _HVDM_FOLDS
        if columns.n_rows < (n_folds or 2):
            raise DataError(
                f"n_neighbors='cv' needs at least {n_folds or 2} rows, and the table has n_samples = {columns.n_rows}. "
                "Give n_neighbors as a number."
            )
        left = columns.n_rows - (1 if n_folds is None else -(-columns.n_rows // n_folds))
        trial = Trial(
            make_searcher(self._metric_choice, self.algorithm),
            n_folds,
            min(self.max_neighbors, left),
            self.weights,
            self.ties,
            thread_count(self.n_jobs),
        )
        curve = error_curve(trial, columns, truth)
        return {"cv_curve_": curve, "n_neighbors_": int(curve.argmin()) + 1}

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        check_neighbours(fitted, check_rows(schema, classes, fitted))

    def _prepare(self) -> None:
        columns = stored_columns(self.schema_, self.__dict__)
        truth = Target(self.fit_target_, self._fit_weights, getattr(self, "classes_", None))
        self._search: Search = make_searcher(self._metric_choice, self.algorithm)(columns, truth)
        self._search.check_tree()  # before a row is asked for

    @property
    def _metric_choice(self) -> MetricChoice:
        return MetricChoice(OTHER_NAMES.get(self.metric, self.metric), self.factors, self.p, self.metric_params)

    @property
    def _fit_weights(self) -> Floats | None:
        return getattr(self, "fit_weights_", None)

    # ---------------------------------------------------------------- looking rows up
    def _near(self, columns: Columns, k: int | None = None) -> Iterator[Neighbours]:
        """The neighbours that answer, of some thousand rows at a time."""
        wanted, threads = self.n_neighbors_ if k is None else k, thread_count(self.n_jobs)
        metric, search, weights = self._search.metric, self._search, self._fit_weights
        every = metric.points(columns)
        for start in range(0, len(every), ROWS_AT_ONCE):
            part = every.take(slice(start, start + ROWS_AT_ONCE))
            found = settled_search(
                lambda which, m, part=part: search.nearest(part.take(which), m, threads),  # type: ignore[misc]
                len(part),
                wanted,
                self.n_samples_fit_,
                weights,
                self.ties,
            )
            yield count_neighbours(*found, metric, wanted, weights, self.ties)

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Give the distances and the numbers of the nearest rows, the nearest first; rows count from 0, as in `fit`.

        Parameters
        ----------
        X : data frame or array, optional
            The rows to find neighbours of. None: the rows that were learnt, each without itself.
        n_neighbors : int, optional
            How many rows; None: as many as the model uses.
        return_distance : bool, default True
            Whether to give the distances too.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.KNeighborsClassifier(n_neighbors=1, metric="euclidean").fit([[1], [2], [9]], ["a", "b", "b"])
        >>> model.kneighbors([[3]], n_neighbors=2)
        (array([[1., 2.]]), array([[1, 0]]))
        """
        columns = None if X is None else self._columns(X)
        k = self._asked(n_neighbors, 1 if X is None else 0)
        threads = thread_count(self.n_jobs)
        with one_blas_thread():
            if columns is None:
                asked = np.argsort(getattr(self, "fit_rows_", np.arange(self.n_samples_fit_)))  # as in the table
                sums, rows = nearest_others(self._search, asked, k, threads)
            else:
                sums, rows = self._search.nearest(self._search.metric.points(columns), k, threads)
        rows = getattr(self, "fit_rows_", np.arange(self.n_samples_fit_))[rows]
        return (self._search.metric.distances(sums), rows) if return_distance else rows

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> csr_matrix:
        """Give the nearest rows as a sparse matrix of shape (rows of X, rows that were learnt).

        Parameters
        ----------
        X : data frame or array, optional
            The rows to find neighbours of. None: the rows that were learnt, each without itself.
        n_neighbors : int, optional
            How many rows; None: as many as the model uses.
        mode : {"connectivity", "distance"}, default "connectivity"
            Whether a neighbour is told by a 1 or by its distance.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.KNeighborsClassifier(n_neighbors=1, metric="euclidean").fit([[1], [2], [9]], ["a", "b", "b"])
        >>> model.kneighbors_graph([[3]], n_neighbors=2, mode="distance").toarray()
        array([[2., 1., 0.]])
        """
        if mode not in ("connectivity", "distance"):
            raise DataError(f'The mode of kneighbors_graph is "connectivity" or "distance". Got {mode!r} instead.')
        distances, rows = self.kneighbors(X, n_neighbors)
        numbers = distances if mode == "distance" else np.ones(rows.shape)
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        n_learnt = 1 + int(getattr(self, "fit_rows_", np.arange(self.n_samples_fit_)).max())  # as they stand in `fit`
        return csr_matrix((numbers.ravel(), rows.ravel(), starts), (len(rows), n_learnt))

    def _asked(self, n_neighbors: int | None, left_out: int) -> int:
        k = self.n_neighbors_ if n_neighbors is None else n_neighbors
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise DataError(f"n_neighbors must be a whole number above 0. Got {k!r}.")
        if k > self.n_samples_fit_ - left_out:
            other = "other " if left_out else ""
            raise DataError(
                f"n_neighbors={k}, but there are {self.n_samples_fit_ - left_out} {other}rows to choose from. "
                "Ask for fewer."
            )
        return int(k)

    def neighbors_table(self, row: Any, n_neighbors: int | None = None) -> Any:
        """Give the neighbours of one row as a data frame: which rows, how far, what each one's vote weighs, and values.

        Parameters
        ----------
        row : list, tuple or dict
            The row, as `predict_one` takes it.
        n_neighbors : int, optional
            How many; None: as many as the model uses.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_bankruptcy(return_X_y=True)
        >>> model = tw.KNeighborsClassifier(n_neighbors=3).fit(X, y)
        >>> print(model.neighbors_table([2, 0.6]).round(3).to_string(index=False))
         row  distance  vote bankrupt  late_payments  expense_ratio
           3     0.059 0.333       No              2            0.7
           1     0.227 0.333       No              1            0.3
           0     0.275 0.333       No              3            0.2
        """
        columns = self._lookup.columns_of_one(row)
        k = None if n_neighbors is None else self._asked(n_neighbors, 0)
        with one_blas_thread():
            near = next(self._near(columns, k))
        return neighbour_table(self, near)

    def why(self, row: Any) -> WhyNeighbours:
        """Tell why a row gets its answer: the rows that give it, how far they are, and what each one says.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_bankruptcy(return_X_y=True)
        >>> print(tw.KNeighborsClassifier(n_neighbors=3).fit(X, y).why([2, 0.6]))
        No, because 3 of its 3 nearest rows are No.
        <BLANKLINE>
          row  distance    vote  bankrupt  late_payments  expense_ratio
            3   0.05882  0.3333  No        2              0.7
            1     0.227  0.3333  No        1              0.3
            0    0.2753  0.3333  No        3              0.2
        """
        found = self.neighbors_table(row)
        target = self.schema_.target or "target"
        return WhyNeighbours(self.predict_one(row), target, found, hasattr(self, "classes_"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric in METRICS_WITH_HOLES
        return tags

    def __str__(self) -> str:
        return neighbours_text(self) if self._fitted_by in self.__dict__ else repr(self)


class KNeighborsClassifier(NeighboursModel, MatrixClassifier, MatrixModel):
    """Answers a row with the class that most of the nearest rows have.

    Neighbours are ordered by distance, then by their number; `ties` says what happens at the last place.
    Classes with equally many votes: the one whose neighbours have the smaller total distance wins, then the first.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    n_neighbors_ : int
        The number of neighbours that answer.
    cv_curve_ : array
        With ``n_neighbors="cv"``: the share of wrong answers with 1, 2, 3, … neighbours.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_bankruptcy(return_X_y=True)
    >>> model = tw.KNeighborsClassifier(n_neighbors=1, metric="weighted", factors={"expense_ratio": 5}).fit(X, y)
    >>> model.predict_one({"late_payments": 2, "expense_ratio": 0.3})
    'No'
    """

    smoothing: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="""So many neighbours more are counted in `predict_proba`, of each class its share of all rows: five
        neighbours of one class are no proof that every such row is of it. `treewright train` and `tw.compare` take 1.
        The answers stay.""",
    )

    def _answers(self, columns: Columns) -> NDArray[Any]:
        return np.asarray(self.classes_[self._votes(columns).argmax(axis=1)])

    def _probabilities(self, columns: Columns) -> Floats:
        votes = self._votes(columns)
        if not self.smoothing:
            return votes
        counts = np.bincount(self.fit_target_, weights=self._fit_weights, minlength=len(self.classes_))
        more = self.smoothing * counts / counts.sum()
        return np.asarray((self.n_neighbors_ * votes + more) / (self.n_neighbors_ + self.smoothing))

    def _votes(self, columns: Columns) -> Floats:
        n_classes = len(self.classes_)
        parts = [class_shares(near, self.weights, self.fit_target_, n_classes) for near in self._near(columns)]
        return np.concatenate([np.zeros((0, n_classes)), *parts])  # no rows have no parts


class KNeighborsRegressor(NeighboursModel, RegressorMixin, MatrixModel):  # type: ignore[misc]
    """Answers a row with the mean of the nearest rows' targets.

    Neighbours are ordered by distance, then by their number; `ties` says what happens at the last place.

    Attributes
    ----------
    n_neighbors_ : int
        The number of neighbours that answer.
    cv_curve_ : array
        With ``n_neighbors="cv"``: the mean squared error with 1, 2, 3, … neighbours.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> model = tw.KNeighborsRegressor(n_neighbors="cv").fit(X, y)
    >>> model.n_neighbors_
    6
    """

    _target_exponent = 900  # it only takes means

    def _answers(self, columns: Columns) -> Floats:
        parts = [mean_values(near, self.weights, self.fit_target_) for near in self._near(columns)]
        return np.concatenate([np.zeros(0), *parts])  # no rows have no parts


def _refuse_more_than_there_are(k: Any, truth: Target) -> None:
    n_rows = len(truth.values)
    if truth.weights is None and k > n_rows:
        raise DataError(
            f"n_neighbors={k}, but the table has only n_samples = {n_rows} to choose from. "
            f"Choose n_neighbors={n_rows} or less."
        )
    if truth.weights is not None and truth.weights.sum() < k:
        raise DataError(
            f"n_neighbors={k}, but the weights of the rows add up to {truth.weights.sum():g}: weight 2 counts as two "
            f"rows (n_samples = {n_rows}). Choose fewer neighbours, or larger weights."
        )
