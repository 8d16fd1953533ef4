"""Tables as matrices: numbers as they are, levels as contrasts with readable names, missing values filled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns, Floats
from treewright.encode.schema import Column, Schema, level_text
from treewright.errors import DataError

_MOST_CELLS = 2**29  # 4 GiB of doubles


@dataclass(frozen=True)
class Design:
    """How the rows of a table become rows of a matrix.

    A numeric column stays one column; so does an ordinal one, with the scores 1, 2, … of its levels. A nominal column
    becomes one column of 0 and 1 a level, without the first level where `contrasts` is "treatment". A missing value
    (and a level never seen) takes the mean of its column in training, for contrasts the share of the level; where
    `flagged` says so, a column of 0 and 1 tells which rows it was missing in.

    Parameters
    ----------
    schema : Schema
        The columns of the table.
    contrasts : {"treatment", "full"}
        Whether the first level of a nominal column is the one that the others are compared with.
    flagged : array of truth values, one a column of the table
        The columns whose holes have a column of their own.
    fill : array, one a column of the matrix
        What a missing value becomes.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.beside.columns import columns_of
    >>> from treewright.encode.input_frame import open_frame
    >>> from treewright.encode.table import lay_out
    >>> table = lay_out(open_frame(pd.DataFrame({"age": [20, None], "job": ["cook", "smith"]})))
    >>> columns = columns_of(table.rows, table.schema)
    >>> design = learn_design(columns, None)
    >>> design.names
    ('age', 'job = smith')
    >>> design.matrix(columns)
    array([[20.,  0.],
           [20.,  1.]])
    """

    schema: Schema
    contrasts: str
    flagged: NDArray[np.bool_]
    fill: Floats

    def __post_init__(self) -> None:
        """Check that the parts belong together, so that a damaged file is found."""
        if self.flagged.shape != (len(self.schema.columns),) or self.fill.shape != (len(self.names),):
            raise ValueError("its matrix does not fit its columns")
        if not np.isfinite(self.fill).all():
            raise ValueError("it fills missing values with no number")

    @cached_property
    def first_levels(self) -> int:
        """The code of the first level of a nominal column that has a column of the matrix."""
        return 2 if self.contrasts == "treatment" else 1

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """How many columns of the matrix each column of the table makes, flags left out."""
        return tuple(column_width(column, self.contrasts) for column in self.schema.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the columns of the matrix are called."""
        names: list[str] = []
        for column in self.schema.columns:
            if column.kind == "nominal":
                shown = column.levels[self.first_levels - 1 :]
                names += [f"{column.name} = {level_text(level)}" for level in shown]
            else:
                names.append(column.name)
        flagged = [c.name for c, flag in zip(self.schema.columns, self.flagged, strict=True) if flag]
        return (*names, *(f"{name} is missing" for name in flagged))

    @cached_property
    def sources(self) -> NDArray[np.int64]:
        """The column of the table that each column of the matrix comes from."""
        return np.concatenate([np.repeat(np.arange(len(self.widths)), self.widths), np.flatnonzero(self.flagged)])

    def matrix(self, columns: Columns) -> Floats:
        """Give the matrix: rows × `names`. A table of numbers without holes is given as it is, not copied."""
        if not columns.levelled and not self.flagged.any() and not columns.has_holes.any():
            return columns.numbers
        holes = np.isnan(columns.numbers)
        _refuse_wide(columns, len(self.names))
        matrix = np.empty((columns.n_rows, len(self.names)))
        starts = np.concatenate([[0], np.cumsum(self.widths)])
        missing = {}
        for place, j in enumerate(columns.numeric):
            hole = holes[:, place]
            matrix[:, starts[j]] = np.where(hole, self.fill[starts[j]], columns.numbers[:, place])
            missing[j] = hole
        for place, j in enumerate(columns.levelled):
            self._write_levels(matrix[:, starts[j] : starts[j + 1]], columns.codes[:, place], j, starts[j])
            missing[j] = columns.codes[:, place] == 0
        for place, flag in enumerate(np.flatnonzero(self.flagged)):
            matrix[:, starts[-1] + place] = missing[int(flag)]
        return matrix

    def _write_levels(self, part: Floats, codes: NDArray[np.int32], j: int, start: int) -> None:
        fill = self.fill[start : start + part.shape[1]]
        if self.schema.columns[j].kind == "ordinal":
            part[:, 0] = np.where(codes == 0, fill[0], codes)
            return
        part[:] = 0.0
        shown = np.flatnonzero(codes >= self.first_levels)
        part[shown, codes[shown] - self.first_levels] = 1.0
        part[codes == 0] = fill


