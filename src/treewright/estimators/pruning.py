"""Growing and then pruning: each pruner gets the rows that it looks at."""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.estimators.cost_complexity import prune_by_price
from treewright.estimators.folds import hold_out
from treewright.estimators.price_table import PriceTable
from treewright.estimators.training_data import TrainingData
from treewright.pruners.cost_complexity import CostComplexity
from treewright.pruners.held_out import Judges
from treewright.pruners.pruner import Grown, Pruner, TrainingRows


def prune_grown(
    tree: _core.Tree, pruner: Pruner, training: TrainingData, seed: int
) -> tuple[_core.Tree, PriceTable | None]:
    """Prune a tree that was grown from all of the training rows."""
    if isinstance(pruner, CostComplexity):
        return prune_by_price(tree, pruner, training, seed, None if training.costs is None else training.costs.losses)
    rows = training_rows(training) if pruner.looks_at_training_rows else None
    return pruner.cut(Grown(tree, training.table.schema, training.recipe.criterion, training=rows)), None


def training_rows(training: TrainingData) -> TrainingRows:
    """The rows that count, as a pruner takes them."""
    n, weights = len(training.truth), training.weights
    rows = np.arange(n, dtype=np.uint32) if weights is None else np.flatnonzero(weights).astype(np.uint32)
    return TrainingRows(training.table.core, training.target, rows, training.threads)


def grow_without_judges(training: TrainingData, share: float, seed: int) -> Grown:
    """Grow a tree from a part of the rows, and let the others judge it."""
    weights = np.ones(len(training.truth)) if training.weights is None else training.weights
    used = np.flatnonzero(weights).astype(np.uint32)
    held = hold_out(len(used), share, seed, None if training.classes is None else training.truth[used])
    tree, rows = training.grow(used[~held]), used[held]
    start, nodes, shares = _core.leaf_shares_of_table(tree, training.table.core, rows)
    judges = Judges.in_pieces(start, nodes, shares, training.truth[rows], weights[rows])
    return Grown(tree, training.table.schema, training.recipe.criterion, judges.of(tree, training.loss))
