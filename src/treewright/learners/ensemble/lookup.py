"""New rows through many trees: many at once, in stages, or one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.table_lookup import Rows, TableLookup
from treewright.learners.ensemble.tree_store import TreeSequence, WholeTrees
from treewright.learners.trees.tree_lookup import RowLookup, node_answers
from treewright.table.encode import EncodedRows
from treewright.table.frame import InputFrame
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.learners.trees.tree_model import TreeModel
# New rows through the trees of an ensemble: many at once, in stages, or one.


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
        output_kind: str,
        start: Floats,
        answer: Callable[[Floats, int], NDArray[Any]],
        finish_one: Callable[[list[float]], Any],
        refuse_missing: bool,
    ) -> None:
        super().__init__(trees.schema, refuse_missing)
        self.trees = trees
        self.output_kind = output_kind
        self.start = np.ascontiguousarray(start, dtype=np.float64)
        self._answer = answer
        self._finish_one = finish_one

    def sums(self, frame: Rows, threads: int) -> Floats:
        """What all trees say, added up: rows × outputs."""
        core, rows = self.trees.core, self._rows(frame)
        return _core.ensemble_sums(core, self.output_kind, rows, self.start, 0, core.n_trees, 0, threads)

    def stages(self, frame: Rows, per_stage: int, threads: int) -> Iterator[tuple[int, Floats]]:
        """The number of trees so far and their sums, after every `per_stage` trees."""
        core, rows, sums = self.trees.core, self._rows(frame), self.start
        n_rows = len(rows) if isinstance(rows, np.ndarray) else rows[0]
        at_once = per_stage * max(1, _STAGE_NUMBERS // max(1, n_rows * len(self.start)))
        for first in range(0, core.n_trees, at_once):
            last = min(core.n_trees, first + at_once)
            for stage in _core.ensemble_sums(core, self.output_kind, rows, sums, first, last, per_stage, threads):
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
    def _reader(self) -> Callable[[Any], Any]:
        names, finish = list(self.schema.names), self._finish_one
        reader = _core.OneRowOfEnsemble(
            self.trees.core, self.output_kind, self.start.tolist(), names, self.encoder.level_codes
        )
        return lambda values: finish(reader(values))


# New rows through the whole trees of a forest: many at once, in stages, or one.


class WholeLookup(EnsembleLookup):
    """What `EnsembleLookup` is for small trees: the same questions, asked tree by tree."""

    @property
    def _store(self) -> WholeTrees:
        return cast(WholeTrees, self.trees.core)

    @cached_property
    def _said(self) -> list[Floats]:
        """What every node of every tree adds to the sums."""
        return [node_answers(tree, self.output_kind) for tree in self._store.trees]

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
    def _reader(self) -> Callable[[Any], Any]:
        names, codes, finish = list(self.schema.names), self.encoder.level_codes, self._finish_one
        readers = [
            _core.OneRow(tree, names, codes, [tuple(row) for row in said.tolist()])
            for tree, said in zip(self._store.trees, self._said, strict=True)
        ]
        return lambda values: finish(
            [sum(parts) for parts in zip(*(reader(values) for reader in readers), strict=True)]
        )


# New rows through many ordinary trees: many at once, or one.


def member_lookup(recipe: TreeModel, tree: Tree) -> RowLookup:
    """What answers rows by one tree of an ensemble; a class is answered by its number."""
    classes = tree.classes
    refuses = recipe.missing == "refuse" and recipe._refuses_unknown_levels
    return RowLookup(tree, refuses, None if classes is None else np.arange(len(classes)))


class RecipeLookup(TableLookup):
    """What an ensemble of any recipe needs to answer rows.

    Parameters
    ----------
    recipe : estimator
        The kind of the trees.
    trees : sequence of Tree
    answer : function of encoded rows
        What the trees answer together.
    answer_one : function of one row, optional
        The same for a row as a list or a dict; None where there is no quick way.
    """

    def __init__(
        self,
        recipe: TreeModel,
        trees: Sequence[Tree],
        answer: Callable[[EncodedRows], NDArray[Any]],
        answer_one: Callable[[Any], Any] | None,
    ) -> None:
        first = member_lookup(recipe, trees[0])
        super().__init__(trees[0].schema, first.refuse_missing)
        self.encoder = first.encoder
        self._recipe, self._trees, self._answer, self._answer_one = recipe, trees, answer, answer_one

    @cached_property
    def members(self) -> list[RowLookup]:
        """The lookup of each tree, made when rows are first asked for: loading a model asks none."""
        return [member_lookup(self._recipe, tree) for tree in self._trees]

    def answers_to(self, frame: InputFrame) -> NDArray[Any]:
        """What each row is answered with."""
        self._recipe._check_rows(frame)
        return self._answer(self.encode(frame))

    @cached_property
    def _reader(self) -> Callable[[Any], Any]:
        has_own_rule = self._recipe.missing == "refuse" and not self.refuse_missing
        return self.answer_by_frame if self._answer_one is None or has_own_rule else self._answer_one
