"""Naive Bayes on mixed tables: each column speaks for itself, and what the columns say is multiplied."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats, columns_of
from treewright.learners.base.learnt import Arrays, reals, wholes
from treewright.learners.base.links import softmax
from treewright.learners.base.matrix_model import LaidOutRows, MatrixClassifier, MatrixModel, Target
from treewright.learners.base.parameters import at_least, fitted, one_of, parameter
from treewright.learners.base.threads import one_blas_thread
from treewright.learners.naive_bayes.class_sums import ClassSums, joined_schema, recoded, sum_by_class, widened
from treewright.learners.naive_bayes.densities import (
    GaussianDensities,
    KernelDensities,
    KernelValues,
    kernel_values,
    means,
    precisions,
    variances,
)
from treewright.learners.naive_bayes.state import check_stored, level_starts, stored_kernels, stored_sums, sums_of
from treewright.learners.naive_bayes.text import bayes_text
from treewright.memory import Block
from treewright.sources.source import Source
from treewright.table.encode import lay_out
from treewright.table.frame import InputFrame
from treewright.table.schema import Schema
from treewright.table.target import encode_classes, encode_known_classes, encode_weights, name_of, target_column

Densities = GaussianDensities | KernelDensities
_LAST_DIGITS = 1e-12  # classes whose logarithms differ by less are equally probable


class NaiveBayesClassifier(MatrixClassifier, MatrixModel):
    """Answers a row with the class that is most probable if the columns are independent within each class.

    The probability of a class is its share of the rows, times the density of each number and the share of each level
    among the rows of the class. Missing values are left out, in training and in answering. Everything is added up as
    logarithms.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    class_count_, class_prior_ : array
        The weight of the rows of each class, and its probability before a row is seen.
    theta_, var_ : array of shape (n_classes, n_numeric_columns)
        Mean and variance of each numeric column in each class.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_tennis(return_X_y=True)
    >>> model = tw.NaiveBayesClassifier().fit(X, y)
    >>> model.predict_one({"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"})
    'No'
    """

    numeric: str = parameter(
        default="gaussian",
        takes=one_of("gaussian", "kernel"),
        doc="How numbers are spread within a class: one normal curve, or one small curve over every value.",
    )
    alpha: float = parameter(
        default=1.0,
        takes=at_least(0.0),
        doc="""What is added to the count of every level (Laplace), so that a level that a class did not have is not
        impossible.""",
    )
    variance: str = parameter(
        default="unbiased",
        takes=one_of("unbiased", "population"),
        doc="""The variance is divided by n − 1; or by n, plus `var_smoothing` times the largest variance of a column,
        as in scikit-learn.""",
    )
    var_smoothing: float = parameter(
        default=1e-9,
        takes=at_least(0.0),
        doc='With ``variance="population"``: see there.',
    )
    min_sd: str = parameter(
        default="precision",
        takes=one_of("precision", "range"),
        doc="""With ``variance="unbiased"``: no standard deviation is below a sixth of the mean gap between different
        values of the column, as in Weka; or below a billionth of its range.""",
    )
    priors: Mapping[Any, float] | Any = parameter(
        default=None,
        takes=[dict, "array-like", None],
        kind="list or dict",
        doc="The probability of each class before a row is seen; None: its share of the rows.",
    )
    n_jobs: int | None = parameter(
        default=None,
        doc="Not used: there is little to do. It is there so that all estimators can be set alike.",
    )

    _counts_declared_levels = True  # smoothing counts every level once more
    _fitted_arrays: ClassVar[Arrays] = {
        "class_count_": reals("classes", lowest=0.0),
        "known_weight_": reals("classes", "numeric columns", lowest=0.0),
        "mean_": reals("classes", "numeric columns"),
        "squares_": reals("classes", "numeric columns", lowest=0.0),
        "lowest_": reals("numeric columns", unknown=True),
        "highest_": reals("numeric columns", unknown=True),
        "distinct_": reals("numeric columns", lowest=0.0),
        "level_counts_": reals("classes", "levels", lowest=0.0),
        "kernel_values_": reals("values", needed=False),
        "kernel_weights_": reals("values", lowest=0.0, needed=False),
        "kernel_start_": wholes("densities and one", lowest=0, needed=False),
    }

    class_count_: Floats = fitted()

    # ---------------------------------------------------------------- learning
    def _fit_blocks(self, data: LaidOutRows) -> list[Block]:
        n_levels = sum(len(column.levels) for column in data.schema.columns)
        classes = 0 if data.classes is None else len(data.classes)
        by_class = Block(8, rows=data.columns.n_rows, columns=data.columns.numbers.shape[1])
        return [by_class, Block(32, rows=data.columns.n_rows), Block(16, classes=classes, levels=n_levels)]

    def _any_order_will_do(self, data: LaidOutRows) -> bool:
        return self.numeric == "gaussian"  # the weights of its values are added up as doubles by "kernel"

    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        n_classes = len(truth.classes if truth.classes is not None else ())
        fitted = stored_sums(sum_by_class(columns, truth, n_classes))
        if self.numeric == "kernel":
            fitted |= stored_kernels(kernel_values(columns, truth, n_classes))
        return fitted

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.naive_bayes.fit_source import fit_source  # most fits have their rows at hand

        fit_source(self, source, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows. Tables in parts give the same model as the whole table, give or take rounding.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : list, optional
            All classes that will ever come; needed at the first call if the first rows do not show them all.

        Returns
        -------
        self

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> model = tw.NaiveBayesClassifier()
        >>> for part in (slice(0, 60), slice(60, 150)):
        ...     model = model.partial_fit(X[part], y[part], classes=y.unique())
        >>> bool((model.predict(X) == tw.NaiveBayesClassifier().fit(X, y).predict(X)).all())
        True
        """
        first = self._fitted_by not in self.__dict__

        def encode(frame: InputFrame) -> LaidOutRows:
            truth = self._partial_truth(y, frame.n_rows, classes, sample_weight, first)
            return LaidOutRows(self._partial_columns(frame, name_of(y), first), truth).that_count()

        return self._fit_by(X, encode, self._learn if first else self._learn_more, goes_on=not first)

    def _partial_truth(self, y: Any, n_rows: int, classes: Any, sample_weight: Any, first: bool) -> Target:
        weights = encode_weights(sample_weight, n_rows)
        column = target_column(y, n_rows, type(self).__name__)
        if not first:
            labels = self.classes_
        elif classes is None:
            labels = encode_classes(column)[0]
        else:
            labels = encode_classes(target_column(classes, len(classes), type(self).__name__))[0]
        codes = encode_known_classes(column, labels)
        if (codes < 0).any():
            shown = ", ".join(repr(label) for label in labels.tolist()[:5])
            raise DataError(
                f"Row {int(np.argmax(codes < 0)) + 1} has a class that is not among the classes {shown}. "
                "Pass all classes that will come at the first call: partial_fit(X, y, classes=[...])."
            )
        return Target(codes, weights, labels)

    def _partial_columns(self, frame: InputFrame, target: str | None, first: bool) -> Columns:
        kinds = self._kinds(frame) if first else {column.name: column.kind for column in self.schema_.columns}
        if not first and frame.matrix is not None and all(kind == "numeric" for kind in (kinds or {}).values()):
            kinds = None  # the matrix as it is
        table = lay_out(frame, kinds, target, self._counts_declared_levels)
        columns = columns_of(table.rows, table.schema)
        return columns if first else recoded(columns, joined_schema(self.schema_, table.schema))

    def _learn_more(self, data: LaidOutRows) -> dict[str, Any]:
        columns, truth, n_classes = data.columns, data.truth, len(self.classes_)
        before = widened(self._sums, self.schema_, columns.schema)
        with one_blas_thread():
            fitted = stored_sums(before.plus(sum_by_class(columns, truth, n_classes)))
            if self.numeric == "kernel":
                if self._kernels is None:
                    raise DataError(
                        "The rows before were learnt without numeric='kernel'. Set it before the first call."
                    )
                fitted |= stored_kernels(self._kernels.plus(kernel_values(columns, truth, n_classes)))
        return {"schema_": data.schema, **fitted}

    # ---------------------------------------------------------------- what was learnt, ready to answer
    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        check_stored(schema, len(classes if classes is not None else ()), fitted)

    @property
    def _sums(self) -> ClassSums:
        return sums_of(self.__dict__)

    @property
    def _kernels(self) -> KernelValues | None:
        if "kernel_start_" not in self.__dict__:
            return None
        return KernelValues(*(self.__dict__[f"kernel_{name}_"] for name in ("values", "weights", "start")))

    def _prepare(self) -> None:
        sums, kernels = self._sums, self._kernels
        with np.errstate(over="ignore", invalid="ignore"):
            self.theta_ = means(sums)
            self.var_ = variances(sums, self.variance, float(self.var_smoothing), self.min_sd)
            squares = self.theta_**2 + self.var_
        _refuse_far_apart(self.schema_, squares)
        self.class_prior_ = _priors(self.priors, self.classes_, sums.weight)
        self._densities: Densities = GaussianDensities(self.theta_, self.var_)
        if self.numeric == "kernel" and kernels is not None:
            self._densities = KernelDensities(kernels, precisions(sums), len(self.classes_))
        self._level_logs = _level_logarithms(sums.levels, level_starts(self.schema_), float(self.alpha))

    def _joint_logarithms(self, columns: Columns) -> Floats:
        """The logarithm of the probability of each class and the row together."""
        found = np.ascontiguousarray(self._densities.logarithms(columns.numbers))
        with np.errstate(divide="ignore"):
            found += np.log(self.class_prior_)
        for place, table in enumerate(self._level_logs):
            found += table[columns.codes[:, place]]
        highest = found.max(axis=1, keepdims=True)
        return np.where(found >= highest - _LAST_DIGITS * np.abs(highest), highest, found)

    def _probabilities(self, columns: Columns) -> Floats:
        found = self._joint_logarithms(columns)
        lost = ~np.isfinite(found.max(axis=1))  # impossible in every class (alpha=0): the classes' own shares
        if lost.any():
            with np.errstate(divide="ignore"):
                found[lost] = np.log(self.class_prior_)
        return softmax(found)

    def _answers(self, columns: Columns) -> NDArray[Any]:
        found = self._joint_logarithms(columns)  # the most probable class needs no exponentials
        if np.isneginf(found.max(axis=1)).any():
            return super()._answers(columns)
        return np.asarray(self.classes_[found.argmax(axis=1)])

    def __str__(self) -> str:
        return bayes_text(self) if self._fitted_by in self.__dict__ else repr(self)


