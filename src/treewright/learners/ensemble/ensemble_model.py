"""What every estimator with many small trees does: growing, answers to new rows, the model file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.learners.base import shap_values as shap
from treewright.learners.base.calibration import calibrated
from treewright.learners.base.learner import Learner
from treewright.learners.base.learnt import check_learnt, learnt_sizes
from treewright.learners.base.parameters import declares_parameters, fitted
from treewright.learners.base.progress_bar import show_progress
from treewright.learners.base.shap_values import ExplainedAnswers, explained_trees
from treewright.learners.base.state import fitted_arrays, fitted_numbers, split_fitted
from treewright.learners.base.threads import thread_count
from treewright.learners.ensemble import explained_trees as explained
from treewright.learners.ensemble.lookup import EnsembleLookup, WholeLookup
from treewright.learners.ensemble.picture import plot
from treewright.learners.ensemble.state import check_tests, n_labels, read_trees
from treewright.learners.ensemble.text import ensemble_text
from treewright.learners.ensemble.tree_store import (
    SequenceOfTrees,
    SingleTrees,
    TreeSequence,
    WholeTrees,
    importance_of,
)
from treewright.learners.trees.training_data import growing_blocks
from treewright.learners.trees.tree_lookup import node_answers, node_paths
from treewright.learners.trees.tree_model import count_outputs
from treewright.memory import Block
from treewright.save.persist import labels_of, model_header, names_of, restore_params
from treewright.save.tree_header import check_tree_header
from treewright.sources.answers import in_batches
from treewright.sources.source import Source
from treewright.table.schema import Schema

# What every estimator with many small trees does: it grows them, and adds up what they say of new rows.


Floats = NDArray[np.float64]
SMALLEST_TREE = 256  # bytes
FEWER_TREES = "Give fewer trees (n_estimators), rows or columns, or a machine with more memory."


@dataclass(frozen=True)
class GrownTrees:
    """What growing gives: the trees, and what else was learnt, by the names of the attributes (`oob_score_` …)."""

    ensemble: _core.Ensemble
    fitted: Mapping[str, Any] = field(default_factory=dict)


class EnsembleModel(SequenceOfTrees, Learner, is_base=True):
    """The part that classifiers and regressors of many trees share. Subclasses grow, and say what sums mean."""

    trees_: TreeSequence = fitted()
    _labels: list[Any] | None = fitted()  # the classes as plain values
    _lookup: EnsembleLookup = fitted()
    _fitted_by = "trees_"
    _fit_bytes: ClassVar[tuple[float, float]] = (21, 60)  # for each cell of the table, and beside them for each row
    _sparing = FEWER_TREES
    _refuses_unknown_levels = True  # with missing="refuse": a level never seen in training counts as missing
    _each_tree_counts_same = True  # for the importance of columns; in boosting later trees count less
    _score_name = "score"  # what the score of the progress bar is called

    why = explained.why
    _answers_to_rows = explained.answers_to_rows
    _one_row_table = explained.one_row_table
    shap_values = shap.shap_values
    plot = plot
    expected_value = property(shap.expected_value)

    # ---------------------------------------------------------------- what a subclass says
    def _grow_trees(self, training: Any, progress: _core.Progress) -> GrownTrees:
        """Grow the trees from what `_encode` gave; `progress` is shown while the core writes it."""
        raise NotImplementedError

    def _says(self) -> str:
        """What a leaf adds to the sums: "values", "shares" or "votes"."""
        return "values"

    def _start(self, core: _core.Ensemble, fitted: Mapping[str, Any]) -> Floats:
        """Where the sums start; as many numbers as there are outputs."""
        return np.zeros(max(1, core.n_classes))

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        """What rows with these sums are answered with."""
        return sums[:, 0] / n_trees

    def _answer_one(self, sums: list[float]) -> Any:
        """The same for one row, as a plain value of Python."""
        return sums[0] / len(self.trees_)

    def _criterion_of_trees(self) -> str | None:
        """What the impurities in the trees are."""
        return getattr(self, "criterion", None)

    # ---------------------------------------------------------------- the steps of fit
    def _fit_blocks(self, data: Any) -> list[Block]:
        return [*growing_blocks(self._fit_bytes, data), Block(SMALLEST_TREE, trees=self.n_estimators)]

    def _learn(self, data: Any) -> dict[str, Any]:
        progress = _core.Progress()
        with show_progress(progress, type(self).__name__, self._score_name, getattr(self, "verbose", 0)):
            grown = self._grow_trees(data, progress)
        return {"trees_": self._sequence(grown.ensemble, data.schema, data.classes), **grown.fitted}

    def _sequence(self, core: Any, schema: Schema, classes: NDArray[Any] | None) -> TreeSequence:
        return TreeSequence(core, schema, None if classes is None else classes.tolist(), self._criterion_of_trees())

    def _prepare(self) -> None:
        count_outputs(self)
        self._labels = self.classes_.tolist() if "classes_" in self.__dict__ else None

    def _make_lookup(self) -> EnsembleLookup:
        refuses = self.missing == "refuse" and self._refuses_unknown_levels
        kind = WholeLookup if isinstance(self.trees_.core, WholeTrees) else EnsembleLookup
        start = self._start(self.trees_.core, self.__dict__)
        return kind(self.trees_, self._says(), start, self._answer, self._answer_one, refuses)

    # ---------------------------------------------------------------- the model file
    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        core = self.trees_.core
        fitted = fitted_numbers(self, self._fitted_numbers)
        header = {**model_header(self, self.trees_.schema, core.n_classes), "learnt": fitted}
        if isinstance(core, WholeTrees):
            header["tree_arrays"], arrays = core.packed()
        else:
            arrays = core.arrays()
        return header, {**arrays, **fitted_arrays(self, self._fitted_arrays)}

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        beside, of_trees = split_fitted(arrays, self._fitted_arrays)
        core = read_trees(header, of_trees)
        schema, classes = check_tree_header(header, core.n_columns, n_labels(header, core), source)
        check_tests(core, schema, of_trees, source)
        arrays.clear()  # the core has them
        of_trees.clear()
        restore_params(self, header, source)
        labels = labels_of(self, header, classes, source)
        sizes = learnt_sizes(schema, labels, trees=core.n_trees)
        fitted = check_learnt(self._fitted_numbers, self._fitted_arrays, header.get("learnt"), beside, sizes)
        self._check_fitted(cast(Any, core), fitted)
        trees = self._sequence(core, schema, labels)
        self._set_fitted(schema, labels, names_of(header, schema), {"trees_": trees, **fitted})

    def _check_fitted(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        """Refuse with a ValueError what does not belong to a model of these trees."""

    # ---------------------------------------------------------------- looking rows up
    def _sums(self, X: Any) -> Floats:
        frame = self._rows(X)
        self._refuse_beyond_memory("predict", Block(8, rows=frame.n_rows, answers=len(self._lookup.start)))
        return self._lookup.sums(frame, thread_count(self.n_jobs))

    def _stages(self, X: Any) -> Iterator[tuple[int, Floats]]:
        """The number of trees and their sums after each round of growing."""
        frame = self._rows(X)
        per_stage = 1 if self._lookup.output_kind != "values" else len(self._lookup.start)
        return self._lookup.stages(frame, per_stage, thread_count(self.n_jobs))

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the answer to each row: a class, or a number.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict([[0], [7]])
        array(['a', 'b'], dtype=object)
        >>> tw.RandomForestRegressor(2, bootstrap=False).fit([[1], [2]], [10, 20]).predict([[0], [7]])
        array([10., 20.])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict)
        sums = self._sums(X)
        return self._answer(sums, len(self.trees_))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Give the answers after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).staged_predict([[7]]))
        [array(['b'], dtype=object), array(['b'], dtype=object)]
        """
        return (self._answer(sums, n_trees) for n_trees, sums in self._stages(X))

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
        self._refuse_beyond_memory("apply", Block(12, rows=frame.n_rows, trees=len(self.trees_)))
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
        self._refuse_beside_trees("SHAP values are of trees alone")
        core, output_kind, start = self.trees_.core, self._lookup.output_kind, self._lookup.start
        per_class = output_kind != "values" or len(start) > 1
        factor = 1 / len(self.trees_) if self._each_tree_counts_same else 1.0
        if isinstance(core, WholeTrees):
            return explained_trees(
                ((tree, node_answers(tree, output_kind)) for tree in core.trees), start, per_class, factor
            )
        return ExplainedAnswers(_core.Explained(core, output_kind, len(start), factor), start, per_class)

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
        return importance_of(self.trees_, self._each_tree_counts_same)

    def __str__(self) -> str:
        return ensemble_text(self) if "trees_" in self.__dict__ else repr(self)


# What every classifier with many small trees has: the target as classes, and the answers to new rows.


@declares_parameters
class EnsembleClassifier(ClassifierMixin):  # type: ignore[misc]
    """What an `EnsembleModel` has that predicts classes by the mean of the shares of its trees, or by votes."""

    _predicts_classes = True
    classes_: NDArray[Any] = fitted()

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
        return self._labels[sums.index(max(sums))]

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class; columns in the order of `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).predict_proba([[0], [7]])
        array([[1., 0.],
               [0., 1.]])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict_proba)
        sums = self._sums(X)
        return calibrated(self, self._probabilities(sums, len(self.trees_)))

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

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Give the probabilities after the first tree, after the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> list(tw.RandomForestClassifier(2, bootstrap=False).fit([[1], [2]], ["a", "b"]).staged_predict_proba([[7]]))
        [array([[0., 1.]]), array([[0., 1.]])]
        """
        return (self._probabilities(sums, n_trees) for n_trees, sums in self._stages(X))
