"""Settings of a forest judged by small forests: rows are dealt to folds, and those of a fold judge.

Rows out of bag would judge as well where every row stands in the table once. But whoever is out of bag is a row, and a
row of weight 2 is out of bag more rarely than one of the two rows that it stands for. Folds are dealt by units, in the
order of their content, so that settings depend neither on the order of rows nor on how weights are written; and they
judge extra trees, of which no row is out of bag.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import Units
from treewright.learners.base.target import weights_by_class
from treewright.learners.forest.shared_growth import ForestRows, SharedRows
from treewright.learners.trees.training_data import TrainingData, part_of_weights
from treewright.tree.format import largest_first

_FOLDS, _TREES = 3, 20
_LEAST_SHARE = 1e-3  # a class that no tree thinks of costs as much as this share: more trees would have found some
Floats = NDArray[np.float64]
_Setting = TypeVar("_Setting")


@dataclass(frozen=True)
class Smoothness:
    """What keeps the answers of a forest from 0 and 1; numbers are not shrunk."""

    leaf: int
    shrinkage: float | None


@dataclass(frozen=True)
class _Fold:
    """What small forests are grown from, and the rows that judge them."""

    part: TrainingData
    rules: dict[str, Any]
    held: NDArray[np.int64]
    weights: Floats  # of the rows that judge

    def rules_of(self, columns: int, way: Smoothness) -> dict[str, Any]:
        """What the core is told about forests of some settings."""
        return {**self.rules, "max_features": columns, "min_samples_leaf": way.leaf, "shrinkage": way.shrinkage}


@dataclass(frozen=True)
class JudgedForests:
    """Forests of a few trees for one table, judged by log loss or squared error."""

    model: Any  # nothing of it is "auto"
    training: TrainingData

    def best(self, columns: Sequence[int], ways: Sequence[Smoothness]) -> tuple[int, Smoothness]:
        """Choose how smooth answers are with the first number of columns, and then the number of columns."""
        if len({*columns}) == len({*ways}) == 1 or not self._folds:
            return columns[0], ways[0]
        tried = list(dict.fromkeys(ways))
        with_first = dict(zip(tried, self.losses([(columns[0], way) for way in tried]), strict=True))
        way = _least(with_first)
        others = [number for number in dict.fromkeys(columns) if number != columns[0]]
        of_others = dict(zip(others, self.losses([(number, way) for number in others]), strict=True))
        return _least({columns[0]: with_first[way], **of_others}), way

    def loss(self, columns: int, way: Smoothness) -> float:
        """The mean loss of the rows that judge forests with such settings."""
        return self.losses([(columns, way)])[0]

    def losses(self, settings: Sequence[tuple[int, Smoothness]]) -> list[float]:
        """The mean loss for each of some settings."""
        if not settings:
            return []
        judged = self._judged(settings)
        each = np.concatenate([fold.weights for fold in self._folds])
        total = exact_sum(each)
        return [exact_sum(np.concatenate([next(judged) for _ in self._folds]) * each) / total for _ in settings]

    def _judged(self, settings: Sequence[tuple[int, Smoothness]]) -> Iterator[Floats]:
        """The losses of all settings and folds, one after the other; from workers where these have the rows."""
        training = self.training
        asked = [(fold, fold.rules_of(*setting)) for setting in settings for fold in self._folds]
        if isinstance(training, SharedRows):
            trials = [(rules, fold.part.weights, fold.held) for fold, rules in asked]
            return iter(training.crew.each(_losses_of_worker, trials, lambda place: None))
        known = training.truth, 0 if training.classes is None else len(training.classes)
        return (
            _losses_of((training.table.core, fold.part.target), rules, fold.held, known, training.threads)
            for fold, rules in asked
        )

    @cached_property
    def _folds(self) -> list[_Fold]:
        training, factors = self.training, self._class_factors()
        folds = []
        for held, kept_weights, held_weights in _deals(training, self.model._seed()):
            part = part_of_weights(training, lambda weights, kept=kept_weights: kept)  # type: ignore[misc]
            rules = self.model._forest_rules(part) | {"n_trees": _TREES, "keep_nodes": True}
            judging = held_weights if factors is None else held_weights * factors[training.truth[held]]
            if judging.any():
                folds.append(_Fold(part, rules, held, judging))
        return folds

    def _class_factors(self) -> Floats | None:
        """How much the rows of each class count, where the model weighs classes."""
        given, classes = getattr(self.model, "class_weight", None), self.training.classes
        if classes is None or (given is None and not self.model.balanced_sampling):
            return None
        wanted = given if isinstance(given, dict) else "balanced"
        counts = (
            self.training.truth if self.training.weights is None else self.training.truth[self.training.weights > 0]
        )
        with np.errstate(divide="ignore"):  # a class without rows has no weight that anyone asks for
            return weights_by_class(wanted, classes, counts)


def _deals(training: TrainingData, seed: int) -> Iterator[tuple[NDArray[np.int64], Floats, Floats]]:
    """The rows that judge, what each row of the table weighs for those that learn, and what the judges weigh."""
    weights = np.ones(len(training.truth)) if training.weights is None else training.weights
    if training.groups is not None:  # whole groups judge
        numbers = np.arange(int(training.groups.max()) + 1, dtype=np.uint32)
        fold_of_row = Units(numbers, None).folds(_FOLDS, seed)[training.groups]
        for fold in range(_FOLDS):
            held = np.flatnonzero((fold_of_row == fold) & (weights > 0))
            kept = np.where(fold_of_row == fold, 0.0, weights)
            if len(held) and kept.any():
                yield held, kept, weights[held]
        return
    units = Units.of_training(training)
    for sides in units.sides(units.folds(_FOLDS, seed), len(training.truth)):
        kept = np.zeros(len(weights))
        kept[sides.kept] = sides.kept_weights(weights)[sides.kept]
        if kept.any():
            yield sides.held.astype(np.int64), kept, sides.held_weights(weights)


def _losses_of_worker(rows: ForestRows, trial: tuple[dict[str, Any], Floats, NDArray[np.int64]]) -> Floats:
    rules, weights, held = trial
    return _losses_of((rows.table, rows.target(weights)), rules, held, (rows.truth, rows.n_classes), 1)


def _losses_of(
    learnt_from: tuple[_core.Table, _core.Target],
    rules: dict[str, Any],
    held: NDArray[np.int64],
    known: tuple[NDArray[Any], int],
    threads: int,
) -> Floats:
    """The loss of each row that is held out, with small forests; `known` is the target and how many classes it has."""
    every_truth, n_classes = known
    forest, known_of_rows = _core.grow_forest(*learnt_from, rules, _core.Progress(), threads)
    arrays, truth = forest.arrays(), every_truth[held]
    nodes = known_of_rows["nodes"].reshape(len(every_truth), -1)[held]
    first_nodes = np.concatenate([[0], np.cumsum(arrays["tree_nodes"][:-1], dtype=np.int64)])
    leaf_of_node = np.cumsum(arrays["test"] == 0) - 1
    leaves = leaf_of_node[nodes + first_nodes]
    if not n_classes:
        reach = np.frexp(np.abs(every_truth).max())[1]  # by a power of two: squares are numbers
        return np.asarray((np.ldexp(arrays["value"], -reach)[leaves].mean(axis=1) - np.ldexp(truth, -reach)) ** 2)
    shares = _shares(arrays, leaves, truth, n_classes).mean(axis=1)
    return np.asarray(-np.log(np.maximum(shares, _LEAST_SHARE)))


def _shares(arrays: dict[str, NDArray[Any]], leaves: NDArray[np.int64], truth: NDArray[Any], n_classes: int) -> Floats:
    """The share of each row's own class in the leaves where it ends."""
    counts, weight = arrays["n_counts"].astype(np.int64), arrays["count_weight"]
    n_leaves = len(counts)
    totals = np.add.reduceat(weight, np.concatenate([[0], np.cumsum(counts)[:-1]]))
    keys = np.repeat(np.arange(n_leaves), counts) * n_classes + arrays["count_class"]
    wanted = leaves * n_classes + np.asarray(truth, dtype=np.int64)[:, None]
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, weight[places] / totals[leaves], 0.0)


def _least(losses: dict[_Setting, float]) -> _Setting:
    """The setting of the smallest loss; of equals the first."""
    return list(losses)[largest_first([-loss for loss in losses.values()])[0]]
