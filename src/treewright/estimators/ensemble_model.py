"""What every estimator with many small trees does: fit = open → encode → grow → store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _get_feature_names, check_is_fitted

from treewright import _core
from treewright.encode.input_frame import open_frame
from treewright.estimators.ensemble_lookup import EnsembleLookup
from treewright.estimators.ensemble_state import EnsembleState
from treewright.estimators.ensemble_text import ensemble_text
from treewright.estimators.explained_trees import ExplainedTrees
from treewright.estimators.node_paths import node_paths
from treewright.estimators.persist import fitted_attributes
from treewright.estimators.progress_bar import show_progress
from treewright.estimators.row_groups import encode_groups
from treewright.estimators.row_lookup import node_answers
from treewright.estimators.shapley_values import (
    ExplainedAnswers,
    ShapleyValues,
    explained_trees,
)
from treewright.estimators.single_trees import SingleTrees
from treewright.estimators.table_model import TableModel
from treewright.estimators.threads import thread_count
from treewright.estimators.training_data import TrainingData
from treewright.estimators.tree_sequence import TreeSequence
from treewright.estimators.whole_lookup import WholeLookup
from treewright.estimators.whole_trees import WholeTrees

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GrownTrees:
    """What growing gives: the trees, and what else was learnt, by the names of the attributes (`oob_score_` …)."""

    ensemble: _core.Ensemble
    learnt: Mapping[str, Any] = field(default_factory=dict)


class EnsembleModel(ShapleyValues, ExplainedTrees, EnsembleState, TableModel):
    """The part that classifiers and regressors of many trees share. Subclasses grow, and say what sums mean."""

    trees_: TreeSequence
    _labels: list[Any] | None  # the classes as plain values
    _lookup: EnsembleLookup
    _each_tree_counts_same = True  # for the importance of columns; in boosting later trees count less
    _score_name = "score"  # what the score of the progress bar is called

    # ---------------------------------------------------------------- what a subclass says
    def _grow_trees(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        """Grow the trees from the encoded table; `progress` is shown while the core writes it."""
        raise NotImplementedError

    def _says(self) -> str:
        """What a leaf adds to the sums: "values", "shares" or "votes"."""
        raise NotImplementedError

    def _start(self, core: _core.Ensemble, learnt: Mapping[str, Any]) -> Floats:
        """Where the sums start; as many numbers as there are outputs."""
        return np.zeros(max(1, core.n_classes))

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        """What rows with these sums are answered with."""
        raise NotImplementedError

    def _answer_one(self, sums: list[float]) -> Any:
        """The same for one row, as a plain value of Python."""
        answer = self._answer(np.array([sums]), len(self.trees_))[0]
        return answer.item() if isinstance(answer, np.generic) else answer

    def _criterion_of_trees(self) -> str | None:
        """What the impurities in the trees are."""
        return getattr(self, "criterion", None)

    # ---------------------------------------------------------------- the steps of fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees. If it is interrupted or refused, the estimator stays as it was.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a duckdb relation, a numpy array or a list of rows. Text, categories,
            booleans, dates and missing values are taken as they are.
        y : column of length n_rows
            The target.
        sample_weight : column of length n_rows, optional
            How much each row counts. A weight of 2 is the same as the row twice; a weight of 0 drops it.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        self._validate_params()
        X = self._table(X)
        frame, names = open_frame(X), _get_feature_names(X)
        training = self._encode(frame, y, sample_weight)
        if groups is not None:
            training = replace(training, groups=encode_groups(groups, frame.n_rows))
        progress = _core.Progress()
        with show_progress(progress, type(self).__name__, self._score_name, getattr(self, "verbose", 0)):
            grown = self._grow_trees(training, progress)
        fitted = fitted_attributes(cast(Any, grown.ensemble), training.table.schema, training.classes, names)
        self._set_fitted({**fitted, **grown.learnt})
        return self

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        """Replace everything that was learnt in one step, so that an interrupt finds the old state or the new one."""
        kept = {name: value for name, value in self.__dict__.items() if not _is_learnt(name)}
        core, schema, classes = fitted.pop("core"), fitted.pop("schema"), fitted.get("classes_")
        labels = None if classes is None else classes.tolist()
        trees = TreeSequence(core, schema, labels, self._criterion_of_trees())
        refuses = self.missing == "refuse" and self._refuses_unknown_levels
        start = self._start(core, fitted)
        kind = WholeLookup if isinstance(core, WholeTrees) else EnsembleLookup
        lookup = kind(trees, self._says(), start, self._answer, self._answer_one, refuses)
        self.__dict__ = {**kept, **fitted, "trees_": trees, "_labels": labels, "_lookup": lookup}

    # ---------------------------------------------------------------- looking rows up
    def _sums(self, X: Any) -> Floats:
        frame = self._rows(X)
        return self._lookup.sums(frame, thread_count(self.n_jobs))

    def _stages(self, X: Any) -> Iterator[tuple[int, Floats]]:
        """The number of trees and their sums after each round of growing."""
        frame = self._rows(X)
        per_stage = 1 if self._lookup.says != "values" else len(self._lookup.start)
        return self._lookup.stages(frame, per_stage, thread_count(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Give the number of the node in which each row ends in each tree: rows × trees.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).apply([[0], [7]])
        array([[1, 1],
               [2, 2]])
        """
        return self._lookup_nodes(X).astype(np.int64)

    def _lookup_nodes(self, X: Any) -> NDArray[np.int32]:
        frame = self._rows(X)
        return self._lookup.nodes(frame, thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Give the nodes that each row passes, as a sparse matrix with the nodes of all trees side by side.

        The second result tells where each tree's columns begin, and where the last one's end.

        Examples
        --------
        >>> import treewright as tw
        >>> paths, ends = tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).decision_path([[7]])
        >>> paths.toarray(), ends
        (array([[1, 0, 1, 1, 0, 1]]), array([0, 3, 6]))
        """
        from scipy.sparse import hstack

        nodes = self._lookup_nodes(X)
        paths = [node_paths(self.trees_[i], nodes[:, i]) for i in range(nodes.shape[1])]
        ends = np.cumsum([0, *(path.shape[1] for path in paths)])
        return hstack(paths, format="csr"), ends

    def _explained(self) -> ExplainedAnswers:
        core, says, start = self.trees_.core, self._lookup.says, self._lookup.start
        per_class = says != "values" or len(start) > 1
        factor = 1 / len(self.trees_) if self._each_tree_counts_same else 1.0
        if isinstance(core, WholeTrees):
            return explained_trees(((tree, node_answers(tree, says)) for tree in core.trees), start, per_class, factor)
        return ExplainedAnswers(_core.Explained(core, says, len(start), factor), start, per_class)

    # ---------------------------------------------------------------- about the trees
    @property
    def estimators_(self) -> SingleTrees:
        """The trees as fitted models of their own, each made when it is asked for: to ask, to prune, to save."""
        check_is_fitted(self)
        return SingleTrees(self)

    @property
    def feature_importances_(self) -> Floats:
        """How much each column lowered the impurity, as shares that sum to 1."""
        check_is_fitted(self)
        worth = self.trees_.core.column_worth(self._each_tree_counts_same)
        return cast(Floats, worth / worth.sum() if worth.sum() > 0 else worth)

    def __str__(self) -> str:
        return ensemble_text(self) if "trees_" in self.__dict__ else repr(self)


def _is_learnt(name: str) -> bool:
    return name in ("_lookup", "_labels") or (name.endswith("_") and not name.startswith("_"))
