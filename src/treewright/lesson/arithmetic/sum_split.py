"""A question about a weighted sum of columns, and the branch that each row takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.reference.split import Split
from treewright.reference.table import Table
from treewright.table.schema import Column as NamedColumn
from treewright.tree.test import hyperplane_labels

MOST_UNKNOWN = 0.5  # a row that lacks a larger share of a sum has no side


@dataclass(frozen=True)
class Term:
    """One part of a sum: weight times the number, or the weight itself where the row has a level (above 0).

    Without a value `filler` is added instead; `share` is how much of the sum is then unknown.
    """

    column: int
    weight: float
    filler: float = 0.0
    share: float = 0.0
    level: int = 0


@dataclass(frozen=True)
class SumSplit(Split):
    """A test of a weighted sum: branch 0 up to the threshold. `column` is the one that counts most.

    Examples
    --------
    >>> split = SumSplit(1, missing=1, terms=(Term(0, 0.5, 1.0, 0.4), Term(1, 1.0, 3.0, 0.6)), threshold=6.5)
    >>> from treewright.reference.table import Column
    >>> columns = Column("numeric", (2.0, 8.0, None, 2.0)), Column("numeric", (5.0, 4.0, 5.0, None))
    >>> table = Table(columns, (0, 0, 1, 1), (1.0,) * 4, n_classes=2)
    >>> [split.way(table, row) for row in range(4)]  # 6 and 8; 1 + 5 by the filler; too little is known
    [0, 1, 0, 1]
    """

    terms: tuple[Term, ...] = ()
    threshold: float = 0.0

    def way(self, table: Table, row: int) -> int | None:
        """Give the branch of a row of a table."""
        total = unknown = 0.0
        for term in self.terms:
            value = table.columns[term.column].values[row]
            if value is None:
                total, unknown = total + term.filler, unknown + term.share
            elif not term.level:
                total += term.weight * value
            elif value == term.level:
                total += term.weight
        if unknown > MOST_UNKNOWN:
            return self.missing
        return 0 if total <= self.threshold else 1

    def asks(self, table: Table, row: int) -> bool:
        """Tell whether a row has what the test asks for: a sum has something to say about every row."""
        return True

    def labels(self, columns: tuple[NamedColumn, ...]) -> list[str]:
        """Word the two branches as a stored tree does."""
        arrays: dict[str, NDArray[Any]] = {
            "term_start": np.array([0, len(self.terms)]),
            "term_column": np.array([term.column for term in self.terms]),
            "term_level": np.array([term.level for term in self.terms]),
            "term_weight": np.array([term.weight for term in self.terms]),
            "threshold": np.array([self.threshold]),
        }
        return hyperplane_labels(arrays, 0, columns)


def sum_split_of(arrays: Mapping[str, NDArray[Any]], node: int) -> SumSplit:
    """Read the weighted sum that a node of a stored tree asks."""
    part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
    fields = (arrays[f"term_{name}"][part].tolist() for name in ("column", "weight", "filler", "share", "level"))
    terms = tuple(
        Term(int(column), weight, filler, share, int(level))
        for column, weight, filler, share, level in zip(*fields, strict=True)
    )
    return SumSplit(
        int(arrays["column"][node]),
        missing=int(arrays["missing_branch"][node]),
        terms=terms,
        threshold=float(arrays["threshold"][node]),
    )
