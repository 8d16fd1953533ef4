"""Critical-value pruning: a split has to score enough, or stand above one that does.

J. Mingers (1987), "Expert systems - rule induction with statistical data", J. Operational Research Society 38, 39-47.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.pruners.pruner import Grown, Marks, Pruner
from treewright.pruners.tree_sums import is_leaf, sums_below


@dataclass(frozen=True)
class CriticalValue(Pruner):
    """A node stays if its split, or one below it, lowers the impurity by more than a threshold.

    Unlike `min_impurity_decrease`, which stops growing at the first weak split, this keeps a weak split for a strong
    one that it leads to.

    Parameters
    ----------
    threshold : float
        By how much a split has to lower the impurity of its own rows. Raising it gives a smaller tree.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, ["no", "yes", "yes", "no"] * 5
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> full.prune(tw.CriticalValue(0.1)).get_n_leaves()
    4
    """

    threshold: float

    def __post_init__(self) -> None:
        self._check_number("threshold", "a number of 0 or more", 0, np.inf, open_ends=False)

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes with no strong split in them."""
        strong = grown.tree.arrays()["gain"] > self.threshold
        leaf = is_leaf(grown.tree)
        return np.asarray(~leaf & (sums_below(grown.tree, ~leaf & strong) == 0))
