"""The trees of an ensemble as models of their own: each answers, explains, prunes and saves like any tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast, overload

from treewright import _core
from treewright.estimators.persist import fitted_attributes
from treewright.estimators.whole_trees import WholeTrees

if TYPE_CHECKING:
    from treewright.estimators.ensemble_model import EnsembleModel
    from treewright.estimators.tree_model import TreeModel


class SingleTrees(Sequence["TreeModel"]):
    """Fitted decision trees, each made when it is asked for.

    Parameters
    ----------
    model : a fitted ensemble

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> single = tw.RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y).estimators_[0]
    >>> single.prune(tw.CostComplexity(alpha=0.4)).get_n_leaves() < single.get_n_leaves()
    True
    """

    def __init__(self, model: EnsembleModel) -> None:
        self._model = model

    def __len__(self) -> int:
        return len(self._model.trees_)

    @overload
    def __getitem__(self, index: int) -> TreeModel: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeModel]: ...
    def __getitem__(self, index: int | slice) -> TreeModel | list[TreeModel]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        trees, fitted = self._model.trees_, self._model.__dict__
        core = trees.core.tree(index)
        classes = fitted.get("classes_") if trees.core.n_classes > 0 else None
        single = _unfitted(trees.core, trees.criterion, self._model.n_jobs)
        single._set_fitted(fitted_attributes(core, trees.schema, classes, fitted.get("feature_names_in_")))
        return single


def _unfitted(core: _core.Ensemble | WholeTrees, criterion: str | None, n_jobs: Any) -> TreeModel:
    """A tree for classes, or for numbers where the leaves hold numbers, as in every booster."""
    from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
    from treewright.estimators.oblique_tree import ObliqueTreeClassifier, ObliqueTreeRegressor

    if isinstance(core, WholeTrees):
        oblique: Any = ObliqueTreeClassifier if core.n_classes > 0 else ObliqueTreeRegressor
        return cast("TreeModel", oblique(prune=None, n_jobs=n_jobs))
    kind: Any = DecisionTreeClassifier if core.n_classes > 0 else DecisionTreeRegressor
    known = criterion in kind._parameter_constraints["criterion"][0].options
    single = kind(criterion=criterion, n_jobs=n_jobs) if known else kind(n_jobs=n_jobs)
    return cast("TreeModel", single)
