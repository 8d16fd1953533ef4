"""What "auto" stands for in forests: settings that follow from the table, or are judged by rows that are held out.

Chosen on one list of real tables and checked on another; docs/defaults.md has both, and what each setting is worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from treewright.learners.base.column_rules import monotone_ways
from treewright.learners.base.folds import units_per_row
from treewright.learners.forest.judged_settings import JudgedForests, Smoothness
from treewright.learners.forest.parameters import n_units
from treewright.learners.trees.drawn_splits import columns_of
from treewright.learners.trees.training_data import TrainingData
from treewright.memory import Block

_LEAST_ROWS, _MOST_ROWS = 40, 60_000  # fewer cannot judge; with more the time of judging is not worth it
_MOST_CLASSES = 10  # in leaves that are shrunk every class has a number: with more classes the others are too large
_TREES = 300
_SCIKIT_LEARN: dict[str, Any] = {"n_estimators": 100, "max_features": 1.0, "min_samples_leaf": 1}
_OF_CLASSES: dict[str, Any] = {"max_features": "sqrt", "shrinkage": 0.0}
_BYTES_TO_SHRINK, _BYTES_OF_A_CLASS = 16, 10  # two sums of a class at a node; its number and weight in a leaf
_BYTES_TO_JUDGE = 700  # for each row: where it ends in every tree of a judged forest, and what that is answered


@dataclass(frozen=True)
class ForestSettings:
    """The settings of one fit, none of them "auto"."""

    n_estimators: int
    max_features: int  # columns that a node looks at
    min_samples_leaf: int
    shrinkage: float | None  # of classes; None for numbers

    def given(self) -> dict[str, Any]:
        """Give them as parameters of a model."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def fitted(self) -> dict[str, float]:
        """Give what is shown after `fit`, by the names of the attributes."""
        return {f"{name}_": value for name, value in self.given().items()}


def settle(model: Any, training: TrainingData) -> ForestSettings:
    """Fill in what the parameters of a forest leave open for this table.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.RandomForestClassifier().fit(X, y)
    >>> model.n_estimators_, model.max_features_, model.min_samples_leaf_, model.shrinkage_
    (300, 2, 1, 1.0)
    >>> model = tw.RandomForestClassifier(n_estimators=50).fit(X, y)
    >>> model.n_estimators_, model.max_features_, model.min_samples_leaf_, model.shrinkage_
    (50, 2, 1, 0.0)
    """
    n_columns = len(training.schema.columns)
    plain, leaf = with_defaults(model), training.recipe.min_samples_leaf
    if not chooses(model, training):
        return ForestSettings(plain.n_estimators, columns_of(plain.max_features, n_columns), leaf, shrinkage_of(plain))
    shares = _shares(model, training) if is_auto(model.max_features) else (model.max_features,)
    columns = [columns_of(share, n_columns) for share in shares]
    judged = JudgedForests(_with_share_of_rows(plain, training), training)
    best, smoothness = judged.best(columns, _smoothness(model, training))
    return ForestSettings(_TREES, best, smoothness.leaf, smoothness.shrinkage)


def _with_share_of_rows(plain: Any, training: TrainingData) -> Any:
    """The same forest for fewer rows: it draws that share of them which a given number is of all."""
    if not isinstance(plain.max_samples, Integral):
        return plain
    return changed(plain, {"max_samples": min(1.0, int(plain.max_samples) / n_units(training))})


_SHRINKAGES, _LEAVES = (1.0, 3.0, 10.0, 30.0), (1, 2, 5)


def _shares(model: Any, training: TrainingData) -> tuple[float | str, ...]:
    """Shares of the columns that are judged; the first is that with which smoothness is judged."""
    if training.classes is not None:
        return 0.5, "sqrt", 0.3, 0.8
    return (1.0,) if model._random_cuts else (0.5, 0.8, 1.0, 0.3)  # extra trees of numbers gain nothing by judging


