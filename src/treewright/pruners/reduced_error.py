"""Reduced-error pruning: what does not help rows that had no part in growing goes.

J. R. Quinlan (1987), "Simplifying decision trees", Int. J. Man-Machine Studies 27, 221-234; the greedy form is that of
T. Mitchell (1997), "Machine Learning", 3.7.1.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.pruners.held_out import HeldOut
from treewright.pruners.pruner import Grown, JudgedByRows, Marks
from treewright.pruners.tree_sums import sums_below

_STEPS = 2.0**40  # gains that differ by less than such a part of the largest loss are equal


@dataclass(frozen=True)
class ReducedError(JudgedByRows):
    """A node becomes a leaf where that makes no more errors on held-out rows than what stands below it.

    From the leaves up this gives the smallest of the prunings that make the fewest errors on the held-out rows. A node
    answers what its training rows say, not the held-out ones. For numbers, "errors" is the criterion's loss.

    Parameters
    ----------
    share : float, default 0.25
        At training, the share of the rows that is held out. Raising it makes the choice surer and the tree it chooses
        from poorer. `model.prune` takes the rows that it is given instead.
    greedy : bool, default False
        Cut again and again where it helps most, until it helps nowhere, instead of going from the leaves up. Cuts that
        neither help nor harm are not made, so more is left; and one large cut may take something useful with it.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_glass(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier().fit(X[::2], y[::2])
    >>> small = full.prune(tw.ReducedError(), X[1::2], y[1::2])
    >>> full.get_n_leaves(), small.get_n_leaves()
    (25, 11)
    >>> round(full.score(X[1::2], y[1::2]), 2), round(small.score(X[1::2], y[1::2]), 2)
    (0.63, 0.65)
    """

    share: float = 0.25
    greedy: bool = False

    def __post_init__(self) -> None:
        self._check_number("share", "a number between 0 and 1", 0, 1)
        if not isinstance(self.greedy, bool | np.bool_):
            self._refuse("greedy", "True or False")

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes that the held-out rows can do without."""
        rows = self.rows_of(grown)
        if self.greedy:
            return cut_where_it_helps_most(grown.tree, rows)
        return _core.cheaper_as_leaf(grown.tree, rows.as_leaf, rows.ends, 0.0).astype(bool)


def cut_where_it_helps_most(tree: _core.Tree, rows: HeldOut) -> Marks:
    """Cut the node that gains most, again and again while any gains; of equals the first in preorder.

    One sorted list is enough: a cut changes what the nodes above it gain by the same amount, and they gained no more,
    so none of them gains any longer; all other nodes gain what they gained before.
    """
    most = max(float(rows.as_leaf.max()), 1e-300)
    gain = np.round((sums_below(tree, rows.ends) - rows.as_leaf) / most * _STEPS)
    size = sums_below(tree, np.ones(tree.n_nodes)).astype(np.int64)
    helps = np.flatnonzero(gain > 0)
    parent = np.asarray(tree.parent)
    settled, marks = np.zeros(tree.n_nodes, dtype=bool), np.zeros(tree.n_nodes, dtype=bool)
    for node in helps[np.lexsort((helps, -gain[helps]))]:
        if settled[node]:
            continue
        marks[node] = True
        settled[node : node + size[node]] = True
        above = parent[node]
        while above >= 0 and not settled[above]:
            settled[above] = True
            above = parent[above]
    return marks
