"""Stop rules that several algorithms share, said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.learners.trees.training_data import rows_of
from treewright.reference.table import Place


def shared_stop(place: Place, parameters: Mapping[str, Any]) -> str | None:
    """Say which of the common rules makes a node a leaf: one target value, the depth, too few rows.

    Examples
    --------
    >>> from treewright.reference.table import Table
    >>> table = Table((), (0, 1), (1.0, 1.0), n_classes=2)
    >>> shared_stop(Place(table, table.cases()), {"min_samples_split": 20})
    'it has fewer than 20 rows (min_samples_split)'
    """
    if place.tally.is_pure:
        return "all rows are of one class" if place.table.n_classes else "all rows have the same value"
    deepest = parameters.get("max_depth")
    if deepest is not None and place.depth >= deepest:
        return f"it has depth {deepest} (max_depth)"
    least = rows_of(parameters.get("min_samples_split", 2), len(place.table.target))
    if place.tally.rows < least:
        return f"it has fewer than {least} rows (min_samples_split)"
    return None
