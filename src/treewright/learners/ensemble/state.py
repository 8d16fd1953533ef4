"""Models of many trees to files and back."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import ModelFileError
from treewright.learners.base.state import learnt_arrays, learnt_numbers, read_numbers, split_learnt
from treewright.learners.ensemble.tree_store import WholeTrees
from treewright.save.persist import FittedState, _count
from treewright.save.tree_header import check_tree_header, check_tree_tests
from treewright.table.schema import Schema

# Models of many small trees to files and back.


_MISSING_BIT = 0x80  # in `test`


class EnsembleState(FittedState):
    """The fitted state of a model with `trees_`, and with numbers and arrays that were learnt beside them."""

    _fitted_by = "trees_"
    _learnt_numbers: ClassVar[tuple[str, ...]] = ()  # attributes that a fitted model may have, to be saved
    _learnt_arrays: ClassVar[tuple[str, ...]] = ()

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        model = cast(Any, self)
        learnt = learnt_numbers(model, self._learnt_numbers)
        header = {**self._tw_header(model.trees_.schema, model.trees_.core.n_classes), "learnt": learnt}
        if isinstance(model.trees_.core, WholeTrees):
            header["tree_arrays"], arrays = model.trees_.core.packed()
        else:
            arrays = model.trees_.core.arrays()
        return header, {**arrays, **learnt_arrays(model, self._learnt_arrays)}

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        beside, of_trees = split_learnt(arrays, self._learnt_arrays)
        try:
            core = _read_trees(header, of_trees)
            learnt = {**read_numbers(header.get("learnt"), self._learnt_numbers), **beside}
        except (ValueError, TypeError, OverflowError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None
        schema, classes = check_tree_header(header, core.n_columns, _n_labels(header, core), source)
        if isinstance(core, WholeTrees):
            core.check_tests(schema, source)
        else:
            _check_tests(schema, of_trees, source)
        self._restore_params(header, source)
        fitted = {**self._fitted_from(header, cast(Any, core), schema, classes, source), **learnt}
        try:
            self._check_learnt(cast(Any, core), fitted)
            cast(Any, self)._set_fitted(fitted)
        except (ValueError, TypeError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None

    def _check_learnt(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        """Refuse with a ValueError what does not belong to a model of these trees."""


def _read_trees(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> _core.Ensemble | WholeTrees:
    n_columns, n_classes = _count(header, "n_columns"), _count(header, "n_classes")
    if "tree_arrays" in header:
        return WholeTrees.unpacked(header["tree_arrays"], arrays, n_columns, n_classes)
    core = _core.Ensemble(arrays, n_columns, n_classes)
    if core.n_trees == 0:
        raise ValueError("it has no trees")
    return core


def _n_labels(header: dict[str, Any], core: _core.Ensemble | WholeTrees) -> int:
    """How many classes the header has to name; the trees of a booster hold numbers, whatever it predicts."""
    classes = header.get("classes")
    return len(classes) if core.n_classes == 0 and isinstance(classes, list) else core.n_classes


def _check_tests(schema: Schema, arrays: dict[str, NDArray[Any]], source: str) -> None:
    """Check that every test fits its column, as for a single tree. Only inner nodes have tests."""
    kind = arrays["test"][arrays["test"] != 0] & ~np.uint8(_MISSING_BIT)
    n_levels = np.zeros(len(kind), dtype=np.int64)
    n_levels[kind == 2] = arrays["n_levels"]
    starts = np.concatenate([[0], np.cumsum(n_levels)])
    tests = {"kind": kind, "column": arrays["column"], "threshold": arrays["threshold"]}
    check_tree_tests(schema, {**tests, "level_start": starts, "level": arrays["level"]}, source)


# Models of many ordinary trees to files and back.


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
