"""Models of many ordinary trees to files and back."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from numpy.typing import NDArray

from treewright import _core
from treewright.errors import ModelFileError
from treewright.estimators.learnt import learnt_arrays, learnt_numbers, read_numbers, split_learnt
from treewright.estimators.persist import FittedState, _count
from treewright.save.many_trees import pack_trees, unpack_trees
from treewright.save.tree_header import check_tree_header, check_tree_tests


class ManyTrees(FittedState):
    """The fitted state of a model with `trees_` of any kind, and what was learnt beside them."""

    _fitted_by = "trees_"
    _learnt_numbers: ClassVar[tuple[str, ...]] = ()  # attributes that a fitted model may have, to be saved
    _learnt_arrays: ClassVar[tuple[str, ...]] = ()

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        model = cast(Any, self)
        names, arrays = pack_trees([tree.arrays() for tree in model.trees_.core.trees])
        learnt = learnt_numbers(model, self._learnt_numbers)
        header = {**self._tw_header(model.trees_), "tree_arrays": names, "learnt": learnt}
        return header, {**arrays, **learnt_arrays(model, self._learnt_arrays)}

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        beside, of_trees = split_learnt(arrays, self._learnt_arrays)
        try:
            n_columns, n_classes = _count(header, "n_columns"), _count(header, "n_classes")
            parts = unpack_trees(header.get("tree_arrays"), of_trees)
            cores = [_core.Tree(part, n_columns, n_classes) for part in parts]
            learnt = {**read_numbers(header.get("learnt"), self._learnt_numbers), **beside}
            self._check_learnt(learnt, len(cores), n_classes)
        except (ValueError, TypeError, OverflowError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None
        schema, classes = check_tree_header(header, n_columns, n_classes, source)
        for core in cores:
            check_tree_tests(schema, core.arrays(), source)
        self._restore_params(header, source)
        fitted = {**self._fitted_from(header, cores[0], schema, classes, source), **learnt, "cores": cores}
        try:
            cast(Any, self)._set_fitted(fitted, cast(Any, self)._checked_recipe())
        except (ValueError, TypeError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}") from None

    def _check_learnt(self, learnt: dict[str, Any], n_trees: int, n_classes: int) -> None:
        """Refuse with a ValueError what does not belong to a model of so many trees."""
