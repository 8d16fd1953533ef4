"""Everything that one fit learns from, encoded: what growing and cross-validated pruning work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.table import EncodedTable
from treewright.recipe import Recipe


@dataclass(frozen=True)
class TrainingData:
    """The coded table and target, and the recipe for growing a tree from them.

    `truth` holds class numbers or values; `classes` is None for a numeric target.
    """

    table: EncodedTable
    target: _core.Target
    truth: NDArray[Any]
    weights: NDArray[np.float64] | None
    classes: NDArray[Any] | None
    recipe: Recipe
    threads: int

    def grow(self, rows: NDArray[np.uint32] | None = None) -> _core.Tree:
        """Grow a tree from all rows, or from some."""
        return _core.grow(self.table.core, self.target, self.recipe.for_core(), self.threads, rows)

    @property
    def loss(self) -> str:
        """The name of the loss by which held-out rows judge a tree."""
        return self.recipe.criterion if self.classes is None else "classes"
