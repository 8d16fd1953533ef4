"""New rows through a fitted tree: many at once, or one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.table_lookup import Rows, TableLookup
from treewright.table.frame import InputFrame
from treewright.tree.tree import Tree

# The nodes on the way to given leaves, as a sparse matrix.


def node_paths(tree: Tree, leaves: NDArray[np.int32]) -> Any:
    """Give a matrix of rows × nodes with a 1 where the row passes the node.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> node_paths(example_tree(), np.array([1, 4], dtype=np.int32)).toarray()
    array([[1, 1, 0, 0, 0],
           [1, 0, 1, 0, 1]])
    """
    from scipy.sparse import csr_matrix

    lengths = tree.node_depth[leaves].astype(np.int64) + 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    nodes = np.empty(starts[-1], dtype=np.int64)
    at, place = leaves.astype(np.int64), starts[1:] - 1
    alive = np.arange(len(leaves))
    while len(alive):  # one step up for all rows at once; a row drops out at the root
        nodes[place[alive]] = at[alive]
        at[alive] = tree.node_parent[at[alive]]
        place[alive] -= 1
        alive = alive[at[alive] >= 0]
    return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(len(leaves), tree.n_nodes))


# How much each column matters to a tree.


Floats = NDArray[np.float64]


def column_importance(arrays: Mapping[str, NDArray[Any]], n_columns: int) -> Floats:
    """The gains of the splits of each column, as shares that sum to 1.

    Where the surrogates of a node were chosen by agreement, a surrogate earns its adjusted agreement times the gain of
    the split that it stands in for; the gain is then that on the rows which the split can send itself (as rpart). The
    surrogates of conditional trees were chosen by tests and earn nothing.
    """
    gain = arrays["gain"]
    if "improvement" in arrays:
        gain = np.where(np.isnan(arrays["improvement"]), gain, arrays["improvement"])
    inner = arrays["column"] >= 0
    largest = np.max(gain[inner], initial=0.0)
    share = np.where(inner, gain / largest, 0.0) if 0 < largest < np.inf else np.zeros(len(gain))
    worth = arrays["weight"] / arrays["weight"][0] * share
    total = np.bincount(arrays["column"][inner], weights=worth[inner], minlength=n_columns).astype(np.float64)
    if "surrogate_start" in arrays and "improvement" in arrays:
        of_node = np.repeat(worth, np.diff(arrays["surrogate_start"]))
        column = arrays["surrogate_column"].astype(np.int64)
        total += np.bincount(column, weights=of_node * arrays["surrogate_adjusted"], minlength=n_columns)
    return total / total.sum() if total.sum() > 0 else total


def importance_with_sums(arrays: Mapping[str, NDArray[Any]], n_columns: int) -> Floats:
    """The same for a tree with tests of weighted sums: a sum counts for its columns in parts.

    The parts are the sizes of the coefficients per standard deviation.
    """
    worth = arrays["weight"] / arrays["weight"][0] * arrays["gain"]
    largest = np.max(worth, initial=0.0)
    if not 0 < largest < np.inf:
        return np.zeros(n_columns)
    terms = np.diff(arrays["term_start"]) if "term_start" in arrays else np.zeros(len(worth), np.int64)
    alone = (arrays["column"] >= 0) & (terms == 0)
    total = np.bincount(arrays["column"][alone], worth[alone] / largest, n_columns)
    if terms.any():
        in_parts = np.repeat(worth / largest, terms) * arrays["term_share"]
        total = total + np.bincount(arrays["term_column"].astype(np.int64), in_parts, n_columns)
    return np.asarray(total / total.sum())


class RowLookup(TableLookup):
    """What a model needs to answer rows, made when it is first asked for and then kept.

    Parameters
    ----------
    tree : Tree
    refuse_missing : bool
        Whether a missing value is an error.
    labels : array, optional
        The classes in order; None for a regression.
    """

    def __init__(self, tree: Tree, refuse_missing: bool, labels: NDArray[Any] | None = None) -> None:
        self.tree = tree
        # Of classes the number of the label: a label for each node would multiply the nodes by the widest label.
        self.answers: NDArray[Any] = tree.arrays["value" if tree.classes is None else "prediction"]
        self.labels = labels if labels is not None else np.zeros(0)
        super().__init__(tree.schema, refuse_missing)

    def find_leaves(self, frame: Rows, threads: int) -> NDArray[np.int32]:
        """The node where each row ends."""
        return self.encode(frame).find_leaves(cast(_core.Tree, self.tree.core), threads)

    def find_leaf_shares(
        self, frame: Rows, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Where the pieces of each row end, with their shares; row i has those from start[i] to start[i + 1]."""
        core = cast(_core.Tree, self.tree.core)
        if core.spreads:
            return self.encode(frame).find_leaf_shares(core, threads)
        leaves = self.find_leaves(frame, threads)
        return np.arange(len(leaves) + 1), leaves, np.ones(len(leaves))

    def class_shares(self, frame: Rows, threads: int) -> NDArray[np.float64]:
        """The shares of the classes where each row ends; a row in several leaves has the mixture of them."""
        core = cast(_core.Tree, self.tree.core)
        if not core.spreads:
            return _core.class_shares(core, self.find_leaves(frame, threads), threads)
        start, nodes, shares = self.encode(frame).find_leaf_shares(core, threads)
        return _mixed(start, shares, _core.class_shares(core, nodes, threads))

    def shares_by_node(self, frame: Rows, shares: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
        """The same out of shares that are given for every node: nodes × classes."""
        start, nodes, parts = self.find_leaf_shares(frame, threads)
        return shares[nodes] if len(nodes) == len(start) - 1 else _mixed(start, parts, shares[nodes])

    def answer(self, frame: Rows, threads: int) -> NDArray[Any]:
        """What each row is answered with: a number, or a class."""
        return self.values(frame, threads) if self.tree.classes is None else self.classes(frame, threads)

    def values(self, frame: Rows, threads: int) -> NDArray[np.float64]:
        """The number that each row is answered with; a row in several leaves gets the mean of them."""
        core = cast(_core.Tree, self.tree.core)
        if core.has_equations:
            return self.encode(frame).equation_values(core, threads)
        if not core.spreads:
            return cast(NDArray[np.float64], self.answers[self.find_leaves(frame, threads)])
        start, nodes, shares = self.encode(frame).find_leaf_shares(core, threads)
        return _mixed(start, shares, self.answers[nodes][:, None])[:, 0]

    def classes(self, frame: Rows, threads: int) -> NDArray[Any]:
        """The class that each row is answered with; for a row in several leaves the one with the largest share."""
        numbers = self.answers[self.find_leaves(frame, threads)]
        if cast(_core.Tree, self.tree.core).spreads:
            spread, best = self._spread_classes(frame, threads)
            numbers[spread] = best
        return cast(NDArray[Any], self.labels[numbers])

    def _spread_classes(self, frame: Rows, threads: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        core = cast(_core.Tree, self.tree.core)
        start, nodes, shares = self.encode(frame).find_leaf_shares(core, threads)
        spread = np.diff(start) > 1
        inside = np.repeat(spread, np.diff(start))
        lengths = np.concatenate([[0], np.cumsum(np.diff(start)[spread])])
        mixed = _mixed(lengths, shares[inside], _core.class_shares(core, nodes[inside], threads))
        return spread, mixed.argmax(axis=1)

    def shares_of_one(self, values: Any) -> NDArray[np.float64]:
        """The class shares of one row, for an ensemble that adds them up."""
        node = np.array([self._node_reader(values)], dtype=np.int32)
        return cast(NDArray[np.float64], _core.class_shares(cast(_core.Tree, self.tree.core), node, 1)[0])

    def vote_of_one(self, values: Any) -> NDArray[np.float64]:
        """The class of one row as a vote, for an ensemble that counts them."""
        return np.asarray(self.labels == self._reader(values), dtype=np.float64)

    @cached_property
    def _node_reader(self) -> _core.OneRow:
        core = cast(_core.Tree, self.tree.core)
        return _core.OneRow(core, list(self.schema.names), self.encoder.level_codes, list(range(core.n_nodes)))

    @cached_property
    def _reader(self) -> Callable[[Any], Any]:
        names, answers = list(self.tree.schema.names), self.answers.tolist()
        if self.tree.classes is not None:
            labels = self.labels.tolist()
            answers = [labels[number] for number in answers]
        return _core.OneRow(cast(_core.Tree, self.tree.core), names, self.encoder.level_codes, answers)

    def answers_to(self, frame: InputFrame) -> NDArray[Any]:
        """What each row is answered with."""
        return self.answer(frame, 1)


def _mixed(start: NDArray[np.int64], shares: NDArray[np.float64], answers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up what the leaves of each row say, by their shares, one after the other: exports do it in the same order."""
    rows, n_rows = np.repeat(np.arange(len(start) - 1), np.diff(start)), len(start) - 1
    mixed = np.column_stack([np.bincount(rows, shares * answer, n_rows) for answer in answers.T])
    return mixed.astype(np.float64, copy=False)  # numpy counts no rows in whole numbers


def node_answers(tree: _core.Tree, output_kind: str) -> NDArray[np.float64]:
    """What every node of a tree adds to the sums of an ensemble: nodes × outputs.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> core = _core.Tree(example_tree().core.arrays(), 2, 2)
    >>> node_answers(core, "votes").tolist()
    [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    """
    arrays = tree.arrays()
    if output_kind == "values":
        return np.asarray(arrays["value"], dtype=np.float64)[:, None]
    if output_kind == "shares":
        return _core.class_shares(tree, np.arange(tree.n_nodes, dtype=np.int32), 1)
    return np.asarray(arrays["prediction"][:, None] == np.arange(tree.n_classes), dtype=np.float64)
