"""Leaves that say the same become one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.pruners.pruner import Grown, Marks, Pruner
from treewright.pruners.tree_sums import Floats, is_leaf, sums_below


@dataclass(frozen=True)
class MergeEqualLeaves(Pruner):
    """A node whose branches all end in its own answer becomes a leaf.

    No predicted class changes, and no predicted number; the probabilities of classes do.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier(max_depth=4).fit(X, y)
    >>> small = full.prune(tw.MergeEqualLeaves())
    >>> full.get_n_leaves(), small.get_n_leaves(), bool((full.predict(X) == small.predict(X)).all())
    (15, 11, True)
    """

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes below which nothing is answered otherwise."""
        arrays, parent = grown.tree.arrays(), np.asarray(grown.tree.parent)
        answers: Floats = arrays["prediction"] if grown.tree.n_classes else arrays["value"]
        differs = (parent >= 0) & (answers != answers[parent])
        below = sums_below(grown.tree, differs) - differs
        return np.asarray(~is_leaf(grown.tree) & (below == 0))
