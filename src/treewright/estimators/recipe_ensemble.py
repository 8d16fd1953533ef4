"""Ensembles of any recipe: many ordinary trees of one kind, grown from one encoded table."""

from __future__ import annotations

import hashlib
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _get_feature_names, check_is_fitted, validate_data

from treewright import _core
from treewright.encode.input_frame import InputFrame, open_frame
from treewright.encode.schema import Schema
from treewright.encode.table import EncodedRows
from treewright.encode.target import encode_weights
from treewright.errors import DataError
from treewright.estimators.many_trees import ManyTrees
from treewright.estimators.member_trees import MemberGrower
from treewright.estimators.persist import fitted_attributes
from treewright.estimators.row_lookup import RowLookup
from treewright.estimators.threads import thread_count
from treewright.estimators.tree_model import TreeModel
from treewright.tree.tree import Tree

Weights = NDArray[np.float64] | None


class RecipeEnsemble(ManyTrees, BaseEstimator):  # type: ignore[misc]
    """What bagging and AdaBoost share. Subclasses say which trees are grown and how their answers come together."""

    trees_: list[Tree]
    estimator_: TreeModel
    _lookups: list[RowLookup]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees. If it is interrupted or refused, the estimator stays as it was.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a duckdb relation, a numpy array or a list of rows, as a single tree
            takes them.
        y : column of length n_rows
            The target.
        sample_weight : column of length n_rows, optional
            How much each row counts. A weight of 2 is the same as the row twice; a weight of 0 drops it.

        Returns
        -------
        self
        """
        self._validate_params()
        recipe = self._recipe()
        X = recipe._table(X)
        frame, names = open_frame(X), _get_feature_names(X)
        weights = encode_weights(sample_weight, frame.n_rows)
        training = recipe._encode(frame, y, None)
        grower = MemberGrower(recipe, training, y, self._seed())
        fitted = self._grow(grower, frame, weights)
        fitted |= fitted_attributes(fitted["cores"][0], training.table.schema, training.classes, names)
        self._set_fitted(fitted, recipe)
        return self

    # ---------------------------------------------------------------- the steps of fit
    def _recipe(self) -> TreeModel:
        """The kind of tree that is grown, checked, with this estimator's threads and kinds of columns."""
        given = self._usual_recipe() if self.estimator is None else self.estimator
        if not isinstance(given, TreeModel) or given._predicts_classes != self._predicts_classes:
            kind = (
                "classes, such as tw.C45Classifier()"
                if self._predicts_classes
                else "numbers, such as tw.DecisionTreeRegressor()"
            )
            raise DataError(
                f"{type(self).__name__} takes as its estimator a tree of treewright that predicts {kind}. "
                f"Got {given!r} instead."
            )
        recipe = clone(given)
        recipe.n_jobs = self.n_jobs
        if self.column_kinds is not None:
            recipe.column_kinds = self.column_kinds
        recipe._validate_params()
        return cast(TreeModel, recipe)

    def _usual_recipe(self) -> TreeModel:
        """What is grown where no estimator is given."""
        raise NotImplementedError

    def _seed(self) -> int:
        return TreeModel._seed(cast(Any, self))

    def _grow(self, grower: MemberGrower, frame: InputFrame, weights: Weights) -> dict[str, Any]:
        """Grow the trees; gives them as "cores", and what else was learnt by the names of the attributes."""
        raise NotImplementedError

    def _lookup_of(
        self, recipe: TreeModel, core: _core.Tree, schema: Schema, classes: NDArray[Any] | None
    ) -> RowLookup:
        """What answers rows by one tree; classes as their numbers."""
        labels = None if classes is None else classes.tolist()
        tree = Tree(core, schema, labels, criterion=recipe.criterion)
        answers = core.arrays()["value" if classes is None else "prediction"]
        refuses = recipe.missing == "refuse" and recipe._refuses_unknown_levels
        return RowLookup(tree, answers, refuses, None if classes is None else np.arange(len(classes)))

    def _set_fitted(self, fitted: dict[str, Any], recipe: TreeModel) -> None:
        """Replace everything that was learnt in one step, so that an interrupt finds the old state or the new one."""
        kept = {name: value for name, value in self.__dict__.items() if not (name.endswith("_") or name == "_lookups")}
        schema, classes = fitted.pop("schema"), fitted.get("classes_")
        fitted.pop("core")
        lookups = [self._lookup_of(recipe, core, schema, classes) for core in fitted.pop("cores")]
        trees = [lookup.tree for lookup in lookups]
        self.__dict__ = {**kept, **fitted, "estimator_": recipe, "trees_": trees, "_lookups": lookups}

    # ---------------------------------------------------------------- looking rows up
    def _rows(self, X: Any) -> EncodedRows:
        """The rows, checked and laid out once for all trees."""
        check_is_fitted(self)
        X = self.estimator_._table(X)
        validate_data(self, X, reset=False, skip_check_array=True)  # the same columns as in training
        frame = open_frame(X)
        self.estimator_._check_rows(frame)
        return self._lookups[0].encode(frame)

    @property
    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    # ---------------------------------------------------------------- about the trees
    @property
    def estimators_(self) -> list[TreeModel]:
        """The trees as fitted estimators of their own, made when they are asked for."""
        check_is_fitted(self)
        names, classes = self.__dict__.get("feature_names_in_"), self.__dict__.get("classes_")
        return [_fitted_member(self.estimator_, tree, classes, names) for tree in self.trees_]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column matters to the trees on average, as shares that sum to 1."""
        shares = np.array([member.feature_importances_ for member in self.estimators_])
        mean = np.average(shares, axis=0, weights=self._says())
        return cast(NDArray[np.float64], mean / mean.sum() if mean.sum() > 0 else mean)

    def _says(self) -> Weights:
        """How much each tree counts; None where all count the same."""
        return None

    def fingerprint(self) -> str:
        """A short text that is equal for equal models: same trees, columns, classes and parameters."""
        check_is_fitted(self)
        return hashlib.sha256(self._tw_bytes()).hexdigest()[:32]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        recipe = self.estimator if isinstance(self.estimator, TreeModel) else self._usual_recipe()
        of_recipe = get_tags(recipe)
        tags.input_tags.allow_nan = of_recipe.input_tags.allow_nan
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.target_tags.required = True
        for name in ("classifier_tags", "regressor_tags"):
            if getattr(tags, name) is not None and getattr(of_recipe, name) is not None:
                getattr(tags, name).poor_score = getattr(of_recipe, name).poor_score
        return tags


def _fitted_member(
    recipe: TreeModel, tree: Tree, classes: NDArray[Any] | None, names: NDArray[Any] | None
) -> TreeModel:
    member = clone(recipe)
    member._set_fitted(fitted_attributes(cast(_core.Tree, tree.core), tree.schema, classes, names))
    return cast(TreeModel, member)
