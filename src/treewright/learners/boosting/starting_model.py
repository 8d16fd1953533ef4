"""Boosting that starts from another model (`init=`): what it answers as raw scores, to which the trees add.

The first model is fitted by its own `fit` on the rows that the trees learn from, and asked about every row that the
booster is asked about. For numbers its answers are the scores; for classes the logarithms of its probabilities are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from treewright.errors import DataError
from treewright.learners.base.table_lookup import Rows
from treewright.learners.boosting.averaged_models import BoostedRows, JudgedRows
from treewright.learners.ensemble.lookup import EnsembleLookup
from treewright.learners.ensemble.other_estimators import GivenRows, Member
from treewright.table.frame import InputFrame

Floats = NDArray[np.float64]
_LEAST_SHARE = float(np.finfo(np.float32).eps)  # a probability of 0 has no logarithm; this is scikit-learn's least


def is_estimator(init: Any) -> bool:
    """Tell whether `init` is a model to start from.

    Examples
    --------
    >>> import treewright as tw
    >>> is_estimator(tw.LinearRegression()), is_estimator("zero"), is_estimator(None)
    (True, False, False)
    """
    return init is not None and not isinstance(init, str)


def is_ours(estimator: Any) -> bool:
    """Tell whether a model file can hold an estimator."""
    return hasattr(type(estimator), "_tw_state")


@dataclass(frozen=True)
class StartingModel:
    """A fitted model, and its answers as raw scores; `classes` are those of the booster, None for numbers."""

    estimator: Any
    classes: NDArray[Any] | None
    named: bool  # whether it is asked with tables whose columns have names

    def scores(self, frame: InputFrame) -> Floats:
        """Where the sums of the rows start: rows × outputs."""
        rows, member = GivenRows(table_of(frame, self.named)), Member(self.estimator, None, self.classes)
        if self.classes is None:
            scores = member.values(rows, 1)[:, None]
        else:
            shares = member.shares(rows) if hasattr(self.estimator, "classes_") else self._plain_shares(rows)
            scores = _scores_of(np.clip(shares, _LEAST_SHARE, 1 - _LEAST_SHARE))
        if not np.isfinite(scores).all():
            row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
            raise DataError(
                f"init={type(self.estimator).__name__} answers row {row + 1} with no number, and the trees have "
                "nothing to add to. Take another model, or leave out such rows."
            )
        return scores

    def _plain_shares(self, rows: GivenRows) -> Floats:
        """The probabilities of an estimator that does not name its classes: those of the table, in their order."""
        shares = np.asarray(self.estimator.predict_proba(rows.table), dtype=np.float64)
        if self.classes is None or shares.shape != (rows.n_rows, len(self.classes)):
            raise DataError(
                f"init={type(self.estimator).__name__} gives probabilities of another number of classes than the "
                "target has, and has no classes_ that would name them. Take another model."
            )
        return shares


def _scores_of(shares: Floats) -> Floats:
    """Scores whose shares these are: of two classes the log odds of the second, else logarithms that add up to 0."""
    if shares.shape[1] <= 2:
        second = shares[:, -1:]
        return np.asarray(np.log(second / (1 - second)))
    logs = np.log(shares)
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def table_of(frame: InputFrame, named: bool) -> Any:
    """A table as an estimator takes it: a pandas frame where columns have names, else a matrix.

    Examples
    --------
    >>> from treewright.table.frame import open_frame
    >>> frame = open_frame(np.array([[1, 2]]))
    >>> table_of(frame, named=False).tolist(), table_of(frame, named=True).columns.tolist()
    ([[1, 2]], ['x0', 'x1'])
    """
    import pandas as pd

    if frame.sparse is not None:
        return frame.sparse
    if frame.matrix is not None:
        return pd.DataFrame(frame.matrix, columns=list(frame.names)) if named else frame.matrix
    columns = dict(zip(frame.names, frame.columns, strict=True))
    table = pd.DataFrame({name: column.to_pandas() for name, column in columns.items()})
    return table if named else table.to_numpy(dtype=object)


# ---------------------------------------------------------------- fit


def start_from_model(model: Any, training: BoostedRows, split: JudgedRows) -> BoostedRows:
    """Fit the first model on the rows that are learnt from; give the rows with the scores where their sums start."""
    frame = training.frame
    assert frame is not None  # kept where a model is asked about it
    starting = _fitted(model, training, frame, split)
    return replace(training, scores=starting.scores(frame), starting=starting, split=split)


def _fitted(model: Any, training: BoostedRows, frame: InputFrame, split: JudgedRows) -> StartingModel:
    if model.loss in ("poisson", "gamma"):
        raise DataError(
            f"init={type(model.init).__name__} does not go with loss='{model.loss}', whose scores are logarithms. "
            "Choose another loss, or leave it out."
        )
    named = not (frame.is_array or frame.sparse is not None or frame.names[0] == "x0")
    estimator = _checked(model, model._kinds(frame))
    rows = np.flatnonzero(split.counts)
    X = _safe_indexing(table_of(frame, named), rows)
    y = training.truth[rows] if training.classes is None else training.classes[training.truth[rows]]
    if training.weights is None or split.weights is None or (split.weights[rows] == 1).all():
        estimator.fit(X, y)
    elif has_fit_parameter(estimator, "sample_weight"):
        estimator.fit(X, y, sample_weight=split.weights[rows])
    else:
        raise DataError(
            f"The initial estimator {type(estimator).__name__} does not support sample weights. Take as init one whose "
            "fit takes them, or leave the weights out."
        )
    return StartingModel(estimator, training.classes, named)


def _checked(model: Any, kinds: Any) -> Any:
    """A fresh copy of the first model, with the booster's kinds of columns and threads where it has none of its own."""
    given, classes = model.init, model._predicts_classes
    wanted = "probabilities of classes (predict_proba)" if classes else "numbers"
    has_answers = not isinstance(given, type) and hasattr(given, "predict_proba" if classes else "predict")
    if not has_answers or (is_regressor if classes else is_classifier)(given):
        raise DataError(f"init takes a model that predicts {wanted}, and {given!r} does not. Take another.")
    if is_estimator(getattr(given, "init", None)) and is_ours(given):
        raise DataError("init is a model that itself starts from another. Start from one of them.")
    estimator = clone(given)
    if is_ours(estimator):
        estimator.column_kinds = kinds if estimator.column_kinds is None else estimator.column_kinds
        estimator.n_jobs = model.n_jobs if estimator.n_jobs is None else estimator.n_jobs
        return estimator
    free = [name for name, value in estimator.get_params().items() if _is_seed(name) and value is None]
    return estimator.set_params(**dict.fromkeys(free, model._seed()))


