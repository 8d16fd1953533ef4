"""What a user may ask of a column: `column_kinds={"zip": "nominal"}`, checked once against the columns that exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from treewright.errors import DataError, nearest

KINDS = ("numeric", "nominal", "ordinal")


def check_column_kinds(column_kinds: Mapping[str, str] | None, names: Iterable[str]) -> dict[str, str]:
    """Return the wishes as a dict, or say which column or kind does not exist.

    >>> check_column_kinds({"zip": "nominal"}, ["zip", "age"])
    {'zip': 'nominal'}
    >>> check_column_kinds({"zap": "nominal"}, ["zip", "age"])
    Traceback (most recent call last):
    treewright.errors.DataError: column_kinds names a column 'zap' that the table does not have. Did you mean 'zip'?
    """
    if column_kinds is None:
        return {}
    if not isinstance(column_kinds, Mapping):
        raise DataError(f"column_kinds must be a dict such as {{'zip': 'nominal'}}, but it is {column_kinds!r}.")
    known = list(names)
    present = set(known)
    for name, kind in column_kinds.items():
        if name not in present:
            raise DataError(
                f"column_kinds names a column {name!r} that the table does not have. {nearest(name, known)}"
            )
        if kind not in KINDS:
            kinds = ", ".join(f"'{k}'" for k in KINDS)
            raise DataError(f"column_kinds asks for {kind!r} of column {name!r}, but the kinds are {kinds}.")
    return dict(column_kinds)