def _smoothness(model: Any, training: TrainingData) -> list[Smoothness]:
    """What is judged: how much classes are shrunk, and with many classes in its place the size of leaves."""
    leaf = training.recipe.min_samples_leaf
    if training.classes is None:
        return [Smoothness(leaf, None)]  # larger leaves and shrunk means are worse, and judging them gains nothing
    if not is_auto(model.shrinkage):
        return [Smoothness(leaf, float(model.shrinkage))]
    if len(training.classes) <= _MOST_CLASSES:
        return [Smoothness(leaf, shrinkage) for shrinkage in _SHRINKAGES]
    return [Smoothness(rows, 0.0) for rows in (_LEAVES if is_auto(model.min_samples_leaf) else (leaf,))]


def chooses(model: Any, training: TrainingData) -> bool:
    """Whether settings that are left open are the chosen ones rather than scikit-learn's."""
    if model.preset != "auto" or not is_auto(model.n_estimators) or model.warm_start or model.splitter != "axis":
        return False
    if getattr(model, "voting", "mean") == "vote" or monotone_ways(model.monotonic_cst, training.schema):
        return False
    counts = None if training.given is None else units_per_row(training.given)
    n_rows = len(training.truth) if training.given is None else int((training.given > 0).sum())
    n_rows = n_rows if counts is None else int(counts.sum())
    return _LEAST_ROWS <= n_rows <= _MOST_ROWS


def with_defaults(model: Any) -> Any:
    """The same forest with scikit-learn's settings where something is left open; the model itself stays as it is.

    Examples
    --------
    >>> import treewright as tw
    >>> plain = with_defaults(tw.RandomForestRegressor(min_samples_leaf=3))
    >>> plain.n_estimators, plain.max_features, plain.min_samples_leaf
    (100, 1.0, 3)
    """
    given = {**_SCIKIT_LEARN, **_OF_CLASSES} if model._predicts_classes else _SCIKIT_LEARN
    return changed(model, {name: value for name, value in given.items() if is_auto(getattr(model, name))})


def as_settled(model: Any, settings: ForestSettings) -> Any:
    """The same forest with settings that are numbers."""
    return changed(model, settings.given())


def with_leaf(training: TrainingData, rows: int) -> TrainingData:
    """The same rows, for trees whose leaves have so many or more."""
    return replace(training, recipe=replace(training.recipe, min_samples_leaf=rows))


def blocks_to_judge(model: Any, training: TrainingData) -> list[Block]:
    """What judging has in memory beside what growing has."""
    return [Block(_BYTES_TO_JUDGE, rows=len(training.truth))] if chooses(model, training) else []


def blocks_to_shrink(model: Any, training: TrainingData) -> list[Block]:
    """The classes of the nodes of one tree, and beyond the few that "auto" shrinks those of all leaves."""
    if training.classes is None or model.shrinkage == 0:
        return []
    rows, classes = len(training.truth), len(training.classes)
    if is_auto(model.shrinkage):
        return [Block(_BYTES_TO_SHRINK, rows=rows, classes=min(classes, _MOST_CLASSES))]
    of_leaves = Block(_BYTES_OF_A_CLASS, leaves=rows // 3, classes=classes, trees=n_trees_of(model, training))
    return [Block(_BYTES_TO_SHRINK, rows=rows, classes=classes), *([of_leaves] if classes > _MOST_CLASSES else [])]


def n_trees_of(model: Any, training: TrainingData) -> int:
    """How many trees a fit grows."""
    if not is_auto(model.n_estimators):
        return int(model.n_estimators)
    return _TREES if chooses(model, training) else int(_SCIKIT_LEARN["n_estimators"])


def changed(model: Any, values: dict[str, Any]) -> Any:
    """A copy that shares everything but these parameters; what was fitted is there, for a warm start."""
    other = object.__new__(type(model))
    other.__dict__.update(model.__dict__)
    other.__dict__.update(values)
    return other


def shrinkage_of(model: Any) -> float | None:
    """How much a model that leaves nothing open shrinks classes; None for numbers."""
    return float(model.shrinkage) if model._predicts_classes else None


def is_auto(given: Any) -> bool:
    """Whether a parameter is left open."""
    return isinstance(given, str) and given == "auto"
