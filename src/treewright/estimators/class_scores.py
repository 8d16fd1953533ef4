"""What the classes of an ordinal target count as."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.encode.column_kinds import column_kind
from treewright.encode.levels import find_levels
from treewright.errors import DataError


def scores_by_class(given: Mapping[Any, float] | None, y: Any, classes: NDArray[Any] | None) -> list[float]:
    """Give the score of every class, in the order of `classes`; an empty list where the target has no order.

    Examples
    --------
    >>> scores_by_class({"low": 1, "high": 5}, ["low", "high"], np.array(["high", "low"]))
    [5.0, 1.0]
    >>> scores_by_class(None, ["low", "high"], np.array(["high", "low"]))
    []
    """
    if classes is None:
        return []
    labels = classes.tolist()
    if given is None:
        return _scores_of_categories(y, labels)
    for label in labels:
        score = given.get(label)
        if isinstance(score, bool) or not isinstance(score, Real) or not np.isfinite(float(score)):
            raise DataError(
                f"class_scores needs a finite number for each class, but class {label!r} has {score!r}. "
                "Give every class of the target a score."
            )
    return [float(given[label]) for label in labels]


def _scores_of_categories(y: Any, labels: list[Any]) -> list[float]:
    if not nw.dependencies.is_into_series(y):
        return []
    series = nw.from_native(y, series_only=True)
    if series.dtype not in (nw.Categorical, nw.Enum) or column_kind(y)[0] != "ordinal":
        return []
    in_order = [level for level in find_levels(series, ordered=True)[1] if level in set(labels)]
    return [in_order.index(label) + 1.0 for label in labels]
