"""What a fitted model of one tree can tell about its splits, with rows at hand: candidates, hold-out, stability."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.inspection.change import column_index
from treewright.inspection.split_candidates import curve_criterion, score_curve
from treewright.learners.base.content_order import order_of_table
from treewright.learners.base.options import SEED, option
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.explained_answer import need_both
from treewright.learners.trees.training_data import TrainingData, grow_tree
from treewright.table.encode import EncodedTable
from treewright.table.schema import Column, Schema
from treewright.table.target import encode_weights
from treewright.tree.format import largest_first
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

    from treewright.inspection.holdout_leaves import HoldoutLeaves
    from treewright.inspection.stability import Stability


# The best split that every column offers at a node, found by the model's own algorithm on the rows of the node.


def column_candidates(model: Any, node: int, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
    """Grow a tree of one split from each column alone, on the training rows that come to the node; best first."""
    import pandas as pd

    training, rows = _rows_at(model, node, X, y, sample_weight)
    lines = [_best_split(model, training, rows, j) for j in range(len(training.table.schema.columns))]
    frame = pd.DataFrame(lines, columns=["column", "test", "gain", "p_value"])
    best = frame["gain"].max()
    frame.insert(3, "share_of_best", frame["gain"] / best if best > 0 else 0.0)
    arrays = model.tree_.arrays
    asked = model.tree_.schema.names[int(arrays["column"][node])] if arrays["n_children"][node] else None
    frame["is_chosen"] = frame["column"] == asked
    return frame.iloc[largest_first(frame["gain"])].reset_index(drop=True)


def _best_split(model: Any, training: TrainingData, rows: NDArray[np.uint32], j: int) -> tuple[str, Any, float, float]:
    column = training.table.schema.columns[j]
    alone = EncodedTable(training.table.core.with_columns([j]), Schema((column,), training.table.schema.target))
    recipe = replace(training.recipe, max_depth=1, max_leaf_nodes=None, min_impurity_decrease=0.0)
    stump = grow_tree(replace(training, table=alone, recipe=recipe), rows)
    labels = None if training.classes is None else training.classes.tolist()
    root = Tree(stump, alone.schema, labels, model.tree_.criterion).root
    if root.is_leaf or root.test is None:
        return column.name, None, 0.0, np.nan if root.p_value is None else root.p_value
    return column.name, root.test.text, root.gain, np.nan if root.p_value is None else root.p_value


def _gains_of_cuts(model: Any, node: int, column: str, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
    """Give the gain of every cut of a numeric column on the training rows that come to the node."""
    import pandas as pd

    training, rows = _rows_at(model, node, X, y, sample_weight)
    j = column_index(model.tree_.schema.names, column, "column")
    about: Column = model.tree_.schema.columns[j]
    if about.kind == "nominal":
        raise DataError(
            f"Column '{column}' is nominal, so it has no thresholds. Name one of numbers or ordered levels."
        )
    encoded = model._lookup.encoder.encode(model._rows(X))
    values = _numbers(encoded, j)[rows]
    n_classes = 0 if training.classes is None else len(training.classes)
    criterion = curve_criterion(model.tree_.criterion, n_classes > 0)
    found = score_curve(values, training.truth[rows], training.row_weights[rows], n_classes, criterion)
    frame = pd.DataFrame(found)
    frame.attrs["criterion"] = criterion
    return frame


def _numbers(encoded: Any, j: int) -> NDArray[np.float64]:
    if encoded.matrix is not None:
        return np.asarray(encoded.matrix[:, j], dtype=np.float64)
    kind, values, mask = encoded.parts[j]
    holes = values == 0 if kind == "levels" else np.zeros(len(values), bool) if mask is None else mask != 0
    return np.where(holes, np.nan, np.asarray(values, dtype=np.float64))


def _rows_at(model: Any, node: int, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingData, NDArray[np.uint32]]:
    """Encode the rows as fit does, and find those that come to a node."""
    tree = model.tree_
    if not 0 <= node < tree.n_nodes:
        raise DataError(f"There is no node {node}. The tree has the nodes 0 to {tree.n_nodes - 1}.")
    frame = model._rows(X)
    training = model._encode(frame, y, sample_weight)
    ends = model._lookup.find_leaves(frame, thread_count(model.n_jobs))
    after = np.flatnonzero(tree.node_depth[node + 1 :] <= tree.node_depth[node])  # what is under a node follows it
    last = node + 1 + int(after[0]) if len(after) else tree.n_nodes
    here = np.flatnonzero((ends >= node) & (ends < last)).astype(np.uint32)
    rows = np.intersect1d(here, _core.rows_that_count(training.target)).astype(np.uint32)
    if not len(rows):
        raise DataError(f"None of the rows comes to node {node}. Pass the rows that the model was trained on.")
    return training, rows


# What a fitted tree can tell about itself, as the methods of every model of one tree.


def candidates(model: Any, node_id: int, X: Any = None, y: Any = None, sample_weight: Any = None) -> pd.DataFrame:
    """The splits that a node had to choose from.

    With the training rows, X and y: the best split of every column at the node, best first, found by the model's
    own algorithm. `gain` is the fall of impurity, `share_of_best` the same as a share of the best, `p_value` that
    of the column's own test where the algorithm makes one (not adjusted for the number of columns).

    Without rows, for CART models trained with ``keep_candidates=True``: what the tree kept. A row for each split:
    the one that was taken (`primary`), the best of other columns (`competitor`, best first), and those that stand
    in for rows without a value (`surrogate`, most alike first). `left` and `right` say which rows go to the first
    and to the second branch; `improvement` is the fall of impurity times the weight of the node (for numbers: the
    sum of squares explained), counted on the rows with a value; `agreement` is the share of the weight that a
    surrogate sends as the primary split does, `adjusted` the same with 0 for sending every row the way of most.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(missing="surrogates", keep_candidates=True, min_samples_leaf=7).fit(X, y)
    >>> model.candidates(0)[["role", "left", "improvement", "adjusted"]].round(3)
             role           left  improvement  adjusted
    0     primary   Start <= 8.5        6.762       NaN
    1  competitor  Number <= 5.5        2.867       NaN
    2  competitor    Age <= 39.5        2.250       NaN
    3   surrogate   Number > 6.5          NaN     0.158
    >>> model.candidates(0, X, y)[["test", "gain", "share_of_best", "is_chosen"]].round(3)
                test   gain  share_of_best  is_chosen
    0   Start <= 8.5  0.083          1.000       True
    1  Number <= 5.5  0.035          0.424      False
    2    Age <= 39.5  0.028          0.333      False
    """
    check_is_fitted(model)
    if X is None and y is None:
        stored: pd.DataFrame = model._stored_candidates(node_id)
        return stored

    need_both(X, y)
    return column_candidates(model, node_id, X, y, sample_weight)


def candidate_curve(model: Any, node_id: int, column: str, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
    """The gain of every cut of a column at a node: how narrow the win was.

    Parameters
    ----------
    node_id : int
    column : str
        A numeric or ordinal column.
    X, y, sample_weight
        The rows that the model was trained on.

    Returns
    -------
    DataFrame
        `threshold`, `gain` and `weight_below`, counted on the rows with a value. `attrs["criterion"]` names the
        criterion: the tree's own if it is gini, entropy, error or squared error, else gini or squared error.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> curve = tw.DecisionTreeClassifier(max_depth=1).fit(X, y).candidate_curve(0, "petallength", X, y)
    >>> curve.loc[curve["gain"].idxmax()].round(3).to_dict()
    {'threshold': 2.45, 'gain': 0.333, 'weight_below': 50.0}
    """

    check_is_fitted(model)
    return _gains_of_cuts(model, node_id, column, X, y, sample_weight)


def holdout_leaves(model: Any, X: Any, y: Any) -> HoldoutLeaves:
    """Judge the leaves by rows that had no part in training: their rate and its interval beside the training rate.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> found = tw.DecisionTreeClassifier(max_depth=1).fit(X[:60], y[:60]).holdout_leaves(X[60:], y[60:])
    >>> found.summary
    'Held out: 17 of 21 rows right (81 %; 95 % confidence interval 60 % to 92 %). Training: 78 %.'
    """
    from treewright.inspection.holdout_leaves import read_holdout_leaves

    check_is_fitted(model)
    need_both(X, y)
    ends, answers, truth = model.apply(X), model.predict(X), np.asarray(y)
    if len(truth) != len(ends):
        raise DataError(f"X has {len(ends):,} rows, but y has {len(truth):,}. Give one truth for each row.")
    return read_holdout_leaves(model.tree_, ends, truth, answers)


def stability(
    model: Any, X: Any, y: Any, replicates: int = 50, *, sample_weight: Any = None, random_state: int = 0
) -> Stability:
    """Say in how many bootstrap replicates each split comes back, and which branches are luck.

    Every replicate draws as many rows as there are, with replacement, and grows a tree with the same parameters.

    Parameters
    ----------
    X, y, sample_weight
        The rows that the model was trained on.
    replicates : int, default 50
    random_state : int, default 0

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> tw.DecisionTreeClassifier(max_depth=2).fit(X, y).stability(X, y, replicates=5)
    <Stability of 2 splits in 5 replicates>
    """
    from treewright.inspection.stability import count_returns

    check_is_fitted(model)
    if not isinstance(replicates, int) or not 1 <= replicates < 2**31:
        raise DataError(f"'replicates' must be a whole number of at least 1. Got {replicates!r} instead.")
    random_state = option("stability", "random_state", random_state, SEED)
    weights = encode_weights(sample_weight, len(y))
    given = np.ones(len(y)) if weights is None else weights
    order = order_of_table(X, np.asarray(y), weights)
    trees = (_replicate(model, X, y, given, order, [random_state, i]).tree_ for i in range(replicates))
    return count_returns(model.tree_, trees, replicates)


def _replicate(
    model: Any, X: Any, y: Any, weights: NDArray[np.float64], order: NDArray[np.uint32], seed: list[int]
) -> Any:
    """Fit anew on rows drawn with replacement: a row that is drawn twice has weight 2, one that is not has none."""
    drawn = np.random.default_rng(seed).integers(0, len(weights), len(weights))
    counts = np.bincount(order[drawn], minlength=len(weights)) * weights
    return clone(model).fit(X, y, sample_weight=counts)
