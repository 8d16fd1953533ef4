"""Ensembles of any recipe: many ordinary trees of one kind, grown from one encoded table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _get_feature_names, check_is_fitted

from treewright import _core
from treewright.encode.input_frame import InputFrame, open_frame
from treewright.encode.table import EncodedRows
from treewright.encode.target import encode_weights
from treewright.errors import DataError
from treewright.estimators.ensemble_text import ensemble_text
from treewright.estimators.explained_trees import ExplainedTrees
from treewright.estimators.many_trees import ManyTrees
from treewright.estimators.member_trees import MemberGrower
from treewright.estimators.persist import fitted_attributes
from treewright.estimators.progress_bar import show_progress
from treewright.estimators.recipe_lookup import RecipeLookup
from treewright.estimators.shapley_values import ShapleyValues
from treewright.estimators.table_model import TableModel
from treewright.estimators.threads import thread_count
from treewright.estimators.tree_model import TreeModel
from treewright.estimators.tree_sequence import TreeSequence
from treewright.estimators.whole_trees import WholeTrees
from treewright.tree.tree import Tree

Weights = NDArray[np.float64] | None


class RecipeEnsemble(ShapleyValues, ExplainedTrees, ManyTrees, TableModel):
    """What bagging and AdaBoost share. Subclasses say which trees are grown and how their answers come together."""

    trees_: TreeSequence
    estimator_: TreeModel
    _lookup: RecipeLookup
    _score_name = "score"  # what the score of the progress bar is called

    # ---------------------------------------------------------------- what a subclass says
    def _usual_recipe(self) -> TreeModel:
        """What is grown where no estimator is given."""
        raise NotImplementedError

    def _grow(
        self, grower: MemberGrower, frame: InputFrame, weights: Weights, progress: _core.Progress
    ) -> dict[str, Any]:
        """Grow the trees; gives them as "cores", and what else was learnt by the names of the attributes."""
        raise NotImplementedError

    def _answer(self, rows: EncodedRows) -> NDArray[Any]:
        """What rows are answered with."""
        raise NotImplementedError

    def _one_row_door(self, recipe: TreeModel) -> Callable[[Any], Any] | None:
        """A quick way to answer one row, if there is one."""
        return None

    # ---------------------------------------------------------------- the steps of fit
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
        recipe = self._checked_recipe()
        X = self._table(X)
        frame, names = open_frame(X), _get_feature_names(X)
        weights = encode_weights(sample_weight, frame.n_rows)
        training = recipe._encode(frame, y, None)
        progress = _core.Progress()
        with show_progress(progress, type(self).__name__, self._score_name, self.verbose):
            grown = self._grow(MemberGrower(recipe, training, y, self._seed()), frame, weights, progress)
        fitted = fitted_attributes(grown["cores"][0], training.table.schema, training.classes, names)
        self._set_fitted({**fitted, **grown}, recipe)
        return self

    def _checked_recipe(self) -> TreeModel:
        """The kind of tree that is grown, with this estimator's threads and kinds of columns."""
        given = self._usual_recipe() if self.estimator is None else self.estimator
        if not isinstance(given, TreeModel) or given._predicts_classes != self._predicts_classes:
            kind = "classes, such as tw.C45Classifier()"
            if not self._predicts_classes:
                kind = "numbers, such as tw.ModelTreeRegressor()"
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

    def _set_fitted(self, fitted: dict[str, Any], recipe: TreeModel) -> None:
        """Replace everything that was learnt in one step, so that an interrupt finds the old state or the new one."""
        kept = {name: value for name, value in self.__dict__.items() if not (name.endswith("_") or name == "_lookup")}
        fitted.pop("core")
        classes, store = fitted.get("classes_"), WholeTrees(fitted.pop("cores"))
        labels = None if classes is None else classes.tolist()
        trees = TreeSequence(cast(Any, store), fitted.pop("schema"), labels, recipe.criterion)
        lookup = RecipeLookup(recipe, trees, self._answer, self._one_row_door(recipe))
        self.__dict__ = {**kept, **fitted, "estimator_": recipe, "trees_": trees, "_lookup": lookup}

    # ---------------------------------------------------------------- looking rows up
    def _encoded(self, X: Any) -> EncodedRows:
        """The rows, checked and laid out once for all trees."""
        rows = self._rows(X)
        return self._lookup.encode(rows)

    def _check_rows(self, frame: InputFrame) -> None:
        self.estimator_._check_rows(frame)

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

    def __str__(self) -> str:
        return ensemble_text(self) if "trees_" in self.__dict__ else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        recipe = self.estimator if isinstance(self.estimator, TreeModel) else self._usual_recipe()
        of_recipe = get_tags(recipe)
        tags.input_tags.allow_nan = of_recipe.input_tags.allow_nan
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
