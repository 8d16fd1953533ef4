"""Pruning a model that exists: the rows that are given with it judge its tree, or are those it was grown from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treewright import _core
from treewright.encode.target import encode_known_classes, encode_numbers, encode_weights, target_column
from treewright.errors import DataError
from treewright.estimators.class_weights import weights_of_rows
from treewright.estimators.cost_complexity import prune_by_price
from treewright.estimators.price_table import PriceTable
from treewright.estimators.pruning import training_rows
from treewright.estimators.threads import thread_count
from treewright.pruners.cost_complexity import CostComplexity
from treewright.pruners.held_out import Judges
from treewright.pruners.pruner import Grown, JudgedByRows, Pruner

if TYPE_CHECKING:
    from treewright.estimators.training_data import TrainingData
    from treewright.estimators.tree_model import TreeModel


@dataclass(frozen=True)
class RowsToPruneBy:
    """What a user passes to `model.prune` beside the pruner."""

    X: Any
    y: Any
    sample_weight: Any

    @property
    def are_given(self) -> bool:
        """Whether there are any."""
        return self.X is not None and self.y is not None


def prune_fitted(model: TreeModel, pruner: Pruner, rows: RowsToPruneBy) -> tuple[_core.Tree, PriceTable | None]:
    """Prune the tree of a fitted model; the table of prices comes with cross-validation only."""
    core = cast(_core.Tree, model.tree_.core)
    if isinstance(pruner, CostComplexity):
        training = _encode(model, rows) if rows.are_given and pruner.cv is not None else None
        return prune_by_price(core, pruner, training, model._seed(), model._losses())
    held_out = training_part = None
    if rows.are_given and isinstance(pruner, JudgedByRows):
        loss = "classes" if model._predicts_classes else model.criterion
        held_out = judges_of(model, rows).of(core, loss)
    elif rows.are_given and pruner.looks_at_training_rows:
        training_part = training_rows(_training_again(model, rows))
    return pruner.cut(Grown(core, model.tree_.schema, model.criterion, held_out, training_part)), None


def judges_of(model: TreeModel, rows: RowsToPruneBy) -> Judges:
    """Rows that judge the tree: where each ends, what is true of it, and how much it counts."""
    frame = model._rows(rows.X)
    weights = encode_weights(rows.sample_weight, frame.n_rows)
    weights = np.ones(frame.n_rows) if weights is None else weights
    column = target_column(rows.y, frame.n_rows, type(model).__name__)
    start, nodes, shares = model._lookup.find_leaf_shares(frame, thread_count(model.n_jobs))
    if not model._predicts_classes:
        return Judges.in_pieces(start, nodes, shares, encode_numbers(column), weights)
    classes = cast(Any, model).classes_
    codes = encode_known_classes(column, classes)
    class_weight = getattr(model, "class_weight", None)  # not every algorithm has it
    if class_weight is not None:
        weights = weights * weights_of_rows(class_weight, classes, codes)
    return Judges.in_pieces(start, nodes, shares, codes, weights)


def _encode(model: TreeModel, rows: RowsToPruneBy) -> TrainingData:
    return model._encode(model._rows(rows.X), rows.y, rows.sample_weight)


def _training_again(model: TreeModel, rows: RowsToPruneBy) -> TrainingData:
    """The rows that the model was trained on, encoded once more."""
    training = _encode(model, rows)
    used = len(training.truth) if training.weights is None else int(np.count_nonzero(training.weights))
    same = (
        training.table.schema.columns == model.tree_.schema.columns
        and used == model.tree_.root.n
        and (training.classes is None or np.array_equal(training.classes, cast(Any, model).classes_))
    )
    if not same:
        raise DataError(
            "These are not the rows that the tree was grown from: their number, their levels or their classes differ. "
            "Pass those rows, or choose a pruner that judges by new ones, such as tw.ReducedError()."
        )
    return training
