"""Pruning by what a split scores: one that chance could have made goes (chi-square), or one below a critical value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.prune.pruner import Floats, Grown, Marks, Pruner, count_node, is_leaf, node_sums, sums_below

# Chi-square pruning: a split that chance could have made goes.


@dataclass(frozen=True)
class ChiSquare(Pruner):
    """A split into leaves goes if its table of branches and classes is no rarer than chance, with p above alpha.

    The table has (branches - 1)·(classes - 1) degrees of freedom, of the branches and classes that have rows. From the
    leaves up: a split stays if it, or any split below it, is significant. It looks at training counts only; weights
    count as rows.

    Parameters
    ----------
    alpha : float, default 0.05
        The p-value above which a split goes. Raising it gives a larger tree.
    statistic : {"pearson", "likelihood"}, default "pearson"
        Pearson's sum of (seen - expected)²/expected, or G², twice the logarithm of the ratio of likelihoods.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_credit_g(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier(max_depth=6).fit(X, y)
    >>> [full.pruned(tw.ChiSquare(alpha)).get_n_leaves() for alpha in (0.05, 1e-4, 1e-12)]
    [43, 10, 2]
    """

    alpha: float = 0.05
    statistic: Literal["pearson", "likelihood"] = "pearson"
    prunes_numbers: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("alpha", "a number between 0 and 1", 0, 1)
        self._check_word("statistic", ("pearson", "likelihood"))

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes with no significant split in them."""
        p, leaf = split_p_values(grown.tree, self.statistic), is_leaf(grown.tree)
        return np.asarray(~leaf & (sums_below(grown.tree, ~leaf & (p <= self.alpha)) == 0))


def split_p_values(tree: _core.Tree, statistic: str) -> Floats:
    """The p-value of each node's split; 1 at leaves and where there is nothing to compare.

    Examples
    --------
    >>> import treewright as tw
    >>> tree = tw.DecisionTreeClassifier().fit([[1], [2]] * 6, ["a", "b"] * 6).tree_.core
    >>> split_p_values(tree, "pearson").round(4).tolist()
    [0.0005, 1.0, 1.0]
    """
    from scipy.special import chdtrc  # takes its time to import

    cells = _Cells.of(tree)
    expected = cells.branch_weight * cells.class_weight / cells.total[cells.node]
    if statistic == "pearson":
        # Σ (o − e)²/e over all cells = Σ o²/e − n, and empty cells add nothing to that sum.
        parts = (cells.weight - expected) * cells.weight / expected
    else:
        parts = 2 * cells.weight * np.log(cells.weight / expected)
    value = node_sums(tree, cells.node, parts)
    freedom = (cells.n_branches - 1) * (cells.n_classes - 1)
    return np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), np.maximum(value, 0)), 1.0)


@dataclass(frozen=True)
class _Cells:
    """The cells with rows of every node's table of branches and classes, with the margins that they stand in."""

    node: NDArray[np.int64]
    weight: Floats
    branch_weight: Floats
    class_weight: Floats
    total: Floats  # these three are one number a node
    n_branches: NDArray[np.int64]
    n_classes: NDArray[np.int64]

    @classmethod
    def of(cls, tree: _core.Tree) -> _Cells:
        arrays, n = tree.arrays(), tree.n_nodes
        branch = count_node(tree)
        used = (branch > 0) & (arrays["count_weight"] > 0)
        branch, weight = branch[used], arrays["count_weight"][used]
        node = np.asarray(tree.parent, dtype=np.int64)[branch]
        branches, branch_at = np.unique(branch, return_inverse=True)
        classes, class_at = np.unique(
            node * np.int64(tree.n_classes) + arrays["count_class"][used].astype(np.int64), return_inverse=True
        )
        return cls(
            node=node,
            weight=weight,
            branch_weight=np.bincount(branch_at, weight)[branch_at].astype(np.float64),
            class_weight=np.bincount(class_at, weight)[class_at].astype(np.float64),
            total=node_sums(tree, node, weight),
            n_branches=np.bincount(np.asarray(tree.parent)[branches], minlength=n),
            n_classes=np.bincount(classes // tree.n_classes, minlength=n),
        )


# Critical-value pruning: a split has to score enough, or stand above one that does.


@dataclass(frozen=True)
class CriticalValue(Pruner):
    """A node stays if its split, or one below it, lowers the impurity by more than a threshold.

    Unlike `min_impurity_decrease`, which stops growing at the first weak split, this keeps a weak split for a strong
    one that it leads to.

    Parameters
    ----------
    threshold : float, default 0.01
        By how much a split has to lower the impurity of its own rows. Raising it gives a smaller tree.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, ["no", "yes", "yes", "no"] * 5
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> full.pruned(tw.CriticalValue(0.1)).get_n_leaves()
    4
    """

    threshold: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("threshold", "a number of 0 or more", 0, np.inf, open_ends=False)

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes with no strong split in them."""
        strong = grown.tree.arrays()["gain"] > self.threshold
        leaf = is_leaf(grown.tree)
        return np.asarray(~leaf & (sums_below(grown.tree, ~leaf & strong) == 0))
