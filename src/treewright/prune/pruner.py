"""What all pruners have in common: they look at a grown tree and mark the nodes that become leaves."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.parameters import plain_value

if TYPE_CHECKING:
    from treewright import _core
    from treewright.table.schema import Schema


# Numbers of a stored tree that several pruners weigh: training errors, and the shape of what lies below a node.


Floats = NDArray[np.float64]
_LARGEST = np.finfo(np.float64).max / 8  # the core stores an impurity beyond the range of doubles as a quarter of it
_ROUNDING = 1e-9  # shares of a row less than this are rounding


def refuse_overflow(losses: Floats) -> None:
    """Refuse losses that are beyond the largest number, or would be if they were added up."""
    if not (losses < _LARGEST).all():
        raise DataError(
            "The numbers of the target are too large for their squares to be numbers, so no pruner can weigh them. "
            "Multiply the target by a constant and train again."
        )


def is_leaf(tree: _core.Tree) -> NDArray[np.bool_]:
    """Tell which nodes are leaves."""
    return np.asarray(tree.arrays()["n_children"] == 0)


def sums_below(tree: _core.Tree, values: Floats | NDArray[np.bool_]) -> Floats:
    """The sum of one number a node over each node and all that lies below it."""
    return _core.subtree_sums(tree, np.ascontiguousarray(values, dtype=np.float64))


def sums_of_children(tree: _core.Tree, values: Floats) -> Floats:
    """The sum of one number a node over each node's branches."""
    return node_sums(tree, np.asarray(tree.parent)[1:], values[1:])


def node_sums(tree: _core.Tree, nodes: NDArray[Any], values: Floats) -> Floats:
    """The sum of the values that are said to belong to each node."""
    return np.bincount(nodes, weights=values, minlength=tree.n_nodes).astype(np.float64)


def training_errors(tree: _core.Tree) -> tuple[Floats, Floats]:
    """The training weight that each node gets wrong: of all its rows if it were a leaf, and of those that end there.

    All rows of a leaf end there; at an inner node only those do that have nowhere to go without a value.
    """
    arrays = tree.arrays()
    node = count_node(tree)
    is_answer = arrays["count_class"] == arrays["prediction"][node]
    right = node_sums(tree, node, arrays["count_weight"] * is_answer)
    as_leaf = np.maximum(arrays["weight"] - right, 0.0)
    passed = sums_of_children(tree, arrays["weight"])
    above = np.asarray(tree.parent)[node]
    counts_above = (above >= 0) & (arrays["count_class"] == arrays["prediction"][above])
    right_passed = node_sums(tree, above[counts_above], arrays["count_weight"][counts_above])
    ends = (arrays["weight"] - passed) - (right - right_passed)
    ends[ends < _ROUNDING * arrays["weight"]] = 0.0
    return as_leaf, np.where(is_leaf(tree), as_leaf, ends)


def count_node(tree: _core.Tree) -> NDArray[np.int64]:
    """The node that each entry of the stored class counts belongs to."""
    return np.repeat(np.arange(tree.n_nodes), np.diff(tree.arrays()["count_start"]))


# Held-out rows on a grown tree: what they lose at each node if it were a leaf.


@dataclass(frozen=True)
class HeldOut:
    """What the held-out rows tell about each node of a tree.

    Attributes
    ----------
    as_leaf : array
        What the rows that come to a node lose if the node answers them all.
    ends : array
        What the rows that end at a node lose there; at an inner node these are the rows that go no further.
    weight : array
        The weight of the rows that come to a node.
    """

    as_leaf: Floats
    ends: Floats
    weight: Floats


