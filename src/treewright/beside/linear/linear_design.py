"""The matrix of a linear model: the columns of a table as contrasts, some of them written out in a basis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns, Floats
from treewright.beside.design import Design, learn_design
from treewright.beside.linear.basis.basis import Basis
from treewright.beside.linear.basis.choice import bases_of
from treewright.encode.schema import Schema


@dataclass(frozen=True)
class LinearDesign:
    """How rows become rows of the matrix.

    Parameters
    ----------
    design : Design
        The matrix without any basis.
    bases : dict
        The basis of a column of the table, by its place.
    learnt : dict
        What that basis has learnt.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.beside.columns import columns_of
    >>> from treewright.encode.input_frame import open_frame
    >>> from treewright.encode.table import lay_out
    >>> table = lay_out(open_frame(pd.DataFrame({"age": [20, 30, 40], "job": ["cook", "smith", "cook"]})))
    >>> columns = columns_of(table.rows, table.schema)
    >>> design = learn_linear_design(columns, None, "treatment", "mean", {"age": "polynomial:2"})
    >>> design.names
    ('polynomial(age) 1', 'polynomial(age) 2', 'job = smith')
    >>> design.sources.tolist()
    [0, 0, 1]
    """

    design: Design
    bases: dict[int, Basis]
    learnt: dict[int, Floats]

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The column of the plain matrix at which each column of the table starts."""
        return np.concatenate([[0], np.cumsum(self.design.widths)])

    @cached_property
    def _labels(self) -> dict[int, list[str]]:
        names = self.design.schema.names
        return {j: basis.labels(names[j], self.learnt[j]) for j, basis in self.bases.items()}

    @cached_property
    def _pieces(self) -> list[int | slice]:
        """The plain matrix cut where a basis stands: the place of a column of the table, or columns as they are."""
        pieces: list[int | slice] = []
        start = 0
        for j in sorted(self.bases):
            if self._starts[j] > start:
                pieces.append(slice(start, int(self._starts[j])))
            pieces.append(j)
            start = int(self._starts[j]) + 1
        if start < len(self.design.names):
            pieces.append(slice(start, len(self.design.names)))
        return pieces

    def _spread_out(self, plain: Any, of_basis: dict[int, list[Any]]) -> list[Any]:
        made: list[Any] = []
        for piece in self._pieces:
            made += of_basis[piece] if isinstance(piece, int) else list(plain[piece])
        return made

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the columns of the matrix are called."""
        return tuple(self._spread_out(self.design.names, self._labels))

    @cached_property
    def sources(self) -> NDArray[np.int64]:
        """The column of the table that each column of the matrix comes from."""
        repeated = {j: [j] * len(labels) for j, labels in self._labels.items()}
        return np.array(self._spread_out(self.design.sources, repeated), dtype=np.int64)

    def matrix(self, columns: Columns) -> Floats:
        """Give the matrix: rows × `names`. A table of numbers without holes or basis is given as it is, not copied."""
        plain = self.design.matrix(columns)
        if not self.bases:
            return plain
        parts = [
            self.bases[piece].expand(plain[:, self._starts[piece]], self.learnt[piece])
            if isinstance(piece, int)
            else plain[:, piece]
            for piece in self._pieces
        ]
        return np.hstack(parts)

    @property
    def means(self) -> Floats | None:
        """The means of the matrix in training, where they are known: a hole is filled with the mean of its column."""
        return None if self.bases or self.design.flagged.any() else self.design.fill

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file has to hold of it, by attribute of the model."""
        order = range(len(self.design.schema.columns))
        learnt = [self.learnt.get(j, np.zeros(0)) for j in order]
        return {
            "fill_": self.design.fill,
            "flagged_": self.design.flagged,
            "basis_sizes_": np.array([len(numbers) for numbers in learnt], dtype=np.int64),
            "basis_numbers_": np.concatenate(learnt),
        }


def learn_linear_design(
    columns: Columns, weights: Floats | None, contrasts: str, missing: str, basis: Any
) -> LinearDesign:
    """Learn how a table becomes the matrix of a linear model."""
    bases = bases_of(basis, columns.schema)  # before any work: a wrong name is told at once
    design = learn_design(columns, weights, contrasts, missing)
    learnt = {}
    for j, chosen in bases.items():
        values = columns.numbers[:, columns.numeric.index(j)]
        fill = design.fill[int(np.sum(design.widths[:j]))]
        learnt[j] = chosen.learn(np.where(np.isnan(values), fill, values), weights)
    return LinearDesign(design, bases, learnt)


def restore_linear_design(schema: Schema, contrasts: str, basis: Any, learnt: dict[str, Any]) -> LinearDesign:
    """Put it together again from the arrays of a file; ValueError where they do not fit."""
    design = Design(schema, contrasts, learnt["flagged_"], learnt["fill_"])
    bases = bases_of(basis, schema)
    sizes, numbers = learnt["basis_sizes_"], learnt["basis_numbers_"]
    wanted = np.isin(np.arange(len(schema.columns)), list(bases))
    if sizes.shape != wanted.shape or ((sizes > 0) != wanted).any() or sizes.sum() != len(numbers):
        raise ValueError("its basis does not fit its columns")
    if not np.isfinite(numbers).all():
        raise ValueError("its basis holds no numbers")
    ends = np.cumsum(sizes)
    parts = {j: numbers[ends[j] - sizes[j] : ends[j]] for j in bases}
    for j, chosen in bases.items():
        chosen.check(parts[j])
    return LinearDesign(design, bases, parts)
