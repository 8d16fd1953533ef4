"""Trees of several targets: one shape and one test a node for all of them, and what a node holds of each."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import _get_feature_names

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.target import weights_by_class
from treewright.learners.trees.drawn_splits import columns_of
from treewright.learners.trees.training_data import CodedRows, Recipe, encode_rows, growing_blocks, tree_recipe
from treewright.prune.cost_complexity import cut_at_price, impurity_risk
from treewright.table.encode import EncodedTable
from treewright.table.frame import open_frame
from treewright.table.schema import Schema
from treewright.table.target import encode_weights

_CRITERIA = ("gini", "entropy", "squared_error")
# Parameters that a tree of several targets knows; another one has to be what it is by default.
_KNOWN = {
    "ccp_alpha",
    "class_weight",
    "column_kinds",
    "criterion",
    "max_depth",
    "max_features",
    "max_leaf_nodes",
    "max_surrogates",
    "min_impurity_decrease",
    "min_samples_leaf",
    "min_samples_split",
    "min_weight_fraction_leaf",
    "missing",
    "n_jobs",
    "random_state",
    "splitter",
    "surrogate_fallback",
    "surrogate_share",
}


@dataclass(frozen=True)
class CodedTargets:
    """One encoded table, and each target with its classes; the weights are those of all targets together."""

    table: EncodedTable
    each: tuple[CodedRows, ...]
    weights: NDArray[np.float64] | None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.each[0].truth)

    def joint(self) -> CodedRows:
        """The rows with one number for each combination of targets, by which they are told apart when drawn."""
        truths = np.column_stack([coded.truth.astype(np.float64) for coded in self.each])
        _, codes = np.unique(truths, axis=0, return_inverse=True)
        return replace(self.each[0], truth=codes.reshape(-1).astype(np.float64), classes=None, weights=None)

    def schema_of(self, target: int) -> Schema:
        """The columns, with the name of the target."""
        return self.each[target].table.schema

    def grow(
        self, recipe: Recipe, weights: NDArray[np.float64] | None, options: Mapping[str, Any], threads: int
    ) -> list[_core.Tree]:
        """Grow one tree: its forms for each target."""
        targets = [replace(coded, weights=weights).core_target() for coded in self.each]
        told = {**recipe.for_core(), "options": dict(options)}
        return _core.grow_several(self.table.core, targets, told, threads)


def encode_targets(model: Any, X: Any, columns: Sequence[Any], sample_weight: Any) -> CodedTargets:
    """Encode a table and several targets; the weights of classes are multiplied over the targets."""
    frame = open_frame(model._table(X))
    weights = encode_weights(sample_weight, frame.n_rows)
    single = clone(model)
    if model._predicts_classes:
        single.class_weight = None
    first = encode_rows(single, frame, columns[0], sample_weight)
    each = [first]
    for column in columns[1:]:
        classes, truth, _ = single._encode_target(column, frame.n_rows, None)
        name = getattr(column, "name", None)
        schema = Schema(first.schema.columns, None if name in (None, "") else str(name))
        each.append(replace(first, truth=truth, classes=classes, table=EncodedTable(first.table.core, schema)))
    factors = _class_factors(model, each)
    if factors is not None:
        weights = encode_weights(factors if weights is None else weights * factors, frame.n_rows)
    return CodedTargets(first.table, tuple(each), weights)


def _class_factors(model: Any, each: Sequence[CodedRows]) -> NDArray[np.float64] | None:
    """What each row counts by its classes: "balanced" for each target, or a dict for each in a list."""
    given = getattr(model, "class_weight", None)
    if given is None or not model._predicts_classes or given == "balanced_subsample":
        return None
    if isinstance(given, Mapping):
        raise DataError(
            "With several targets class_weight is a list with a dict for each of them, or 'balanced'. Got one dict."
        )
    dicts = [given] * len(each) if isinstance(given, str) else list(given)
    if len(dicts) != len(each):
        raise DataError(f"class_weight has {len(dicts)} dicts for {len(each)} targets. Give one for each target.")
    rows = [weights_by_class(own, c.classes, c.truth)[c.truth] for own, c in zip(dicts, each, strict=True)]  # type: ignore[arg-type]
    return np.asarray(reduce(np.multiply, rows))


def refuse_unknown(model: Any, known: set[str]) -> None:
    """Refuse parameters that trees of several targets do not know."""
    usual = {name: each.default for name, each in inspect.signature(type(model)).parameters.items()}
    for name, value in model.get_params(deep=False).items():
        if name not in known and not _is_equal(value, usual[name]):
            raise DataError(
                f"{name}={value!r} does not go with several targets. Leave it out, or train a model for each target."
            )
    if getattr(model, "missing", "learn") not in ("learn", "refuse"):
        raise DataError(f"Several targets go with missing='learn' and 'refuse', not with {model.missing!r}.")


def suits_several_targets(model: Any, known: set[str] = _KNOWN) -> bool:
    """Whether a model of these parameters takes several targets."""
    try:
        refuse_unknown(model, known)
    except DataError:
        return False
    return model.criterion in (*_CRITERIA, "log_loss", "friedman_mse")


def _is_equal(value: Any, usual: Any) -> bool:
    return value is usual or (type(value) is type(usual) and bool(value == usual))


def recipe_of(model: Any, coded: CodedTargets) -> Recipe:
    """The rules of growing; criteria that are not for several targets are refused."""
    recipe = tree_recipe(model, coded.n_rows, coded.weights)
    if recipe.criterion not in _CRITERIA:
        raise DataError(
            f"Several targets are judged by gini, entropy (log_loss) or squared_error, not by {model.criterion}. "
            "Choose one of these, or train a model for each target."
        )
    return recipe


def joint_risk(cores: Sequence[_core.Tree]) -> NDArray[np.float64]:
    """Each node's share of the weight times its impurity, the mean over the targets."""
    return np.asarray(np.mean([impurity_risk(core) for core in cores], axis=0))


def fit_tree_of_targets(model: Any, X: Any, columns: Sequence[Any], sample_weight: Any = None) -> list[Any]:
    """Grow one tree for all targets; gives a fitted tree for each, which differ in their answers only."""
    refuse_unknown(model, _KNOWN)
    X = model._table(X)
    coded = encode_targets(model, X, columns, sample_weight)
    recipe = recipe_of(model, coded)
    model._refuse_beyond_memory("fit", *growing_blocks((16.0, 90.0 + 60 * len(columns)), coded.each[0]))
    options: dict[str, Any] = {}
    if model.splitter == "random" or model.max_features is not None:
        drawn = columns_of(model.max_features, len(coded.table.schema.columns))
        options = {"max_features": drawn, "draw_seed": model._seed(), "random_cuts": model.splitter == "random"}
    cores = coded.grow(recipe, coded.weights, options, coded.each[0].threads)
    if model.ccp_alpha > 0:
        risk = joint_risk(cores)
        cores = [cut_at_price(core, risk, model.ccp_alpha) for core in cores]
    names = _get_feature_names(X)
    return [
        clone(model)._with_tree(core, coded.schema_of(t), coded.each[t].classes, names) for t, core in enumerate(cores)
    ]
