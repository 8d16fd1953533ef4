"""Naive Bayes fitted to a source: sums that are whole numbers are the same wherever they are added up.

Four questions are asked of all rows: weights, levels and the ends of columns; sums; squares around the means; and how
many different values columns have, as far as that matters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.learners.base.design_matrix import Columns
from treewright.learners.base.fit_gathered import fit_gathered
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.sums_by_class import Units, refuse_infinite
from treewright.learners.naive_bayes.asked_rows import AskedRows
from treewright.learners.naive_bayes.asked_sql import AskedSql
from treewright.learners.naive_bayes.class_sums import ClassSums, class_sums_of, values_that_tell
from treewright.learners.naive_bayes.densities import kernel_values
from treewright.learners.naive_bayes.state import stored_kernels, stored_sums
from treewright.learners.trees.fit_source import plan_and_profile, wishes_of
from treewright.sources.gather import count_rows
from treewright.sources.questions import Plan
from treewright.sources.source import Source
from treewright.sources.sql_source import SqlSource


def fit_source(model: Any, source: Source, y: Any, sample_weight: Any) -> None:
    """Fit naive Bayes to a source; the model is changed in one step at the end."""
    model._validate_params()
    unknown = _unknown_column(model, source, y, sample_weight)
    with source.session():
        if unknown is None and count_rows(source) > source.fetch_rows:
            plan, _ = plan_and_profile(model, source, y, sample_weight)
            if not isinstance(source, SqlSource) or plan.weight is None or plan.units.exact_weights:
                fitted = _fitted(model, source, plan)
                model._set_fitted(plan.schema, plan.classes, np.array(plan.features, dtype=object), fitted)
                return
            unknown = "weights that are no whole numbers, halves, quarters …, or add up to 2^50 of them,"
    who = type(model).__name__
    fit_gathered(model, source, y, sample_weight, who=who if unknown is None else f"{who} with {unknown}")


def _unknown_column(model: Any, source: Source, y: Any, sample_weight: Any) -> str | None:
    """The first column that sums do not tell enough of."""
    wishes = wishes_of(model, source, y, sample_weight)
    if wishes.value_types and model.numeric == "kernel":
        return f"numeric='kernel' and a column of numbers ('{next(iter(wishes.value_types))}')"
    types = source.empty_table().schema
    levels = [name for name in wishes.features if name in wishes.levels]
    fractions = [name for name in levels if str(types.field(name).type) in ("float", "double", "halffloat")]
    return f"a column of fractions ('{fractions[0]}') that is called nominal" if fractions else None


def _fitted(model: Any, source: Source, plan: Plan) -> dict[str, Any]:
    fitted = {"schema_": plan.schema, **stored_sums(_sums(source, plan))}
    if model.numeric == "kernel":
        levelled = tuple(range(len(plan.features)))
        codes = np.empty((0, len(levelled)), dtype=np.int32)
        rows = Columns(plan.schema, np.empty((0, 0)), codes, (), levelled)
        fitted |= stored_kernels(kernel_values(rows, Target(np.empty(0, dtype=np.int32), None), plan.n_classes))
    return fitted


def _sums(source: Source, plan: Plan) -> ClassSums:
    asked = AskedSql(source, plan) if isinstance(source, SqlSource) else AskedRows(source, plan)
    tallies = asked.tallies()
    units = Units(tallies.low, tallies.high, plan.heaviest)
    if not len(units.low):
        none = np.empty((plan.n_classes, 0), dtype=object)
        return class_sums_of(tallies, units, none, none)
    refuse_infinite(units, plan.schema)
    whole = asked.sums(units)
    sums = class_sums_of(tallies, units, whole, asked.square_sums(units, units.means(whole, tallies.known)))
    return replace(sums, distinct=asked.value_counts(values_that_tell(sums)))
