"""Learners beside the trees to files and back: the header of every model, and the arrays that were learnt."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from treewright.encode.schema import Schema
from treewright.errors import ModelFileError
from treewright.estimators.learnt import learnt_arrays, learnt_numbers, read_numbers, split_learnt
from treewright.estimators.persist import FittedState, class_array
from treewright.save.layout import damaged
from treewright.save.tree_header import check_tree_header


class LearnerState(FittedState):
    """The fitted state of a learner that has no tree; subclasses name what they learn."""

    _fitted_by = "schema_"
    _learnt_numbers: ClassVar[tuple[str, ...]] = ()  # attributes that a fitted model may have, to be saved
    _learnt_arrays: ClassVar[tuple[str, ...]] = ()  # the same for arrays of numbers

    schema_: Schema

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        model = cast(Any, self)
        n_classes = len(model.classes_) if self._predicts_classes else 0
        learnt = learnt_numbers(model, self._learnt_numbers)
        header = {**self._tw_header(self.schema_, n_classes), "learnt": learnt}
        return header, learnt_arrays(model, self._learnt_arrays)

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        saved = header.get("classes")
        n_classes = len(saved) if isinstance(saved, list) else 0
        columns = header.get("schema", {}).get("columns") if isinstance(header.get("schema"), dict) else None
        schema, classes = check_tree_header(header, len(columns) if isinstance(columns, list) else 0, n_classes, source)
        if (classes is not None) != self._predicts_classes:
            raise ModelFileError(damaged(source, f"it is not the model of a {type(self).__name__}"))
        self._restore_params(header, source)
        names = np.array(schema.names, dtype=object) if header.get("has_names") else None
        labels = None if classes is None else class_array(classes, header.get("classes_dtype"), source)
        beside, others = split_learnt(arrays, self._learnt_arrays)
        try:
            if others:
                raise ValueError(f"array '{min(others)}' is not one of a {type(self).__name__}")
            learnt = {**read_numbers(header.get("learnt"), self._learnt_numbers), **beside}
            fitted = learner_attributes(schema, labels, names)
            self._check_learnt(schema, labels, learnt)
            cast(Any, self)._set_fitted({**fitted, **learnt})
        except (ValueError, TypeError, KeyError, IndexError) as problem:
            raise ModelFileError(damaged(source, str(problem))) from None

    def _check_learnt(self, schema: Schema, classes: NDArray[Any] | None, learnt: dict[str, Any]) -> None:
        """Refuse with a ValueError what was not learnt from such columns and classes."""
        raise NotImplementedError


def learner_attributes(schema: Schema, classes: NDArray[Any] | None, names: NDArray[Any] | None) -> dict[str, Any]:
    """Everything that every fitted learner has, by attribute.

    Examples
    --------
    >>> from treewright.encode.schema import Column
    >>> sorted(learner_attributes(Schema((Column("age", "numeric"),)), None, None))
    ['n_features_in_', 'schema_']
    """
    fitted: dict[str, Any] = {"schema_": schema, "n_features_in_": len(schema.columns)}
    if names is not None:
        fitted["feature_names_in_"] = names
    if classes is not None:
        fitted["classes_"] = classes
    return fitted
