"""Where the trees of an ensemble are kept, and each of them as a model of its own when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.trees.tree_lookup import importance_with_sums
from treewright.save.tree_header import check_tree_tests, pack_trees, unpack_trees
from treewright.table.schema import Schema
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.learners.ensemble.ensemble_model import EnsembleModel
    from treewright.learners.trees.tree_model import TreeModel


# The trees of an ensemble, each made when it is asked for.


class TreeSequence(Sequence[Tree]):
    """A sequence of ordinary trees. The ensemble keeps them in few bytes; `trees[i]` makes tree i whole.

    Parameters
    ----------
    core : _core.Ensemble
        The stored trees.
    schema : Schema
        The columns that they were grown on.
    classes : list, optional
        The class labels in order; None where the leaves hold numbers.
    criterion : str, optional
        As for `Tree`.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> whole = example_tree()
    >>> core = _core.Tree(whole.core.arrays(), 2, 2)
    >>> trees = TreeSequence(_core.Ensemble.from_trees([core, core], 2, 2), whole.schema, ["no", "yes"])
    >>> trees
    <2 trees, 10 nodes in all>
    >>> trees[-1]
    <Tree of 5 nodes, 3 leaves, depth 2>
    """

    def __init__(
        self, core: _core.Ensemble, schema: Schema, classes: list[Any] | None = None, criterion: str | None = None
    ) -> None:
        self.core = core
        self.schema = schema
        self.classes = classes if core.n_classes > 0 else None
        self.criterion = criterion

    def __len__(self) -> int:
        return self.core.n_trees

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Tree(self.core.tree(index), self.schema, self.classes, criterion=self.criterion)

    def __repr__(self) -> str:
        trees = "1 tree" if len(self) == 1 else f"{len(self):,} trees"
        return f"<{trees}, {self.core.n_nodes:,} nodes in all>"


def importance_of(trees: TreeSequence, each_tree_counts_same: bool) -> NDArray[np.float64]:
    """How much each column lowered the impurity in all trees, as shares that sum to 1; in boosters later ones less."""
    worth = trees.core.column_worth(each_tree_counts_same)
    return cast("NDArray[np.float64]", worth / worth.sum() if worth.sum() > 0 else worth)


# Ordinary trees as the store of a model of many: what `_core.Ensemble` is for small trees.


class WholeTrees:
    """Trees of any kind, kept as they were grown; it answers the questions that `TreeSequence` has.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> core = _core.Tree(example_tree().core.arrays(), 2, 2)
    >>> trees = WholeTrees([core, core])
    >>> trees.n_trees, trees.n_nodes, [numbers.tolist() for numbers in trees.sizes()]
    (2, 10, [[3, 3], [2, 2]])
    """

    def __init__(self, trees: Sequence[_core.Tree], names: Sequence[str] = ()) -> None:
        self.trees = tuple(trees)
        self.names = tuple(names)  # of the arrays in their order in a file: a tree that was read has another one
        self.n_trees = len(self.trees)
        self.n_columns, self.n_classes = self.trees[0].n_columns, self.trees[0].n_classes

    @property
    def n_nodes(self) -> int:
        """The nodes of all trees."""
        return sum(tree.n_nodes for tree in self.trees)

    def tree(self, i: int) -> _core.Tree:
        """Tree i; from the end where i is negative."""
        return self.trees[i]

    def sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of leaves and the depth of each tree."""
        leaves = [int((np.diff(tree.children_start) == 0).sum()) for tree in self.trees]
        return np.array(leaves), np.array([int(tree.depth.max()) for tree in self.trees])

    def packed(self) -> tuple[list[str], dict[str, NDArray[Any]]]:
        """The names of the arrays of a tree, and the arrays of all trees, for a file."""
        return pack_trees([tree.arrays() for tree in self.trees], self.names)

    @classmethod
    def unpacked(cls, names: Any, arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int) -> WholeTrees:
        """Read trees from the arrays of a file; ValueError if these are none."""
        return cls([_core.Tree(part, n_columns, n_classes) for part in unpack_trees(names, arrays)], names)

    def check_tests(self, schema: Schema, source: str) -> None:
        """Check that every test of trees from a file fits its column."""
        for tree in self.trees:
            if tree.n_nodes > 1 or tree.has_equations:  # a lone leaf asks nothing
                check_tree_tests(schema, tree.arrays(), source)

    def extended(self, more: WholeTrees) -> WholeTrees:
        """These trees and more of them."""
        return WholeTrees([*self.trees, *more.trees])

    def column_worth(self, each_tree_counts_same: bool) -> NDArray[np.float64]:
        """How much the splits of each column are worth, added up over the trees; every tree counts the same."""
        assert each_tree_counts_same
        worth = [importance_with_sums(tree.arrays(), self.n_columns) for tree in self.trees]
        return np.asarray(np.sum(worth, axis=0))


