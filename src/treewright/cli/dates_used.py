"""What `train` says of trees that split on dates: rows of days to come are all on one side of such a split."""

from __future__ import annotations

from collections.abc import Collection
from shlex import quote
from typing import Any

_MOST_NAMES = 3


def dates_note(schema: Any, used: Collection[str]) -> str | None:
    """Give the note; None where no tree asks for a date.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> schema = Schema((Column("day", "numeric", "date"), Column("age", "numeric")))
    >>> print(dates_note(schema, {"day", "age"}))
    A date decides: 'day'. Rows of days after those of the table all fall on one side of such a split: ...
    >>> dates_note(schema, {"age"}) is None
    True
    """
    dates = [column.name for column in schema.columns if column.value_type in ("date", "datetime")]
    asked = [name for name in dates if name in used]
    if not asked:
        return None
    more = f" and {len(asked) - _MOST_NAMES} more" if len(asked) > _MOST_NAMES else ""
    shown = ", ".join(f"'{name}'" for name in asked[:_MOST_NAMES]) + more
    options = " ".join(f"--ignore {quote(name)}" for name in asked[:_MOST_NAMES])
    return (
        f"A date decides: {shown}. Rows of days after those of the table all fall on one side of such a split: they "
        f"are answered like the last days. To answer later rows: {options}, or columns of month and weekday instead."
    )
