"""What every learner beside the trees does: laying out, answers to new rows, the model file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from treewright.errors import ModelFileError
from treewright.learners.base.calibration import calibrated
from treewright.learners.base.content_order import content_order
from treewright.learners.base.design_matrix import Columns, Floats, columns_of
from treewright.learners.base.learner import Learner
from treewright.learners.base.learnt import check_learnt, learnt_sizes
from treewright.learners.base.one_row import OneRow
from treewright.learners.base.parameters import declares_parameters, fitted, parameter
from treewright.learners.base.state import fitted_arrays, fitted_numbers, split_fitted
from treewright.learners.base.table_lookup import TableLookup
from treewright.learners.base.threads import one_blas_thread
from treewright.memory import Block
from treewright.save.header import damaged
from treewright.save.persist import model_header, names_of, restore_params
from treewright.save.tree_header import check_tree_header, class_array
from treewright.sources.answers import in_batches
from treewright.sources.source import Source
from treewright.table.encode import lay_out
from treewright.table.frame import InputFrame
from treewright.table.schema import Schema
from treewright.table.target import encode_weights, name_of


@dataclass(frozen=True)
class Target:
    """What is learnt: class numbers (int32) or values of every row, the weights (None: all 1) and the classes.

    `rows` are the numbers that the rows had in the table as it was given, where some of them were left out.
    """

    values: NDArray[Any]
    weights: Floats | None
    classes: NDArray[Any] | None = None
    rows: NDArray[np.int64] | None = None

    @property
    def row_weights(self) -> Floats:
        """How much each row counts."""
        return np.ones(len(self.values)) if self.weights is None else self.weights

    def take(self, rows: NDArray[Any]) -> Target:
        """The truth of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        numbers = np.arange(len(self.values))[rows] if self.rows is None else self.rows[rows]
        return Target(self.values[rows], weights, self.classes, numbers)


@dataclass(frozen=True)
class LaidOutRows:
    """What a learner beside the trees learns from."""

    columns: Columns
    truth: Target

    @property
    def schema(self) -> Schema:
        """The columns of the table."""
        return self.columns.schema

    @property
    def classes(self) -> NDArray[Any] | None:
        """The classes; None for numbers."""
        return self.truth.classes

    def that_count(self) -> LaidOutRows:
        """Only rows of some weight: a row of weight 0 is as good as no row."""
        if self.truth.weights is None or self.truth.weights.all():
            return self
        kept = np.flatnonzero(self.truth.weights)
        return LaidOutRows(self.columns.take(kept), self.truth.take(kept))

    def ordering_blocks(self) -> list[Block]:
        """What `by_content` has in memory: the rows once more, while they are read; then in their order."""
        n_columns = len(self.schema.columns)
        return [Block(9, rows=self.columns.n_rows, columns=n_columns), Block(40, rows=self.columns.n_rows)]

    def by_content(self) -> LaidOutRows:
        """The rows in an order that depends only on what is in them: sums over them then have the same last bits."""
        order = content_order(self.columns, self.truth.values, self.truth.weights)
        ordered = LaidOutRows(self.columns.take(order), self.truth.take(order))
        for numbers in (ordered.columns.numbers, ordered.truth.values):
            numbers += 0  # -0 is 0: equal rows stand in any order, and are the same to the last bit
        return ordered


