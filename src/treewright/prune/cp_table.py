"""rpart's table of prices: CP, splits, relative error, and the cross-validated error on any folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.folds import deal_folds
from treewright.learners.trees.priors_and_costs import expected_costs
from treewright.learners.trees.training_data import TrainingData, tree_grower
from treewright.prune.cost_complexity import CostComplexity

if TYPE_CHECKING:
    import pandas as pd


# rpart's own prices: which nodes it divides at a price of a leaf, and the price at which it cuts each of them.


Floats = NDArray[np.float64]
_SAME_PRICE = 1e-12  # prices that differ by less, in shares of the root's risk, are the same


def rpart_leaves(tree: _core.Tree, risk: Floats, alpha: float) -> NDArray[np.uint8]:
    """1 for every node that rpart does not divide when a leaf costs alpha.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "a"])
    >>> rpart_leaves(model.tree_.core, np.array([1.0, 1.0, 0.0, 0.0, 0.0]), 0.4).tolist()
    [0, 0, 1, 1, 1]
    """
    return tree.leaves_by_price(risk, _means(tree), alpha)


def _means(tree: _core.Tree) -> Floats:
    """The mean of the target at each node, by which rpart says which son is the left one; classes count by place."""
    arrays = tree.arrays()
    if tree.n_classes == 0:
        return np.asarray(arrays["value"])
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    sums = np.bincount(node, arrays["count_class"] * arrays["count_weight"], minlength=tree.n_nodes)
    return np.asarray(sums / np.maximum(arrays["weight"], np.finfo(np.float64).tiny))


def rpart_complexity(tree: _core.Tree, risk: Floats, alpha: float = 0.0) -> Floats:
    """The price of every node, in the units of `risk`, never above its parent's; leaves have `alpha`.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "a"])
    >>> rpart_complexity(model.tree_.core, np.array([1.0, 1.0, 0.0, 0.0, 0.0])).tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """
    start, children = tree.children_start, tree.children
    is_leaf = rpart_leaves(tree, risk, alpha)
    price, below, splits = np.full(tree.n_nodes, alpha), risk.astype(np.float64), np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 1, -1, -1):
        sons = children[start[node] : start[node + 1]]
        if is_leaf[node]:
            continue
        standing = price[sons] + _SAME_PRICE * risk[0], below[sons], splits[sons]
        found, leaves_below, n_splits = _link(risk[node], risk[sons], *standing)
        if found > alpha + _SAME_PRICE * risk[0]:
            price[node], below[node], splits[node] = found, leaves_below, n_splits
    for node in range(1, tree.n_nodes):
        price[node] = min(price[node], price[tree.parent[node]])
    return price


def _link(
    own: float, as_leaf: Floats, price: Floats, below: Floats, splits: NDArray[np.int64]
) -> tuple[float, float, int]:
    """The price of a node, and the risk and splits below it. The weakest son (the last of equals) goes first."""
    order = sorted(range(len(price) - 1, -1, -1), key=lambda son: price[son])
    found = (own - below.sum()) / (splits.sum() + 1)
    for son in order:
        if found <= price[son]:
            break
        below[son], splits[son] = as_leaf[son], 0
        found = (own - below.sum()) / (splits.sum() + 1)
    return float(found), float(below.sum()), int(splits.sum()) + 1


# What each price of a leaf buys: the trees of the pruning sequence with their cross-validated risk.


_COLUMNS = ("cp", "n_leaves", "risk", "cv_risk", "cv_error")
_LONG = 25  # lines


@dataclass(frozen=True)
class CpTable:
    """The trees of the pruning sequence, from the full one to the root, with their cross-validated risk.

    `cp` is the price of a leaf at which a tree becomes the best. Prices and risks are shares of the root's risk, as in
    rpart's table, so 1 is the risk of answering without a tree.

    Examples
    --------
    >>> table = CpTable(
    ...     np.array([0.0, 0.1, 0.6]), np.array([5, 3, 1]), np.array([0.0, 0.2, 1.0]),
    ...     np.array([0.35, 0.3, 1.05]), np.array([0.05, 0.05, 0.1]), chosen=1,
    ... )
    >>> print(table)
          cp  leaves   risk  cv risk  +- error
      0.0000       5  0.000    0.350     0.050
    > 0.1000       3  0.200    0.300     0.050
      0.6000       1  1.000    1.050     0.100
    """

    cp: Floats
    n_leaves: NDArray[np.int64]
    risk: Floats
    cv_risk: Floats
    cv_error: Floats  # standard error of cv_risk
    chosen: int

    def to_frame(self) -> pd.DataFrame:
        """Give the table as a data frame, a row a tree.

        Examples
        --------
        >>> one = np.ones(1)
        >>> CpTable(one, np.ones(1, dtype=np.int64), one, one, one, chosen=0).to_frame().columns.tolist()
        ['cp', 'n_leaves', 'risk', 'cv_risk', 'cv_error', 'chosen']
        """
        import pandas as pd

        columns = {name: getattr(self, name) for name in _COLUMNS}
        return pd.DataFrame({**columns, "chosen": np.arange(len(self.cp)) == self.chosen})

    def to_json(self) -> dict[str, Any]:
        """Give the table as plain values."""
        return {**{name: getattr(self, name).tolist() for name in _COLUMNS}, "chosen": self.chosen}

    @classmethod
    def from_json(cls, saved: Any) -> CpTable:
        """Read a table that `to_json` gave; anything else is a ValueError.

        Examples
        --------
        >>> one = np.ones(1)
        >>> table = CpTable(one, np.ones(1, dtype=np.int64), one, one, one, chosen=0)
        >>> str(CpTable.from_json(table.to_json())) == str(table)
        True
        """
        if not isinstance(saved, dict) or set(saved) != {*_COLUMNS, "chosen"}:
            raise ValueError("its table of prices has other columns than it should")
        columns = {name: _numbers(saved[name]) for name in _COLUMNS}
        chosen, lengths = saved["chosen"], {len(column) for column in columns.values()}
        if len(lengths) > 1 or type(chosen) is not int or not 0 <= chosen < lengths.pop():
            raise ValueError("the columns of its table of prices do not fit each other")
        n_leaves = columns["n_leaves"].astype(np.int64)
        return cls(columns["cp"], n_leaves, columns["risk"], columns["cv_risk"], columns["cv_error"], chosen)

    def __str__(self) -> str:
        lines = [f"  {'cp':>6}  leaves   risk  cv risk  +- error"]
        first = self._first_line()
        if first:
            lines.append(f"  … {first:,} larger trees; to_frame() has them all")
        for i in range(first, len(self.cp)):
            mark = ">" if i == self.chosen else " "
            numbers = f"{self.cp[i]:6.4f}  {self.n_leaves[i]:6d}  {self.risk[i]:5.3f}"
            lines.append(f"{mark} {numbers}  {self.cv_risk[i]:7.3f}  {self.cv_error[i]:8.3f}")
        return "\n".join(lines)

    def _first_line(self) -> int:
        """Long tables are printed from a few trees above the chosen one, or above the best if it is larger."""
        if len(self.cp) <= _LONG:
            return 0
        return max(min(self.chosen, int(np.argmin(self.cv_risk))) - 3, 0)


def _numbers(saved: Any) -> Floats:
    if not isinstance(saved, list) or not all(type(number) in (int, float) and abs(number) < 2**62 for number in saved):
        raise ValueError("its table of prices holds something that is no number")
    return np.array(saved, dtype=np.float64)


# Cost-complexity pruning of stored trees: at a given price of a leaf, or at the price that cross-validation chooses.


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


Links = Literal["all", "sons"]
_SAME_RISK = 1e-9


def make_cp_table(
    tree: _core.Tree,
    losses: Floats | None,
    cp: float,
    links: Links,
    training: TrainingData | None = None,
    folds: NDArray[np.int64] | None = None,
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
        spread = np.maximum(squares - total**2 / training.row_weights[folds >= 0].sum(), 0)
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
