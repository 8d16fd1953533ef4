"""What a change of 1 is in each column, so that changes of different columns can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.errors import DataError, nearest
from treewright.tree.stored import THRESHOLD
from treewright.tree.tree import Tree

SPAN_OF_CUTS = "shares of the span of the tree's cuts and the row's own value"
GIVEN = "the given scale"


def span_of_cuts(tree: Tree, values: Sequence[float]) -> list[float]:
    """Give, for each column, the span of its cuts in the tree together with the row's own value.

    A stored tree holds no rows. This is what it knows about how far apart values of a column are.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> span_of_cuts(example_tree(), [1.0, 70.0])
    [1.0, 12.5]
    """
    arrays, columns = tree.arrays, tree.schema.columns
    tests = (arrays["kind"] == THRESHOLD) & np.isfinite(arrays["threshold"])
    places, cuts = arrays["column"][tests], arrays["threshold"][tests]
    if "interval_start" in arrays:
        owner = np.repeat(arrays["column"], np.diff(arrays["interval_start"]))
        places, cuts = np.concatenate([places, owner]), np.concatenate([cuts, arrays["interval_upper"]])
    own = np.array(values, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(own))
    low, high = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
    np.minimum.at(low, np.concatenate([places, known]), np.concatenate([cuts, own[known]]))
    np.maximum.at(high, np.concatenate([places, known]), np.concatenate([cuts, own[known]]))
    span = np.where(high > low, high - low, np.where(np.isfinite(own) & (own != 0), np.abs(own), 1.0))
    levels = np.array([len(column.levels) - 1.0 for column in columns])
    ordinal = np.array([column.kind == "ordinal" for column in columns])
    found: list[float] = np.where(ordinal, np.maximum(levels, 1.0), np.where(np.isnan(span), 1.0, span)).tolist()
    return found


def check_scale(tree: Tree, scale: Mapping[str, float] | None) -> dict[int, float]:
    """Give the scales that a user gave, by the places of the columns.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> check_scale(example_tree(), {"humidity": 5})
    {1: 5.0}
    """
    return {
        column_index(tree.schema.names, name, "scale"): _checked(name, size) for name, size in (scale or {}).items()
    }


def all_scales(tree: Tree, values: Sequence[float], given: Mapping[int, float]) -> list[float]:
    """Give the scale of each column: the given one, else the span of the tree's cuts.

    >>> from treewright.tree import example_tree
    >>> all_scales(example_tree(), [1.0, 70.0], {1: 5.0})
    [1.0, 5.0]
    """
    return [given.get(j, span) for j, span in enumerate(span_of_cuts(tree, values))]


def _checked(name: str, size: Any) -> float:
    try:
        number = float(size)
    except (TypeError, ValueError):
        number = np.nan
    if not (np.isfinite(number) and number > 0):
        raise DataError(f"The scale of column '{name}' must be a number above 0. Got {size!r} instead.")
    return number


def column_index(names: tuple[str, ...], name: Any, parameter: str) -> int:
    """Give the place of a column that a parameter names.

    >>> column_index(("outlook", "humidity"), "humidty", "fixed")
    Traceback (most recent call last):
    treewright.errors.DataError: 'fixed' names a column 'humidty' that the model does not have. Did you mean 'humidity'?
    """
    if name not in names:
        raise DataError(f"'{parameter}' names a column {name!r} that the model does not have. {nearest(name, names)}")
    return names.index(name)
