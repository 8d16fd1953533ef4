"""Naive Bayes of levels fitted to a source: the sums are counts, so one question about all rows is enough.

What a class knows of a column of numbers, its mean and squares, is in memory made by products of matrices over the rows
in the order of their content; sums of parts have other last digits. A table with such a column is gathered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.fit_gathered import fit_gathered
from treewright.learners.base.matrix_model import Target
from treewright.learners.naive_bayes.class_sums import ClassSums
from treewright.learners.naive_bayes.densities import kernel_values
from treewright.learners.naive_bayes.state import stored_kernels, stored_sums
from treewright.learners.trees.fit_source import plan_and_profile, wishes_of
from treewright.sources.gather import count_rows
from treewright.sources.grow_from_counts import single_node
from treewright.sources.questions import Counts, Integers, Plan, Routing
from treewright.sources.source import Source

_EXACT = 2.0**53  # whole numbers up to this add up without rounding, in any order


def fit_source(model: Any, source: Source, y: Any, sample_weight: Any) -> None:
    """Fit naive Bayes to a source; the model is changed in one step at the end."""
    model._validate_params()
    unknown = _unknown_column(model, source, y, sample_weight)
    with source.session():
        if unknown is None and count_rows(source) > source.fetch_rows:
            plan, _ = plan_and_profile(model, source, y, sample_weight)
            if _adds_exactly(plan):
                counts = source.count(plan, Routing(*single_node(plan), (0,)), [0], False)
                fitted = _fitted(model, plan, counts)
                model._set_fitted(plan.schema, plan.classes, np.array(plan.features, dtype=object), fitted)
                return
            unknown = "weights that are no whole numbers, halves, quarters …, or add up to 2^53 of them,"
    who = type(model).__name__
    fit_gathered(model, source, y, sample_weight, who=who if unknown is None else f"{who} with {unknown}")


def _unknown_column(model: Any, source: Source, y: Any, sample_weight: Any) -> str | None:
    """The first column whose counts are not enough."""
    wishes = wishes_of(model, source, y, sample_weight)
    if wishes.value_types:
        return f"a column of numbers ('{next(iter(wishes.value_types))}')"
    types = source.empty_table().schema
    fractions = [name for name in wishes.features if str(types.field(name).type) in ("float", "double", "halffloat")]
    return f"a column of fractions ('{fractions[0]}') that is called nominal" if fractions else None


def _adds_exactly(plan: Plan) -> bool:
    """Whether sums of weights have one value, whatever their order: in memory they are sums of doubles."""
    if plan.weight is None:
        return True
    shift = int(plan.facts["whole_shift"])
    return shift <= 20 and float(plan.facts["total"]) * 2.0**shift < _EXACT


def _fitted(model: Any, plan: Plan, counts: Counts) -> dict[str, Any]:
    levelled = tuple(range(len(plan.features)))
    parts = [_by_class(plan, sums[1:]).T for sums, _, _ in counts.tables[0]]
    weight = _by_class(plan, counts.nodes.sums)[0]
    none, empty = np.zeros((plan.n_classes, 0)), np.zeros(0)
    sums = ClassSums(weight, none, none, none, empty, empty, empty, np.hstack([none, *parts]))
    fitted = {"schema_": plan.schema, **stored_sums(sums)}
    if model.numeric == "kernel":
        codes = np.empty((0, len(levelled)), dtype=np.int32)
        rows = Columns(plan.schema, np.empty((0, 0)), codes, (), levelled)
        fitted |= stored_kernels(kernel_values(rows, Target(np.empty(0, dtype=np.int32), None), plan.n_classes))
    return fitted


def _by_class(plan: Plan, sums: Integers) -> Floats:
    """The weight of each class in each cell. Of two classes a cell holds both together, and the second."""
    whole = sums[:, 1:] if plan.n_classes > 2 else np.column_stack([sums[:, 1] - sums[:, 2], sums[:, 2]])
    units = plan.units
    shift = 0 if units.unit_weights else units.weight_shift
    return np.ldexp(whole[:, : plan.n_classes].astype(np.float64), -shift)
