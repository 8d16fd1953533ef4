"""rpart's table of prices: CP, splits, relative error, and the cross-validated error on any folds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import Sides
from treewright.learners.trees.training_data import TrainingData
from treewright.prune.cost_complexity import held_out_loss, loss_risk
from treewright.prune.cp_table import Floats
from treewright.prune.rpart_prices import rpart_complexity

if TYPE_CHECKING:
    import pandas as pd

Links = Literal["all", "sons"]
_SAME_RISK = 1e-9


def make_cp_table(
    tree: _core.Tree,
    losses: Floats | None,
    cp: float,
    links: Links,
    training: TrainingData | None = None,
    folds: Sequence[Sides] | None = None,
) -> pd.DataFrame:
    """Make the table of a tree that was pruned at `cp`; with folds also its cross-validated error."""
    import pandas as pd

    risk = loss_risk(tree, losses)
    if tree.n_nodes == 1 or risk[0] <= 0:
        return pd.DataFrame({"CP": [0.0], "nsplit": [0], "rel error": [1.0]})
    prices, splits, risks = _lines(tree, risk, cp * risk[0], links)
    table = {"CP": prices / risk[0], "nsplit": splits, "rel error": risks / risk[0]}
    if training is not None and folds is not None:
        tried = np.append(10 * prices[0], np.sqrt(prices[:-1] * prices[1:]))
        complexity_of = _core.Tree.complexity if links == "all" else partial(rpart_complexity, alpha=cp * risk[0])
        total, squares = held_out_loss(training, tree, tried[::-1], folds, complexity_of)
        scale = tree.arrays()["weight"][0] * risk[0]
        weight = exact_sum(np.concatenate([fold.held_weights(training.row_weights) for fold in folds]))
        spread = np.maximum(squares - total**2 / weight, 0)
        table |= {"xerror": total[::-1] / scale, "xstd": np.sqrt(spread[::-1]) / scale}
    return pd.DataFrame(table)


def _lines(tree: _core.Tree, risk: Floats, alpha: float, links: Links) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Prices, numbers of splits and risks, from the root alone to the whole tree."""
    if links == "all":
        alphas, risks, leaves = tree.prune_path(risk)
        return np.maximum(alphas, alpha)[::-1], leaves[::-1] - 1, np.maximum(risks, 0)[::-1]
    complexity = rpart_complexity(tree, risk, alpha)
    prices = _distinct(np.append(complexity[complexity > alpha], alpha))
    splits, risks = np.zeros(len(prices), dtype=np.int64), np.zeros(len(prices))
    for i, price in enumerate(prices):
        opened = complexity > price * (1 + _SAME_RISK)
        shown = opened[tree.parent] | (tree.parent < 0)  # a node is there if its parent is opened
        leaves = shown & ~(opened & (tree.arrays()["n_children"] > 0))
        splits[i], risks[i] = leaves.sum() - 1, risk[leaves].sum()
    return prices, splits, risks


def _distinct(prices: Floats) -> Floats:
    """The prices, descending, without those that differ from the one before in the last digits only."""
    ordered = np.sort(prices)[::-1]
    return np.asarray(ordered[np.append(True, ordered[1:] < ordered[:-1] * (1 - _SAME_RISK))])


def read_folds(cv: Any, n_rows: int) -> NDArray[np.int64]:
    """Read folds that were given row by row: any numbers; rows with the same one are held out together.

    Examples
    --------
    >>> read_folds([7, 7, 9], 3).tolist()
    [0, 0, 1]
    """
    given = np.asarray(cv)
    if given.shape != (n_rows,) or given.dtype.kind not in "iu":
        raise DataError(
            f"The folds are {given.shape} {given.dtype}. Give one whole number for each of the {n_rows} rows."
        )
    numbers, folds = np.unique(given, return_inverse=True)
    if len(numbers) < 2:
        raise DataError("All rows are in one fold. Cross-validation needs at least two.")
    return folds.astype(np.int64)
