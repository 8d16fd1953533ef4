"""Forests of several targets: trees whose tests serve all of them, each grown from drawn rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import _get_feature_names

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.folds import encode_groups
from treewright.learners.ensemble.bootstrap import BootstrapSamples, OutOfBag, draw_bootstraps
from treewright.learners.ensemble.reweighted_trees import in_order
from treewright.learners.forest.settings import ForestSettings, shrinkage_of, with_defaults
from treewright.learners.trees.drawn_splits import columns_of
from treewright.learners.trees.several_targets import (
    CodedTargets,
    encode_targets,
    recipe_of,
    refuse_unknown,
    suits_several_targets,
)
from treewright.learners.trees.training_data import Recipe, TrainingData, growing_blocks, with_recipe
from treewright.learners.trees.tree_lookup import node_answers

_SEED_OF_A_TREE = 5  # of the random words: what the nodes of a tree draw
_KNOWN = {
    "bootstrap",
    "class_weight",
    "column_kinds",
    "criterion",
    "max_depth",
    "max_features",
    "max_leaf_nodes",
    "max_samples",
    "min_impurity_decrease",
    "min_samples_leaf",
    "min_samples_split",
    "min_weight_fraction_leaf",
    "missing",
    "n_estimators",
    "n_jobs",
    "oob_score",
    "preset",
    "random_state",
    "verbose",
    "voting",
    "warm_start",
}


@dataclass(frozen=True)
class SeveralGrower:
    """Grows the trees of one forest. Each is a function of its number, so that any thread can grow any of them."""

    coded: CodedTargets
    recipe: Recipe
    bootstraps: BootstrapSamples
    factors: NDArray[np.float64] | None  # of the classes, row by row
    balances_trees: bool
    n_columns: int
    random_cuts: bool
    min_weight_share: float
    seed: int

    def grow(self, number: int) -> list[_core.Tree]:
        """Grow tree `number`: its forms for each target."""
        weights = self._weights_of(number)
        draw_seed = int(_core.drawn_words(self.seed, _SEED_OF_A_TREE, number, 1)[0] >> np.uint64(33))
        options = {"max_features": self.n_columns, "draw_seed": draw_seed, "random_cuts": self.random_cuts}
        recipe = replace(self.recipe, min_weight_leaf=self.min_weight_share * float(weights.sum()))
        return self.coded.grow(recipe, weights, options, 1)

    def _weights_of(self, number: int) -> NDArray[np.float64]:
        weights = self.bootstraps.weights_of(number)
        if not self.balances_trees:
            return weights if self.factors is None else weights * self.factors
        balanced = weights
        for coded in self.coded.each:
            totals = np.bincount(coded.truth, weights)
            shares = np.divide(weights.sum(), totals * np.count_nonzero(totals), where=totals > 0, out=totals.copy())
            balanced = balanced * shares[coded.truth]
        return balanced


def suits_forest_of_targets(model: Any) -> bool:
    """Whether a forest of these parameters takes several targets."""
    return suits_several_targets(model, _KNOWN)


def fit_forest_of_targets(
    model: Any, X: Any, columns: Sequence[Any], sample_weight: Any = None, groups: Any = None
) -> list[Any]:
    """Grow a forest whose trees serve all targets; gives a fitted forest for each of them."""
    refuse_unknown(model, _KNOWN)
    given, model = model, with_defaults(model)  # of several targets nothing is judged
    X = model._table(X)
    grower, joint = _make_grower(model, X, columns, sample_weight, groups)
    model._refuse_beyond_memory("fit", *growing_blocks((16.0, 90.0 + 60 * len(columns)), joint))
    before = _forests_to_keep(model, grower.coded)
    n_before = 0 if before is None else before[0].n_trees
    missing = range(n_before, model.n_estimators)
    grown = list(in_order(grower.grow, missing, max(1, min(joint.threads, len(missing)))))
    names = _get_feature_names(X)
    fitted = []
    for t, coded in enumerate(grower.coded.each):
        n_classes = 0 if coded.classes is None else len(coded.classes)
        trees = [forms[t] for forms in grown]
        n_columns = len(coded.schema.columns)
        forest = _core.Ensemble.from_trees(trees, n_columns, n_classes) if trees else None
        if before is not None:
            forest = before[t] if forest is None else before[t].extended(forest)
        single = clone(given)
        sequence = single._sequence(forest, grower.coded.schema_of(t), coded.classes)
        learnt = {"trees_": sequence, "_samples": grower.bootstraps, **_out_of_bag(single, grower, forest, t)}
        learnt |= ForestSettings(
            model.n_estimators, grower.n_columns, grower.recipe.min_samples_leaf, shrinkage_of(model)
        ).fitted()
        single._set_fitted(grower.coded.schema_of(t), coded.classes, names, learnt)
        fitted.append(single)
    return fitted


def _make_grower(
    model: Any, X: Any, columns: Sequence[Any], sample_weight: Any, groups: Any
) -> tuple[SeveralGrower, TrainingData]:
    coded = encode_targets(model, X, columns, None)
    given = encode_targets(clone(model).set_params(**_without_class_weight(model)), X, columns, sample_weight)
    if model.oob_score and not model.bootstrap and model.max_samples is None:
        raise DataError("oob_score=True needs rows that a tree did not see. Set bootstrap=True or max_samples.")
    recipe = recipe_of(model, given)
    joint = with_recipe(coded.joint(), recipe)
    if groups is not None:
        joint = replace(joint, groups=encode_groups(groups, coded.n_rows))
    share = 1.0 if model.max_samples is None else model.max_samples
    seed = model._seed()
    bootstraps = draw_bootstraps(joint, given.weights, share, model.bootstrap, seed)
    grower = SeveralGrower(
        coded,
        recipe,
        bootstraps,
        coded.weights,
        isinstance(getattr(model, "class_weight", None), str) and model.class_weight == "balanced_subsample",
        columns_of(model.max_features, len(coded.table.schema.columns)),
        model._random_cuts,
        model.min_weight_fraction_leaf,
        seed,
    )
    return grower, joint


def _without_class_weight(model: Any) -> dict[str, Any]:
    return {"class_weight": None} if model._predicts_classes else {}


def _forests_to_keep(model: Any, coded: CodedTargets) -> list[Any] | None:
    """The trees of each target that a warm start goes on from."""
    targets = model.__dict__.get("targets_")
    if not model.warm_start or targets is None:
        return None
    if len(targets) != len(coded.each) or targets[0].trees_.schema.columns != coded.schema_of(0).columns:
        raise DataError("warm_start=True goes on with the table of the first fit. Pass the same table and targets.")
    if len(targets[0].trees_) > model.n_estimators:
        raise DataError(
            f"n_estimators={model.n_estimators} is less than the {len(targets[0].trees_)} trees that are there. Raise "
            "it, or set warm_start=False."
        )
    return [target.trees_.core for target in targets]


def _out_of_bag(single: Any, grower: SeveralGrower, forest: Any, target: int) -> dict[str, Any]:
    """What is known of one target by the trees that did not see a row."""
    if not single.oob_score:
        return {}
    coded, samples = grower.coded.each[target], grower.bootstraps
    out = OutOfBag(grower.coded.n_rows, 1 if coded.classes is None else len(coded.classes))
    every = np.arange(grower.coded.n_rows, dtype=np.uint32)
    for number in range(forest.n_trees):
        tree = forest.tree(number)
        ends = _core.leaves_of_table(tree, coded.table.core, every)
        is_out = np.zeros(len(ends), dtype=bool)
        is_out[samples.rows] = samples.weights_of(number)[samples.rows] == 0
        out.add(is_out, node_answers(tree, single._says())[ends])
    if target == 0:
        out.tell_gaps()
    if callable(single.oob_score):
        score = out.score_by(single.oob_score, coded.truth, coded.classes)
    else:
        score = single._score_of(out, coded.truth, samples.weights)
    return {"oob_score_": score, **single._out_of_bag(out)}
