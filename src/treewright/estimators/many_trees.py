"""Models of many ordinary trees to files and back."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.estimators.learnt import learnt_arrays, learnt_numbers, read_numbers, split_learnt
from treewright.estimators.persist import FittedState, _count
from treewright.estimators.whole_trees import WholeTrees
from treewright.save.tree_header import check_tree_header


class ManyTrees(FittedState):
    """The fitted state of a model with `trees_` of any kind, and what was learnt beside them."""

    _fitted_by = "trees_"
    _learnt_numbers: ClassVar[tuple[str, ...]] = ()  # attributes that a fitted model may have, to be saved
    _learnt_arrays: ClassVar[tuple[str, ...]] = ()

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        model = cast(Any, self)
        names, arrays = model.trees_.core.packed()
        learnt = learnt_numbers(model, self._learnt_numbers)
        common = self._tw_header(model.trees_.schema, model.trees_.core.n_classes)
        header = {**common, "tree_arrays": names, "learnt": learnt}
        return header, {**arrays, **learnt_arrays(model, self._learnt_arrays)}

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        beside, of_trees = split_learnt(arrays, self._learnt_arrays)
        try:
            n_columns, n_classes = _count(header, "n_columns"), _count(header, "n_classes")
            store = WholeTrees.unpacked(header.get("tree_arrays"), of_trees, n_columns, n_classes)
            learnt = {**read_numbers(header.get("learnt"), self._learnt_numbers), **beside}
            self._check_learnt(learnt, store.n_trees, n_classes)
        except (ValueError, TypeError, OverflowError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None
        schema, classes = check_tree_header(header, n_columns, n_classes, source)
        store.check_tests(schema, source)
        self._restore_params(header, source)
        first = self._fitted_from(header, store.trees[0], schema, classes, source)
        fitted = {**first, **learnt, "cores": store.trees}
        try:
            cast(Any, self)._set_fitted(fitted, cast(Any, self)._checked_recipe())
        except (ValueError, TypeError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}") from None

    def _check_learnt(self, learnt: dict[str, Any], n_trees: int, n_classes: int) -> None:
        """Refuse with a ValueError what does not belong to a model of so many trees."""