def _is_seed(name: str) -> bool:
    return name.rpartition("__")[2] == "random_state"


# ---------------------------------------------------------------- new rows


class StartedLookup(EnsembleLookup):
    """Answers rows by trees whose sums start at what another model says."""

    def __init__(self, trees: EnsembleLookup, starting: StartingModel) -> None:
        super().__init__(
            trees.trees, trees.output_kind, trees.start, trees._answer, trees._finish_one, trees.refuse_missing
        )
        self.starting = starting

    def sums(self, frame: Rows, threads: int) -> Floats:
        """What all trees say, added to what the first model says: rows × outputs."""
        return super().sums(frame, threads) + self._scores(frame)

    def stages(self, frame: Rows, per_stage: int, threads: int) -> Iterator[tuple[int, Floats]]:
        """The number of trees so far and their sums, after every `per_stage` trees."""
        scores = self._scores(frame)
        for n_trees, sums in super().stages(frame, per_stage, threads):
            yield n_trees, sums + scores

    def _scores(self, frame: Rows) -> Floats:
        assert isinstance(frame, InputFrame)  # codes of a table are of no use to another model
        return self.starting.scores(frame)

    @cached_property
    def _reader(self) -> Callable[[Any], Any]:
        return self.answer_by_frame


# ---------------------------------------------------------------- files, and what trees alone cannot tell


def refuse_file(model: Any) -> None:
    """Refuse to write a model file where the first model is not of treewright, or is made of others itself."""
    first = model.__dict__.get("init_")
    if first is None:
        return
    if not is_ours(first):
        raise DataError(
            f"This model starts from {type(first).__name__}, and a model file holds models of treewright only: it "
            "never runs code. Pickle the model, or start from one of tw.learners()."
        )
    first._refuse_file()
    if any(is_ours(value) for value in first.get_params(deep=False).values()):
        raise DataError(
            f"This model starts from {type(first).__name__}, which is made of another model in turn, and a model file "
            "holds one inside the other once. Pickle the model, or start from a simpler one."
        )


def refuse_beside_trees(model: Any, what: str) -> None:
    """Refuse what speaks of trees alone where a model starts from another."""
    if "init_" in model.__dict__:
        name = type(model.init_).__name__
        raise DataError(f"{what}, and this model adds its trees to the answers of {name}. Fit without init for it.")


def lookup_of(model: Any, trees: EnsembleLookup) -> EnsembleLookup:
    """What answers rows: the trees, added to what the first model says where there is one."""
    if "init_" not in model.__dict__:
        return trees
    classes, named = model.__dict__.get("classes_"), "feature_names_in_" in model.__dict__
    return StartedLookup(trees, StartingModel(model.init_, classes, named))


def refuse_unfit(model: Any, first: Any) -> None:
    """Refuse a first model out of a file, by a ValueError, where it cannot be the first of this one."""
    named = "feature_names_in_" in model.__dict__
    if first._predicts_classes != model._predicts_classes or "targets_" in first.__dict__:
        raise ValueError("the model that it starts from predicts something else")
    if not hasattr(first, "predict_proba" if model._predicts_classes else "predict"):
        raise ValueError("the model that it starts from gives no answers to start from")
    columns = [each._lookup.schema.names for each in (model, first)]
    if columns[0] != columns[1] or named != ("feature_names_in_" in first.__dict__):
        raise ValueError("the model that it starts from has other columns")
    classes = model.__dict__.get("classes_")
    if classes is not None and not set(first.classes_.tolist()) <= set(classes.tolist()):
        raise ValueError("the model that it starts from has other classes")
