"""New rows through the trees of an ensemble: many at once, in stages, or one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.input_frame import InputFrame
from treewright.estimators.table_lookup import Rows, TableLookup
from treewright.estimators.tree_sequence import TreeSequence

Floats = NDArray[np.float64]

_STAGE_NUMBERS = 4_000_000  # staged answers that are held at once


class EnsembleLookup(TableLookup):
    """What an ensemble needs to answer rows, made when it is first asked for and then kept.

    Parameters
    ----------
    trees : TreeSequence
    says : {"values", "shares", "votes"}
        What a leaf adds to the sums: its value (tree i to output i modulo the outputs), its class shares, or a vote.
    start : array
        Where the sums start, one number an output.
    answer : function of (sums, number of trees)
        Makes answers of an array of sums.
    answer_one : function of a list of sums
        Makes the answer of the sums of one row.
    refuse_missing : bool
        Whether a missing value is an error.
    """

    def __init__(
        self,
        trees: TreeSequence,
        says: str,
        start: Floats,
        answer: Callable[[Floats, int], NDArray[Any]],
        finish_one: Callable[[list[float]], Any],
        refuse_missing: bool,
    ) -> None:
        super().__init__(trees.schema, refuse_missing)
        self.trees = trees
        self.says = says
        self.start = np.ascontiguousarray(start, dtype=np.float64)
        self._answer = answer
        self._finish_one = finish_one

    def sums(self, frame: Rows, threads: int) -> Floats:
        """What all trees say, added up: rows × outputs."""
        core, rows = self.trees.core, self._rows(frame)
        return _core.ensemble_sums(core, self.says, rows, self.start, 0, core.n_trees, 0, threads)

    def stages(self, frame: Rows, per_stage: int, threads: int) -> Iterator[tuple[int, Floats]]:
        """The number of trees so far and their sums, after every `per_stage` trees."""
        core, rows, sums = self.trees.core, self._rows(frame), self.start
        n_rows = len(rows) if isinstance(rows, np.ndarray) else rows[0]
        at_once = per_stage * max(1, _STAGE_NUMBERS // max(1, n_rows * len(self.start)))
        for first in range(0, core.n_trees, at_once):
            last = min(core.n_trees, first + at_once)
            for stage in _core.ensemble_sums(core, self.says, rows, sums, first, last, per_stage, threads):
                first += per_stage
                sums = stage
                yield first, stage

    def nodes(self, frame: Rows, threads: int) -> NDArray[np.int32]:
        """The node where each row ends in each tree: rows × trees."""
        return _core.ensemble_nodes(self.trees.core, self._rows(frame), threads)

    def answers_to(self, frame: InputFrame) -> NDArray[Any]:
        """What each row is answered with."""
        return self._answer(self.sums(frame, 1), len(self.trees))

    def _rows(self, frame: Rows) -> Any:
        encoded = self.encode(frame)
        return encoded.matrix if encoded.matrix is not None else (encoded.n_rows, encoded.parts)

    @cached_property
    def _door(self) -> Callable[[Any], Any]:
        names, finish = list(self.schema.names), self._finish_one
        door = _core.OneRowOfEnsemble(self.trees.core, self.says, self.start.tolist(), names, self.encoder.level_codes)
        return lambda values: finish(door(values))
