"""Levels that come later: a table in parts may show a level that its first parts did not have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.beside.bayes.class_sums import ClassSums
from treewright.beside.columns import Columns
from treewright.encode.schema import Column, Schema


def joined_schema(old: Schema, new: Schema) -> Schema:
    """The old columns, with the levels that only the new ones have put behind.

    Examples
    --------
    >>> old, new = (Schema((Column("job", "nominal", "text", levels),)) for levels in (("cook",), ("king", "cook")))
    >>> joined_schema(old, new).columns[0].levels
    ('cook', 'king')
    """
    return replace(old, columns=tuple(_joined(a, b) for a, b in zip(old.columns, new.columns, strict=True)))


def _joined(old: Column, new: Column) -> Column:
    known = {_key(level) for level in old.levels}
    more = tuple(level for level in new.levels if _key(level) not in known)
    return replace(old, levels=old.levels + more) if more else old


def _key(level: object) -> tuple[bool, object]:
    return isinstance(level, bool), level  # 1 and True are two levels


def recoded(columns: Columns, schema: Schema) -> Columns:
    """Rows that were laid out by themselves, in the codes of another schema, which has all their levels."""
    codes = columns.codes.copy()
    for place, j in enumerate(columns.levelled):
        number = {_key(level): code for code, level in enumerate(schema.columns[j].levels, start=1)}
        new_code = [0, *(number[_key(level)] for level in columns.schema.columns[j].levels)]
        codes[:, place] = np.array(new_code, dtype=np.int32)[columns.codes[:, place]]
    return Columns(schema, columns.numbers, codes, columns.numeric, columns.levelled)


def widened(sums: ClassSums, old: Schema, new: Schema) -> ClassSums:
    """Sums over the levels of the old schema as sums over those of the new one."""
    parts, start = [], 0
    for before, after in zip(old.columns, new.columns, strict=True):
        if before.kind != "numeric":
            counts = sums.levels[:, start : start + len(before.levels)]
            parts.append(np.pad(counts, ((0, 0), (0, len(after.levels) - len(before.levels)))))
            start += len(before.levels)
    return replace(sums, levels=np.hstack([sums.levels[:, :0], *parts]))
