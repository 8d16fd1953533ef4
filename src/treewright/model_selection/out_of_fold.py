"""What a model says of rows that it has not seen: of new rows, fold by fold, or out of bag.

`tw.calibrate` and `tw.conformal` both learn from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.errors import DataError, nearest
from treewright.learners.base.content_order import order_of_table
from treewright.learners.base.folds import Units
from treewright.model_selection.cross_validation import plan_folds, take_rows
from treewright.save.attached import CARRIED, carry
from treewright.table.frame import to_table
from treewright.table.target import encode_weights, target_column

Floats = NDArray[np.float64]
PREFIT, OUT_OF_BAG = "prefit", "out_of_bag"


@dataclass(frozen=True)
class Rows:
    """A table with its target, the weights and the groups of its rows, where they have some."""

    X: Any
    y: NDArray[Any]
    weights: Floats | None = None
    groups: NDArray[Any] | None = None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any, groups: Any, owner: str) -> Rows:
        """Check what a user gave."""
        if not hasattr(type(model), "_tw_state"):
            raise DataError(f"tw.{owner} takes a model of treewright. Got {type(model).__name__} instead.")
        if "targets_" in model.__dict__:
            raise DataError(f"tw.{owner} takes a model of one target, such as model.targets_[0], and its column y.")
        table = to_table(X)
        table = table if hasattr(table, "shape") else np.asarray(table)
        column = target_column(y, table.shape[0], owner)
        values = column if isinstance(column, np.ndarray) else column.to_numpy()
        weights = encode_weights(sample_weight, len(values))
        asked = None if groups is None else np.asarray(groups)
        if asked is not None and asked.shape != values.shape:
            raise DataError(f"groups has the shape {asked.shape}. Give one group for each of the {len(values):,} rows.")
        return cls(table, values, weights, asked).that_count()

    def that_count(self) -> Rows:
        """Without the rows of weight 0."""
        if self.weights is None or self.weights.all():
            return self
        return self.take(np.flatnonzero(self.weights))

    def take(self, rows: NDArray[Any]) -> Rows:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        groups = None if self.groups is None else self.groups[rows]
        return Rows(take_rows(self.X, rows), self.y[rows], weights, groups)

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Judged:
    """A fitted model, and rows that it has not seen; `asked` are their numbers in the table."""

    model: Any
    asked: NDArray[np.int64]
    rows: Rows


def is_fitted(model: Any) -> bool:
    """Tell whether a model has learnt something."""
    return model._fitted_by in model.__dict__


def check_cv(cv: Any, model: Any, owner: str) -> None:
    """Refuse what is no way to get at rows that a model has not seen."""
    if isinstance(cv, str):
        if cv not in (PREFIT, OUT_OF_BAG):
            raise DataError(f"cv={cv!r} is no way to find rows not seen. {nearest(cv, (PREFIT, OUT_OF_BAG))}")
        if cv == PREFIT and not is_fitted(model):
            raise DataError(f"tw.{owner} with cv='prefit' takes a fitted model. Fit it on other rows first.")
        if cv == OUT_OF_BAG and "oob_score" not in model.get_params(deep=False):
            raise DataError(f"{type(model).__name__} draws no bags, so no row is out of one. Say cv=5.")
    elif isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < 2:
        raise DataError(f"cv must be a number of folds from 2 on, 'prefit' or 'out_of_bag'. Got {cv!r}.")


def fold_models(model: Any, rows: Rows, cv: int, seed: int) -> Iterator[Judged]:
    """Fit a copy of the model on all folds but one, and give it with the rows of that one; for each fold."""
    for training, kept_weights, held, held_weights in _sides(model, rows, cv, seed):
        learnt = rows.take(training)
        member = clone(model).fit(learnt.X, learnt.y, *(() if kept_weights is None else (kept_weights,)))
        judged = rows.take(held)
        yield Judged(member, held, Rows(judged.X, judged.y, held_weights, judged.groups))


def _sides(model: Any, rows: Rows, cv: int, seed: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Training rows and their weights, held rows and theirs; whole groups, or units dealt by content."""
    codes = np.unique(rows.y, return_inverse=True)[1].astype(np.int32) if model._predicts_classes else None
    if rows.groups is not None:
        plan = plan_folds(rows.y, stratify=codes is not None, cv=cv, groups=rows.groups, seed=seed)
        for fold in plan.folds:
            weights = (None, None) if rows.weights is None else (rows.weights[fold.training], rows.weights[fold.test])
            yield fold.training, weights[0], fold.test, weights[1]
        return
    if cv > len(rows):
        raise DataError(f"cv={cv} folds of {len(rows):,} rows leave some empty. Ask for fewer folds.")
    units = Units.of(order_of_table(rows.X, rows.y, rows.weights), rows.weights, codes)
    for sides in units.sides(units.folds(cv, seed), len(rows)):
        training, held = sides.kept.astype(np.int64), sides.held.astype(np.int64)
        if rows.weights is None:
            yield training, None, held, None
        else:
            yield training, sides.kept_weights(rows.weights)[training], held, sides.held_weights(rows.weights)


def fitted_on_all(model: Any, rows: Rows, **params: Any) -> Any:
    """The model itself where it is fitted; else a copy, fitted on all rows."""
    if is_fitted(model):
        return model
    weights = () if rows.weights is None else (rows.weights,)
    return clone(model).set_params(**params).fit(rows.X, rows.y, *weights)


def copy_carrying(model: Any, keep: tuple[str, ...] = (), **what: Any) -> Any:
    """A copy of a fitted model that carries this, and of what it carried before only what is to be kept."""
    made = object.__new__(type(model))
    made.__dict__ = {name: value for name, value in model.__dict__.items() if name in keep or name not in CARRIED}
    carry(made, **what)
    return made


def out_of_bag_answers(model: Any, n_rows: int, name: str) -> Floats:
    """What a forest says of its own training rows by the trees that did not see them; refused where nobody asked it."""
    if name not in model.__dict__:
        raise DataError(
            f"This {type(model).__name__} has no answers out of bag. Fit it with oob_score=True (and bootstrap=True), "
            "or pass it unfitted."
        )
    answers = np.asarray(getattr(model, name), dtype=np.float64)
    if len(answers) != n_rows:
        raise DataError(
            f"The model was trained on {len(answers):,} rows, and the table has {n_rows:,}. Answers out of bag are to "
            "training rows: pass those, in their order."
        )
    return answers
