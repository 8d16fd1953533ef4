"""A CART tree fitted to a source: rows that stay where they are. The model is that of the same rows in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.column_rules import asks_for_order
from treewright.learners.base.fit_gathered import fit_gathered
from treewright.learners.base.target import weights_by_class
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.training_data import Recipe, tree_recipe
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.pruner import Grown, JudgedByRows, Pruner
from treewright.prune.readable import Readable
from treewright.sources.grow_from_counts import grow_from_counts
from treewright.sources.profile import Profile, few_values, kinds_by_type, small_table, with_cells
from treewright.sources.questions import Plan, Wishes
from treewright.sources.source import Source
from treewright.table.column_kinds import check_column_kinds
from treewright.table.encode import lay_out
from treewright.table.frame import open_frame
from treewright.table.target import encode_classes, refuse_extremes, target_column
from treewright.wording import set_words

if TYPE_CHECKING:
    from treewright.learners.trees.tree_model import TreeModel


def fit_source(model: Any, source: Source, y: Any, sample_weight: Any) -> None:
    """Fit a tree to a source; the model is changed in one step at the end."""
    model._validate_params()
    unknown = what_counts_cannot_tell(model)
    if unknown is not None:
        fit_gathered(model, source, y, sample_weight, who=f"{type(model).__name__} with {unknown}")
        return
    with source.session():
        plan = make_plan(model, source, y, sample_weight)
        recipe = recipe_of(model, plan)
        core = grow_from_counts(source, plan, recipe.for_core(), thread_count(model.n_jobs), source.tell)
    core = prune_alone(core, model._pruner(), plan, recipe)
    fitted = model._fitted_tree(core, plan.schema, plan.classes)
    model._set_fitted(plan.schema, plan.classes, np.array(plan.features, dtype=object), fitted)


def what_counts_cannot_tell(model: TreeModel) -> str | None:
    """The first choice that counts cannot tell, by its name; such a tree is grown from rows that are gathered."""
    choices: dict[str, Any] = {
        'criterion="absolute_error"': model.criterion == "absolute_error",  # medians need the rows in order
        'criterion="gain_ratio"': model.criterion == "gain_ratio",
        f'missing="{model.missing}"': model.missing not in ("learn", "larger", "branch", "refuse"),
        "keep_candidates": model.keep_candidates,
        'splitter="random"': model.splitter == "random",
        "max_features": model.max_features is not None,
        "monotonic_cst": asks_for_order(model.monotonic_cst),
        "priors": getattr(model, "priors", None) is not None,
        "costs": getattr(model, "costs", None) is not None,
        "shrink": getattr(model, "shrink", 0.0) > 0,
    }
    pruner = model._pruner()
    by_folds = isinstance(pruner, CostComplexity) and pruner.cv is not None
    by_rows = isinstance(pruner, JudgedByRows | Readable) or (pruner is not None and pruner.looks_at_training_rows)
    choices[f"pruning by {type(pruner).__name__}, which asks for rows,"] = by_folds or by_rows
    return next((name for name, is_asked in choices.items() if is_asked), None)


def wishes_of(model: Any, source: Source, y: Any, sample_weight: Any) -> Wishes:
    """What has to be found out about the columns, by their types."""
    target = source.need(y, "target")
    weight = None if sample_weight is None else source.need(sample_weight, "sample_weight")
    features = tuple(name for name in source.names if name not in (target, weight, *source.left_out))
    if not features:
        raise DataError(f"{source} has no column to learn from beside the target. Give it some.")
    wanted = check_column_kinds(model.column_kinds, features)
    kinds = kinds_by_type(source.empty_table().select(list(features)), wanted)
    return Wishes(
        features,
        target,
        weight,
        frozenset(name for name, (kind, _) in zip(features, kinds, strict=True) if kind != "numeric"),
        {name: value_type for name, (kind, value_type) in zip(features, kinds, strict=True) if kind == "numeric"},
        model._predicts_classes,
        few_values(),
    )


def make_plan(model: Any, source: Source, y: Any, sample_weight: Any) -> Plan:
    """Take the first look at a source and decide what its columns are."""
    return plan_and_profile(model, source, y, sample_weight)[0]


def plan_and_profile(model: Any, source: Source, y: Any, sample_weight: Any) -> tuple[Plan, Profile]:
    """The same, with what was seen."""
    wishes = wishes_of(model, source, y, sample_weight)
    target, weight = wishes.target, wishes.weight
    empty = source.empty_table().select(list(wishes.features))
    profile = source.profile(wishes)
    if profile.n_rows == 0:
        raise DataError(f"{source} has no rows. Give it some.")
    small = open_frame(small_table(profile, empty, wishes))
    schema = lay_out(small, model.column_kinds, target, model._counts_declared_levels, warns=False).schema
    columns, edges = zip(*(with_cells(profile, column, wishes) for column in schema.columns), strict=True)
    schema = replace(schema, columns=columns)
    classes, class_weights = _classes(model, profile, source, target)
    facts = _facts(model, profile)
    plan = Plan(schema, target, weight, classes, class_weights, facts, edges)
    if class_weights is not None:
        plan = replace(plan, facts={**facts, **source.weight_facts(plan)})
    _refuse_holes(model, profile)
    return plan, profile


def _classes(model: Any, profile: Profile, source: Source, target: str) -> tuple[Any, NDArray[np.float64] | None]:
    if not model._predicts_classes:
        refuse_extremes(np.array([profile.low, profile.high]), model._target_exponent, type(model).__name__)
        if getattr(model, "criterion", None) == "poisson" and (profile.low < 0 or profile.high <= 0):
            raise DataError("The poisson criterion needs counts of 0 or more, not all 0. Use squared_error instead.")
        return None, None
    import pyarrow as pa

    of_type = source.empty_table().schema.field(target).type
    labels = pa.chunked_array([pa.array(list(profile.class_rows), of_type)])
    classes, codes = encode_classes(target_column(labels, len(labels), type(model).__name__))
    if getattr(model, "class_weight", None) is None:
        return classes, None
    rows = np.zeros(len(classes), dtype=np.int64)
    rows[codes] = list(profile.class_rows.values())
    if not isinstance(model.class_weight, Mapping):
        return classes, profile.n_rows / (len(classes) * rows)
    return classes, weights_by_class(model.class_weight, classes, codes)


def _facts(model: Any, profile: Profile) -> dict[str, Any]:
    facts: dict[str, Any] = {"n_counted": profile.n_rows, "all_one": True, "total": 0.0}
    facts |= {"largest": 0.0, "whole_shift": 0}
    if profile.weights is not None:
        facts |= profile.weights.facts()
    numbers = not model._predicts_classes
    return facts | {
        "n_rows": profile.n_rows,
        "has_numbers": numbers,
        "rates": getattr(model, "criterion", None) == "poisson",
        "low": profile.low if numbers else 0.0,
        "high": profile.high if numbers else 0.0,
    }


def _refuse_holes(model: Any, profile: Profile) -> None:
    if getattr(model, "missing", None) == "refuse" and profile.with_holes:
        offered = [
            name
            for name in ("learn", "larger", "branch", "fractional", "mean", "flag")
            if name in offered_for_holes(model)
        ]
        raise DataError(
            f"Column '{min(profile.with_holes)}' has missing values and {set_words('missing', 'refuse')} was "
            f"asked for. Fill them, or choose {set_words('missing', *offered[:2])}."
        )


def offered_for_holes(model: Any) -> Collection[str]:
    """What a model can do about missing values."""
    offered: Collection[str] = model._parameter_constraints["missing"][0].options
    return offered


def recipe_of(model: Any, plan: Plan) -> Recipe:
    """The recipe, with shares as numbers of rows and weights."""
    total = plan.facts["total"]
    if np.isnan(total) and model.min_weight_fraction_leaf > 0:
        raise DataError(
            "min_weight_fraction_leaf asks for the sum of the weights, which SQL adds up exactly only where they are "
            "whole numbers, halves, quarters …. Choose min_samples_leaf, or a source of files."
        )
    weights = None if plan.weight is None and plan.class_weights is None else np.array([np.nan_to_num(total)])
    return tree_recipe(model, int(plan.facts["n_rows"]), weights)


def prune_alone(core: _core.Tree, pruner: Pruner | None, plan: Plan, recipe: Recipe) -> _core.Tree:
    """Prune a tree by what its nodes hold."""
    if pruner is None:
        return core
    if isinstance(pruner, CostComplexity):
        from treewright.prune.cost_complexity import prune_by_price

        return prune_by_price(core, pruner, None, 0, None)[0]
    return pruner.cut(Grown(core, plan.schema, recipe.criterion))
