"""Cost-complexity pruning: at a given price of a leaf, or at the price that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.folds import deal_folds
from treewright.learners.trees.priors_and_costs import expected_costs
from treewright.learners.trees.training_data import TrainingData, tree_grower
from treewright.prune.cp_table import CpTable, Floats
from treewright.prune.pruner import Pruner
from treewright.prune.rpart_prices import rpart_leaves


@dataclass(frozen=True, repr=False)
class CostComplexity(Pruner):
    """Cost-complexity pruning: a leaf has a price, and a subtree that is not worth its leaves becomes one.

    Give one of the three:

    Parameters
    ----------
    alpha : float, optional
        The price of a leaf in units of impurity, as scikit-learn's ``ccp_alpha``. A higher price gives a smaller tree.
    cp : float, optional
        The price of a leaf in shares of the root's risk (errors, or the criterion's loss), as in rpart: the tree is the
        one that rpart grows at this price, which looks at each son once and gives up early.
    cv : int, optional
        Choose the price by cross-validation with this many folds.
    rule : {"1se", "min"}, default "1se"
        With `cv`: the smallest tree within one standard error of the best, or the best itself.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> small = full.pruned(tw.CostComplexity(cp=0.05))
    >>> full.get_n_leaves(), small.get_n_leaves()
    (9, 3)
    """

    alpha: float | None = None
    cp: float | None = None
    cv: int | None = None
    rule: Literal["1se", "min"] = "1se"

    def __repr__(self) -> str:
        if self.cv is not None:
            return f"CostComplexity(cv={self.cv}, rule={self.rule!r})"
        return f"CostComplexity(alpha={self.alpha})" if self.alpha is not None else f"CostComplexity(cp={self.cp})"

    def __post_init__(self) -> None:
        given = [name for name in ("alpha", "cp", "cv") if getattr(self, name) is not None]
        if len(given) != 1:
            raise DataError(f"CostComplexity takes one of alpha, cp and cv; it was given {', '.join(given) or 'none'}.")
        if self.cv is not None and (not isinstance(self.cv, Integral) or self.cv < 2):
            raise DataError(
                f"The 'cv' of CostComplexity must be a whole number of at least 2. Got {self.cv!r} instead."
            )
        price = self.alpha if self.alpha is not None else self.cp
        if price is not None and (isinstance(price, bool) or not isinstance(price, Real)):
            raise DataError(f"The price of a leaf in CostComplexity must be a number. Got {price!r} instead.")
        if price is not None and not price >= 0:
            raise DataError(f"The price of a leaf in CostComplexity must not be negative. Got {price!r} instead.")
        if self.rule not in ("1se", "min"):
            raise DataError(f"The 'rule' of CostComplexity must be '1se' or 'min'. Got {self.rule!r} instead.")


_LARGEST = np.finfo(np.float64).max / 8  # the core stores an impurity beyond the range of doubles as a quarter of it
_NO_NUMBERS = (
    "The numbers of the target are too large or too small for their squares to be numbers, so no price of a leaf can "
    "be weighed. Multiply the target by a constant and train again."
)
_EQUAL = 1 + 1e-12  # prices and risks that differ by less are the same


def prune_by_price(
    tree: _core.Tree, pruner: CostComplexity, training: TrainingData | None, seed: int, losses: Floats | None = None
) -> tuple[_core.Tree, CpTable | None]:
    """Prune as the pruner says; the table of prices comes with cross-validation only, which needs the training.

    `losses`: what each answer costs where each class is true, if not every error costs the same.
    """
    risk = loss_risk(tree, losses) if pruner.alpha is None else impurity_risk(tree)
    if tree.n_nodes > 1 and not 0 < risk[0] < _LARGEST:
        raise DataError(_NO_NUMBERS)
    if pruner.alpha is not None:
        return cut_at_price(tree, risk, pruner.alpha), None
    if pruner.cp is not None:
        return tree.cut_at(rpart_leaves(tree, risk, pruner.cp * risk[0])), None
    if training is None or pruner.cv is None:
        raise DataError("CostComplexity(cv=…) grows trees on parts of the training rows: pass them as X and y.")
    alpha, prices = _choose_price(tree, risk, training, pruner, seed)
    return cut_at_price(tree, risk, alpha), prices


def impurity_risk(tree: _core.Tree) -> Floats:
    """Each node's share of the weight times its impurity: what scikit-learn's ccp_alpha prices."""
    arrays = tree.arrays()
    return np.asarray(arrays["weight"] / arrays["weight"][0] * arrays["impurity"])


def loss_risk(tree: _core.Tree, losses: Floats | None = None) -> Floats:
    """Each node's loss as a leaf, as a share of the weight: costs of wrong classes, or the criterion's for numbers."""
    arrays = tree.arrays()
    if tree.n_classes == 0:
        return impurity_risk(tree)
    if losses is not None:
        costs = expected_costs(arrays, losses)
        return np.asarray(costs[np.arange(tree.n_nodes), arrays["prediction"]] / arrays["weight"][0])
    right = np.zeros(tree.n_nodes)
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    is_answer = arrays["count_class"] == arrays["prediction"][node]
    right[node[is_answer]] = arrays["count_weight"][is_answer]
    return np.asarray((arrays["weight"] - right) / arrays["weight"][0])


def cut_at_price(tree: _core.Tree, risk: Floats, alpha: float) -> _core.Tree:
    """The best tree when every leaf costs alpha: a node whose complexity is at most alpha becomes a leaf."""
    rounding = (_EQUAL - 1) * risk[0] if tree.n_classes else 0.0  # wrong answers are whole rows: less is no difference
    cut = tree.complexity(risk) <= alpha * _EQUAL + rounding
    return tree.cut_at(cut.astype(np.uint8))


def _choose_price(
    tree: _core.Tree, risk: Floats, training: TrainingData, pruner: CostComplexity, seed: int
) -> tuple[float, CpTable]:
    """Choose alpha by cross-validation. A price between two steps of the sequence is tried at their geometric mean."""
    alphas, risks, leaves = tree.prune_path(risk)
    root = risk[0]
    if root <= 0 or len(alphas) == 1:  # nothing to gain: the root makes no error, or it is all there is
        return 0.0, CpTable(np.zeros(1), leaves[-1:], np.ones(1), np.ones(1), np.zeros(1), 0)
    prices = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1] * 10)
    weights = training.row_weights
    folds = _folds_of(training, weights, int(pruner.cv or 0), seed)
    total, squares = held_out_loss(training, tree, prices, folds)
    n, scale = weights.sum(), tree.arrays()["weight"][0] * root
    with np.errstate(over="ignore", invalid="ignore"):
        cv_risk = total / scale
        cv_error = np.sqrt(np.maximum(squares - total**2 / n, 0)) / scale
    if not np.isfinite(cv_risk + cv_error).all():
        raise DataError(_NO_NUMBERS)
    best = int(np.flatnonzero(cv_risk <= cv_risk.min() * _EQUAL)[-1])
    allowed = cv_error[best] if pruner.rule == "1se" else 0.0
    chosen = int(np.flatnonzero(cv_risk <= cv_risk[best] * _EQUAL + allowed)[-1])
    return float(alphas[chosen]), CpTable(alphas / root, leaves, np.maximum(risks / root, 0), cv_risk, cv_error, chosen)


def _folds_of(training: TrainingData, weights: Floats, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Deal the rows that count out to folds; the others have fold -1."""
    folds = np.full(len(training.truth), -1, dtype=np.int64)
    used = np.flatnonzero(weights)
    classes = None if training.classes is None else training.truth[used]
    folds[used] = deal_folds(len(used), min(n_folds, len(used)), seed, classes)
    return folds


