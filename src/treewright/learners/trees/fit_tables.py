"""ID3, CHAID and conditional trees of classes fitted to a source: counted where the rows are, or gathered.

Rows that may be fetched are gathered, since that is one pass. More than these are counted, level by level, unless the
settings or the columns ask for what counts do not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import numpy as np

from treewright.learners.base.fit_gathered import fit_gathered
from treewright.learners.trees.fit_source import plan_and_profile, wishes_of
from treewright.learners.trees.training_data import Recipe
from treewright.sources.gather import count_rows
from treewright.sources.grow_from_tables import grow_from_tables, in_bins, numbers_of_columns, with_codes
from treewright.sources.questions import Numbers, Plan
from treewright.sources.source import Source

# of a model, a source, the names of target and weights: what counts do not tell, None where the model is fitted
FitCounted = Callable[[Any, Source, Any, Any], str | None]
MOST_NUMBERS = 255  # different ones in a column that is counted number by number


def fit_tables(model: Any, source: Source, y: Any, sample_weight: Any) -> None:
    """Fit a tree to a source; the model is changed in one step at the end."""
    model._validate_params()
    unknown = _unknown_choice(model) or _unknown_column(model, source, y, sample_weight)
    count_or_gather(model, source, y, sample_weight, unknown, _fit_counted)


def count_or_gather(
    model: Any, source: Source, y: Any, sample_weight: Any, unknown: str | None, fit_counted: FitCounted
) -> None:
    """Count if there are more rows than may be fetched; gather if there is something that counts do not tell."""
    with source.session():
        if unknown is None and count_rows(source) > source.fetch_rows:
            unknown = fit_counted(model, source, y, sample_weight)
            if unknown is None:
                return
    who = type(model).__name__
    fit_gathered(model, source, y, sample_weight, who=who if unknown is None else f"{who} with {unknown}")


def _unknown_choice(model: Any) -> str | None:
    """The first choice that counts do not tell, by its name."""
    choices = {
        'weights="sampling"': getattr(model, "weights", None) == "sampling",
        f'test="{getattr(model, "test", "")}"': str(getattr(model, "test", "")).startswith("monte_carlo"),
        f'missing="{model.missing}"': model.missing in ("surrogates", "fractional"),
    }
    return next((name for name, is_asked in choices.items() if is_asked), None)


def _unknown_column(model: Any, source: Source, y: Any, sample_weight: Any) -> str | None:
    """A kind of column whose counts are not enough."""
    wishes = wishes_of(model, source, y, sample_weight)
    if getattr(model, "_takes_levels_only", False) and wishes.value_types:
        return f"a column of numbers ('{next(iter(wishes.value_types))}') that column_kinds does not call nominal"
    types = source.empty_table().schema
    fractions = [name for name in wishes.levels if str(types.field(name).type) in ("float", "double", "halffloat")]
    if getattr(model, "_takes_levels_only", False) and fractions:  # an infinite one would be no level
        return f"a column of fractions ('{min(fractions)}') that is called nominal"
    ordered = [name for name, kind in (model.column_kinds or {}).items() if kind == "ordinal" or type(kind) is not str]
    if ordered and getattr(model, "_scores_orders", False):
        return f"a column with an order ('{ordered[0]}')"
    return None


def _fit_counted(model: Any, source: Source, y: Any, sample_weight: Any) -> str | None:
    """Count; or say what cannot be counted, once the numbers of the columns are known."""
    plan, profile = plan_and_profile(model, source, y, sample_weight)
    recipe = _recipe(model, plan)
    if recipe is None:
        return "a share of weights that are no whole numbers, halves, quarters …,"
    numbers = numbers_of_columns(source, plan)
    values: dict[int, Numbers] = {j: own for j, (own, _) in numbers.items()}
    if "bins" in recipe.options:
        values = in_bins(plan, numbers, int(recipe.options["bins"]))
    unknown = too_many_numbers(plan, values, MOST_NUMBERS)
    if unknown is not None:
        return unknown
    core = grow_from_tables(
        source, with_codes(plan, values), values, profile.with_holes, recipe.for_core(), source.tell
    )
    fitted = model._fitted_tree(core, plan.schema, plan.classes)
    model._set_fitted(plan.schema, plan.classes, np.array(plan.features, dtype=object), fitted)
    return None


def too_many_numbers(plan: Plan, values: Mapping[int, Numbers], most: int) -> str | None:
    """A column of more different numbers than are counted one by one, or of infinite ones."""
    for j, own in values.items():
        if len(own) > most or np.isinf(own).any():
            name = plan.schema.columns[j].name
            return f"more than {most:,} different or infinite numbers in a column ('{name}')"
    return None


def _recipe(model: Any, plan: Plan) -> Recipe | None:
    """The recipe; None where it asks for a sum of weights that has no exact value."""
    sizes = [getattr(model, name, None) for name in ("min_samples_split", "min_samples_leaf", "min_segment")]
    shares = any(size is not None and not isinstance(size, Integral) for size in sizes)
    if shares and plan.weight is not None and int(plan.facts["whole_shift"]) > 20:
        return None
    total = np.nan_to_num(plan.facts["total"])
    weights = None if plan.weight is None else np.array([total])
    recipe: Recipe = model._complete_recipe(model._recipe(int(plan.facts["n_rows"]), weights), plan.classes)
    return recipe
