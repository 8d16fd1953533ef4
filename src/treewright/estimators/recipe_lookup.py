"""New rows through many ordinary trees: many at once, or one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.input_frame import InputFrame
from treewright.encode.table import EncodedRows
from treewright.estimators.row_lookup import RowLookup
from treewright.estimators.table_lookup import TableLookup
from treewright.estimators.tree_model import TreeModel
from treewright.tree.tree import Tree


def member_lookup(recipe: TreeModel, tree: Tree) -> RowLookup:
    """What answers rows by one tree of an ensemble; a class is answered by its number."""
    classes = tree.classes
    answers = cast(_core.Tree, tree.core).arrays()["value" if classes is None else "prediction"]
    refuses = recipe.missing == "refuse" and recipe._refuses_unknown_levels
    return RowLookup(tree, answers, refuses, None if classes is None else np.arange(len(classes)))


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
        self.members = [member_lookup(recipe, tree) for tree in trees]
        super().__init__(trees[0].schema, self.members[0].refuse_missing)
        self.encoder = self.members[0].encoder
        self._recipe, self._answer, self._answer_one = recipe, answer, answer_one

    def answers_to(self, frame: InputFrame) -> NDArray[Any]:
        """What each row is answered with."""
        self._recipe._check_rows(frame)
        return self._answer(self.encode(frame))

    @cached_property
    def _door(self) -> Callable[[Any], Any]:
        has_own_rule = self._recipe.missing == "refuse" and not self.refuse_missing
        return self.answer_by_frame if self._answer_one is None or has_own_rule else self._answer_one
