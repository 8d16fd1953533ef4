"""Pruning while looking down from the root: a split has to show on held-out rows that it helps."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from treewright import _core
from treewright.pruners.held_out import HeldOut
from treewright.pruners.pruner import Grown, JudgedByRows, Marks
from treewright.pruners.tree_sums import Floats, is_leaf, sums_of_children

_ROUNDING = 1e-12


@dataclass(frozen=True)
class ValidationGain(JudgedByRows):
    """A split stays only if the held-out rows that come to it are answered better with it than without.

    This is stopping early, decided on rows that had no part in growing: a split that does not help at once is taken
    back with all that stands below it, even if something useful does. Splits that help only together, like the two of
    an exclusive or, need `lookahead=2`.

    Parameters
    ----------
    share : float, default 0.25
        At training, the share of the rows that is held out. `model.prune` takes the rows that it is given instead.
    epsilon : float, default 0.0
        By how much the accuracy on the rows that come to the node has to rise. Raising it gives a smaller tree. For
        numbers: by how much the mean loss has to fall, as a share of the mean loss at the root.
    lookahead : int, default 1
        How many levels below the node are judged together. Raising it gives a larger tree.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, ["no", "yes", "yes", "no"] * 5
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> [full.prune(tw.ValidationGain(lookahead=n), X, y).get_n_leaves() for n in (1, 2)]
    [1, 4]
    """

    share: float = 0.25
    epsilon: float = 0.0
    lookahead: int = 1

    def __post_init__(self) -> None:
        self._check_number("share", "a number between 0 and 1", 0, 1)
        self._check_number("epsilon", "a number of 0 or more", 0, np.inf, open_ends=False)
        if isinstance(self.lookahead, bool) or not isinstance(self.lookahead, Integral) or self.lookahead < 1:
            self._refuse("lookahead", "a whole number of at least 1")

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes whose split gains too little."""
        rows = self.rows_of(grown)
        gain = rows.as_leaf - loss_of_the_top(grown.tree, rows, int(self.lookahead))
        unit = 1.0 if grown.tree.n_classes else rows.as_leaf[0] / max(rows.weight[0], 1e-300)
        wanted = self.epsilon * unit * rows.weight + _ROUNDING * np.abs(rows.as_leaf)
        return np.asarray(~is_leaf(grown.tree) & ~(gain > wanted))


def loss_of_the_top(tree: _core.Tree, rows: HeldOut, levels: int) -> Floats:
    """What the rows that come to a node lose if the tree below it ends after some levels."""
    leaf, loss = is_leaf(tree), rows.as_leaf
    for _ in range(min(levels, int(np.asarray(tree.depth).max()))):
        loss = np.where(leaf, rows.as_leaf, rows.ends + sums_of_children(tree, loss))
    return loss
