"""Linear regression fitted to a source by sums, where these are all that is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.learners.base.fit_gathered import fit_gathered
from treewright.learners.base.threads import one_blas_thread
from treewright.learners.linear.asked_rows import AskedRows
from treewright.learners.trees.fit_source import plan_and_profile
from treewright.sources.gather import count_rows
from treewright.sources.source import Source
from treewright.sources.sql_source import SqlSource


def fit_source(model: Any, source: Source, y: Any, sample_weight: Any, sums_tell: bool) -> None:
    """Fit a linear model to a source; the model is changed in one step at the end."""
    model._validate_params()
    who = type(model).__name__
    with source.session():
        if sums_tell and not isinstance(source, SqlSource) and count_rows(source) > source.fetch_rows:
            plan, _ = plan_and_profile(model, source, y, sample_weight)
            with one_blas_thread():
                fitted = model.learn_sums(AskedRows(source, plan), plan.schema)
            if fitted is not None:
                names = np.array(plan.features, dtype=object)
                model._set_fitted(plan.schema, None, names, {"schema_": plan.schema, **fitted})
                return
            who += " of so many columns"
    fit_gathered(model, source, y, sample_weight, who=who)
