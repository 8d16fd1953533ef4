"""Tables as matrices: numbers as they are, levels as contrasts with readable names, missing values filled; and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.threads import one_blas_thread
from treewright.memory import Block, refuse_beyond_memory
from treewright.table.encode import EncodedRows
from treewright.table.schema import Column, Schema, level_text
from treewright.wording import set_words

if TYPE_CHECKING:
    import pandas as pd

# A table as the learners beside the trees read it: one matrix of numbers, and one of level codes.


Floats = NDArray[np.float64]
_FEW_CELLS = 2**12  # so few are looked at one by one, in no more time than a product takes to be prepared


@dataclass(frozen=True)
class Columns:
    """The values of a table. Numbers: NaN is missing. Codes: level 1, 2, … of a nominal or ordinal column, 0 missing.

    `numeric` and `levelled` tell which column of the schema each column of `numbers` and of `codes` is.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> from treewright.table.encode import lay_out
    >>> table = lay_out(open_frame(pd.DataFrame({"age": [20, 30], "job": ["cook", None]})))
    >>> columns = columns_of(table.rows, table.schema)
    >>> columns.numbers.tolist(), columns.codes.tolist(), columns.numeric, columns.levelled
    ([[20.0], [30.0]], [[1], [0]], (0,), (1,))
    """

    schema: Schema
    numbers: Floats
    codes: NDArray[np.int32]
    numeric: tuple[int, ...]
    levelled: tuple[int, ...]
    given_rows: NDArray[np.int64] | None = None  # the numbers of the rows in the table as it was given; None: as here

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.numbers)

    @cached_property
    def sums(self) -> Floats:
        """The sum of each column of numbers: no number where there is a hole. One product with ones is the fastest."""
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.ones(self.n_rows) @ self.numbers)

    @cached_property
    def has_holes(self) -> NDArray[np.bool_]:
        """Whether each column of numbers has a hole."""
        if self.numbers.size > _FEW_CELLS and np.isfinite(self.sums).all():
            return np.zeros(self.numbers.shape[1], dtype=bool)
        return np.asarray(np.isnan(self.numbers).any(axis=0))

    def take(self, rows: NDArray[Any] | slice) -> Columns:
        """Some of the rows, in the given order."""
        given = (np.arange(self.n_rows) if self.given_rows is None else self.given_rows)[rows]
        if isinstance(rows, slice) or rows.dtype.kind == "b":
            numbers = self.numbers[rows]
        else:
            numbers = self.numbers.take(rows, axis=0)  # four times faster
        return Columns(self.schema, numbers, self.codes[rows], self.numeric, self.levelled, given)


def columns_of(rows: EncodedRows, schema: Schema) -> Columns:
    """Give the rows of a table that is laid out; infinite numbers are refused: no distance or sum can take them."""
    numeric = tuple(j for j, column in enumerate(schema.columns) if column.kind == "numeric")
    levelled = tuple(j for j, column in enumerate(schema.columns) if column.kind != "numeric")
    if rows.matrix is not None:
        numbers = np.ascontiguousarray(rows.matrix, dtype=np.float64)
    else:
        numbers = np.empty((rows.n_rows, len(numeric)))
        for place, j in enumerate(numeric):
            _, values, mask = rows.parts[j]
            numbers[:, place] = values
            if mask is not None:
                numbers[mask != 0, place] = np.nan
    codes = np.empty((rows.n_rows, len(levelled)), dtype=np.int32)
    for place, j in enumerate(levelled):
        codes[:, place] = rows.parts[j][1]
    columns = Columns(schema, numbers, codes, numeric, levelled)
    _refuse_infinite(columns)
    return columns


def _refuse_infinite(columns: Columns) -> None:
    if columns.numbers.size > _FEW_CELLS and np.isfinite(columns.sums).all():
        return  # the common case in one pass
    infinite = np.isinf(columns.numbers)
    if infinite.any():
        row, place = np.argwhere(infinite)[0]
        name = columns.schema.columns[columns.numeric[place]].name
        raise DataError(
            f"Column '{name}' holds infinity in row {row + 1}. This learner takes finite numbers. "
            "Give the row a finite value, or leave it empty."
        )


# Tables as matrices: numbers as they are, levels as contrasts with readable names, missing values filled.


CELLS_UNHEARD = 2**20  # numbers of a matrix that are written between two looks for Ctrl-C: 8 MB
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
    >>> from treewright.learners.base.design_matrix import columns_of
    >>> from treewright.table.frame import open_frame
    >>> from treewright.table.encode import lay_out
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
        matrix = _zeros(columns.n_rows, len(self.names))
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
        refuse_holes(columns.schema, holes)
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


def matrix_width(schema: Schema, contrasts: str = "treatment") -> int:
    """How many columns the matrix of a table has, flags left out.

    Examples
    --------
    >>> matrix_width(Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith")))), "full")
    3
    """
    return sum(column_width(column, contrasts) for column in schema.columns)


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


def refuse_holes(schema: Schema, holes: NDArray[np.bool_]) -> None:
    """Refuse columns with holes, by the name of the first.

    Examples
    --------
    >>> refuse_holes(Schema((Column("age", "numeric"),)), np.array([False]))
    """
    if holes.any():
        name = schema.columns[int(np.argmax(holes))].name
        raise DataError(
            f"Column '{name}' has missing values and {set_words('missing', 'refuse')} was asked for. "
            f"Fill them, or choose {set_words('missing', 'mean')}."
        )


def _zeros(n_rows: int, width: int) -> Floats:
    """A matrix written block by block, so that Ctrl-C is heard: a full machine takes long to find its memory."""
    matrix = np.empty((n_rows, width))
    block = CELLS_UNHEARD // max(width, 1) + 1
    for start in range(0, n_rows, block):
        matrix[start : start + block] = 0.0
    return matrix


def _refuse_wide(columns: Columns, width: int) -> None:
    if not columns.levelled:
        return refuse_beyond_memory("The matrix", [Block(8, rows=columns.n_rows, columns=width)])
    widest = max((columns.schema.columns[j] for j in columns.levelled), key=lambda column: len(column.levels))
    many = f"Column '{widest.name}' has {len(widest.levels):,} levels, so that the matrix"
    cure = "Leave it out, or use a tree: it takes levels as they are."
    if columns.n_rows * width > _MOST_CELLS:
        raise DataError(f"{many} would have {columns.n_rows:,} rows and {width:,} columns. {cure}")
    return refuse_beyond_memory(many, [Block(8, rows=columns.n_rows, columns=width)], cure)


# Rows of a design matrix back to rows of a table: the nearest level, the date, the number.


_UNITS = {"date": "D", "datetime": "us", "time": "us", "duration": "us"}


def table_from_matrix(design: Design, matrix: Floats) -> pd.DataFrame:
    """Give the table whose design matrix is nearest: of a nominal column the level with the largest number.

    The design has a column for every level (contrasts "full").

    Examples
    --------
    >>> from treewright.table.schema import Schema
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> design = Design(schema, "full", np.zeros(2, dtype=bool), np.zeros(3))
    >>> table_from_matrix(design, np.array([[20.0, 0.3, 0.7]]))
        age    job
    0  20.0  smith
    """
    import pandas as pd  # here and below: a model that is only asked starts without it

    starts = np.concatenate([[0], np.cumsum(design.widths)])
    parts = {
        column.name: _column(column, matrix[:, starts[j] : starts[j + 1]])
        for j, column in enumerate(design.schema.columns)
    }
    return pd.DataFrame(parts, columns=list(parts))


def _column(column: Column, part: Floats) -> Any:
    if column.kind == "numeric":
        return _measured(column, part[:, 0])
    levels: NDArray[Any] = np.array(column.levels, dtype=object)
    if not len(levels):
        return np.full(len(part), None, dtype=object)
    if column.kind == "ordinal":
        places = np.clip(np.rint(part[:, 0]), 1, len(levels)).astype(np.int64) - 1
    else:
        places = part.argmax(axis=1)
    import pandas as pd

    found = levels[places]
    return found.astype(bool) if column.value_type == "boolean" else pd.Series(found).infer_objects()


def _measured(column: Column, values: Floats) -> Any:
    unit = _UNITS.get(column.value_type)
    if unit is None:
        return values
    kind = "datetime64" if column.value_type in ("date", "datetime") else "timedelta64"
    return np.rint(values).astype(np.int64).astype(f"{kind}[{unit}]").astype(f"{kind}[us]")
