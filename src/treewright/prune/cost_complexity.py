"""Cost-complexity pruning: at a given price of a leaf, or at the price that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any, Literal

import numpy as np

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import Sides, Units
from treewright.learners.trees.priors_and_costs import expected_costs
from treewright.learners.trees.training_data import TrainingData, part_of_weights, tree_grower
from treewright.prune.cp_table import CpTable, Floats
from treewright.prune.pruner import Pruner, is_number
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
    repeats : int, optional
        With `cv`: how many times the rows are dealt out to folds. What a price costs is averaged over the deals, so
        that the size of the tree depends less on the luck of one. Without it 10 for up to
        5,000 rows, then fewer, and one from 50,000 rows on.

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
    repeats: int | None = None

    def __repr__(self) -> str:
        if self.cv is not None:
            repeats = "" if self.repeats is None else f", repeats={self.repeats}"
            return f"CostComplexity(cv={self.cv}, rule={self.rule!r}{repeats})"
        return f"CostComplexity(alpha={self.alpha})" if self.alpha is not None else f"CostComplexity(cp={self.cp})"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in ("alpha", "cp", "cv") if getattr(self, name) is not None]
        if len(given) != 1:
            raise DataError(f"CostComplexity takes one of alpha, cp and cv; it was given {', '.join(given) or 'none'}.")
        if self.cv is not None and (not isinstance(self.cv, Integral) or self.cv < 2):
            raise DataError(
                f"The 'cv' of CostComplexity must be a whole number of at least 2. Got {self.cv!r} instead."
            )
        repeats: object = self.repeats
        if repeats is not None and (isinstance(repeats, bool) or not isinstance(repeats, Integral) or repeats < 1):
            self._refuse("repeats", "a whole number of at least 1, or None")
        if isinstance(repeats, Integral) and int(repeats) > _MOST_REPEATS:
            self._refuse("repeats", f"at least 1 and at most {_MOST_REPEATS:,}")
        self._check_price("cp" if self.alpha is None else "alpha", self.cp if self.alpha is None else self.alpha)
        self._check_word("rule", ("1se", "min"))

    def _check_price(self, name: str, price: Any) -> None:
        if price is None:
            return
        where = f"The price of a leaf ('{name}' of CostComplexity)"
        if not is_number(price):
            raise DataError(f"{where} must be a number. Got {price!r} instead.")
        if not price >= 0:
            raise DataError(f"{where} must not be negative. Got {price!r} instead.")


_LARGEST = np.finfo(np.float64).max / 8  # the core stores an impurity beyond the range of doubles as a quarter of it
_NO_NUMBERS = (
    "The numbers of the target are too large or too small for their squares to be numbers, so no price of a leaf can "
    "be weighed. Multiply the target by a constant and train again."
)
_MOST_REPEATS = 1000
_MOST_DEALS, _ROWS_OF_ALL_DEALS, _MANY_SHARES = 10, 50_000, 100_000
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
        with np.errstate(over="ignore"):
            price = pruner.cp * risk[0]
        return tree.cut_at(rpart_leaves(tree, risk, price)), None
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
    units = Units.of_training(training)
    n_folds = min(int(pruner.cv or 0), len(units))
    deals = np.array([
        held_out_loss(training, tree, prices, units.sides(units.folds(n_folds, seed, deal), len(training.truth)))
        for deal in range(pruner.repeats or usual_repeats(len(units), shares_of_levels(training)))
    ])  # fmt: skip
    total, squares = deals[:, 0], deals[:, 1]
    n, scale = exact_sum(training.row_weights), tree.arrays()["weight"][0] * root
    with np.errstate(over="ignore", invalid="ignore"):
        risk_of = total / scale
        # The deals look at the same rows again, so more of them do not make the standard error smaller.
        variance_of = np.maximum(squares - total**2 / n, 0) / (scale * scale)  # pow is the libm's
    cv_risk, cv_error = risk_of.mean(axis=0), np.sqrt(variance_of.mean(axis=0))
    if not np.isfinite(cv_risk + cv_error).all():
        raise DataError(_NO_NUMBERS)
    chosen = _smallest_good(cv_risk, cv_error, pruner.rule)
    alone = [_smallest_good(r, np.sqrt(v), pruner.rule) for r, v in zip(risk_of, variance_of, strict=True)]
    risks = np.maximum(risks / root, 0)
    return float(alphas[chosen]), CpTable(
        alphas / root, leaves, risks, cv_risk, cv_error, chosen, n_folds, leaves[alone]
    )


def usual_repeats(n_units: int, n_shares: int = 0) -> int:
    """How many deals are averaged where nobody says: as many as take little time (see the page on pruning).

    Parameters
    ----------
    n_units : int
        Rows, or what whole weights count.
    n_shares : int, default 0
        `shares_of_levels`: where there are many, every fold takes long.

    Examples
    --------
    >>> usual_repeats(500), usual_repeats(20_000), usual_repeats(1_000_000), usual_repeats(500, 500_000)
    (10, 2, 1, 1)
    """
    return 1 if n_shares > _MANY_SHARES else max(1, min(_MOST_DEALS, _ROWS_OF_ALL_DEALS // max(n_units, 1)))


def shares_of_levels(training: TrainingData) -> int:
    """Levels × classes of all nominal columns, where there are three classes and more: what it takes to order levels.

    With two classes they are ordered by one share each.
    """
    if training.classes is None or len(training.classes) <= 2:
        return 0
    columns = training.schema.columns
    return len(training.classes) * sum(len(column.levels) for column in columns if column.kind == "nominal")


def _smallest_good(cv_risk: Floats, cv_error: Floats, rule: str) -> int:
    """The smallest tree that is as good as the best: within one standard error of it, or but for rounding."""
    best = int(np.flatnonzero(cv_risk <= cv_risk.min() * _EQUAL)[-1])
    allowed = cv_error[best] if rule == "1se" else 0.0
    return int(np.flatnonzero(cv_risk <= cv_risk[best] * _EQUAL + allowed)[-1])


def held_out_loss(
    training: TrainingData,
    tree: _core.Tree,
    prices: Floats,
    folds: Iterable[Sides],
    complexity_of: Callable[[_core.Tree, Floats], Floats] = _core.Tree.complexity,
) -> tuple[Floats, Floats]:
    """For every price, the loss of the rows when each is judged by a tree that did not see it, and its squares.

    Prices are shares of the weight of `tree`, which was grown from all rows; `complexity_of` gives the price at which
    each node of a tree is cut, from its risks.
    """
    weights, losses = training.row_weights, None if training.costs is None else training.costs.losses
    total, squares = np.zeros(len(prices)), np.zeros(len(prices))
    per_weight, grow = tree.arrays()["weight"][0] / exact_sum(weights), tree_grower(training)
    for fold in folds:
        part = (grow if fold.is_whole else tree_grower(part_of_weights(training, fold.kept_weights)))(fold.kept)
        # A price belongs to the weight of the rows as they were given; the tree may weigh them otherwise.
        per_kept = part.arrays()["weight"][0] / exact_sum(fold.kept_weights(weights)[fold.kept])
        complexity = complexity_of(part, loss_risk(part, losses))
        more = _loss_of_fold(training, part, complexity, prices * (per_weight / per_kept), fold)
        total, squares = total + more[0], squares + more[1]
    return total, squares


def _loss_of_fold(
    training: TrainingData, part: _core.Tree, complexity: Floats, prices: Floats, fold: Sides
) -> tuple[Floats, Floats]:
    """A row of exposure e loses e times as much as one of exposure 1, and counts as one row."""
    leaves = _core.leaves_of_table(part, training.table.core, fold.held)
    truth = np.ascontiguousarray(training.truth[fold.held], dtype=np.float64)
    judge = partial(_core.path_loss, part, complexity, prices, leaves, truth)
    weights = fold.held_weights(training.row_weights)
    if training.exposure is None:
        return judge(weights, training.loss, training.row_costs)
    exposure = training.exposure[fold.held]
    once, twice = (judge(weights * exposure**power, training.loss, training.row_costs) for power in (1, 2))
    return once[0], twice[1]
