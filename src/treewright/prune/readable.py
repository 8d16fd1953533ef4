"""A tree for a reader: about 4 to 16 leaves that hold up on rows not seen.

Cross-validation with the rule of one standard error often answers with one leaf or with a hundred, and neither is of
use to somebody who wants to read. The honest error stays the judge here, but it judges the trees that a person would
look at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import Sides, Units
from treewright.learners.trees.training_data import TrainingData, part_of_weights, tree_grower
from treewright.prune.cost_complexity import (
    CostComplexity,
    cut_at_price,
    impurity_risk,
    loss_risk,
    prune_by_price,
    shares_of_levels,
    usual_repeats,
)
from treewright.prune.cp_table import CpTable, Floats
from treewright.prune.pruner import Pruner
from treewright.tree.format import share_text

_JUDGES = {"classes": "log loss", "squared_error": "squared error"}  # the tree's own loss → what stumps are judged by
MEASURES = {"log_loss": "log loss", "auc": "AUC"}  # what all sizes are judged by where it is asked for
_ROWS_OF_THE_ROOT = 2.0  # the answers of a leaf are drawn to those of all rows, as if it had so many more of them
_NO_STUMP = 3  # a tree of so many leaves is small, but a tree
LOPSIDED = 0.8  # of the rows are of one class: then wrong answers tell little, and probabilities more
_SURE = 1.0  # standard errors that a tree must be better than guessing


@dataclass(frozen=True)
class Readable(Pruner):
    """Cut a tree to what can be read: the size that cross-validation chooses, if that is neither a stump nor a page.

    0. Where one class has 80 % of the rows or more, begin with step 3; a stump is not taken there.
    1. The tree of `CostComplexity(cv=…)`, if it is no stump (of one or two leaves) and has at most `leaves` leaves.
    2. If it has more: the best tree of the pruning sequence that has at most `leaves`, on rows not seen.
    3. If either is a stump: the trees of the impurity's pruning sequence that have at most `leaves` are judged on rows
       not seen, fold by fold: by the log loss of their probabilities (which tells more than wrong answers where one
       class is rare), or by the squared error. Of those that are better than guessing by more than a standard error
       and within one of the best, the smallest that has at least `least` leaves; if none has, the smallest.
    4. If there is none: the stump, which may be one leaf. Then there is nothing to learn that holds up.

    Parameters
    ----------
    leaves : int, default 16
        The most leaves.
    least : int, default 4
        The fewest leaves, if such a tree is better than guessing.
    cv : int, default 10
        Folds of the cross-validation.
    repeats : int, optional
        How many times the rows are dealt out to folds, as in `CostComplexity`.
    measure : {"log_loss", "auc"}, optional
        Begin with step 3, for classes: the trees are judged by the log loss of their probabilities, or by the area
        under the ROC curve (of more than two classes the mean over each against the rest). Where one class is rare,
        wrong answers alone tell little.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=10)).fit(X, y).get_n_leaves()
    1
    >>> model = tw.DecisionTreeClassifier(prune=tw.Readable()).fit(X, y)
    >>> model.get_n_leaves(), model.cp_table_.judged_by
    (2, 'log loss')
    """

    leaves: int = 16
    least: int = 4
    cv: int = 10
    repeats: int | None = None
    measure: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("leaves", "least"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
                self._refuse(name, "a whole number of at least 1")
        if self.measure is not None and not (isinstance(self.measure, str) and self.measure in MEASURES):
            self._refuse("measure", "None, 'log_loss' or 'auc'")
        if self.least > self.leaves:
            object.__setattr__(self, "least", self.leaves)
        self._by_price()  # which checks cv and repeats

    def _by_price(self) -> CostComplexity:
        return CostComplexity(cv=self.cv, repeats=self.repeats)


def told_choice(table: CpTable) -> str:
    """Say in a sentence what was weighed where the tree is not the one that cross-validation would take; else "".

    Parameters
    ----------
    table : CpTable
        Of the model.

    Examples
    --------
    >>> cp, risk = np.array([0.0, 0.01, 0.2]), np.array([0.1, 0.6, 1.0])
    >>> told_choice(CpTable(cp, np.array([165, 16, 1]), risk, np.array([0.5, 0.7, 1.0]), np.full(3, 0.01), 1))
    'Larger trees do better on rows not seen: 165 leaves leave 50 % of the loss of guessing, these 16 70 %.'
    """
    best, chosen = int(np.argmin(table.cv_risk)), table.chosen
    if table.judged_by == MEASURES["auc"]:
        area = 1 - float(table.cv_risk[chosen]) / 2
        return f"Judged by AUC: {area:.3f} on rows not seen, where 0.5 is guessing."
    if table.judged_by:
        less = share_text(float(1 - table.cv_risk[chosen]))
        if table.judged_by == _JUDGES["classes"]:
            return f"Judged by its probabilities: on rows not seen their log loss is {less} lower than guessing's."
        return (
            f"The rule of one standard error takes a stump. This tree's squared error is {less} lower than guessing's."
        )
    is_held_back = table.n_leaves[best] > table.n_leaves[chosen]
    is_worth_it = table.cv_risk[best] + table.cv_error[best] < min(1.0, float(table.cv_risk[chosen]))
    if is_held_back and is_worth_it:
        left = [share_text(float(table.cv_risk[i])) for i in (best, chosen)]
        return (
            f"Larger trees do better on rows not seen: {table.n_leaves[best]:,} leaves leave {left[0]} of the loss of "
            f"guessing, these {table.n_leaves[chosen]:,} {left[1]}."
        )
    return ""


def prune_readably(
    tree: _core.Tree, pruner: Readable, training: TrainingData | None, seed: int
) -> tuple[_core.Tree, CpTable | None]:
    """Prune as the class says; the table has the trees that were judged, and which of them was taken."""
    if training is None:
        raise DataError("Readable(…) grows trees on parts of the training rows: pass them as X and y.")
    losses = None if training.costs is None else training.costs.losses
    if pruner.measure is not None and training.classes is None:
        raise DataError(f"Readable(measure={pruner.measure!r}) judges the probabilities of classes, not of numbers.")
    stump = min(pruner.least, _NO_STUMP) - 1
    is_first = pruner.measure is not None or (losses is None and _is_lopsided(training))
    found = _by_folds(tree, pruner, training, seed) if is_first else None
    if found is not None and (pruner.measure is not None or found.n_leaves[found.chosen] > stump):
        return _cut(tree, impurity_risk(tree), found), found
    _, table = prune_by_price(tree, pruner._by_price(), training, seed, losses)
    assert table is not None
    chosen = _choice(table, pruner)
    if table.n_leaves[chosen] <= stump and losses is None and training.loss in _JUDGES:
        found = found if is_first else _by_folds(tree, pruner, training, seed)
        if found is not None and found.n_leaves[found.chosen] > table.n_leaves[chosen]:
            return _cut(tree, impurity_risk(tree), found), found
    table = replace(table, chosen=chosen)
    return _cut(tree, loss_risk(tree, losses), table), table


def _is_lopsided(training: TrainingData) -> bool:
    """Whether one class has nearly all of the weight, so that hardly a leaf answers another one."""
    if training.loss != "classes":
        return False
    weights = np.ones(len(training.truth)) if training.weights is None else training.weights  # class_weight counts
    most = max(exact_sum(weights[training.truth == k]) for k in np.unique(training.truth))
    return most >= LOPSIDED * exact_sum(weights)


def _cut(tree: _core.Tree, risk: Floats, table: CpTable) -> _core.Tree:
    return cut_at_price(tree, risk, float(table.cp[table.chosen] * risk[0]))


def _choice(table: CpTable, pruner: Readable) -> int:
    """The place of the tree that cross-validation takes or, where that is a page, of the best that can be read."""
    if table.n_leaves[table.chosen] <= pruner.leaves:
        return table.chosen
    allowed = np.flatnonzero(table.n_leaves <= pruner.leaves)
    return int(allowed[::-1][np.argmin(table.cv_risk[allowed][::-1])])  # of equals the smallest


def _by_folds(tree: _core.Tree, pruner: Readable, training: TrainingData, seed: int) -> CpTable | None:
    """Judge the readable trees of the impurity's sequence; None if none is better than guessing."""
    risk = impurity_risk(tree)
    alphas, risks, leaves = tree.prune_path(risk)
    small = np.flatnonzero(leaves <= pruner.leaves)
    if len(small) < 2:
        return None
    prices = np.sqrt(alphas * np.append(alphas[1:], alphas[-1] * 100))[small]
    mean, gain, error = _judged(*_loss_of_folds(training, pruner, prices, seed))
    chosen = _smallest_better(mean, gain, error, leaves[small] >= pruner.least)
    if chosen is None:
        return None
    return CpTable(
        alphas[small] / risk[0], leaves[small], np.maximum(risks[small] / risk[0], 0), mean / mean[-1],
        error / mean[-1], chosen, judged_by=MEASURES[pruner.measure] if pruner.measure else _JUDGES[training.loss],
    )  # fmt: skip


