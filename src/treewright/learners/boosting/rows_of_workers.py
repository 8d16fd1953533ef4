"""Rows that lie with the workers of a cluster, as a booster learns from them: what it asks of all rows is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treewright import _core
from treewright.learners.boosting.averaged_models import BoostedRows
from treewright.learners.ensemble.ensemble_model import Floats

Grow = Callable[[dict[str, Any], _core.Progress], tuple[_core.Ensemble, Floats]]


@dataclass(frozen=True, kw_only=True)
class RowsOfWorkers(BoostedRows):
    """Rows elsewhere. `truth` has every class once, or the smallest and the largest number; the table has no rows."""

    grow: Grow  # the trees of these rules, and where they start
    n_counted: int  # rows whose weight is above 0

    @property
    def n_units(self) -> int:
        """How many rows count, where nothing more depends on it."""
        return self.n_counted