def _refuse_far_apart(schema: Schema, numbers: Floats) -> None:
    names = [column.name for column in schema.columns if column.kind == "numeric"]
    wrong = ~np.isfinite(numbers).all(axis=0)
    if wrong.any():
        name = names[int(np.argmax(wrong))]
        raise DataError(f"The numbers of column '{name}' are too far apart to measure. Divide them by a power of 10.")


def _priors(priors: Any, classes: NDArray[Any], weight: Floats) -> Floats:
    if priors is None:
        return np.asarray(weight / weight.sum())
    if isinstance(priors, Mapping):
        missing = [label for label in classes.tolist() if label not in priors]
        if missing:
            raise DataError(f"priors has no probability of the class {missing[0]!r}. Give one for each class.")
        priors = [priors[label] for label in classes.tolist()]
    try:
        found = np.array(priors, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"priors must be numbers, one a class. Got {priors!r}.") from None
    if found.shape != (len(classes),):
        raise DataError(f"priors has {found.size} numbers, but there are {len(classes)} classes. Give one for each.")
    if not (found >= 0).all() or not np.isclose(found.sum(), 1.0):
        raise DataError(f"priors are probabilities: 0 or above, and 1 together. Got {found.tolist()}.")
    return np.asarray(found / found.sum())


def _level_logarithms(counts: Floats, starts: NDArray[np.int64], alpha: float) -> list[Floats]:
    """Of each levelled column the log share of each level in each class, levels × classes; row 0 (missing) is 0."""
    tables = []
    for start, stop in pairwise(starts.tolist()):
        raised = counts[:, start:stop] + alpha
        total = raised.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(np.divide(raised, total, out=np.full_like(raised, 1 / max(stop - start, 1)), where=total > 0))
        tables.append(np.vstack([np.zeros(len(counts)), logs.T]))
    return tables
