"""The rows of a source as columns that the core can borrow: in memory where they fit, else mapped from a scratch file.

A learner that has to see its rows again and again, in an order of its own, gathers them once: every column by itself,
in the narrowest type that holds its numbers. The scratch file has no name (it is gone with the process, however that
ends), and the pages of it that are in memory can be taken away at any time.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import machine
from treewright.errors import DataError
from treewright.sources.batches import BatchSource, columns_of, encode_columns, truth_of
from treewright.sources.profile import Profile
from treewright.sources.questions import Numbers, Plan
from treewright.table.schema import Column

if TYPE_CHECKING:
    import pyarrow as pa

_IN_MEMORY = 0.25  # of the memory that there is: smaller columns need no file
_ALIGNED = 64  # bytes


@dataclass(frozen=True)
class GatheredRows:
    """All rows of a source: each column as numbers or codes of levels, the target, the weights."""

    columns: list[NDArray[Any]]
    truth: NDArray[Any]
    weights: Numbers | None


@contextmanager
def gathered_rows(source: BatchSource, plan: Plan, profile: Profile, empty: Any) -> Iterator[GatheredRows]:
    """Read all rows of a source once, batch after batch, and keep them as columns.

    `empty` is a table of Arrow that has the types of the columns.
    """
    types = types_of_columns(plan, profile, empty)
    n_rows = profile.n_rows
    truth = np.empty(n_rows, dtype=np.float64 if plan.classes is None else np.int32)
    weights = None if plan.weight is None else np.empty(n_rows)
    with column_store(types, n_rows) as store:
        at = end = 0
        for batch in source.each_table(columns_of(plan), partial(narrow_columns, plan=plan, types=types)):
            end = at + len(batch.truth)
            if end > n_rows:
                break
            truth[at:end] = batch.truth
            if weights is not None:
                weights[at:end] = batch.weights
            for j, values in enumerate(batch.columns):
                store.write(j, at, values)
            at = end
        if at != n_rows or end > n_rows:
            raise DataError(f"{source} has other rows than when it was looked at first. Make it anew, and repeat.")
        yield GatheredRows(store.columns(), truth, weights)


def types_of_columns(plan: Plan, profile: Profile, empty: pa.Table) -> list[np.dtype[Any]]:
    """The narrowest type that holds each column."""
    return [_type_of(column, profile, empty.schema.field(column.name).type) for column in plan.schema.columns]


def narrow_columns(table: pa.Table, where: str, plan: Plan, types: Sequence[np.dtype[Any]]) -> GatheredRows:
    """Some rows, wherever these are, in the types that all rows will have."""
    columns = [values.astype(kind) for values, kind in zip(encode_columns(table, plan), types, strict=True)]
    return GatheredRows(columns, *truth_of(table, plan, where))


def _type_of(column: Column, profile: Profile, arrow: Any) -> np.dtype[Any]:
    """The narrowest type that holds a column: whole numbers by their range, where none is missing."""
    import pyarrow as pa

    if column.kind != "numeric":
        return np.min_scalar_type(len(column.levels))
    if pa.types.is_float32(arrow) or pa.types.is_float16(arrow):
        return np.dtype(np.float32)
    is_whole = pa.types.is_integer(arrow) or pa.types.is_temporal(arrow)
    if not is_whole or column.range is None:
        return np.dtype(np.float64)
    low, high = column.range
    if column.name in profile.with_holes:
        return np.dtype(np.float32 if max(-low, high) <= 2.0**24 else np.float64)
    for bits in (8, 16, 32):
        if -(2.0 ** (bits - 1)) <= low and high < 2.0 ** (bits - 1):
            return np.dtype(f"int{bits}")
    return np.dtype(np.float64)


class _InMemory:
    """Columns in memory."""

    def __init__(self, types: Sequence[np.dtype[Any]], n_rows: int) -> None:
        self._columns = [np.empty(n_rows, dtype=kind) for kind in types]

    def write(self, column: int, at: int, values: NDArray[Any]) -> None:
        """Put some values of a column in their place."""
        self._columns[column][at : at + len(values)] = values

    def columns(self) -> list[NDArray[Any]]:
        """All of them."""
        return self._columns


class _InFile:
    """Columns in a file without a name."""

    def __init__(self, types: Sequence[np.dtype[Any]], n_rows: int, file: Any) -> None:
        self._types, self._n_rows, self._file = types, n_rows, file
        sizes = [-(-n_rows * kind.itemsize // _ALIGNED) * _ALIGNED for kind in types]
        self._starts = [sum(sizes[:j]) for j in range(len(sizes))]
        self._size = sum(sizes)

    def write(self, column: int, at: int, values: NDArray[Any]) -> None:
        """Put some values of a column in their place."""
        kind = self._types[column]
        left = np.ascontiguousarray(values, dtype=kind).data.cast("B")
        try:
            self._file.seek(self._starts[column] + at * kind.itemsize)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _no_room(self._size, error) from error

    def columns(self) -> list[NDArray[Any]]:
        """All of them, mapped."""
        self._file.truncate(self._size)
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return [
            np.frombuffer(mapped, dtype=kind, count=self._n_rows, offset=start)
            for kind, start in zip(self._types, self._starts, strict=True)
        ]


@contextmanager
def column_store(types: Sequence[np.dtype[Any]], n_rows: int) -> Iterator[_InMemory | _InFile]:
    """Room for columns of so many rows; a scratch file lasts as long as something is mapped from it.

    Examples
    --------
    >>> with column_store([np.dtype("int8"), np.dtype(float)], 3) as store:
    ...     store.write(0, 1, np.array([5.0, 6.0]))
    ...     store.columns()[0][1:].tolist()
    [5, 6]
    """
    size = n_rows * sum(kind.itemsize for kind in types)
    if size <= _IN_MEMORY * machine.free_memory():
        yield _InMemory(types, n_rows)
        return
    with ExitStack() as stack:
        try:
            # without a buffer of Python's, so that a full disk is noticed where it is written to
            file = stack.enter_context(tempfile.TemporaryFile(prefix="treewright-", buffering=0))
        except OSError as error:
            raise _no_room(size, error) from error
        yield _InFile(types, n_rows, file)


def _no_room(size: int, error: OSError) -> DataError:
    return DataError(
        f"{tempfile.gettempdir()}: a scratch file of {size / 1e9:.2g} GB for the columns cannot be written: "
        f"{error.strerror}. Free the disk, or set TMPDIR to a folder with more room."
    )
