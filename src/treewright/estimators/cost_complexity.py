"""Cost-complexity pruning of stored trees: at a given price of a leaf, or at the price that cross-validation chooses.

The rules are those of Breiman, Friedman, Olshen and Stone (1984), chapters 3 and 11, as rpart has them.
"""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.errors import DataError
from treewright.estimators.folds import deal_folds
from treewright.estimators.price_table import Floats, PriceTable
from treewright.estimators.training_data import TrainingData
from treewright.pruners.cost_complexity import CostComplexity

_LARGEST = np.finfo(np.float64).max / 8  # the core stores an impurity beyond the range of doubles as a quarter of it
_NO_NUMBERS = (
    "The numbers of the target are too large or too small for their squares to be numbers, so no price of a leaf can "
    "be weighed. Multiply the target by a constant and train again."
)
_EQUAL = 1 + 1e-12  # prices and risks that differ by less are the same


def prune_by_price(
    tree: _core.Tree, pruner: CostComplexity, training: TrainingData | None, seed: int
) -> tuple[_core.Tree, PriceTable | None]:
    """Prune as the pruner says; the table of prices comes with cross-validation only, which needs the training."""
    risk = loss_risk(tree) if pruner.alpha is None else impurity_risk(tree)
    if tree.n_nodes > 1 and not 0 < risk[0] < _LARGEST:
        raise DataError(_NO_NUMBERS)
    if pruner.alpha is not None:
        return cut_at_price(tree, risk, pruner.alpha), None
    if pruner.cp is not None:
        return cut_at_price(tree, risk, pruner.cp * risk[0]), None
    if training is None or pruner.cv is None:
        raise DataError("CostComplexity(cv=…) grows trees on parts of the training rows: pass them as X and y.")
    alpha, prices = _choose_price(tree, risk, training, pruner, seed)
    return cut_at_price(tree, risk, alpha), prices


def impurity_risk(tree: _core.Tree) -> Floats:
    """Each node's share of the weight times its impurity: what scikit-learn's ccp_alpha prices."""
    arrays = tree.arrays()
    return np.asarray(arrays["weight"] / arrays["weight"][0] * arrays["impurity"])


def loss_risk(tree: _core.Tree) -> Floats:
    """Each node's loss as a leaf, as a share of the weight: wrong classes, or the criterion's loss for numbers."""
    arrays = tree.arrays()
    if tree.n_classes == 0:
        return impurity_risk(tree)
    right = np.zeros(tree.n_nodes)
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    is_answer = arrays["count_class"] == arrays["prediction"][node]
    right[node[is_answer]] = arrays["count_weight"][is_answer]
    return np.asarray((arrays["weight"] - right) / arrays["weight"][0])


def cut_at_price(tree: _core.Tree, risk: Floats, alpha: float) -> _core.Tree:
    """The best tree when every leaf costs alpha: a node whose complexity is at most alpha becomes a leaf."""
    cut = tree.complexity(risk) <= alpha * _EQUAL
    return tree.cut_at(cut.astype(np.uint8))


def _choose_price(
    tree: _core.Tree, risk: Floats, training: TrainingData, pruner: CostComplexity, seed: int
) -> tuple[float, PriceTable]:
    """Choose alpha by cross-validation. A price between two steps of the sequence is tried at their geometric mean."""
    alphas, risks, leaves = tree.prune_path(risk)
    root = risk[0]
    if root <= 0 or len(alphas) == 1:  # nothing to gain: the root makes no error, or it is all there is
        return 0.0, PriceTable(np.zeros(1), leaves[-1:], np.ones(1), np.ones(1), np.zeros(1), 0)
    prices = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1] * 10)
    weights = np.ones(len(training.truth)) if training.weights is None else training.weights
    total, squares = _held_out_loss(training, weights, prices, int(pruner.cv or 0), seed)
    n, scale = np.count_nonzero(weights), weights.sum() * root
    with np.errstate(over="ignore", invalid="ignore"):
        cv_risk = total / scale
        cv_error = np.sqrt(np.maximum(squares - total**2 / n, 0)) / scale
    if not np.isfinite(cv_risk + cv_error).all():
        raise DataError(_NO_NUMBERS)
    best = int(np.flatnonzero(cv_risk <= cv_risk.min() * _EQUAL)[-1])
    allowed = cv_error[best] if pruner.rule == "1se" else 0.0
    chosen = int(np.flatnonzero(cv_risk <= cv_risk[best] * _EQUAL + allowed)[-1])
    return float(alphas[chosen]), PriceTable(
        alphas / root, leaves, np.maximum(risks / root, 0), cv_risk, cv_error, chosen
    )


def _held_out_loss(
    training: TrainingData, weights: Floats, prices: Floats, n_folds: int, seed: int
) -> tuple[Floats, Floats]:
    """For every price, the loss of the rows when each is judged by a tree that did not see it, and its squares."""
    used = np.flatnonzero(weights).astype(np.uint32)
    classes = None if training.classes is None else training.truth[used]
    folds = deal_folds(len(used), min(n_folds, len(used)), seed, classes)
    truth = np.ascontiguousarray(training.truth, dtype=np.float64)
    total, squares = np.zeros(len(prices)), np.zeros(len(prices))
    for fold in range(int(folds.max()) + 1):
        kept, held = used[folds != fold], used[folds == fold]
        if not len(kept):
            continue
        tree = training.grow(kept)
        leaves = _core.leaves_of_table(tree, training.table.core, held)
        complexity = tree.complexity(loss_risk(tree))
        sums = _core.path_loss(tree, complexity, prices, leaves, truth[held], weights[held], training.loss)
        total += sums[0]
        squares += sums[1]
    return total, squares
