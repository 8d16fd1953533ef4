"""Some of the columns for each tree: drawn at random, grown from, and numbered as in the whole table again."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.table.encode import EncodedTable
from treewright.table.schema import Schema

_COLUMNS_OF_A_TREE = 3  # of the random words: the columns of a tree


@dataclass(frozen=True)
class ColumnDraws:
    """How many of the columns each tree may use."""

    n_columns: int
    n_drawn: int
    seed: int
    replace: bool = False  # a column may be drawn more than once, so that a tree has fewer of them

    def columns_of(self, tree: int) -> list[int] | None:
        """The columns of a tree, in the order of the table; None where it may use all of them.

        Examples
        --------
        >>> ColumnDraws(n_columns=5, n_drawn=2, seed=0).columns_of(0)
        [2, 4]
        """
        if self.replace:
            words = _core.drawn_words(self.seed, _COLUMNS_OF_A_TREE, tree, self.n_drawn)
            return sorted({int(word >> np.uint64(32)) * self.n_columns >> 32 for word in words})
        if self.n_drawn == self.n_columns:
            return None
        words = _core.drawn_words(self.seed, _COLUMNS_OF_A_TREE, tree, self.n_columns)
        return [int(column) for column in np.sort(np.argsort(words)[: self.n_drawn])]


def draw_columns(max_features: Any, n_columns: int, seed: int, replace: bool = False) -> ColumnDraws:
    """Read `max_features`: a whole number of columns, or a share of them; at least one.

    Examples
    --------
    >>> draw_columns(0.5, 5, 0).n_drawn, draw_columns(3, 5, 0).n_drawn
    (2, 3)
    """
    if not isinstance(max_features, Integral):
        return ColumnDraws(n_columns, max(1, int(float(max_features) * n_columns)), seed, replace)
    if int(max_features) > n_columns:
        raise DataError(
            f"max_features is {max_features}, but the table has only {n_columns} columns. Give a smaller number, or a "
            "share such as 0.5."
        )
    return ColumnDraws(n_columns, int(max_features), seed, replace)


def part_of(table: EncodedTable, columns: list[int]) -> EncodedTable:
    """The table with these columns only; nothing is encoded again."""
    schema = Schema(tuple(table.schema.columns[column] for column in columns), table.schema.target)
    return EncodedTable(table.core.with_columns(columns), schema)


def renumbered(core: _core.Tree, columns: list[int], n_columns: int) -> _core.Tree:
    """A tree of some columns as a tree of the whole table."""
    place = np.array([*columns, -1])  # -1, a leaf, picks the last entry
    arrays: dict[str, NDArray[Any]] = dict(core.arrays())
    for name, numbers in arrays.items():
        if name == "column" or name.endswith("_column"):
            arrays[name] = place[numbers.astype(np.int64)].astype(numbers.dtype)
    return _core.Tree(arrays, n_columns, core.n_classes)
