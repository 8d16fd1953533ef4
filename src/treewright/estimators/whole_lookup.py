"""New rows through the whole trees of a forest: many at once, in stages, or one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.estimators.ensemble_lookup import EnsembleLookup, Floats
from treewright.estimators.row_lookup import node_answers
from treewright.estimators.table_lookup import Rows
from treewright.estimators.whole_trees import WholeTrees


class WholeLookup(EnsembleLookup):
    """What `EnsembleLookup` is for small trees: the same questions, asked tree by tree."""

    @property
    def _store(self) -> WholeTrees:
        return cast(WholeTrees, self.trees.core)

    @cached_property
    def _said(self) -> list[Floats]:
        """What every node of every tree adds to the sums."""
        return [node_answers(tree, self.says) for tree in self._store.trees]

    def sums(self, frame: Rows, threads: int) -> Floats:
        """What all trees say, added up: rows × outputs."""
        *_, (_, sums) = self.stages(frame, len(self._store.trees), threads)
        return sums

    def stages(self, frame: Rows, per_stage: int, threads: int) -> Iterator[tuple[int, Floats]]:
        """The number of trees so far and their sums, after every `per_stage` trees."""
        rows, sums = self.encode(frame), self.start
        for i, tree in enumerate(self._store.trees):
            sums = sums + self._said[i][rows.find_leaves(tree, threads)]
            if (i + 1) % per_stage == 0:
                yield i + 1, sums

    def nodes(self, frame: Rows, threads: int) -> NDArray[np.int32]:
        """The node where each row ends in each tree: rows × trees."""
        rows = self.encode(frame)
        return np.column_stack([rows.find_leaves(tree, threads) for tree in self._store.trees])

    @cached_property
    def _door(self) -> Callable[[Any], Any]:
        names, codes, finish = list(self.schema.names), self.encoder.level_codes, self._finish_one
        doors = [
            _core.OneRow(tree, names, codes, [tuple(row) for row in said.tolist()])
            for tree, said in zip(self._store.trees, self._said, strict=True)
        ]
        return lambda values: finish([sum(parts) for parts in zip(*(door(values) for door in doors), strict=True)])
