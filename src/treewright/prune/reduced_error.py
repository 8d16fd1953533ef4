"""Pruning by rows that had no part in growing: reduced error from the leaves up, validation gain from the root down."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from treewright import _core
from treewright.prune.pruner import Floats, Grown, HeldOut, JudgedByRows, Marks, is_leaf, sums_below, sums_of_children

# Reduced-error pruning: what does not help rows that had no part in growing goes.


_STEPS = 2.0**40  # gains that differ by less than such a part of the largest loss are equal


@dataclass(frozen=True)
class ReducedError(JudgedByRows):
    """A node becomes a leaf where that makes no more errors on held-out rows than what stands below it.

    From the leaves up this gives the smallest of the prunings that make the fewest errors on the held-out rows. A node
    answers what its training rows say, not the held-out ones. For numbers, "errors" is the criterion's loss. At
    training one draw decides both what the tree is grown from and what judges it: its size moves with `random_state`.

    Parameters
    ----------
    share : float, default 0.25
        At training, the share of the rows that is held out. Raising it makes the choice surer and the tree it chooses
        from poorer. `model.pruned` takes the rows that it is given instead.
    greedy : bool, default False
        Cut again and again where it helps most, until it helps nowhere, instead of going from the leaves up. Cuts that
        neither help nor harm are not made, so more is left; and one large cut may take something useful with it.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_glass(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier().fit(X[::2], y[::2])
    >>> small = full.pruned(tw.ReducedError(), X[1::2], y[1::2])
    >>> full.get_n_leaves(), small.get_n_leaves()
    (25, 11)
    >>> round(full.score(X[1::2], y[1::2]), 2), round(small.score(X[1::2], y[1::2]), 2)
    (0.63, 0.65)
    """

    share: float = 0.25
    greedy: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("share", "a number between 0 and 1", 0, 1)
        if not isinstance(self.greedy, bool):
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


# Pruning while looking down from the root: a split has to show on held-out rows that it helps.


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
        At training, the share of the rows that is held out. `model.pruned` takes the rows that it is given instead.
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
    >>> [full.pruned(tw.ValidationGain(lookahead=n), X, y).get_n_leaves() for n in (1, 2)]
    [1, 4]
    """

    share: float = 0.25
    epsilon: float = 0.0
    lookahead: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("share", "a number between 0 and 1", 0, 1)
        self._check_number("epsilon", "a number of 0 or more", 0, np.inf, open_ends=False)
        if isinstance(self.lookahead, bool) or not isinstance(self.lookahead, Integral) or self.lookahead < 1:
            self._refuse("lookahead", "a whole number of at least 1")

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes whose split gains too little."""
        rows = self.rows_of(grown)
        gain = rows.as_leaf - loss_of_the_top(grown.tree, rows, int(self.lookahead))
        unit = 1.0 if grown.tree.n_classes else rows.as_leaf[0] / max(rows.weight[0], 1e-300)
        with np.errstate(over="ignore"):  # more than any row could bring
            each = np.minimum(self.epsilon * unit, np.finfo(np.float64).max)
            wanted = each * rows.weight + _ROUNDING * np.abs(rows.as_leaf)
        return np.asarray(~is_leaf(grown.tree) & ~(gain > wanted))


def loss_of_the_top(tree: _core.Tree, rows: HeldOut, levels: int) -> Floats:
    """What the rows that come to a node lose if the tree below it ends after some levels."""
    leaf, loss = is_leaf(tree), rows.as_leaf
    for _ in range(min(levels, int(np.asarray(tree.depth).max()))):
        loss = np.where(leaf, rows.as_leaf, rows.ends + sums_of_children(tree, loss))
    return loss
