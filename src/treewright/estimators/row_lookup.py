"""New rows through a fitted tree: many at once, or one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.encode.input_frame import InputFrame, open_frame
from treewright.encode.schema import Column
from treewright.encode.table import EncodedRows, RowEncoder
from treewright.errors import DataError
from treewright.tree.tree import Tree

_NUMBER = (float, int, np.number)
Rows = InputFrame | EncodedRows  # as they were given, or encoded already (for the first of many trees)


class RowLookup:
    """What a model needs to answer rows, made when it is first asked for and then kept.

    Parameters
    ----------
    tree : Tree
    answers : array
        What each node answers.
    refuse_missing : bool
        Whether a missing value is an error.
    labels : array, optional
        The classes in order; None for a regression.
    """

    def __init__(
        self, tree: Tree, answers: NDArray[Any], refuse_missing: bool, labels: NDArray[Any] | None = None
    ) -> None:
        self.tree = tree
        self.answers = answers
        self.labels = labels if labels is not None else np.zeros(0)
        self.refuse_missing = refuse_missing
        self.encoder = RowEncoder(tree.schema)

    def find_leaves(self, frame: Rows, threads: int) -> NDArray[np.int32]:
        """The node where each row ends."""
        return self.encode(frame).find_leaves(cast(_core.Tree, self.tree.core), threads)

    def find_leaf_shares(
        self, frame: Rows, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Where the pieces of each row end, with their shares; row i has those from start[i] to start[i + 1]."""
        core = cast(_core.Tree, self.tree.core)
        if core.spreads:
            return self.encode(frame).find_leaf_shares(core, threads)
        leaves = self.find_leaves(frame, threads)
        return np.arange(len(leaves) + 1), leaves, np.ones(len(leaves))

    def class_shares(self, frame: Rows, threads: int) -> NDArray[np.float64]:
        """The shares of the classes where each row ends; a row in several leaves has the mixture of them."""
        core = cast(_core.Tree, self.tree.core)
        if not core.spreads:
            return _core.class_shares(core, self.find_leaves(frame, threads), threads)
        start, nodes, shares = self.encode(frame).find_leaf_shares(core, threads)
        return _mixed(start, shares, _core.class_shares(core, nodes, threads))

    def leaf_shares(
        self, frame: Rows, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """The leaves that each row reaches and the part of it that arrives there: (start, nodes, shares)."""
        return self.encode(frame).find_leaf_shares(cast(_core.Tree, self.tree.core), threads)

    def values(self, frame: Rows, threads: int) -> NDArray[np.float64]:
        """The number that each row is answered with; a row in several leaves gets the mean of them."""
        core = cast(_core.Tree, self.tree.core)
        if core.has_equations:
            return self.encode(frame).equation_values(core, threads)
        if not core.spreads:
            return cast(NDArray[np.float64], self.answers[self.find_leaves(frame, threads)])
        start, nodes, shares = self.encode(frame).find_leaf_shares(core, threads)
        return _mixed(start, shares, self.answers[nodes][:, None])[:, 0]

    def classes(self, frame: Rows, threads: int) -> NDArray[Any]:
        """The class that each row is answered with; for a row in several leaves the one with the largest share."""
        leaves = self.find_leaves(frame, threads)
        answers = self.answers[leaves]
        if cast(_core.Tree, self.tree.core).spreads:
            spread, best = self._spread_classes(frame, threads)
            answers[spread] = best
        return answers

    def _spread_classes(self, frame: Rows, threads: int) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        core = cast(_core.Tree, self.tree.core)
        start, nodes, shares = self.encode(frame).find_leaf_shares(core, threads)
        spread = np.diff(start) > 1
        inside = np.repeat(spread, np.diff(start))
        lengths = np.concatenate([[0], np.cumsum(np.diff(start)[spread])])
        mixed = _mixed(lengths, shares[inside], _core.class_shares(core, nodes[inside], threads))
        return spread, self.labels[mixed.argmax(axis=1)]

    def encode(self, frame: Rows) -> EncodedRows:
        """Lay the rows out once, so that many trees with the same columns can be asked."""
        if isinstance(frame, EncodedRows):
            return frame
        rows = self.encoder.encode(frame)
        if self.refuse_missing:
            _refuse_missing(rows, self.tree.schema.columns)
        return rows

    @cached_property
    def answer_one(self) -> Callable[[Any], Any]:
        """The door for one row: the fast one of the core where the columns are numbers and levels."""
        columns = self.tree.schema.columns
        if any(column.kind == "numeric" and column.face != "number" for column in columns):
            return self.answer_by_frame
        return self._answer_known if self.refuse_missing else self._door

    @cached_property
    def _door(self) -> _core.OneRow:
        names = list(self.tree.schema.names)
        return _core.OneRow(cast(_core.Tree, self.tree.core), names, self.encoder.level_codes, self.answers.tolist())

    def _answer_known(self, values: Any) -> Any:
        """The core looks only at what the path asks for; a model that refuses holes must look at every value."""
        is_dict = isinstance(values, Mapping)
        row = [values.get(name) for name in self.tree.schema.names] if is_dict else values
        for value, codes in zip(row, self.encoder.level_codes, strict=False):
            known = isinstance(value, _NUMBER) and value == value if codes is None else value in codes
            if not known:
                return self.answer_by_frame(values)  # which says what is wrong
        return self._door(values)

    def answer_by_frame(self, values: Any) -> Any:
        """Answer one row as a table of one row: slower, and with the messages that a table gets."""
        import pandas as pd

        names = self.tree.schema.names
        if isinstance(values, Mapping):
            row = [values.get(name) for name in names]
        elif isinstance(values, str) or not isinstance(values, Iterable):
            raise DataError(
                f"One row is a list or a tuple of values, or a dict by column name. Got {values!r} instead."
            )
        else:
            row = list(values)
        if len(row) != len(names):
            raise DataError(
                f"The row has {len(row)} values, but the model has {len(names)} columns. "
                "Give one value for each column, None where there is none."
            )
        frame = pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in zip(names, row, strict=True)})
        opened = open_frame(frame)
        answer = (self.values(opened, 1) if self.tree.classes is None else self.classes(opened, 1))[0]
        return answer.item() if isinstance(answer, np.generic) else answer


def _mixed(start: NDArray[np.int64], shares: NDArray[np.float64], answers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up what the leaves of each row say, by their shares. Every row ends somewhere, so no slice is empty."""
    if len(start) == 1:
        return np.zeros((0, answers.shape[1]))
    return np.add.reduceat(shares[:, None] * answers, start[:-1], axis=0)


def _refuse_missing(rows: EncodedRows, columns: tuple[Column, ...]) -> None:
    for j, column in enumerate(columns):
        row = rows.first_missing(j)
        if row is not None:
            raise DataError(
                f"Row {row + 1} has no known value in column '{column.name}', and the model was trained with "
                "missing='refuse'. Fill it, or train with missing='learn'."
            )
