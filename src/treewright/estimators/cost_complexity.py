"""Cost-complexity pruning of stored trees: at a given price of a leaf, or at the price that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright import _core

Grow = Callable[[NDArray[np.uint32]], _core.Tree]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PriceTable:
    """The trees of the pruning sequence, from the full one to the root, with their cross-validated risk.

    `cp` and the risks are shares of the root's risk, as in rpart's table.
    """

    cp: Floats
    n_leaves: NDArray[np.int64]
    risk: Floats
    cv_risk: Floats
    cv_error: Floats  # standard error of cv_risk
    chosen: int


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
    cut = tree.complexity(risk) <= alpha * (1 + 1e-12)
    return tree.cut_at(cut.astype(np.uint8))


def choose_price(
    tree: _core.Tree, grow: Grow, losses: Callable[[_core.Tree, NDArray[np.uint32], Floats, Floats], Floats],
    folds: NDArray[np.int64], weights: Floats, rule: str
) -> tuple[float, PriceTable]:
    """Choose alpha by cross-validation.

    `grow(rows)` grows a tree on some rows; `losses(tree, rows, complexity, prices)` gives, for every price (columns),
    the losses of held-out rows (rows). Prices between two steps of the sequence are tried at their geometric mean.
    """
    risk = loss_risk(tree)
    alphas, risks, leaves = tree.prune_path(risk)
    root = risk[0]
    if root <= 0 or len(alphas) == 1:
        only = np.ones(1)
        return 0.0, PriceTable(np.zeros(1), leaves[-1:], only, only, np.zeros(1), 0)
    betas = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1] * 10)
    total, squares = np.zeros(len(betas)), np.zeros(len(betas))
    for fold in range(int(folds.max()) + 1):
        kept = np.flatnonzero((folds != fold) & (weights > 0)).astype(np.uint32)
        held = np.flatnonzero((folds == fold) & (weights > 0)).astype(np.uint32)
        if len(kept) == 0 or len(held) == 0:
            continue
        part = grow(kept)
        sums = losses(part, held, part.complexity(loss_risk(part)), betas)
        total += sums[0]
        squares += sums[1]
    n = float(np.count_nonzero(weights > 0))
    scale = float(weights.sum()) * root
    cv_risk = total / scale
    cv_error = np.sqrt(np.maximum(squares - total**2 / n, 0)) / scale
    best = int(np.flatnonzero(cv_risk <= cv_risk.min() * (1 + 1e-12))[-1])
    within = np.flatnonzero(cv_risk <= cv_risk[best] + (cv_error[best] if rule == "1se" else 0))
    chosen = int(within[-1])
    return float(alphas[chosen]), PriceTable(alphas / root, leaves, risks / root, cv_risk, cv_error, chosen)
