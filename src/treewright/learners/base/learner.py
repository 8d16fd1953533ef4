"""What every estimator does: fit = open → encode → learn → store, written once; new rows, one row, pickle, the name.

A learner says what differs: how its rows are encoded (`_encode`), what it learns from them (`_learn`), what answers new
rows (`_make_lookup`), and what goes to a model file (`_tw_state`, `_tw_restore`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, cast, dataclass_transform

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from treewright.errors import DataError, ModelFileError
from treewright.learners.base.conformal_answers import predict_interval, predict_set, predicts_classes, predicts_numbers
from treewright.learners.base.constructor import make_estimator
from treewright.learners.base.learnt import Arrays, Numbers
from treewright.learners.base.parameters import PLAIN, declares_parameters, fitted, fixed, parameter, plain_value, whole
from treewright.learners.base.several_targets import (
    answer_for_each_target,
    attribute_of_targets,
    columns_of_targets,
    set_targets,
)
from treewright.learners.base.target import weights_by_class
from treewright.memory import FEWER, Block, refuse_beyond_memory, tell_of_memory
from treewright.renamed import keep_old_names, warn_renamed
from treewright.save.attached import whole_state
from treewright.save.header import damaged
from treewright.save.model_bytes import from_bytes, to_bytes
from treewright.save.persist import KINDS, restore_into
from treewright.sources.source import Source
from treewright.table.column_remarks import told_once
from treewright.table.frame import InputFrame, is_frame, open_frame, to_table
from treewright.table.pandas_columns import names_in
from treewright.table.schema import Schema
from treewright.table.sparse import is_sparse
from treewright.table.target import encode_classes, encode_numbers, encode_weights, refuse_extremes, target_column


class TrainingRows(Protocol):
    """What `_encode` gives: whatever a learner learns from, with its columns and classes (None for numbers)."""

    @property
    def schema(self) -> Schema: ...
    @property
    def classes(self) -> NDArray[Any] | None: ...


_TAKEN: dict[tuple[Any, ...], bool] = {}  # sets of plain parameters that were found right, by class
_MOST_TAKEN = 1000
_NAMES: dict[type, list[str]] = {}  # of the parameters by class


# Type checkers are told of the constructors of its subclasses by the first line, of its own parameters by the second.
@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, fitted, fixed))
@declares_parameters
class Learner(BaseEstimator):  # type: ignore[misc]
    """The base of all estimators."""

    column_kinds: Mapping[Any, Any] | None = parameter(
        default=None,
        takes=[dict, None],
        doc=(
            'Kinds that override the guess, for instance ``{"zip": "nominal", "rank": ["low", "medium", "high"]}``: '
            'a list gives the levels of an ordinal column in their order; ``"ordinal"`` alone where levels tell it.'
        ),
    )
    n_jobs: int | None = parameter(
        default=None,
        takes=[whole(1), whole(None, -1), None],
        doc="Threads; None and -1 use all processors. It changes the time, never the model.",
    )

    _lookup: Any = fitted()  # answers new rows
    _predicts_classes: ClassVar[bool] = False  # else numbers, or nothing
    _target_exponent: ClassVar[int] = 400  # numbers to learn are below 2^400: squares, weighted and summed, are numbers
    _counts_declared_levels: ClassVar[bool] = False  # also levels that a frame lists and no row has
    _fitted_by: ClassVar[str]  # the attribute that a fitted model has
    _fitted_numbers: ClassVar[Numbers] = {}  # attributes that a fitted model may have, to be saved
    _fitted_arrays: ClassVar[Arrays] = {}  # the same for arrays of numbers
    # what fits a model for each column of y; None where a learner takes one target only
    _fit_targets: ClassVar[Any] = None
    _why_no_source: ClassVar[str | None] = None  # what is in the model and not in rows without an order
    _sparing: ClassVar[str] = FEWER  # what to do where memory is too small
    _renamed: ClassVar[Mapping[str, str]] = {}  # old names of parameters and attributes, which warn, and new ones
    _other_names: ClassVar[Mapping[str, str]] = {}  # what scikit-learn calls parameters, and what they are called here
    # attributes that the next fit replaces; the others are parameters or the user's
    _made_by_fit: frozenset[str] = fitted()

    def __init_subclass__(cls, is_base: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        make_estimator(cls)
        keep_old_names(cls, cls._renamed)
        tell_of_memory(cls)
        if not is_base and cls._fit_targets is not None:
            answer_for_each_target(cls)
        if not is_base:  # no file holds a model of a class that only others derive from
            KINDS[cls.__name__] = cls

    def __setattr__(self, name: str, value: Any) -> None:
        """Take parameters as Python's own values, whether the constructor, `set_params` or the user sets them."""
        object.__setattr__(self, name, plain_value(value) if name in self._parameter_constraints else value)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """The names of the parameters: scikit-learn takes the signature of the constructor apart at every call."""
        if cls not in _NAMES:
            _NAMES[cls] = super()._get_param_names()
        return _NAMES[cls].copy()

    # ---------------------------------------------------------------- what a learner says
    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> Any:
        """Give the rows as this learner learns from them, with their `schema` and `classes`."""
        raise NotImplementedError

    def _learn(self, data: Any) -> dict[str, Any]:
        """Learn from encoded rows; give what was learnt, by attribute."""
        raise NotImplementedError

    def _fit_blocks(self, data: Any) -> Sequence[Block]:
        """What `_learn` will have in memory, as far as it is known before: a stored tree is as large as it gets."""
        return ()

    def _prepare(self) -> None:
        """Make ready what follows from what was learnt; called after fit and after load, before anyone can see it."""

    def _make_lookup(self) -> Any:
        """Make what answers new rows."""
        raise NotImplementedError

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The fitted model as a JSON header and arrays."""
        raise NotImplementedError

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        """Become the model that such a header and arrays describe; `source` is named where they are damaged."""
        raise NotImplementedError

    def _refuse_file(self) -> None:
        """Refuse to be saved, where the model answers by something that a file cannot hold."""

    # ---------------------------------------------------------------- fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table. If it is interrupted or refused, the estimator stays as it was.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a duckdb relation, a numpy array or a list of rows. Text, categories,
            booleans, dates and missing values are taken as they are. Of a sparse matrix what is not stored is 0; trees
            and their ensembles take it column by column, others make a dense one of it.
        y : column of length n_rows
            The target.
        sample_weight : column of length n_rows, optional
            How much each row counts; a weight of 0 drops it. To a tree a weight of 2 is the same as the row twice.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, *others: Any) -> Self:
        if isinstance(X, Source):
            self._fit_source(X, y, *others)
            return self
        columns = columns_of_targets(y) if self._takes_several_targets() else None
        if columns is not None and self._fit_targets is not None:
            self._validate_params()
            with told_once():  # of what is odd about the columns
                set_targets(self, self._fit_targets(X, columns, *others))
            return self
        return self._fit_by(X, lambda frame: self._encode(frame, y, *others), self._learn)

    def _fit_source(self, source: Source, y: Any, *others: Any) -> None:
        """Learn from rows that stay where they are; `y` and the weights are names of columns."""
        from treewright.learners.base.fit_gathered import fit_gathered  # most fits have their rows at hand

        fit_gathered(self, source, y, *others)

    def _takes_several_targets(self) -> bool:
        """Whether a target of several columns is several targets to this model."""
        return self._fit_targets is not None

    def _suits_several_targets(self) -> bool:
        """Whether the parameters go with several targets."""
        return True

    def __getattr__(self, name: str) -> Any:
        """Only what is not there comes here: another name of a parameter, or what one of several targets has."""
        if name in type(self)._other_names:
            return getattr(self, self._other_names[name])
        if "targets_" in self.__dict__:
            return attribute_of_targets(self, name)
        return super().__getattribute__(name)  # which says what is wrong

    def _fit_by(
        self,
        X: Any,
        encode: Callable[[InputFrame], Any],
        learn: Callable[[Any], dict[str, Any]],
        goes_on: bool = False,
    ) -> Self:
        """Open → encode → learn → store. A model that goes on takes only the columns that it has."""
        self._validate_params()
        X = self._table(X)
        if goes_on:
            validate_data(self, X, reset=False, skip_check_array=True)
        data: TrainingRows = encode(open_frame(X))
        self._refuse_beyond_memory("fit", *self._fit_blocks(data))
        fitted = learn(data)
        names = self.__dict__.get("feature_names_in_") if goes_on else names_in(X)
        self._set_fitted(data.schema, data.classes, names, fitted)
        return self

    def _validate_params(self) -> None:
        """Check the parameters. Plain values that this class has taken before are not checked again."""
        given = tuple((name, type(value), value) for name, value in self.get_params(deep=False).items())
        plain = all(kind in PLAIN for _, kind, _ in given)
        if plain and (type(self), given) in _TAKEN:
            return
        super()._validate_params()
        if plain:
            _TAKEN[type(self), given] = True
            if len(_TAKEN) > _MOST_TAKEN:
                _TAKEN.clear()

    def _refuse_beyond_memory(self, doing: str, *blocks: Block) -> None:
        refuse_beyond_memory(f"{type(self).__name__}.{doing}", blocks, self._sparing)

    def _table(self, X: Any, fewest_rows: int = 1) -> Any:
        """Give X as something that can be opened: rows to learn from must be there, rows to answer need not."""
        if isinstance(X, Source):
            raise DataError(
                f"{type(self).__name__} does not answer a source by itself. Ask it for one batch after the other: "
                "[model.predict(rows.to_pandas()) for rows in source.batches(model.feature_names_in_)]."
            )
        X = to_table(X)
        if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype.kind in "fiub":
            return X  # nothing that scikit-learn's check would say anything about
        if not is_frame(X):
            return check_array(
                X,
                accept_sparse="csc" if is_sparse(X) else False,
                dtype="numeric" if is_sparse(X) else None,
                ensure_all_finite=False,
                ensure_min_samples=fewest_rows,
                estimator=self,
                input_name="X",
            )
        if X.shape[0] < fewest_rows:
            raise DataError(
                "Found array with 0 sample(s) while a minimum of 1 is required: the table has no rows. Pass some."
            )
        if X.shape[1] == 0:
            raise DataError(
                "0 feature(s) while a minimum of 1 is required: the table has no columns to learn from. Pass some."
            )
        return X

    def _kinds(self, frame: InputFrame) -> Mapping[Any, str] | None:
        """The kinds that columns are to have, where the guess is overridden."""
        return self.column_kinds

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any] | None, NDArray[Any], Any]:
        """Give the classes (None for numbers), the target as class numbers or values, and the weights."""
        column = target_column(y, n_rows, type(self).__name__)
        if not self._predicts_classes:
            return None, self._encode_numbers(column), weights
        classes, codes = encode_classes(column)
        class_weight = getattr(self, "class_weight", None)  # not every algorithm has it
        if class_weight is not None:
            by_row = weights_by_class(class_weight, classes, codes)[codes]
            weights = encode_weights(by_row if weights is None else weights * by_row, n_rows)
        return classes, codes, weights

    def _encode_numbers(self, column: Any) -> NDArray[np.float64]:
        """Give a numeric target of a size that this learner can compute with."""
        numbers = encode_numbers(column)
        refuse_extremes(numbers, self._target_exponent, type(self).__name__)
        return numbers

    def _seed(self) -> int:
        if self.random_state is None:
            return 0  # the same data and parameters give the same model
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _set_fitted(
        self, schema: Schema, classes: NDArray[Any] | None, names: NDArray[Any] | None, fitted: dict[str, Any]
    ) -> None:
        """Replace what the last fit made, in one step: an interrupt finds the old state or the new one.

        Parameters stay, and so do attributes that the user has set.
        """
        before = self.__dict__.get("_made_by_fit", frozenset())
        kept = {name: value for name, value in self.__dict__.items() if name not in before}
        made = object.__new__(type(self))
        made.__dict__ = {**kept, "n_features_in_": len(schema.columns), **fitted}
        if names is not None:
            made.feature_names_in_ = names
        if classes is not None:
            made.classes_ = classes
        made._prepare()
        made._lookup = made._make_lookup()
        made._made_by_fit = frozenset({*made.__dict__, "_made_by_fit"}) - frozenset(kept)
        self.__dict__ = made.__dict__

    # ---------------------------------------------------------------- looking rows up
    def _rows(self, X: Any) -> InputFrame:
        check_is_fitted(self)
        X = self._table(X, fewest_rows=0)
        try:
            validate_data(self, X, reset=False, skip_check_array=True)  # the same columns as in training
        except ValueError as error:
            if "feature names" not in str(error):
                raise
            way_out = "tw.align(table, model) hands back the table as the model wants it."
            raise ValueError(f"{error}\n{way_out}") from None
        frame = open_frame(X)
        self._check_rows(frame)
        return frame

    def _check_rows(self, frame: InputFrame) -> None:
        """Refuse new rows that this kind of model cannot answer."""

    def predict_one(self, values: Any) -> Any:
        """Answer one row, given as a list or tuple in column order or as a dict by column name, in about a microsecond.

        A value that a dict does not have, None and NaN are missing; so is a level never seen in training. One that
        differs from a known level by case or blanks only is taken as that level, which a warning tells. Names that are
        no columns do not matter, unless one is probably a column's, misspelt.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.DecisionTreeClassifier().fit([[1, "red"], [2, "red"], [9, "blue"]], ["a", "b", "b"])
        >>> model.predict_one([1.5, "red"]), model.predict_one({"x0": 7})
        ('a', 'b')
        """
        try:
            lookup = self._lookup
            if type(values) is dict and not values.keys() <= lookup.known_names:
                lookup.refuse_misnamed(values)
        except AttributeError:
            check_is_fitted(self)
            raise
        try:
            if type(values) is dict:
                for name, _, levels in lookup.text_levels:
                    if values.get(name) not in levels:
                        values = lookup.with_meant_levels(values)
                        break
            elif type(values) is list or type(values) is tuple:
                for _, place, levels in lookup.text_levels:
                    if values[place] not in levels:
                        values = lookup.with_meant_levels(values)
                        break
            return lookup.answer_one(values)
        except (ValueError, TypeError, IndexError):  # what the fast door cannot read, the slow one can, or says why not
            return lookup.answer_by_frame(values)

    # ---------------------------------------------------------------- how sure an answer is
    predict_interval = available_if(predicts_numbers)(predict_interval)
    predict_set = available_if(predicts_classes)(predict_set)

    # ---------------------------------------------------------------- about the model
    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, as in scikit-learn."""
        for old in set(params) & set(self._renamed):
            warn_renamed(f"The parameter {old!r}", repr(self._renamed[old]))
            params[self._renamed[old]] = params.pop(old)
        for other in set(params) & set(self._other_names):
            params[self._other_names[other]] = params.pop(other)
        return cast(Self, super().set_params(**params))

    def fingerprint(self) -> str:
        """A short text that is equal for equal models: same tree, columns, classes and parameters."""
        check_is_fitted(self)
        return hashlib.sha256(self._tw_bytes()).hexdigest()[:32]

    def export(self, path: Any, **how: Any) -> Any:
        """Write the model as a file that runs without treewright, with a proof: `tw.export` of this model.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import treewright as tw
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model = tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])
        ...     model.export(pathlib.Path(folder) / "tiny.py").proven
        True
        """
        import treewright  # the exports are built on the models, so they are asked for by name

        return treewright.export(self, path, **how)

    def _tw_bytes(self) -> bytes:
        return to_bytes(*whole_state(self))

    def __getstate__(self) -> dict[str, Any]:
        if self._fitted_by not in self.__dict__ and "targets_" not in self.__dict__:
            return dict(self.__dict__)
        return {"params": self.get_params(deep=False), "model": self._tw_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        header, arrays = from_bytes(state["model"], "the pickle")
        if header.get("estimator") != type(self).__name__:
            raise ModelFileError(damaged("the pickle", f"it holds no {type(self).__name__}"))
        restore_into(self, header, arrays, "the pickle")
        for name, value in state["params"].items():  # the very objects, where JSON could only describe them
            setattr(self, self._renamed.get(name, name), value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = self._takes_several_targets() and self._suits_several_targets()
        return tags