def _smallest_better(mean: Floats, gain: Floats, error: Floats, is_large: NDArray[np.bool_]) -> int | None:
    """Of the trees that are surely better than guessing and as good as the best: the smallest that is large enough."""
    better = np.flatnonzero(gain > _SURE * error)
    if not len(better):
        return None
    best = better[np.argmin(mean[better])]
    good = better[mean[better] <= mean[best] + error[best]]
    large = good[is_large[good]]
    return int((large if len(large) else good)[-1])


def _judged(losses: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """From deals × folds × prices: the mean loss at each price, what it gains over the last one, its standard error.

    Each deal looks at the same rows again, so that more deals do not make the standard error smaller.
    """
    mean = losses.sum(axis=(0, 1)) / weights.sum()
    gained = (losses[:, :, -1:] - losses) / np.where(weights > 0, weights, 1.0)[:, :, None]
    n_folds = gained.shape[1]
    error = np.sqrt(gained.var(axis=1, ddof=1).mean(axis=0) / n_folds)
    return mean, mean[-1] - mean, error


def _loss_of_folds(
    training: TrainingData, pruner: Readable, prices: Floats, seed: int
) -> tuple[Floats, NDArray[np.float64]]:
    """The loss of the rows of each fold of each deal, by a tree that did not see them, and their weight."""
    units = Units.of_training(training)
    n_rows, n_folds = len(training.truth), max(min(pruner.cv, len(units)), 2)
    n_deals = pruner.repeats or usual_repeats(len(units), shares_of_levels(training))
    losses, weights = np.zeros((n_deals, n_folds, len(prices))), np.zeros((n_deals, n_folds))
    grow = tree_grower(training)
    for deal in range(n_deals):
        for place, fold in enumerate(units.sides(units.folds(n_folds, seed, deal), n_rows)):
            part = (grow if fold.is_whole else tree_grower(part_of_weights(training, fold.kept_weights)))(fold.kept)
            held = fold.held_weights(training.row_weights)
            losses[deal, place] = _loss_of_fold(training, part, prices, fold, held, pruner.measure == "auc")
            weights[deal, place] = exact_sum(held)
    return losses, weights


def _loss_of_fold(
    training: TrainingData, part: _core.Tree, prices: Floats, fold: Sides, weights: Floats, by_auc: bool
) -> Floats:
    complexity, truth = part.complexity(impurity_risk(part)), training.truth[fold.held]
    found = np.empty(len(prices))
    for place, price in enumerate(prices):
        smaller = part.cut_at((complexity <= price).astype(np.uint8))
        nodes = _core.leaves_of_table(smaller, training.table.core, fold.held)
        if training.classes is None:
            lost = (truth - smaller.arrays()["value"][nodes]) ** 2
        elif by_auc:
            area = auc_of_leaves(_drawn_to_the_root(smaller), nodes, truth.astype(np.int64), weights)
            lost = np.full(len(weights), 1 - area)
        else:
            lost = -np.log(_drawn_to_the_root(smaller)[nodes, truth.astype(np.int64)])
        found[place] = exact_sum(lost * weights)
    return found


def _drawn_to_the_root(tree: _core.Tree) -> Floats:
    """The shares of the classes at each node, drawn a little to those of all rows: no class is impossible."""
    arrays = tree.arrays()
    counts = np.zeros((tree.n_nodes, tree.n_classes))
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    counts[node, arrays["count_class"]] = arrays["count_weight"]
    everywhere = (counts[0] + 1) / (counts[0].sum() + tree.n_classes)
    drawn = counts + _ROWS_OF_THE_ROOT * everywhere
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def auc_of_leaves(shares: Floats, nodes: NDArray[np.integer], truth: NDArray[np.int64], weights: Floats) -> float:
    """The area under the ROC curve of what leaves say of rows; of several classes the mean, each against the rest.

    A class that none or all of the rows have tells nothing, and counts as a guess.

    Examples
    --------
    >>> shares = np.array([[0.5, 0.5], [0.8, 0.2], [0.3, 0.7]])
    >>> auc_of_leaves(shares, np.array([1, 1, 2, 2]), np.array([0, 0, 0, 1]), np.ones(4))
    0.8333333333333334
    """
    weigh = _weights_of_leaves(nodes, truth, weights, shares.shape)
    classes = [1] if shares.shape[1] == 2 else range(shares.shape[1])
    return float(np.mean([_area(shares[:, k], weigh[:, k], weigh.sum(axis=1) - weigh[:, k]) for k in classes]))


def _weights_of_leaves(
    nodes: NDArray[np.integer], truth: NDArray[np.int64], weights: Floats, shape: tuple[int, ...]
) -> Floats:
    """Nodes × classes: the weight of the rows, summed so that their order does not matter."""
    found = np.zeros(shape)
    for node in np.unique(nodes):
        for k in np.unique(truth[nodes == node]):
            found[node, k] = exact_sum(weights[(nodes == node) & (truth == k)])
    return found


def _area(scores: Floats, wanted: Floats, others: Floats) -> float:
    if wanted.sum() == 0 or others.sum() == 0:
        return 0.5
    _, place = np.unique(scores, return_inverse=True)
    of_wanted, of_others = np.bincount(place, wanted), np.bincount(place, others)
    below = np.cumsum(of_others) - of_others
    return float((of_wanted * (below + of_others / 2)).sum() / (wanted.sum() * others.sum()))
