"""Growing and then pruning, and pruning a model that exists: each pruner gets the rows that it looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.folds import Sides, Units
from treewright.learners.base.target import weights_of_rows
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.training_data import TrainingData, grow_tree, part_of_weights
from treewright.prune.cost_complexity import CostComplexity, prune_by_price
from treewright.prune.cp_table import CpTable
from treewright.prune.pruner import Grown, JudgedByRows, Pruner, TrainingRows, ValidationRows
from treewright.prune.readable import Readable, prune_readably
from treewright.table.target import encode_known_classes, encode_numbers, encode_weights, target_column

if TYPE_CHECKING:
    from treewright.learners.trees.tree_model import TreeModel


# Growing and then pruning: each pruner gets the rows that it looks at.


def prune_grown(
    tree: _core.Tree, pruner: Pruner, training: TrainingData, seed: int
) -> tuple[_core.Tree, CpTable | None]:
    """Prune a tree that was grown from all of the training rows."""
    if isinstance(pruner, Readable):
        return prune_readably(tree, pruner, training, seed)
    if isinstance(pruner, CostComplexity):
        return prune_by_price(tree, pruner, training, seed, None if training.costs is None else training.costs.losses)
    rows = training_rows(training) if pruner.looks_at_training_rows else None
    return pruner.cut(Grown(tree, training.table.schema, training.recipe.criterion, training=rows)), None


def training_rows(training: TrainingData) -> TrainingRows:
    """The rows that count, as a pruner takes them."""
    n, weights = len(training.truth), training.weights
    rows = np.arange(n, dtype=np.uint32) if weights is None else np.flatnonzero(weights).astype(np.uint32)
    return TrainingRows(training.table.core, training.target, rows, training.threads)


def grow_on_training_part(training: TrainingData, share: float, seed: int) -> Grown:
    """Grow a tree from a part of the rows, and let the others judge it."""
    weights = np.ones(len(training.truth)) if training.weights is None else training.weights
    units = Units.of_training(training)
    is_held = units.part(share, seed)
    sides = next(units.sides(is_held.astype(np.int64) - 1, len(weights)), Sides(np.sort(units.rows), units.rows[:0]))
    tree = grow_tree(training if sides.is_whole else part_of_weights(training, sides.kept_weights), sides.kept)
    start, nodes, shares = _core.leaf_shares_of_table(tree, training.table.core, sides.held)
    held_weights = sides.held_weights(weights)
    rows = ValidationRows.in_pieces(start, nodes, shares, training.truth[sides.held], held_weights)
    return Grown(tree, training.table.schema, training.recipe.criterion, rows.of(tree, training.loss))


# Pruning a model that exists: the rows that are given with it judge its tree, or are those it was grown from.


@dataclass(frozen=True)
class RowsToPruneBy:
    """What a user passes to `model.pruned` beside the pruner."""

    X: Any
    y: Any
    sample_weight: Any

    @property
    def are_given(self) -> bool:
        """Whether there are any."""
        return self.X is not None and self.y is not None


def prune_fitted(model: TreeModel, pruner: Pruner, rows: RowsToPruneBy) -> tuple[_core.Tree, CpTable | None]:
    """Prune the tree of a fitted model; the table of prices comes with cross-validation only."""
    core = cast(_core.Tree, model.tree_.core)
    if isinstance(pruner, Readable):
        return prune_readably(core, pruner, _encode(model, rows) if rows.are_given else None, model._seed())
    if isinstance(pruner, CostComplexity):
        training = _encode(model, rows) if rows.are_given and pruner.cv is not None else None
        return prune_by_price(core, pruner, training, model._seed(), model._losses())
    held_out = training_part = None
    if rows.are_given and isinstance(pruner, JudgedByRows):
        loss = "classes" if model._predicts_classes else str(model.tree_.criterion)
        held_out = validation_rows_of(model, rows).of(core, loss)
    elif rows.are_given and pruner.looks_at_training_rows:
        training_part = training_rows(_training_again(model, rows))
    return pruner.cut(Grown(core, model.tree_.schema, str(model.tree_.criterion), held_out, training_part)), None


def validation_rows_of(model: TreeModel, rows: RowsToPruneBy) -> ValidationRows:
    """Rows that judge the tree: where each ends, what is true of it, and how much it counts."""
    frame = model._rows(rows.X)
    weights = encode_weights(rows.sample_weight, frame.n_rows)
    weights = np.ones(frame.n_rows) if weights is None else weights
    column = target_column(rows.y, frame.n_rows, type(model).__name__)
    start, nodes, shares = model._lookup.find_leaf_shares(frame, thread_count(model.n_jobs))
    if not model._predicts_classes:
        return ValidationRows.in_pieces(start, nodes, shares, encode_numbers(column), weights)
    classes = cast(Any, model).classes_
    codes = encode_known_classes(column, classes)
    class_weight = getattr(model, "class_weight", None)  # not every algorithm has it
    if class_weight is not None:
        weights = weights * weights_of_rows(class_weight, classes, codes)
    return ValidationRows.in_pieces(start, nodes, shares, codes, weights)


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
