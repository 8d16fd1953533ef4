"""What the columns of pandas partitions hold as types of Arrow: one type a column for all of them, or a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def refuse_names(source: Any, names: Sequence[Any]) -> None:
    """Refuse names of columns that are no text, or that two columns have.

    Examples
    --------
    >>> refuse_names("the Dask frame", ["age", 7])
    Traceback (most recent call last):
    treewright.errors.DataError: the Dask frame has a column named 7, which is no text. Rename it: '7'.
    """
    for name in names:
        if not isinstance(name, str):
            raise DataError(f"{source} has a column named {name!r}, which is no text. Rename it: {str(name)!r}.")
    twice = [name for name in names if list(names).count(name) > 1]
    if twice:
        raise DataError(f"{source} has two columns named {twice[0]!r}. Rename one of them.")


def types_of_partition(part: Any, where: str) -> pa.Schema:
    """The types of the columns of a pandas frame."""
    return _table(part, where).schema


def _table(part: Any, where: str) -> pa.Table:
    import pyarrow as pa

    try:
        return pa.Table.from_pandas(part, preserve_index=False).replace_schema_metadata(None)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f"{where}: a column has values of more than one type ({error}). Give each column one type."
        ) from None


def common_types(told: pa.Schema, found: Sequence[pa.Schema]) -> pa.Schema:
    """The types that a frame tells, with those that were found in partitions where it tells none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> common_types(pa.schema({"x": pa.null(), "y": pa.int64()}), [pa.schema({"x": pa.string()})]).types
    [DataType(string), DataType(int64)]
    """
    import pyarrow as pa

    for schema in found:
        for one in schema:
            place = told.get_field_index(one.name)
            try:
                known = pa.schema([told.field(place)])
                both = pa.unify_schemas([known, pa.schema([one])], promote_options="permissive")
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                raise DataError(_differs(one.name, "a partition", one.type, told.field(place).type)) from None
            told = told.set(place, both.field(0))
    return told


def as_frame_says(part: Any, where: str, types: pa.Schema) -> pa.Table:
    """A partition with the types that the whole frame has; text where it has numbers is refused, with the place."""
    import pyarrow as pa

    table = _table(part[types.names], where)
    columns = []
    for one in types:
        column = table.column(one.name)
        if column.type != one.type:
            column = _cast(column, one, where)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=types)


def _cast(column: Any, wanted: pa.Field, where: str) -> Any:
    import pyarrow as pa

    if not _is_same_kind(column.type, wanted.type):
        raise DataError(_differs(wanted.name, where, column.type, wanted.type))
    to_double = pa.types.is_integer(column.type) and pa.types.is_floating(wanted.type)  # rounds, as rows in memory do
    try:
        return column.cast(wanted.type, safe=not to_double)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(_differs(wanted.name, where, column.type, wanted.type)) from None


def _is_same_kind(found: pa.DataType, wanted: pa.DataType) -> bool:
    import pyarrow as pa

    def kind(one: pa.DataType) -> str:
        if pa.types.is_dictionary(one):
            return kind(one.value_type)
        for name in ("boolean", "temporal"):
            if getattr(pa.types, f"is_{name}")(one):
                return name
        is_number = pa.types.is_integer(one) or pa.types.is_floating(one) or pa.types.is_decimal(one)
        return "number" if is_number else "text" if str(one).endswith(("string", "string_view")) else str(one)

    return pa.types.is_null(found) or kind(found) == kind(wanted)


def _differs(name: str, where: str, found: pa.DataType, wanted: pa.DataType) -> str:
    return (
        f"{where}: column '{name}' holds {found}, but the frame says {wanted}. Give all partitions the same types: "
        f"frame.astype({{'{name}': …}})."
    )
