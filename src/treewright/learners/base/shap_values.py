"""SHAP values of a fitted model: how much each column moved each answer away from the mean answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.threads import thread_count
from treewright.memory import Block, refuse_beyond_memory

Floats = NDArray[np.float64]
AnsweringTree = tuple[_core.Tree, Floats]  # with what each of its nodes answers: nodes × outputs


@dataclass(frozen=True)
class ExplainedAnswers:
    """The trees behind a model's answers, as the core explains them."""

    trees: _core.Explained
    start: Floats  # what the sums start from, one number an output
    per_class: bool  # whether there is a number for each class; else one for all

    def shaped(self, values: Floats) -> Floats:
        """Without the last axis where there is only one number."""
        return values if self.per_class else values[..., 0]


def explained_trees(trees: Iterable[AnsweringTree], start: Floats, per_class: bool, factor: float) -> ExplainedAnswers:
    """Ordinary trees whose answers are added up, each times `factor`."""
    entries = [(tree, np.ascontiguousarray(answers, dtype=np.float64), 0, factor) for tree, answers in trees]
    return ExplainedAnswers(_core.Explained(entries, entries[0][0].n_columns, len(start)), start, per_class)


def refuse_spread_votes(trees: Iterable[_core.Tree]) -> None:
    """A row in several leaves has one vote, and that is no sum over its leaves."""
    if any(tree.spreads for tree in trees):
        raise DataError(
            "SHAP values are sums over leaves. Here every tree has one vote, and its trees spread a row with a missing "
            "value over several leaves. Use a recipe that sends it to one of them (missing='learn'), or mean shares."
        )


# The methods of every model of one tree and of many; `_explained` names its trees and what their nodes add.


def shap_values(model: Any, X: Any, *, background: Any = None) -> Floats:
    """Give how much each column moved each answer away from `expected_value` (exact SHAP values of trees).

    The values of a row add up to its answer less `expected_value`; with a background, less the mean answer of the
    background. The answer is what `predict` gives for numbers
    and `predict_proba` for classes; of boosting it is the raw score (`decision_function`, or the logarithm of
    `predict` where the loss has a log link).

    Parameters
    ----------
    X : data frame or array of shape (n_rows, n_columns)
        The rows to explain, with the columns of the training table.
    background : data frame or array, optional
        Some rows, a hundred say. What a column is not known to say is then taken from each of them in turn
        ("interventional"), and not averaged over the branches of its tests.

    Returns
    -------
    array of shape (n_rows, n_columns), or (n_rows, n_columns, n_classes) where every class has an answer

    Notes
    -----
    Without a background, what a column is not known to say is averaged over the branches of its tests by their
    training weights. A test of several columns counts as a column of its own, and its value is parted among its
    columns. docs/shap.md says it all.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeRegressor().fit([[1, 5], [2, 5], [1, 7], [2, 7]], [0, 10, 20, 40])
    >>> model.shap_values([[2, 7]]), model.expected_value
    (array([[ 8.75, 13.75]]), 17.5)
    """
    rows = _as_given(model, X)
    explained: ExplainedAnswers = model._explained()
    n_rows = rows[0] if isinstance(rows, tuple) else len(rows)
    answers = Block(8, rows=n_rows, columns=model.n_features_in_, answers=len(explained.start))
    refuse_beyond_memory(f"{type(model).__name__}.shap_values", [answers], "Explain fewer rows at a time.")
    threads = thread_count(model.n_jobs)
    if background is None:
        return explained.shaped(explained.trees.shap_values(rows, threads))
    others = _as_given(model, background)
    if not (others[0] if isinstance(others, tuple) else len(others)):
        raise DataError("A background is compared with, and the table has no rows. Pass some.")
    return explained.shaped(explained.trees.background_values(rows, others, threads))


def expected_value(model: Any) -> Any:
    """The answer when nothing is known of a row: a number, or an array with one for each class."""
    check_is_fitted(model)
    explained: ExplainedAnswers = model._explained()
    expected = explained.start + explained.trees.expected()
    return expected if explained.per_class else float(expected[0])


def _as_given(model: Any, X: Any) -> Any:
    """Rows as the core takes them."""
    frame = model._rows(X)  # which says so when the model is not fitted
    rows = model._lookup.encode(frame)
    return rows.matrix if rows.matrix is not None else (rows.n_rows, rows.parts)
