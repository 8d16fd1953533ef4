"""What every learner beside the trees does: fit = open → lay out → learn → store; the same checks on new rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import _get_feature_names

from treewright.errors import ModelFileError
from treewright.learners.base.design_matrix import Columns, Floats, columns_of
from treewright.learners.base.one_row import OneRow
from treewright.learners.base.state import learnt_arrays, learnt_numbers, read_numbers, split_learnt
from treewright.learners.base.table_model import TableLookup, TableModel, name_of
from treewright.learners.base.target import ClassTarget, NumberTarget
from treewright.learners.base.threads import one_blas_thread
from treewright.save.header import damaged
from treewright.save.persist import FittedState, class_array
from treewright.save.tree_header import check_tree_header
from treewright.table.encode import lay_out
from treewright.table.frame import InputFrame, open_frame
from treewright.table.schema import Schema
from treewright.table.target import encode_weights

# Learners beside the trees to files and back: the header of every model, and the arrays that were learnt.


class LearnerState(FittedState):
    """The fitted state of a learner that has no tree; subclasses name what they learn."""

    _fitted_by = "schema_"
    _learnt_numbers: ClassVar[tuple[str, ...]] = ()  # attributes that a fitted model may have, to be saved
    _learnt_arrays: ClassVar[tuple[str, ...]] = ()  # the same for arrays of numbers

    schema_: Schema

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        model = cast(Any, self)
        n_classes = len(model.classes_) if self._predicts_classes else 0
        learnt = learnt_numbers(model, self._learnt_numbers)
        header = {**self._tw_header(self.schema_, n_classes), "learnt": learnt}
        return header, learnt_arrays(model, self._learnt_arrays)

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        saved = header.get("classes")
        n_classes = len(saved) if isinstance(saved, list) else 0
        columns = header.get("schema", {}).get("columns") if isinstance(header.get("schema"), dict) else None
        schema, classes = check_tree_header(header, len(columns) if isinstance(columns, list) else 0, n_classes, source)
        if (classes is not None) != self._predicts_classes:
            raise ModelFileError(damaged(source, f"it is not the model of a {type(self).__name__}"))
        self._restore_params(header, source)
        names = np.array(schema.names, dtype=object) if header.get("has_names") else None
        labels = None if classes is None else class_array(classes, header.get("classes_dtype"), source)
        beside, others = split_learnt(arrays, self._learnt_arrays)
        try:
            if others:
                raise ValueError(f"array '{min(others)}' is not one of a {type(self).__name__}")
            learnt = {**read_numbers(header.get("learnt"), self._learnt_numbers), **beside}
            fitted = learner_attributes(schema, labels, names)
            self._check_learnt(schema, labels, learnt)
            cast(Any, self)._set_fitted({**fitted, **learnt})
        except (ValueError, TypeError, KeyError, IndexError) as problem:
            raise ModelFileError(damaged(source, str(problem))) from None

    def _check_learnt(self, schema: Schema, classes: NDArray[Any] | None, learnt: dict[str, Any]) -> None:
        """Refuse with a ValueError what was not learnt from such columns and classes."""
        raise NotImplementedError


def learner_attributes(schema: Schema, classes: NDArray[Any] | None, names: NDArray[Any] | None) -> dict[str, Any]:
    """Everything that every fitted learner has, by attribute.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> sorted(learner_attributes(Schema((Column("age", "numeric"),)), None, None))
    ['n_features_in_', 'schema_']
    """
    fitted: dict[str, Any] = {"schema_": schema, "n_features_in_": len(schema.columns)}
    if names is not None:
        fitted["feature_names_in_"] = names
    if classes is not None:
        fitted["classes_"] = classes
    return fitted


@dataclass(frozen=True)
class Truth:
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

    def take(self, rows: NDArray[Any]) -> Truth:
        """The truth of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        numbers = np.arange(len(self.values))[rows] if self.rows is None else self.rows[rows]
        return Truth(self.values[rows], weights, self.classes, numbers)


class LearnerModel(LearnerState, TableModel):
    """The part that classifiers and regressors without a tree share. Subclasses learn, and answer rows."""

    _lookup: LearnerLookup
    _made_by_fit: frozenset[str]  # attributes that the next fit replaces; the others are scikit-learn's or the user's

    # ---------------------------------------------------------------- what a subclass says
    def _learn(self, columns: Columns, truth: Truth) -> dict[str, Any]:
        """Learn from the rows; give what was learnt by the names in `_learnt_numbers` and `_learnt_arrays`."""
        raise NotImplementedError

    def _answers(self, columns: Columns) -> NDArray[Any]:
        """What each row is answered with: a class or a number."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """Make ready what answering needs, from what was learnt; called after fit and after load."""

    # ---------------------------------------------------------------- the steps of fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table. If it is interrupted or refused, the estimator stays as it was.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a duckdb relation, a numpy array or a list of rows. Text, categories,
            booleans, dates and missing values are taken as they are.
        y : column of length n_rows
            The target.
        sample_weight : column of length n_rows, optional
            How much each row counts.

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._table(X)
        frame, names = open_frame(X), _get_feature_names(X)
        columns, truth = self._lay_out(frame, y, sample_weight)
        with one_blas_thread():
            learnt = self._learn(columns, truth)
        self._set_fitted({**learner_attributes(columns.schema, truth.classes, names), **learnt})
        return self

    def _lay_out(self, frame: InputFrame, y: Any, sample_weight: Any) -> tuple[Columns, Truth]:
        weights = encode_weights(sample_weight, frame.n_rows)
        classes, values, weights = self._encode_target(y, frame.n_rows, weights)
        table = lay_out(frame, self._kinds(frame), name_of(y))
        columns, truth = columns_of(table.rows, table.schema), Truth(values, weights, classes)
        if weights is not None and not weights.all():  # a row of weight 0 is as good as no row
            kept = np.flatnonzero(weights)
            return columns.take(kept), truth.take(kept)
        return columns, truth

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        """Replace everything that was learnt in one step, so that an interrupt finds the old state or the new one."""
        before = self.__dict__.get("_made_by_fit", frozenset())
        kept = {name: value for name, value in self.__dict__.items() if name not in before}
        made = object.__new__(type(self))
        made.__dict__ = {**kept, **fitted}
        made._prepare()
        made._lookup = LearnerLookup(fitted["schema_"], self._refuses_holes(), self._answers)
        made._made_by_fit = frozenset({*made.__dict__, "_made_by_fit"}) - frozenset(kept)
        self.__dict__ = made.__dict__

    def _refuses_holes(self) -> bool:
        return getattr(self, "missing", None) == "refuse"

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
        columns = self._columns(X)
        with one_blas_thread():
            return self._answers(columns)


class LearnerClassifier(ClassTarget, ClassifierMixin, LearnerModel):  # type: ignore[misc]
    """A learner of classes; subclasses give the probabilities."""

    classes_: NDArray[Any]

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
        columns = self._columns(X)
        with one_blas_thread():
            return self._probabilities(columns)

    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class LearnerRegressor(NumberTarget, RegressorMixin, LearnerModel):  # type: ignore[misc]
    """A learner of numbers; subclasses give them by `_answers`."""


class LearnerLookup(TableLookup):
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
        if any(column.kind == "numeric" and column.face != "number" for column in self.schema.columns):
            return self.answer_by_frame
        one_row = OneRow(self.schema, self.encoder.level_codes, self.refuse_missing)

        def answer(values: Any) -> Any:
            found = self._answers(one_row.columns(values))[0]
            return found.item() if isinstance(found, np.generic) else found

        return answer
