"""Models of many ordinary trees to files and back."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import ModelFileError
from treewright.estimators.persist import FittedState, _count
from treewright.save.many_trees import pack_trees, unpack_trees
from treewright.save.tree_header import check_tree_header, check_tree_tests

_LEARNT = "learnt_"


class ManyTrees(FittedState):
    """The fitted state of a model with `trees_`, and with numbers and arrays that were learnt beside them."""

    _fitted_by = "trees_"
    _learnt_arrays: ClassVar[tuple[str, ...]] = ()  # attributes that a fitted model may have, to be saved
    _learnt_numbers: ClassVar[tuple[str, ...]] = ()

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        model = cast(Any, self)
        names, arrays = pack_trees([tree.core.arrays() for tree in model.trees_])
        learnt = {name: float(getattr(model, name)) for name in self._learnt_numbers if hasattr(model, name)}
        header = {**self._tw_header(model.trees_[0]), "tree_arrays": names, "learnt": learnt}
        beside = {_LEARNT + name: getattr(model, name) for name in self._learnt_arrays if hasattr(model, name)}
        return header, {**arrays, **beside}

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        beside = {name: arrays[_LEARNT + name] for name in self._learnt_arrays if _LEARNT + name in arrays}
        of_trees = {name: array for name, array in arrays.items() if name.removeprefix(_LEARNT) not in beside}
        try:
            n_columns, n_classes = _count(header, "n_columns"), _count(header, "n_classes")
            parts = unpack_trees(header.get("tree_arrays"), of_trees)
            cores = [_core.Tree(part, n_columns, n_classes) for part in parts]
            learnt = {**_numbers(header.get("learnt"), self._learnt_numbers), **beside}
            self._check_learnt(learnt, len(cores), n_classes)
        except (ValueError, TypeError, OverflowError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None
        schema, classes = check_tree_header(header, n_columns, n_classes, source)
        for core in cores:
            check_tree_tests(schema, core.arrays(), source)
        self._restore_params(header, source)
        fitted = self._fitted_from(header, cores[0], schema, classes, source)
        try:
            recipe = cast(Any, self)._recipe()
        except (ValueError, TypeError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}") from None
        cast(Any, self)._set_fitted({**fitted, **learnt, "cores": cores}, recipe)

    def _check_learnt(self, learnt: dict[str, Any], n_trees: int, n_classes: int) -> None:
        """Refuse with a ValueError what does not belong to a model of so many trees."""


def _numbers(given: Any, known: tuple[str, ...]) -> dict[str, float]:
    if not isinstance(given, dict) or not set(given) <= set(known):
        raise ValueError("what it says it learnt is not known")
    if not all(isinstance(value, float | int) and np.isfinite(value) for value in given.values()):
        raise ValueError("what it says it learnt is no number")
    return {name: float(value) for name, value in given.items()}