@dataclass(frozen=True)
class ValidationRows:
    """The held-out rows: where each ends in the tree, what is true of it, and its weight.

    A row may be there in pieces that end at different nodes. Classes that the tree does not know are -1.
    """

    nodes: NDArray[np.int32]
    truth: NDArray[np.float64] | NDArray[np.int32]
    weights: Floats

    @classmethod
    def in_pieces(
        cls,
        start: NDArray[np.int64],
        nodes: NDArray[np.int32],
        shares: Floats,
        truth: NDArray[Any],
        weights: Floats,
    ) -> ValidationRows:
        """Take rows that may end at several nodes: row i has the nodes and shares from start[i] to start[i + 1].

        Examples
        --------
        >>> pieces = np.array([0, 2], dtype=np.int64), np.array([1, 2], dtype=np.int32), np.array([0.25, 0.75])
        >>> ValidationRows.in_pieces(*pieces, truth=np.array([0], dtype=np.int32), weights=np.array([2.0])).weights
        array([0.5, 1.5])
        """
        row = np.repeat(np.arange(len(truth)), np.diff(start))
        return cls(nodes, truth[row], weights[row] * shares)

    def of(self, tree: _core.Tree, loss: str) -> HeldOut:
        """Let the rows judge every node by a loss: "classes", or a regression's criterion.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "a", "b"])
        >>> rows = ValidationRows(np.array([1, 2], dtype=np.int32), np.array([1, 1], dtype=np.int32), np.ones(2))
        >>> rows.of(model.tree_.core, "classes").as_leaf
        array([2., 1., 0.])
        """
        if loss == "classes":
            return self._by_classes(tree)
        order = np.lexsort((self.weights, self.truth, self.nodes))
        nodes, weights = self.nodes[order], np.ascontiguousarray(self.weights[order])
        truth = np.ascontiguousarray(self.truth[order], dtype=np.float64)
        as_leaf, ends = _core.held_out_losses(tree, nodes, truth, weights, loss)
        refuse_overflow(as_leaf)
        return HeldOut(as_leaf, ends, sums_below(tree, node_sums(tree, nodes, weights)))

    def _by_classes(self, tree: _core.Tree) -> HeldOut:
        """Below a node in preorder lies a run of nodes, so the rows of its class that come to it are found by counting.

        Sorted by class and node, they are one run of rows for each node.
        """
        n, answers = tree.n_nodes, tree.arrays()["prediction"].astype(np.int64)
        weights = whole_parts(self.weights)
        key = self.truth.astype(np.int64) * n + self.nodes
        order = np.argsort(key, kind="stable")
        so_far = np.concatenate([[0.0], np.cumsum(weights[order])])
        first = np.arange(n)
        last = first + sums_below(tree, np.ones(n)).astype(np.int64)
        from_row, to_row = np.searchsorted(key[order], [answers * n + first, answers * n + last])
        right = so_far[to_row] - so_far[from_row]
        weight = sums_below(tree, node_sums(tree, self.nodes, weights))
        wrong = self.truth != answers[self.nodes]
        return HeldOut(weight - right, node_sums(tree, self.nodes, weights * wrong), weight)


def whole_parts(weights: Floats) -> Floats:
    """Round weights to multiples of one power of two, so small that whole numbers stay as they are and sums are exact.

    Examples
    --------
    >>> whole_parts(np.array([1.0, 2.0, 0.1])).round(12).tolist()
    [1.0, 2.0, 0.1]
    """
    total = float(np.sort(weights).sum())  # sorted, so that the order of the rows cannot change the unit
    if total == 0:
        return weights
    unit = 2.0 ** (np.ceil(np.log2(total)) - 52)
    return np.asarray(np.round(weights / unit) * unit)


Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a tree was grown from, as the core takes them."""

    table: _core.Table
    target: _core.Target
    rows: NDArray[np.uint32]  # those with a weight
    threads: int


@dataclass(frozen=True)
class Grown:
    """A grown tree with all that a pruner may look at."""

    tree: _core.Tree
    schema: Schema
    criterion: str
    held_out: HeldOut | None = None  # what rows tell that had no part in growing the tree
    training: TrainingRows | None = None


def is_number(value: Any) -> bool:
    """Whether it is a number that a double can hold, or infinity.

    >>> is_number(0.5), is_number(True), is_number("0.5"), is_number(10**400)
    (True, False, False, False)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) <= sys.float_info.max
    return isinstance(value, float | np.integer | np.floating)


class Pruner:
    """A way of pruning with its own numbers. Subclasses are frozen dataclasses."""

    prunes_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            object.__setattr__(self, name, plain_value(value))

    @property
    def looks_at_training_rows(self) -> bool:
        """Whether it makes use of the rows that the tree was grown from."""
        return False

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes that become leaves; whatever stands below a marked node goes, marked or not."""
        raise NotImplementedError

    def cut(self, grown: Grown) -> _core.Tree:
        """Give the smaller tree."""
        if not self.prunes_numbers and grown.tree.n_classes == 0:
            raise DataError(
                f"{type(self).__name__} counts classes, so it cannot prune a regression tree. Use CostComplexity, "
                "ReducedError, ValidationGain, MinimumError, CriticalValue or MergeEqualLeaves."
            )
        return grown.tree.cut_at(self.becomes_leaf(grown).astype(np.uint8))

    def _refuse(self, name: str, rule: str) -> None:
        value = getattr(self, name)
        raise DataError(f"The '{name}' of {type(self).__name__} must be {rule}. Got {value!r} instead.")

    def _check_number(self, name: str, rule: str, low: float, high: float, open_ends: bool = True) -> None:
        """Refuse what is no number, or lies outside (low, high); the low end itself may be allowed."""
        value: Any = getattr(self, name)
        if not is_number(value) or not (low < value < high or (not open_ends and value == low)):
            self._refuse(name, rule)

    def _check_word(self, name: str, words: tuple[str, ...]) -> None:
        value: Any = getattr(self, name)
        if not isinstance(value, str) or value not in words:
            self._refuse(name, " or ".join(repr(word) for word in words))


class JudgedByRows(Pruner):
    """A pruner that looks at rows that had no part in growing the tree."""

    share: float  # of the training rows, where pruning is part of the training

    def rows_of(self, grown: Grown) -> HeldOut:
        """Give what the held-out rows tell about the tree."""
        if grown.held_out is None:
            raise DataError(
                f"{type(self).__name__} judges a tree by rows that it was not trained on: pass them as X and y."
            )
        return grown.held_out