def learn_design(
    columns: Columns, weights: Floats | None, contrasts: str = "treatment", missing: str = "mean"
) -> Design:
    """Learn how a table becomes a matrix.

    Parameters
    ----------
    columns : Columns
        The rows to learn from.
    weights : array or None
        How much each row counts.
    contrasts : {"treatment", "full"}
        Whether nominal columns leave their first level out.
    missing : {"mean", "flag", "refuse"}
        Fill holes with means; fill them and say where they were; or refuse them.
    """
    holes = _column_holes(columns)
    if missing == "refuse":
        _refuse_holes(columns.schema, holes)
    flagged = holes if missing == "flag" else np.zeros_like(holes)
    fill = _number_means(columns, weights)
    for j in columns.levelled:
        fill[j] = _level_fill(columns, j, weights, contrasts)
    flags = np.zeros(int(flagged.sum()))  # never missing themselves
    return Design(columns.schema, contrasts, flagged, np.concatenate([*(fill[j] for j in sorted(fill)), flags]))


def column_width(column: Column, contrasts: str) -> int:
    """How many columns of the matrix a column of the table makes.

    Examples
    --------
    >>> column_width(Column("job", "nominal", "text", ("cook", "smith", "king")), "treatment")
    2
    """
    if column.kind != "nominal":
        return 1
    return max(len(column.levels) - 1, 0) if contrasts == "treatment" else len(column.levels)


def _column_holes(columns: Columns) -> NDArray[np.bool_]:
    holes = np.zeros(len(columns.schema.columns), dtype=bool)
    holes[list(columns.numeric)] = columns.has_holes
    holes[list(columns.levelled)] = (columns.codes == 0).any(axis=0)
    return holes


def _number_means(columns: Columns, weights: Floats | None) -> dict[int, Floats]:
    numbers = columns.numbers
    with np.errstate(invalid="ignore"):
        means = columns.sums / max(len(numbers), 1) if weights is None else weights / (weights.sum() or 1.0) @ numbers
    for place in np.flatnonzero(~np.isfinite(means)):
        known = ~np.isnan(numbers[:, place])
        largest = np.max(np.abs(numbers[known, place]), initial=0.0) or 1.0  # their sum may be beyond all numbers
        means[place] = largest * _mean(numbers[known, place] / largest, None if weights is None else weights[known])
    return {j: means[place : place + 1] for place, j in enumerate(columns.numeric)}


def _level_fill(columns: Columns, j: int, weights: Floats | None, contrasts: str) -> Floats:
    column = columns.schema.columns[j]
    codes = columns.codes[:, columns.levelled.index(j)]
    if column.kind == "ordinal":
        known = codes > 0
        return np.array([_mean(codes[known].astype(np.float64), None if weights is None else weights[known])])
    counts = np.bincount(codes, weights, minlength=len(column.levels) + 1)[1:]
    shares = counts / max(counts.sum(), np.finfo(np.float64).tiny)
    return np.asarray(shares[1:] if contrasts == "treatment" else shares, dtype=np.float64)


def _mean(values: Floats, weights: Floats | None) -> float:
    if not len(values) or (weights is not None and not weights.any()):
        return 0.0
    return float(np.average(values, weights=weights))


def _refuse_holes(schema: Schema, holes: NDArray[np.bool_]) -> None:
    if holes.any():
        name = schema.columns[int(np.argmax(holes))].name
        raise DataError(
            f"Column '{name}' has missing values and missing='refuse' was asked for. "
            "Fill them, or choose missing='mean'."
        )


def _refuse_wide(columns: Columns, width: int) -> None:
    if columns.n_rows * width > _MOST_CELLS:
        widest = max((columns.schema.columns[j] for j in columns.levelled), key=lambda column: len(column.levels))
        raise DataError(
            f"Column '{widest.name}' has {len(widest.levels):,} levels, so that the matrix would have "
            f"{columns.n_rows:,} rows and {width:,} columns. Leave it out, or use a tree: it takes levels as they are."
        )
