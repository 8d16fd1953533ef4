"""What every estimator with one tree does: fit = open → encode → grow → prune → store; classes and numbers."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import _get_feature_names, check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.shap_values import ExplainedAnswers, ShapleyValues, explained_trees
from treewright.learners.base.table_model import Rows, TableModel
from treewright.learners.base.target import ClassTarget, NumberTarget
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.explained_tree import ExplainedTree
from treewright.learners.trees.recipe import Recipe, tree_recipe
from treewright.learners.trees.training_data import TrainingData
from treewright.learners.trees.tree_lookup import RowLookup, column_importance, node_answers, node_paths
from treewright.prune.choice import choose_pruner
from treewright.prune.cp_table import PriceTable
from treewright.prune.fitted import RowsToPruneBy, grow_without_judges, prune_fitted, prune_grown
from treewright.prune.parameter_and_method import ParameterAndMethod
from treewright.prune.pruner import JudgedByRows, Pruner
from treewright.save.persist import fitted_attributes
from treewright.table.frame import open_frame
from treewright.tree.tree import Tree

# What every estimator with one tree does: fit = open → encode → grow → prune → store.


_FITTED = ("tree_", "classes_", "n_classes_", "n_features_in_", "n_outputs_", "feature_names_in_", "prices_", "_lookup")


class TreeModel(ExplainedTree, ShapleyValues, TableModel):
    """The part that classifier and regressor share. Subclasses encode the target and say what each node answers."""

    tree_: Tree
    _lookup: RowLookup
    _refuses_unknown_levels = True  # with missing="refuse": a level never seen in training counts as missing
    prune = ParameterAndMethod("prune", "_prune_model")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree. If it is interrupted or refused, the estimator stays as it was.

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
        self._validate_params()
        X = self._table(X)
        frame, names = open_frame(X), _get_feature_names(X)
        training = self._encode(frame, y, sample_weight)
        core, prices = self._grow_and_prune(training)
        self._store(names, training, core, prices)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name (see `ParameterAndMethod` for why `prune` is looked up apart)."""
        names = self._get_param_names()
        return {name: self.__dict__["prune"] if name == "prune" else getattr(self, name) for name in names}

    # ---------------------------------------------------------------- the steps of fit
    def _losses(self) -> NDArray[np.float64] | None:
        """What each answer costs where each class is true; None where every error costs the same."""
        return None

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        return tree_recipe(self, n_rows, weights)

    def _grow_and_prune(self, training: TrainingData) -> tuple[_core.Tree, PriceTable | None]:
        pruner = self._pruner()
        if isinstance(pruner, JudgedByRows):
            return pruner.cut(grow_without_judges(training, pruner.share, self._seed())), None
        return self._prune_grown(training.grow(), training)

    def _pruner(self) -> Pruner | None:
        """What `prune=` asks for; an algorithm with pruning of its own has a plain True or False there, or nothing."""
        choice = self.__dict__.get("prune")
        return None if isinstance(choice, bool) else choose_pruner(choice, self.ccp_alpha)

    def _prune_grown(self, core: _core.Tree, training: TrainingData) -> tuple[_core.Tree, PriceTable | None]:
        pruner = self._pruner()
        return (core, None) if pruner is None else prune_grown(core, pruner, training, self._seed())

    def _store(self, names: Any, training: TrainingData, core: _core.Tree, prices: PriceTable | None) -> None:
        fitted = fitted_attributes(core, training.table.schema, training.classes, names)
        if prices is not None:
            fitted["prices_"] = prices
        self._set_fitted(fitted)

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        """Replace everything that was learnt in one step, so that an interrupt finds the old state or the new one."""
        kept = {name: value for name, value in self.__dict__.items() if name not in _FITTED}
        tree = Tree(fitted.pop("core"), fitted.pop("schema"), _labels(fitted.get("classes_")), criterion=self.criterion)
        classes = fitted.get("classes_")
        refuses = self.missing == "refuse" and self._refuses_unknown_levels
        lookup = RowLookup(tree, self._node_answers(tree, classes), refuses, classes)
        self.__dict__ = {**kept, **fitted, "tree_": tree, "_lookup": lookup}

    @staticmethod
    def _node_answers(tree: Tree, classes: NDArray[Any] | None) -> NDArray[Any]:
        """What each node of the tree answers."""
        return cast(NDArray[Any], tree.arrays["value"] if classes is None else classes[tree.arrays["prediction"]])

    def _node_numbers(self, core: _core.Tree) -> NDArray[np.float64]:
        """What every node of a tree of this kind answers as numbers: nodes × classes, or nodes × 1."""
        raise NotImplementedError

    def _explained(self) -> ExplainedAnswers:
        core = cast(_core.Tree, self.tree_.core)
        numbers = self._node_numbers(core)
        return explained_trees([(core, numbers)], np.zeros(numbers.shape[1]), core.n_classes > 0, 1.0)

    # ---------------------------------------------------------------- looking rows up
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Give the number of the node in which each row ends (where rows are spread: in which most of it goes).

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).apply([[0], [7]])
        array([1, 2])
        """
        return self._find_leaves(X).astype(np.int64)

    def _find_leaves(self, X: Any) -> NDArray[np.int32]:
        rows = self._rows(X)
        return self._lookup.find_leaves(rows, thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """Give the nodes that each row passes, as a sparse matrix of shape (n_rows, n_nodes).

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).decision_path([[0], [7]]).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        leaves = self._find_leaves(X)
        return node_paths(self.tree_, leaves)

    def _prune_model(self, pruner: Pruner | str, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Give a smaller model; this one stays as it is.

        Parameters
        ----------
        pruner : a pruner, or one of the names that `prune=` takes
            How.
        X, y, sample_weight
            The rows that the pruner needs, if any. `ReducedError` and `ValidationGain` judge the tree by rows that it
            was not trained on; `CostComplexity(cv=…)` and `PessimisticError(raise_subtrees=True)` need the rows that it
            was trained on. The others look at the tree alone.

        Examples
        --------
        >>> import treewright as tw
        >>> full = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
        >>> full.prune(tw.CostComplexity(alpha=0.2)).get_n_leaves(), full.get_n_leaves()
        (1, 4)
        """
        check_is_fitted(self)
        chosen = choose_pruner(pruner, self.ccp_alpha)
        if chosen is None:
            raise DataError("model.prune needs a pruner, such as tw.CostComplexity(alpha=0.01). Got None instead.")
        core, prices = prune_fitted(self, chosen, RowsToPruneBy(X, y, sample_weight))
        smaller = object.__new__(type(self))
        smaller.__dict__ = dict(self.__dict__)
        names = self.__dict__.get("feature_names_in_")
        fitted = fitted_attributes(core, self.tree_.schema, self.__dict__.get("classes_"), names)
        smaller._set_fitted(fitted if prices is None else {**fitted, "prices_": prices})
        return smaller

    # ---------------------------------------------------------------- about the tree
    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column lowered the impurity, as shares that sum to 1; surrogates earn a part (as in rpart)."""
        check_is_fitted(self)
        return column_importance(self.tree_.arrays, self.n_features_in_)

    def get_depth(self) -> int:
        """The depth of the tree."""
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    def _html_repr(self) -> str:
        """In a notebook: the tree, above what scikit-learn shows of every estimator."""
        below: str = super()._html_repr()
        return self.tree_._repr_html_() + below if "tree_" in self.__dict__ else below

    def __str__(self) -> str:
        return str(self.tree_) if "tree_" in self.__dict__ else repr(self)


def _labels(classes: NDArray[Any] | None) -> list[Any] | None:
    return None if classes is None else classes.tolist()


# What every classifier with one tree has: the target as classes, and the answers to new rows.


class TreeClassifier(ClassTarget, ClassifierMixin, TreeModel):  # type: ignore[misc]
    """A tree that predicts classes; subclasses say how it is grown."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).predict([[0], [7]])
        array(['a', 'b'], dtype=object)
        """
        rows = self._rows(X)
        return self._lookup.classes(rows, thread_count(self.n_jobs))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the share of each class in the leaf of each row; columns in the order of `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [1], [2]], ["a", "b", "b"]).predict_proba([[0], [7]])
        array([[0.5, 0.5],
               [0. , 1. ]])
        """
        rows = self._rows(X)
        return self._class_shares(self._lookup, rows, thread_count(self.n_jobs))

    def _class_shares(self, lookup: RowLookup, rows: Rows, threads: int) -> NDArray[np.float64]:
        """What `predict_proba` says of rows that a tree of this kind is asked about."""
        return lookup.class_shares(rows, threads)

    def _node_numbers(self, core: _core.Tree) -> NDArray[np.float64]:
        return node_answers(core, "shares")

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of `predict_proba`; minus infinity where a leaf has no row of a class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


# What every regressor with one tree has: the target as numbers, and the answers to new rows.


class TreeRegressor(NumberTarget, RegressorMixin, TreeModel):  # type: ignore[misc]
    """A tree that predicts numbers; subclasses say how it is grown."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Give the value of each row's leaf.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]).predict([[0], [7]])
        array([10., 20.])
        """
        rows = self._rows(X)
        return self._lookup.values(rows, thread_count(self.n_jobs))

    def _node_numbers(self, core: _core.Tree) -> NDArray[np.float64]:
        return node_answers(core, "values")