# The trees of an ensemble as models of their own: each answers, explains, prunes and saves like any tree.


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
    >>> single.pruned(tw.CostComplexity(alpha=0.4)).get_n_leaves() < single.get_n_leaves()
    True
    """

    def __init__(self, model: EnsembleModel) -> None:
        self._model = model

    def __len__(self) -> int:
        return len(self._model.trees_)

    @overload
    def __getitem__(self, index: int | tuple[int, int]) -> TreeModel: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeModel]: ...
    def __getitem__(self, index: int | tuple[int, int] | slice) -> TreeModel | list[TreeModel]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if isinstance(index, tuple):  # of boosting: the round, and the class that its tree is for
            each = len(self._model.__dict__.get("baseline_", (0,)))
            return self[index[0] * each + index[1]]
        trees, fitted = self._model.trees_, self._model.__dict__
        core = trees.core.tree(index)
        classes = fitted.get("classes_") if trees.core.n_classes > 0 else None
        single = _unfitted(trees.core, trees.criterion, self._model.n_jobs)
        return single._with_tree(core, trees.schema, classes, fitted.get("feature_names_in_"))


def _unfitted(core: _core.Ensemble | WholeTrees, criterion: str | None, n_jobs: Any) -> TreeModel:
    """A tree for classes, or for numbers where the leaves hold numbers, as in every booster."""
    from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
    from treewright.learners.trees.oblique_tree import ObliqueTreeClassifier, ObliqueTreeRegressor

    if isinstance(core, WholeTrees):
        oblique: Any = ObliqueTreeClassifier if core.n_classes > 0 else ObliqueTreeRegressor
        return cast("TreeModel", oblique(prune=None, n_jobs=n_jobs))
    kind: Any = DecisionTreeClassifier if core.n_classes > 0 else DecisionTreeRegressor
    known = criterion in kind._parameter_constraints["criterion"][0].options
    single = kind(criterion=criterion, n_jobs=n_jobs) if known else kind(n_jobs=n_jobs)
    return cast("TreeModel", single)


# An ensemble as the sequence of its trees, as scikit-learn's are.


class SequenceOfTrees:
    """`len(model)`, `model[i]` and ``for tree in model``: the fitted trees of a model that has `estimators_`.

    Examples
    --------
    >>> import treewright as tw
    >>> forest = tw.RandomForestClassifier(3, bootstrap=False).fit([[1], [2]], ["a", "b"])
    >>> len(forest), type(forest[0]).__name__, [tree.get_depth() for tree in forest]
    (3, 'DecisionTreeClassifier', [1, 1, 1])
    """

    def __len__(self) -> int:
        return len(cast(Any, self).estimators_)

    def __getitem__(self, index: Any) -> Any:
        return cast(Any, self).estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(cast(Any, self).estimators_)

    def _refuse_beside_trees(self, what: str) -> None:
        """Refuse to tell by the trees what a model answers by more than its trees."""

    def __bool__(self) -> bool:
        return True  # also before it is fitted