class MatrixModel(Learner, is_base=True):
    """The part that classifiers and regressors without a tree share. Subclasses learn, and answer rows."""

    n_jobs: int | None = parameter(default=None, doc="There for the sake of the others: one thread does the work.")

    schema_: Schema = fitted()
    _lookup: MatrixLookup = fitted()
    _fitted_by = "schema_"

    # ---------------------------------------------------------------- what a subclass says
    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        """Learn from the rows; give what was learnt by the names in `_fitted_numbers` and `_fitted_arrays`."""
        raise NotImplementedError

    def _answers(self, columns: Columns) -> NDArray[Any]:
        """What each row is answered with: a class or a number."""
        raise NotImplementedError

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        """Refuse with a ValueError what was not learnt from such columns and classes."""
        raise NotImplementedError

    # ---------------------------------------------------------------- the steps of fit
    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> LaidOutRows:
        if frame.sparse is not None:  # a dense one is made of it
            self._refuse_beyond_memory("fit", Block(8, rows=frame.n_rows, columns=frame.n_columns))
        weights = encode_weights(sample_weight, frame.n_rows)
        classes, values, weights = self._encode_target(y, frame.n_rows, weights)
        table = lay_out(frame, self._kinds(frame), name_of(y), self._counts_declared_levels)
        data = LaidOutRows(columns_of(table.rows, table.schema), Target(values, weights, classes)).that_count()
        if self._keeps_order() or self._any_order_will_do(data):
            return data
        self._refuse_beyond_memory("fit", *data.ordering_blocks())
        return data.by_content()

    def _keeps_order(self) -> bool:
        """Whether the rows are learnt from as they stand, because the user asks for that: their order then matters."""
        return getattr(self, "shuffle", True) is False

    def _any_order_will_do(self, data: LaidOutRows) -> bool:
        """Whether what is learnt from these rows has the same last digits in any order of them."""
        return False

    def _learn(self, data: LaidOutRows) -> dict[str, Any]:
        with one_blas_thread():
            return {"schema_": data.schema, **self._learn_from(data.columns, data.truth)}

    def _make_lookup(self) -> MatrixLookup:
        return MatrixLookup(self.schema_, getattr(self, "missing", None) == "refuse", self._answers)

    # ---------------------------------------------------------------- the model file
    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        n_classes = len(cast(Any, self).classes_) if self._predicts_classes else 0
        fitted = fitted_numbers(self, self._fitted_numbers)
        header = {**model_header(self, self.schema_, n_classes), "learnt": fitted}
        return header, fitted_arrays(self, self._fitted_arrays)

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        saved = header.get("classes")
        n_classes = len(saved) if isinstance(saved, list) else 0
        columns = header.get("schema", {}).get("columns") if isinstance(header.get("schema"), dict) else None
        schema, classes = check_tree_header(header, len(columns) if isinstance(columns, list) else 0, n_classes, source)
        if (classes is not None) != self._predicts_classes:
            raise ModelFileError(damaged(source, f"it is not the model of a {type(self).__name__}"))
        restore_params(self, header, source)
        labels = None if classes is None else class_array(classes, header.get("classes_dtype"), source)
        beside, others = split_fitted(arrays, self._fitted_arrays)
        if others:
            raise ValueError(f"array '{min(others)}' is not one of a {type(self).__name__}")
        sizes = learnt_sizes(schema, labels)
        fitted = check_learnt(self._fitted_numbers, self._fitted_arrays, header.get("learnt"), beside, sizes)
        self._check_fitted(schema, labels, fitted)
        self._set_fitted(schema, labels, names_of(header, schema), {"schema_": schema, **fitted})

    # ---------------------------------------------------------------- looking rows up
    def _columns(self, X: Any) -> Columns:
        """New rows as the learner reads them."""
        frame = self._rows(X)  # which says so where nothing was learnt yet
        return self._lookup.columns(frame)

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the answer to each row.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.KNeighborsClassifier(n_neighbors=1).fit([[1], [2]], ["a", "b"]).predict([[0], [7]])
        array(['a', 'b'], dtype=object)
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict)
        columns = self._columns(X)
        with one_blas_thread():
            return self._answers(columns)

    def plot(self, path: Any = None, **how: Any) -> Any:
        """Draw what the model has to show of itself.

        Coefficients of linear models, logistic regression and perceptrons, the classes of naive Bayes, the training
        of a network, what the number of neighbours was chosen by. Where there is no such thing, the error says what
        else can be drawn.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        **how
            ``most`` coefficients or columns are drawn (20), ``ax`` are the axes to draw on.

        Returns
        -------
        matplotlib figure

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_airquality(return_X_y=True)
        >>> figure = tw.LinearRegression().fit(X, y).plot(most=2)
        >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
        ['Temp', 'Wind']
        """
        check_is_fitted(self)
        pictures = import_module("treewright.plot.plain_models")  # built on the models, so it is asked for by name
        return pictures.plot_plain_model(self, path, **how)


@declares_parameters
class MatrixClassifier(ClassifierMixin):  # type: ignore[misc]
    """What a `MatrixModel` of classes has beside it; subclasses give the probabilities."""

    _predicts_classes = True
    classes_: NDArray[Any] = fitted()

    def _probabilities(self, columns: Columns) -> Floats:
        """The probability of each class in each row, in the order of `classes_`."""
        raise NotImplementedError

    def _answers(self, columns: Columns) -> NDArray[Any]:
        return np.asarray(self.classes_[self._probabilities(columns).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class; columns in the order of `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.KNeighborsClassifier(n_neighbors=1).fit([[1], [2]], ["a", "b"]).predict_proba([[0], [7]])
        array([[1., 0.],
               [0., 1.]])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict_proba)
        columns = self._columns(X)
        self._refuse_beyond_memory("predict_proba", Block(24, rows=columns.n_rows, classes=len(self.classes_)))
        with one_blas_thread():
            return calibrated(self, self._probabilities(columns))

    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class MatrixLookup(TableLookup):
    """New rows for a learner: laid out as it was trained, many at once, or one."""

    def __init__(self, schema: Schema, refuse_missing: bool, answers: Callable[[Columns], NDArray[Any]]) -> None:
        super().__init__(schema, refuse_missing)
        self._answers = answers

    def columns(self, frame: InputFrame) -> Columns:
        """The rows of a frame as the learner reads them."""
        return columns_of(self.encode(frame), self.schema)

    def columns_of_one(self, values: Any) -> Columns:
        """One row as the learner reads it."""
        return self.columns(self.frame_of_one(values))

    def answers_to(self, frame: InputFrame) -> NDArray[Any]:
        """What each row is answered with."""
        return self._answers(self.columns(frame))

    @cached_property
    def answer_one(self) -> Callable[[Any], Any]:
        """The door for one row: short where columns are numbers and levels; what it cannot read goes the long way."""
        if any(column.kind == "numeric" and column.value_type != "number" for column in self.schema.columns):
            return self.answer_by_frame
        one_row = OneRow(self.schema, self.encoder.level_codes, self.refuse_missing)

        def answer(values: Any) -> Any:
            found = self._answers(one_row.columns(values))[0]
            return found.item() if isinstance(found, np.generic) else found

        return answer
