"""Pessimistic pruning: training errors, with a charge for having been counted on the rows that grew the tree.

J. R. Quinlan (1993), "C4.5", chapter 4; J. R. Quinlan (1987), "Simplifying decision trees", for the older rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar, Literal

import numpy as np

from treewright import _core
from treewright.errors import DataError
from treewright.prune.pruner import Floats, Grown, Marks, Pruner, TrainingRows, is_leaf, sums_below, training_errors

_MOST_ROWS = 2**28  # in pieces, on one path from the root to a leaf, where subtrees are raised
_SPREADS = -2  # the branch of a row without a value, where it takes all of them
_GRACE = 0.1  # C4.5 and J48 prefer the leaf if it is expected to make less than so many errors more
# C4.5's own table of confidences and deviates, read by linear interpolation
_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
_DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)


@dataclass(frozen=True)
class PessimisticError(Pruner):
    """A node becomes a leaf where it is expected to make hardly more errors than the tree below it.

    A leaf with e errors among N training rows is expected to make as many as the upper end of a confidence interval
    says; small leaves are thus trusted less. It needs no rows of its own.

    Parameters
    ----------
    confidence : float, default 0.25
        How sure the upper end is. Lowering it gives a smaller tree.
    raise_subtrees : bool, default True
        Whether a node may also be replaced by its largest branch, which then gets all of its rows. This needs the
        training rows: `model.pruned` takes them as X and y.
    variant : {"j48", "c45", "1987"}, default "j48"
        "j48" computes the interval as Weka does, "c45" as release 8 of C4.5 does (a table of deviates, and another rule
        for leaves that are nearly all wrong). "1987" is the older rule: half an error more for each leaf, and a leaf
        wins if it is within one standard error; it has no confidence and raises nothing.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_credit_g(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier(min_samples_leaf=2).fit(X, y)
    >>> small = full.pruned(tw.PessimisticError(raise_subtrees=False))
    >>> full.get_n_leaves(), small.get_n_leaves()
    (160, 89)
    """

    confidence: float = 0.25
    raise_subtrees: bool = True
    variant: Literal["j48", "c45", "1987"] = "j48"
    prunes_numbers: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("confidence", "a number between 0 and 1", 0, 1)
        if not isinstance(self.raise_subtrees, bool):
            self._refuse("raise_subtrees", "True or False")
        self._check_word("variant", ("j48", "c45", "1987"))

    @property
    def looks_at_training_rows(self) -> bool:
        """They go down again where subtrees are raised."""
        return bool(self.raise_subtrees) and self.variant != "1987"

    def cut(self, grown: Grown) -> _core.Tree:
        """Give the smaller tree; where subtrees are raised, it has rows where it had others."""
        if grown.tree.n_classes == 0 or not self.looks_at_training_rows:
            return super().cut(grown)
        if grown.training is None:
            raise DataError(
                "PessimisticError(raise_subtrees=True) sends the training rows down again: pass them as X and y, or "
                "choose raise_subtrees=False."
            )
        return _raise_subtrees(grown, grown.training, float(self.confidence), self.variant)

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes that are expected to do well enough as leaves."""
        errors, ends = training_errors(grown.tree)
        if self.variant == "1987":
            return _within_one_standard_error(grown.tree, errors, ends)
        weight = grown.tree.arrays()["weight"]
        expected = errors + extra_errors(weight, errors, float(self.confidence), self.variant)
        return _core.cheaper_as_leaf(grown.tree, expected, np.where(is_leaf(grown.tree), 0.0, ends), _GRACE).astype(
            bool
        )


def _refuse_long_paths(tree: _core.Tree, has_missing: Sequence[bool]) -> None:
    """Where a row goes down several branches in pieces, the pieces are kept for every node of a path.

    A chain of such nodes would take all memory. Rows that take one branch are divided where they lie.
    """
    arrays = tree.arrays()
    column = arrays["column"]
    cuts_rows = (arrays["missing_branch"] == _SPREADS) & (column >= 0) & np.append(has_missing, False)[column]
    on_path = np.where(cuts_rows, arrays["n_rows"], 0).tolist()
    for node, above in enumerate(np.asarray(tree.parent)[1:].tolist(), start=1):
        on_path[node] += on_path[above]
    if max(on_path) > _MOST_ROWS:
        raise DataError(
            f"The tree is {int(np.asarray(tree.depth).max()):,} levels deep, and rows without a value go down its "
            "branches in pieces: too many pieces for its subtrees to be raised. Choose "
            "PessimisticError(raise_subtrees=False), or grow it with a max_depth."
        )


def deviate(confidence: float, variant: str) -> float:
    """The number of standard deviations that belongs to a confidence: J48 computes it, C4.5 has a table.

    Examples
    --------
    >>> round(deviate(0.25, "j48"), 4), round(deviate(0.25, "c45"), 4)
    (0.6745, 0.6925)
    """
    if variant == "j48":
        return NormalDist().inv_cdf(1 - confidence) if confidence > 1e-16 else -NormalDist().inv_cdf(confidence)
    return float(np.interp(confidence, _CONFIDENCES, _DEVIATES))


def _raise_subtrees(grown: Grown, training: TrainingRows, confidence: float, variant: str) -> _core.Tree:
    """From the leaves up, make a leaf of a node or put its largest branch in its place, with the node's rows."""
    _refuse_long_paths(grown.tree, training.table.has_missing())
    choices = {
        "criterion": grown.criterion,
        "confidence": confidence,
        "z": deviate(confidence, variant),
        "as_j48": variant == "j48",
        "collapse": False,
        "prune": True,
        "raise_subtrees": True,
        "first_answers": False,
    }
    return _core.prune_by_errors(grown.tree, training.table, training.target, training.rows, choices)


def _within_one_standard_error(tree: _core.Tree, errors: Floats, ends: Floats) -> Marks:
    """From the root down, every node is compared with the whole tree below it, so each can be judged by itself."""
    leaf, weight = is_leaf(tree), tree.arrays()["weight"]
    below = sums_below(tree, ends) + sums_below(tree, leaf) / 2
    spread = np.sqrt(np.maximum(below * (weight - below), 0) / np.maximum(weight, 1e-300))
    return np.asarray(~leaf & (errors + 0.5 <= below + spread))


def extra_errors(weight: Floats, errors: Floats, confidence: float, variant: str) -> Floats:
    """How many errors more than those seen each leaf is expected to make; none where there are no rows.

    The upper end of the interval is Wilson's with a continuity correction, not the exact binomial one.

    Examples
    --------
    >>> extra_errors(np.array([6.0, 16.0]), np.array([0.0, 1.0]), 0.25, "j48").round(4).tolist()
    [1.2378, 1.4757]
    """
    if variant == "j48" and confidence > 0.5:
        return np.zeros(len(weight))
    n = np.maximum(weight, 1e-300)
    none_seen = n * -np.expm1(np.log(confidence) / n)
    nothing, one = (1e-6, 0.9999) if variant == "c45" else (0.0, 1.0)
    between = none_seen + errors * (_upper_end(n, np.ones(len(n)), confidence, variant) - none_seen)
    extra = np.where(errors < one, between, _upper_end(n, errors, confidence, variant))
    return np.where(weight <= 0, 0.0, np.where((errors < nothing) | (errors == 0), none_seen, extra))


def _upper_end(n: Floats, errors: Floats, confidence: float, variant: str) -> Floats:
    """The errors beyond those seen at the upper end of the interval, for one error or more."""
    z = deviate(confidence, variant)
    c, half_more = z * z, errors + 0.5
    under_root = np.maximum(half_more * (1 - half_more / n), 0) + c / 4
    share = (half_more + c / 2 + np.sqrt(c * under_root)) / (n + c)
    nearly_all = 0.67 * (n - errors) if variant == "c45" else np.maximum(n - errors, 0)
    return np.where(half_more >= n, nearly_all, n * share - errors)
