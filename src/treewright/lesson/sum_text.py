"""Questions about a weighted sum: read from a stored tree, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.reference.sums import SumSplit, Term
from treewright.table.schema import Column
from treewright.tree.test import hyperplane_labels


def sum_labels(split: SumSplit, columns: tuple[Column, ...]) -> list[str]:
    """Word the two branches as a stored tree does.

    Examples
    --------
    >>> columns = Column("a", "numeric"), Column("b", "numeric")
    >>> sum_labels(SumSplit(1, terms=(Term(0, 0.5), Term(1, 1.0)), threshold=6.5), columns)[0]
    '0.5·a + b <= 6.5'
    """
    arrays: dict[str, NDArray[Any]] = {
        "term_start": np.array([0, len(split.terms)]),
        "term_column": np.array([term.column for term in split.terms]),
        "term_level": np.array([term.level for term in split.terms]),
        "term_weight": np.array([term.weight for term in split.terms]),
        "threshold": np.array([split.threshold]),
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
