"""What every estimator that learns from tables does: open → encode, the same checks on new rows, one row, the name."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.recipe import Recipe
from treewright.learners.trees.training_data import TrainingData
from treewright.save.persist import FittedState
from treewright.table.encode import EncodedRows, EncodedTable, RowEncoder, encode_table
from treewright.table.frame import InputFrame, is_frame, open_frame, to_table
from treewright.table.schema import Column, Schema
from treewright.table.target import encode_weights

# New rows for a fitted model of any kind: laid out as it was trained, many at once, or one.


_NUMBER = (float, int, np.number)
Rows = InputFrame | EncodedRows  # as they were given, or encoded already (for the first of many trees)


class TableLookup:
    """The part that lookups in one tree and in many share. Subclasses have a door for one row, and answer frames.

    Parameters
    ----------
    schema : Schema
        The columns that the model was trained on.
    refuse_missing : bool
        Whether a missing value is an error.
    """

    def __init__(self, schema: Schema, refuse_missing: bool) -> None:
        self.schema = schema
        self.refuse_missing = refuse_missing
        self.encoder = RowEncoder(schema)

    @cached_property
    def _door(self) -> Callable[[Any], Any]:
        """Answers a row of numbers and levels."""
        raise NotImplementedError

    def answers_to(self, frame: InputFrame) -> NDArray[Any]:
        """What each row is answered with."""
        raise NotImplementedError

    def encode(self, frame: Rows) -> EncodedRows:
        """Lay the rows out once, so that many trees with the same columns can be asked."""
        if isinstance(frame, EncodedRows):
            return frame
        rows = self.encoder.encode(frame)
        if self.refuse_missing:
            _refuse_missing(rows, self.schema.columns)
        return rows

    @cached_property
    def answer_one(self) -> Callable[[Any], Any]:
        """The door for one row: the fast one of the core where the columns are numbers and levels."""
        columns = self.schema.columns
        if any(column.kind == "numeric" and column.face != "number" for column in columns):
            return self.answer_by_frame
        return self._answer_known if self.refuse_missing else self._door

    def _answer_known(self, values: Any) -> Any:
        """The core looks only at what the path asks for; a model that refuses holes must look at every value."""
        is_dict = isinstance(values, Mapping)
        row = [values.get(name) for name in self.schema.names] if is_dict else values
        for value, codes in zip(row, self.encoder.level_codes, strict=False):
            known = isinstance(value, _NUMBER) and value == value if codes is None else value in codes
            if not known:
                return self.answer_by_frame(values)  # which says what is wrong
        return self._door(values)

    def answer_by_frame(self, values: Any) -> Any:
        """Answer one row as a table of one row: slower, and with the messages that a table gets."""
        answer = self.answers_to(self.frame_of_one(values))[0]
        return answer.item() if isinstance(answer, np.generic) else answer

    def frame_of_one(self, values: Any) -> InputFrame:
        """One row as a table of one row."""
        import pandas as pd

        names = self.schema.names
        if isinstance(values, Mapping):
            row = [values.get(name) for name in names]
        elif isinstance(values, str) or not isinstance(values, Iterable):
            raise DataError(
                f"One row is a list or a tuple of values, or a dict by column name. Got {values!r} instead."
            )
        else:
            row = list(values)
        if len(row) != len(names):
            raise DataError(
                f"The row has {len(row)} values, but the model has {len(names)} columns. "
                "Give one value for each column, None where there is none."
            )
        frame = pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in zip(names, row, strict=True)})
        return open_frame(frame)


def _refuse_missing(rows: EncodedRows, columns: tuple[Column, ...]) -> None:
    for j, column in enumerate(columns):
        row = rows.first_missing(j)
        if row is not None:
            raise DataError(
                f"Row {row + 1} has no known value in column '{column.name}', and the model was trained with "
                "missing='refuse'. Fill it, or train with missing='learn'."
            )


_POLICIES = ("learn", "larger", "branch", "surrogates", "fractional", "stop")  # as they are recommended


class TableModel(FittedState, BaseEstimator):  # type: ignore[misc]
    """The part that all learners share, with trees or without. Subclasses encode the target and learn."""

    _lookup: Any  # answers new rows
    _bucket_sample = 4096  # rows that decide where long columns of numbers are cut into runs
    _refuses_unknown_levels = True  # with missing="refuse": a level never seen in training counts as missing

    # ---------------------------------------------------------------- the first steps of fit
    def _table(self, X: Any) -> Any:
        X = to_table(X)
        if not is_frame(X):
            return check_array(X, dtype=None, ensure_all_finite=False, estimator=self, input_name="X")
        if X.shape[0] == 0:
            raise DataError(
                "Found array with 0 sample(s) while a minimum of 1 is required: the table has no rows. Pass some."
            )
        if X.shape[1] == 0:
            raise DataError(
                "0 feature(s) while a minimum of 1 is required: the table has no columns to learn from. Pass some."
            )
        return X

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> TrainingData:
        threads = thread_count(self.n_jobs)
        weights = encode_weights(sample_weight, frame.n_rows)
        classes, truth, weights = self._encode_target(y, frame.n_rows, weights)
        table = encode_table(frame, self._kinds(frame), name_of(y), threads, self._bucket_sample)
        if self.missing == "refuse":
            _refuse_holes(table, self._parameter_constraints["missing"][0].options)
        return self._complete(self._training(table, truth, weights, classes, threads), y)

    def _reweighted(self, training: TrainingData, y: Any, weights: NDArray[np.float64]) -> TrainingData:
        """The same table and target, encoded once, with other weights of the rows: what ensembles grow from."""
        truth = training.truth
        if training.exposure is not None:
            truth = np.column_stack([training.exposure, training.exposure * truth])
        plain = self._training(training.table, truth, weights, training.classes, training.threads)
        return self._complete(plain, y)

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        """Add what the recipe has to know of the encoded rows and of the target as it was given."""
        return training

    def _training(
        self,
        table: EncodedTable,
        truth: NDArray[Any],
        weights: NDArray[np.float64] | None,
        classes: NDArray[Any] | None,
        threads: int,
    ) -> TrainingData:
        """Put together what the tree is grown from."""
        recipe = self._recipe(len(truth), weights)
        if classes is not None:
            target = _core.Target.classes(truth, len(classes), weights)
        else:
            target = _core.Target.numbers(truth, weights, recipe.criterion == "poisson")
        return TrainingData(table, target, truth, weights, classes, recipe, threads)

    def _kinds(self, frame: InputFrame) -> Mapping[Any, str] | None:
        """The kinds that columns are to have, where the guess is overridden."""
        return cast(Mapping[Any, str] | None, self.column_kinds)

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any] | None, NDArray[Any], Any]:
        """Give the classes (None for numbers), the target as the core takes it, and the weights."""
        raise NotImplementedError

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        """What is grown, in the words of the core."""
        raise NotImplementedError

    def _seed(self) -> int:
        if self.random_state is None:
            return 0  # the same data and parameters give the same model
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    # ---------------------------------------------------------------- looking rows up
    def _rows(self, X: Any) -> InputFrame:
        check_is_fitted(self)
        X = self._table(X)
        validate_data(self, X, reset=False, skip_check_array=True)  # the same columns as in training
        frame = open_frame(X)
        self._check_rows(frame)
        return frame

    def _check_rows(self, frame: InputFrame) -> None:
        """Refuse new rows that this kind of model cannot answer."""

    def predict_one(self, values: Any) -> Any:
        """Answer one row, given as a list or tuple in column order or as a dict by column name, in about a microsecond.

        A value that a dict does not have, None and NaN are missing; so is a level never seen in training.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.DecisionTreeClassifier().fit([[1, "red"], [2, "red"], [9, "blue"]], ["a", "b", "b"])
        >>> model.predict_one([1.5, "red"]), model.predict_one({"x0": 7})
        ('a', 'b')
        """
        try:
            return self._lookup.answer_one(values)
        except AttributeError:
            check_is_fitted(self)
            raise
        except (ValueError, TypeError):  # what the fast door cannot read, the slow one can, or it says what is wrong
            return self._lookup.answer_by_frame(values)

    # ---------------------------------------------------------------- about the model
    def fingerprint(self) -> str:
        """A short text that is equal for equal models: same tree, columns, classes and parameters."""
        check_is_fitted(self)
        return hashlib.sha256(self._tw_bytes()).hexdigest()[:32]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def name_of(y: Any) -> str | None:
    name = getattr(y, "name", None)
    return None if name is None or name == "" else str(name)  # polars calls a column without a name ""


def _refuse_holes(table: EncodedTable, offered: Collection[str]) -> None:
    names = [c.name for c, holes in zip(table.schema.columns, table.core.has_missing(), strict=True) if holes]
    if names:
        others = f" ({len(names)} such columns)" if len(names) > 1 else ""
        *first, last = [f"'{name}'" for name in _POLICIES if name in offered][:4]
        cure = f"{', '.join(first)} or {last}" if first else last
        raise DataError(
            f"Column '{names[0]}' has missing values and missing='refuse' was asked for{others}. "
            f"Fill them, or choose missing={cure}."
        )
