"""Fitted estimators of treewright around trees that were grown elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.converters.node_table import NodeTable, ensemble_of
from treewright.learners.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.table.schema import Schema

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Origin:
    """What a model says of its table: columns, class labels (None for numbers), and whether its columns have names."""

    schema: Schema
    classes: NDArray[Any] | None
    has_names: bool

    @property
    def names(self) -> NDArray[Any] | None:
        """The names of the columns as an estimator has them."""
        return np.array(self.schema.names, dtype=object) if self.has_names else None

    @property
    def n_classes(self) -> int:
        """How many classes there are; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)


def single_tree(table: NodeTable, origin: Origin, criterion: str) -> Any:
    """Give one tree as a decision tree. A leaf answers the first of its largest classes."""
    core = ensemble_of([table], len(origin.schema.columns), origin.n_classes).tree(0)
    if origin.classes is not None:
        shares = _core.class_shares(core, np.arange(core.n_nodes, dtype=np.int32), 1)
        arrays = {**core.arrays(), "prediction": shares.argmax(axis=1).astype(np.int32)}
        core = _core.Tree(arrays, core.n_columns, core.n_classes)
    kind: Any = DecisionTreeRegressor if origin.classes is None else DecisionTreeClassifier
    return with_criterion(kind, criterion)._with_tree(core, origin.schema, origin.classes, origin.names)


def forest(kind: Any, tables: Sequence[NodeTable], origin: Origin, criterion: str) -> Any:
    """Give trees whose mean is the answer as a forest of that kind."""
    core = ensemble_of(tables, len(origin.schema.columns), origin.n_classes)
    model = with_criterion(kind, criterion, n_estimators=len(tables))
    return _fitted(model, core, origin, {})


def booster(tables: Sequence[NodeTable], origin: Origin, start: Doubles, loss: str, learning_rate: float) -> Any:
    """Give trees whose sum is the raw score as a booster; tree i adds to output i modulo the outputs."""
    core = ensemble_of(tables, len(origin.schema.columns), 0)
    rounds = len(tables) // len(start)
    kind: Any = GradientBoostingRegressor if origin.classes is None else GradientBoostingClassifier
    model = kind(loss=loss, learning_rate=learning_rate, n_estimators=rounds)
    return _fitted(model, core, origin, {"baseline_": np.array(start, dtype=np.float64), "n_estimators_": rounds})


def with_criterion(kind: Any, criterion: str, **others: Any) -> Any:
    """Give an estimator that is not fitted, with the criterion of the other library where it is one of ours."""
    known = criterion in kind._parameter_constraints["criterion"][0].options
    return kind(criterion=criterion, **others) if known else kind(**others)


def _fitted(model: Any, core: _core.Ensemble, origin: Origin, learnt: dict[str, Any]) -> Any:
    trees = model._sequence(core, origin.schema, origin.classes)
    model._set_fitted(origin.schema, origin.classes, origin.names, {"trees_": trees, **learnt})
    return model
