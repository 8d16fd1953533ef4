"""Going on from the trees that an ensemble has: what a warm start may and may not."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.encode.schema import Schema
from treewright.errors import DataError


def trees_to_keep(model: Any, schema: Schema, classes: Any) -> Any:
    """The trees that a warm start goes on from, as the core has them; None where everything is grown anew.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.RandomForestClassifier(n_estimators=3, warm_start=True).fit([[1], [2]], ["a", "b"])
    >>> trees_to_keep(model, model.trees_.schema, model.classes_).n_trees
    3
    """
    if not getattr(model, "warm_start", False) or "trees_" not in model.__dict__:
        return None
    if model.trees_.schema != schema or not _are_same(model.__dict__.get("classes_"), classes):
        raise DataError(
            "warm_start=True goes on with the table of the first fit, and this one has other columns, levels or "
            "classes. Pass the same table, or fit with warm_start=False."
        )
    if len(model.trees_) > model.n_estimators:
        raise DataError(
            f"n_estimators={model.n_estimators} is less than the {len(model.trees_)} trees that are there, and with "
            "warm_start trees are added, not taken away. Raise n_estimators, or set warm_start=False."
        )
    return model.trees_.core


def _are_same(before: Any, now: Any) -> bool:
    return bool(before is now or (before is not None and now is not None and np.array_equal(before, now)))
