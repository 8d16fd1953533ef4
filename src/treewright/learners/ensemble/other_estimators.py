"""Bagging and AdaBoost of estimators that are no trees of treewright: any with `fit` and `predict`.

Each member is fitted by its own `fit` on the table as the user gave it, on the rows and with the weights that a tree
would have been grown from. What is drawn follows the content of the rows, as for trees; whether the order of the rows
matters beyond that is up to the estimator.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from treewright import _core
from treewright.errors import DataError
from treewright.learners.trees.training_data import TrainingData
from treewright.learners.trees.tree_model import TreeModel
from treewright.table.frame import InputFrame, frame_of_values, is_frame, to_table
from treewright.table.schema import Schema
from treewright.table.sparse import is_sparse

Floats = NDArray[np.float64]
_SEEDS, _DRAWN_BY_WEIGHT = 4, 5  # of the random words: the seeds of a member, the rows of one that takes no weights


def is_grown_here(estimator: Any) -> bool:
    """Tell whether an estimator is a tree that the ensemble grows itself, from a table that is encoded once.

    Examples
    --------
    >>> import treewright as tw
    >>> is_grown_here(tw.C45Classifier()), is_grown_here(tw.LogisticRegression()), is_grown_here(None)
    (True, False, True)
    """
    if estimator is None:
        return True
    # who writes a fit of their own means it to be called
    writer = next((each for each in type(estimator).__mro__ if "fit" in vars(each)), object)
    return isinstance(estimator, TreeModel) and writer.__module__.startswith("treewright.")


def check_estimator(estimator: Any, ensemble: str, predicts_classes: bool) -> Any:
    """Give a fresh copy of an estimator, or refuse what cannot be a member."""
    is_estimator = not isinstance(estimator, type) and hasattr(estimator, "fit") and hasattr(estimator, "predict")
    if is_estimator and not (is_regressor if predicts_classes else is_classifier)(estimator):
        return clone(estimator)
    wanted = "classes" if predicts_classes else "numbers"
    example = "tw.C45Classifier()" if predicts_classes else "tw.ModelTreeRegressor()"
    raise DataError(
        f"{ensemble} takes as its estimator one that predicts {wanted}: a tree of treewright such as {example}, or any "
        f"other with fit and predict. Got {estimator!r} instead."
    )


def as_given(X: Any) -> Any:
    """Give a table as other estimators take it: frames stay frames, sparse matrices go by rows or by columns.

    Examples
    --------
    >>> as_given([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if is_sparse(X):
        return X if X.format in ("csr", "csc") else X.tocsr()
    table = to_table(X)
    return table if is_frame(table) else np.asarray(table)


def _no_trees(estimator: Any) -> DataError:
    name = type(estimator).__name__
    return DataError(f"This is a question to trees of treewright, and the model is made of {name}. Bag or boost trees.")


@dataclass(frozen=True)
class GivenRows:
    """Rows as the user gave them."""

    table: Any

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return int(self.table.shape[0])

    def part(self, columns: list[int] | None) -> Any:
        """The table with some of its columns."""
        return self.table if columns is None else _safe_indexing(self.table, columns, axis=1)


@dataclass(frozen=True)
class Member:
    """A fitted estimator, the columns that it knows, and the classes of the ensemble; it is asked as a tree is."""

    estimator: Any
    columns: list[int] | None
    classes_of_all: NDArray[Any] | None

    @property
    def labels(self) -> NDArray[np.int64]:
        """The numbers of the classes."""
        return np.arange(0 if self.classes_of_all is None else len(self.classes_of_all))

    @property
    def tree(self) -> Any:
        """Not there: what asks for it is a question to trees."""
        raise _no_trees(self.estimator)

    def classes(self, rows: GivenRows, threads: int) -> NDArray[np.int64]:
        """The number of the class that each row is answered with."""
        return self._numbers_of(np.asarray(self.estimator.predict(rows.part(self.columns))))

    def values(self, rows: GivenRows, threads: int) -> Floats:
        """The number that each row is answered with."""
        return np.asarray(self.estimator.predict(rows.part(self.columns)), dtype=np.float64).reshape(rows.n_rows)

    def shares(self, rows: GivenRows) -> Floats:
        """The probability of each class; a vote where the estimator has no probabilities."""
        found = np.zeros((rows.n_rows, len(self.labels)))
        if hasattr(self.estimator, "predict_proba"):
            found[:, self._numbers_of(self.estimator.classes_)] = self.estimator.predict_proba(rows.part(self.columns))
        else:
            found[np.arange(rows.n_rows), self.classes(rows, 1)] = 1.0
        return found

    def importance(self, n_columns: int) -> Floats:
        """How much each column matters to the estimator, if it tells."""
        found = np.zeros(n_columns)
        found[slice(None) if self.columns is None else self.columns] = self.estimator.feature_importances_
        return found

    def _numbers_of(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        assert self.classes_of_all is not None
        return np.searchsorted(self.classes_of_all, labels)


@dataclass(frozen=True)
class MemberFitter:
    """Fits members from one table, each with other weights of the rows; it is asked as the grower of trees is."""

    recipe: Any
    training: TrainingData  # the target and the order of the rows by their content
    table: Any
    y: NDArray[Any]
    seed: int
    without_weights: str = "repeat"  # for an estimator that takes no weights: "repeat" rows, "draw" them, or "refuse"

    def grow(self, number: int, weights: Floats, columns: list[int] | None = None) -> Member:
        """Fit member `number` with these weights of the rows, on these columns only where some are given."""
        member = clone(self.recipe)
        _set_seeds(member, self.seed, number)
        X = GivenRows(self.table).part(columns)
        if has_fit_parameter(member, "sample_weight"):
            member.fit(X, self.y, sample_weight=weights)
        else:
            rows = self._rows_of(number, weights)
            member.fit(_safe_indexing(X, rows), self.y[rows])
        return Member(member, columns, self.training.classes)

    def _rows_of(self, number: int, weights: Floats) -> NDArray[np.int64]:
        """The rows that stand for weights: each as often as it weighs, or drawn by weight."""
        if self.without_weights != "refuse" and np.all(weights == np.rint(weights)):
            return np.repeat(np.arange(len(weights)), weights.astype(np.int64))
        if self.without_weights != "draw":
            raise DataError(
                f"{type(self.recipe).__name__} doesn't support sample_weight, and rows that weigh a part of others "
                "cannot be repeated instead. Take an estimator whose fit takes weights; bagging takes whole ones too."
            )
        order = self.training.by_content()
        ends = np.cumsum(weights[order])
        words = _core.drawn_words(self.seed, _DRAWN_BY_WEIGHT, number, len(weights))
        drawn = np.searchsorted(ends, (words >> np.uint64(11)).astype(np.float64) * 2.0**-53 * ends[-1], side="right")
        return np.sort(order[np.minimum(drawn, len(order) - 1)].astype(np.int64))

    def lookup(self, member: Member) -> Member:
        """What answers rows by one member."""
        return member

    def rows(self, frame: InputFrame) -> GivenRows:
        """The training rows as members are asked about them."""
        return GivenRows(self.table)

    def with_threads(self, threads: int) -> MemberFitter:
        """The same: how many threads a member takes is its own affair."""
        return replace(self)


def _set_seeds(member: Any, seed: int, number: int) -> None:
    """Give every `random_state` of an estimator, and of what it is made of, a whole number of its own."""
    named = sorted(name for name in member.get_params() if name.rpartition("__")[2] == "random_state")
    words = _core.drawn_words(seed, _SEEDS, number, max(1, len(named)))
    member.set_params(**{name: int(word >> np.uint64(33)) for name, word in zip(named, words, strict=False)})


class MembersLookup:
    """What an ensemble of other estimators needs to answer rows; the twin of the lookup of trees."""

    text_levels: tuple[()] = ()  # which levels they know is theirs to say

    def __init__(self, members: list[Member], schema: Schema, as_frame: bool, answer: Any) -> None:
        self.members, self.schema, self._as_frame, self._answer = members, schema, as_frame, answer
        self.known_names = frozenset(schema.names)

    def encode(self, rows: Any = None) -> Any:
        """Not there: only trees of treewright encode rows."""
        raise _no_trees(self.members[0].estimator)

    encoder = property(encode)

    def refuse_misnamed(self, values: Any) -> None:
        """Other names may be there too: the estimator gets the columns that it knows."""

    def with_meant_levels(self, values: Any) -> Any:
        """Never asked: no level is known here."""
        return values

    def answer_one(self, values: Any) -> Any:
        """Answer one row, given as a list in column order or as a dict by column name."""
        names = self.schema.names
        row = [values.get(name) for name in names] if isinstance(values, dict) else list(values)
        table = frame_of_values(names, [row]).infer_objects() if self._as_frame else np.asarray([row])
        answer = self._answer(GivenRows(table))[0]
        return answer.item() if isinstance(answer, np.generic) else answer

    answer_by_frame = answer_one