def held_out_loss(
    training: TrainingData,
    tree: _core.Tree,
    prices: Floats,
    folds: NDArray[np.int64],
    complexity_of: Callable[[_core.Tree, Floats], Floats] = _core.Tree.complexity,
) -> tuple[Floats, Floats]:
    """For every price, the loss of the rows when each is judged by a tree that did not see it, and its squares.

    Prices are shares of the weight of `tree`, which was grown from all rows; `complexity_of` gives the price at which
    each node of a tree is cut, from its risks.
    """
    weights, losses = training.row_weights, None if training.costs is None else training.costs.losses
    scale = np.ones(len(weights)) if training.exposure is None else training.exposure
    truth = np.ascontiguousarray(training.truth, dtype=np.float64)
    loss, row_costs = training.loss, training.row_costs
    total, squares = np.zeros(len(prices)), np.zeros(len(prices))
    grow = tree_grower(training)
    for fold in range(int(folds.max()) + 1):
        kept, held = (
            np.flatnonzero((folds >= 0) & ((folds == fold) == side)).astype(np.uint32) for side in (False, True)
        )
        if not len(kept) or not len(held):
            continue
        part = grow(kept)
        # A price belongs to the weight of the rows as they were given; the tree may weigh them otherwise.
        per_row = part.arrays()["weight"][0] / weights[kept].sum()
        fold_prices = prices * (tree.arrays()["weight"][0] / weights.sum() / per_row)
        leaves = _core.leaves_of_table(part, training.table.core, held)
        complexity = complexity_of(part, loss_risk(part, losses))
        # A row of exposure e loses e times as much as one of exposure 1, and counts as one row.
        once = weights[held] * scale[held]
        of_unit = _core.path_loss(part, complexity, fold_prices, leaves, truth[held], once, loss, row_costs)
        total += of_unit[0]
        if training.exposure is None:
            squares += of_unit[1]
            continue
        twice = weights[held] * scale[held] ** 2
        squares += _core.path_loss(part, complexity, fold_prices, leaves, truth[held], twice, loss, row_costs)[1]
    return total, squares
