"""Everything that one fit learns from, encoded: what growing and cross-validated pruning work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.trees.priors_and_costs import ClassCosts, ShrunkRates
from treewright.learners.trees.recipe import Recipe
from treewright.table.encode import EncodedTable


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
    case_weights: NDArray[np.float64] | None = None  # as given, where `weights` is more than that
    exposure: NDArray[np.float64] | None = None
    costs: ClassCosts | None = None
    shrunk: ShrunkRates | None = None
    groups: NDArray[np.uint32] | None = None  # of each row, from 0 on: forests draw whole groups

    def grow(self, rows: NDArray[np.uint32] | None = None) -> _core.Tree:
        """Grow a tree from all rows, or from some."""
        tree = _core.grow(self.table.core, self.target, self.recipe.for_core(), self.threads, rows)
        for change in (self.costs, self.shrunk):
            tree = tree if change is None else change.finish(tree)
        return tree

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """How often each row counts when it judges a tree."""
        given = self.weights if self.case_weights is None else self.case_weights
        return np.ones(len(self.truth)) if given is None else given

    @property
    def row_costs(self) -> NDArray[np.float64]:
        """Classes: what each answer costs where each class is true, row by row; empty where every error costs 1."""
        return np.empty(0) if self.costs is None else self.costs.row_losses.ravel()

    @property
    def loss(self) -> str:
        """The name of the loss by which held-out rows judge a tree."""
        return self.recipe.criterion if self.classes is None else "classes"
