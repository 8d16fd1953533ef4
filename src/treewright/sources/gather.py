"""All rows of a source brought together, for learners that look at them more than once or in ways counts do not tell.

Every part is made narrow where it lies: whole numbers in as few bytes as hold them, numbers in single precision where
that is exact, text as codes. So few bytes travel, and the values are those that they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.sources.batches import BatchSource
from treewright.sources.source import Source
from treewright.sources.sql_source import SqlSource

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE = ("int8", "int16", "int32")


def count_rows(source: Source) -> int:
    """How many rows a source has: the one number is all that travels."""
    name = source.names[0]
    if isinstance(source, BatchSource):
        return int(source.ask_tables([name], _rows_of, _add))
    if isinstance(source, SqlSource):
        statement = f"SELECT count(*) AS n FROM {source.relation}"  # noqa: S608
        return int(source.ask(statement, {"n": "int64"}).column(0)[0].as_py())
    return sum(table.num_rows for table in source.batches([name]))


def gather(source: Source, names: Sequence[str], as_they_are: Sequence[str] = ()) -> pa.Table:
    """Bring the rows here. Columns that are to stay as they are keep their types; the others are narrow.

    Partitions of a cluster come in the order of their numbers, whoever has them: what a model keeps of each row, such
    as answers out of bag, stands in the order of the frame.
    """
    wanted = list(dict.fromkeys([*names, *as_they_are]))
    kept = frozenset(as_they_are)
    if isinstance(source, BatchSource):
        parts = source.ask_tables(wanted, partial(_numbered_part, kept=kept), _listed) or []
        found = _joined([table for _, table in sorted(parts, key=_number)])
    else:
        found = _joined([_narrow_part(table, kept) for table in source.batches(wanted)])
    if found is None:
        return source.empty_table().select(wanted)
    return _with_text(found).select(wanted)


# ---------------------------------------------------------------- what is asked of one part, and answers together


def _rows_of(table: pa.Table, where: str) -> int:
    return int(table.num_rows)


def _add(parts: Sequence[int]) -> int:
    return sum(parts)


_Numbered = tuple[int, Any]  # of a partition, and its rows


def _numbered_part(table: pa.Table, where: str, kept: frozenset[str]) -> list[_Numbered]:
    number = where.removeprefix("partition ")
    return [(int(number) if number.isdecimal() else 0, _narrow_part(table, kept))]  # files come in their order


def _number(part: _Numbered) -> int:
    return part[0]


def _listed(parts: Sequence[list[_Numbered]]) -> list[_Numbered]:
    return [part for some in parts for part in some]


def _narrow_part(table: pa.Table, kept: frozenset[str]) -> pa.Table:
    for j, name in enumerate(table.column_names):
        if name not in kept:
            table = table.set_column(j, name, narrow(table.column(j)))
    return table


def narrow(column: Any) -> Any:
    """The same values in fewer bytes, where there is a type that holds them all.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [str(narrow(pa.chunked_array([values])).type) for values in ([1, 300], [0.5, None], [0.1], ["a"])]
    ['int16', 'float', 'double', 'dictionary<values=string, indices=int32, ordered=0>']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(column.type):
        ends = pc.min_max(column).as_py()
        for name in _WHOLE if ends["min"] is not None else ():
            limits = np.iinfo(name)
            if limits.min <= ends["min"] and ends["max"] <= limits.max:
                return column.cast(name)
    if pa.types.is_float64(column.type):
        numbers = column.to_numpy()
        with np.errstate(over="ignore"):
            single = numbers.astype(np.float32)
        if ((single == numbers) | np.isnan(numbers)).all():
            return column.cast("float", safe=False)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column.dictionary_encode()
    return column


def _joined(parts: Sequence[pa.Table]) -> pa.Table | None:
    import pyarrow as pa

    # a single type a column; dictionaries stay, each part with its own
    return pa.concat_tables(parts, promote_options="permissive") if parts else None


def _with_text(table: pa.Table) -> pa.Table:
    """Text in place of codes."""
    import pyarrow as pa

    for j, one in enumerate(table.schema):
        if pa.types.is_dictionary(one.type):
            table = table.set_column(j, one.name, table.column(j).cast(one.type.value_type))
    return table
