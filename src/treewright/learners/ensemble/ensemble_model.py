"""What every estimator with many small trees does: fit = open → encode → grow → store; classes and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import _get_feature_names, check_is_fitted

from treewright import _core
from treewright.learners.base.folds import encode_groups
from treewright.learners.base.progress_bar import show_progress
from treewright.learners.base.shap_values import ExplainedAnswers, ShapleyValues, explained_trees
from treewright.learners.base.table_model import TableModel
from treewright.learners.base.target import ClassTarget, NumberTarget
from treewright.learners.base.threads import thread_count
from treewright.learners.ensemble.explained_trees import ExplainedTrees
from treewright.learners.ensemble.lookup import EnsembleLookup, WholeLookup
from treewright.learners.ensemble.state import EnsembleState
from treewright.learners.ensemble.text import ensemble_text
from treewright.learners.ensemble.tree_store import SingleTrees, TreeSequence, WholeTrees
from treewright.learners.trees.training_data import TrainingData
from treewright.learners.trees.tree_lookup import node_answers, node_paths
from treewright.save.persist import fitted_attributes
from treewright.table.frame import open_frame

# What every estimator with many small trees does: fit = open → encode → grow → store.


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


# What every classifier with many small trees has: the target as classes, and the answers to new rows.


class EnsembleClassifier(ClassTarget, ClassifierMixin, EnsembleModel):  # type: ignore[misc]
    """Trees that predict classes by the mean of their shares, or by votes; subclasses grow them."""

    classes_: NDArray[Any]

    def _says(self) -> str:
        return "votes" if getattr(self, "voting", "mean") == "vote" else "shares"

    def _probabilities(self, sums: Floats, n_trees: int) -> Floats:
        """What sums over so many trees mean for the classes; each row adds up to 1."""
        return sums / n_trees

    def _class_numbers(self, sums: Floats) -> NDArray[np.int64]:
        """The class that rows with these sums are given: the first of the largest."""
        return np.asarray(sums.argmax(axis=1))

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        return self.classes_[self._class_numbers(sums)]

    def _answer_one(self, sums: list[float]) -> Any:
        return self._labels[sums.index(max(sums))]  # type: ignore[index]

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict([[0], [7]])
        array(['a', 'b'], dtype=object)
        """
        sums = self._sums(X)
        return self.classes_[self._class_numbers(sums)]

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class; columns in the order of `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict_proba([[0], [7]])
        array([[1., 0.],
               [0., 1.]])
        """
        sums = self._sums(X)
        return self._probabilities(sums, len(self.trees_))

    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithms of `predict_proba`; minus infinity where no tree thinks of a class.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict_log_proba([[0], [7]])
        array([[  0., -inf],
               [-inf,   0.]])
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Give the classes after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).staged_predict([[7]]))
        [array(['b'], dtype=object), array(['b'], dtype=object)]
        """
        return (self.classes_[self._class_numbers(sums)] for _, sums in self._stages(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Give the probabilities after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).staged_predict_proba([[7]]))
        [array([[0., 1.]]), array([[0., 1.]])]
        """
        return (self._probabilities(sums, n_trees) for n_trees, sums in self._stages(X))


# What every regressor with many small trees has: the target as numbers, and the answers to new rows.


class EnsembleRegressor(NumberTarget, RegressorMixin, EnsembleModel):  # type: ignore[misc]
    """Trees that predict numbers by their mean; subclasses grow them."""

    def _says(self) -> str:
        return "values"

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        return sums[:, 0] / n_trees

    def _answer_one(self, sums: list[float]) -> Any:
        return sums[0] / len(self.trees_)

    def predict(self, X: Any) -> Floats:
        """Give the number of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestRegressor(2, bootstrap=False).fit([[1], [2]], [10, 20]).predict([[0], [7]])
        array([10., 20.])
        """
        sums = self._sums(X)
        return self._answer(sums, len(self.trees_))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Give the numbers after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestRegressor(2, bootstrap=False).fit([[1], [2]], [10, 20]).staged_predict([[7]]))
        [array([20.]), array([20.])]
        """
        return (self._answer(sums, n_trees) for n_trees, sums in self._stages(X))
