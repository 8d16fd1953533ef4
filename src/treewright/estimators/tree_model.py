"""What every estimator with one tree does: fit = open → encode → grow → prune → store."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _get_feature_names, check_array, check_is_fitted, validate_data

from treewright import _core
from treewright.encode.input_frame import InputFrame, is_frame, open_frame, to_table
from treewright.encode.table import EncodedTable, encode_table
from treewright.encode.target import encode_weights
from treewright.errors import DataError
from treewright.estimators.fraction import rows_of
from treewright.estimators.importance import column_importance
from treewright.estimators.node_paths import node_paths
from treewright.estimators.parameter_and_method import ParameterAndMethod
from treewright.estimators.persist import FittedState, fitted_attributes
from treewright.estimators.price_table import PriceTable
from treewright.estimators.prune_fitted import RowsToPruneBy, prune_fitted
from treewright.estimators.pruning import grow_without_judges, prune_grown
from treewright.estimators.row_lookup import RowLookup
from treewright.estimators.threads import thread_count
from treewright.estimators.training_data import TrainingData
from treewright.pruners.choice import choose_pruner
from treewright.pruners.pruner import JudgedByRows, Pruner
from treewright.recipe import Recipe
from treewright.tree.tree import Tree

_POLICIES = ("learn", "larger", "branch", "surrogates", "fractional", "stop")  # as they are recommended
_FITTED = ("tree_", "classes_", "n_classes_", "n_features_in_", "n_outputs_", "feature_names_in_", "prices_", "_lookup")


class TreeModel(FittedState, BaseEstimator):  # type: ignore[misc]
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
    def _table(self, X: Any) -> Any:
        X = to_table(X)
        if not is_frame(X):
            return check_array(X, dtype=None, ensure_all_finite=False, estimator=self, input_name="X")
        if X.shape[0] == 0:
            raise DataError(
                "Found array with 0 sample(s) while a minimum of 1 is required: the table has no rows. Pass some."
            )
        if X.shape[1] == 0:
            raise DataError(
                "0 feature(s) while a minimum of 1 is required: the table has no columns to learn from. Pass some."
            )
        return X

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> TrainingData:
        threads = thread_count(self.n_jobs)
        weights = encode_weights(sample_weight, frame.n_rows)
        classes, truth, weights = self._encode_target(y, frame.n_rows, weights)
        table = encode_table(frame, self._kinds(frame), _name_of(y), threads)
        if self.missing == "refuse":
            _refuse_missing(table, self._parameter_constraints["missing"][0].options)
        return self._complete(self._training(table, truth, weights, classes, threads), y)

    def _reweighted(self, training: TrainingData, y: Any, weights: NDArray[np.float64]) -> TrainingData:
        """The same table and target, encoded once, with other weights of the rows: what ensembles grow from."""
        truth = training.truth
        if training.exposure is not None:
            truth = np.column_stack([training.exposure, training.exposure * truth])
        plain = self._training(training.table, truth, weights, training.classes, training.threads)
        return self._complete(plain, y)

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        """Add what the recipe has to know of the encoded rows and of the target as it was given."""
        return training

    def _training(
        self,
        table: EncodedTable,
        truth: NDArray[Any],
        weights: NDArray[np.float64] | None,
        classes: NDArray[Any] | None,
        threads: int,
    ) -> TrainingData:
        """Put together what the tree is grown from."""
        recipe = self._recipe(len(truth), weights)
        if classes is not None:
            target = _core.Target.classes(truth, len(classes), weights)
        else:
            target = _core.Target.numbers(truth, weights, recipe.criterion == "poisson")
        return TrainingData(table, target, truth, weights, classes, recipe, threads)

    def _kinds(self, frame: InputFrame) -> Mapping[Any, str] | None:
        """The kinds that columns are to have, where the guess is overridden."""
        return cast(Mapping[Any, str] | None, self.column_kinds)

    def _losses(self) -> NDArray[np.float64] | None:
        """What each answer costs where each class is true; None where every error costs the same."""
        return None

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any] | None, NDArray[Any], Any]:
        """Give the classes (None for numbers), the target as the core takes it, and the weights."""
        raise NotImplementedError

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        total = float(n_rows if weights is None else weights.sum())
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            max_depth=self.max_depth,
            min_samples_split=max(2, rows_of(self.min_samples_split, n_rows)),
            min_samples_leaf=max(1, rows_of(self.min_samples_leaf, n_rows)),
            min_weight_leaf=self.min_weight_fraction_leaf * total,
            max_leaf_nodes=self.max_leaf_nodes,
            min_impurity_decrease=self.min_impurity_decrease,
            min_variance_share=getattr(self, "min_variance_share", 0.0),  # only regressors have a variance
        )

    def _grow_and_prune(self, training: TrainingData) -> tuple[_core.Tree, PriceTable | None]:
        pruner = self._pruner()
        if isinstance(pruner, JudgedByRows):
            return pruner.cut(grow_without_judges(training, pruner.share, self._seed())), None
        return self._prune_grown(training.grow(), training)

    def _pruner(self) -> Pruner | None:
        """What `prune=` asks for; an algorithm with pruning of its own has a plain True or False there, or nothing."""
        choice = self.get_params(deep=False).get("prune")
        return None if isinstance(choice, bool) else choose_pruner(choice, self.ccp_alpha)

    def _prune_grown(self, core: _core.Tree, training: TrainingData) -> tuple[_core.Tree, PriceTable | None]:
        pruner = self._pruner()
        return (core, None) if pruner is None else prune_grown(core, pruner, training, self._seed())

    def _seed(self) -> int:
        if self.random_state is None:
            return 0  # the same data and parameters give the same model
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

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
        return self._lookup.find_leaves(self._rows(X), thread_count(self.n_jobs))

    def _rows(self, X: Any) -> InputFrame:
        check_is_fitted(self)
        X = self._table(X)
        validate_data(self, X, reset=False, skip_check_array=True)  # the same columns as in training
        return open_frame(X)

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

    def predict_one(self, values: Any) -> Any:
        """Answer one row, given as a list or tuple in column order or as a dict by column name, in about a microsecond.

        A value that a dict does not have, None and NaN are missing; so is a level never seen in training.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.DecisionTreeClassifier().fit([[1, "red"], [2, "red"], [9, "blue"]], ["a", "b", "b"])
        >>> model.predict_one([1.5, "red"]), model.predict_one({"x0": 7})
        ('a', 'b')
        """
        try:
            return self._lookup.answer_one(values)
        except AttributeError:
            check_is_fitted(self)
            raise
        except (ValueError, TypeError):  # what the fast door cannot read, the slow one can, or it says what is wrong
            return self._lookup.answer_by_frame(values)

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

    def fingerprint(self) -> str:
        """A short text that is equal for equal models: same tree, columns, classes and parameters."""
        check_is_fitted(self)
        return hashlib.sha256(self._tw_bytes()).hexdigest()[:32]

    def __str__(self) -> str:
        return str(self.tree_) if "tree_" in self.__dict__ else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def _name_of(y: Any) -> str | None:
    name = getattr(y, "name", None)
    return None if name is None or name == "" else str(name)  # polars calls a column without a name ""


def _labels(classes: NDArray[Any] | None) -> list[Any] | None:
    return None if classes is None else classes.tolist()


def _refuse_missing(table: EncodedTable, offered: Collection[str]) -> None:
    names = [c.name for c, holes in zip(table.schema.columns, table.core.has_missing(), strict=True) if holes]
    if names:
        others = f" ({len(names)} such columns)" if len(names) > 1 else ""
        *first, last = [f"'{name}'" for name in _POLICIES if name in offered][:4]
        cure = f"{', '.join(first)} or {last}" if first else last
        raise DataError(
            f"Column '{names[0]}' has missing values and missing='refuse' was asked for{others}. "
            f"Fill them, or choose missing={cure}."
        )
