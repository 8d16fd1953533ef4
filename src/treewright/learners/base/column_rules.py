"""Rules for single columns, by name or number: which may only raise or lower the answer, and which may meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from treewright.errors import DataError, nearest
from treewright.learners.base.parameters import parameter
from treewright.table.schema import Column, Schema

MONOTONIC_CST: Any = parameter(
    default=None,
    takes=["array-like", dict, None],
    kind="dict or array",
    doc="""Columns whose rise may only raise (1) or only lower (-1) the answer: ``{"age": 1}``, or one number for
    each column. It always holds, for every row.""",
)

_WAYS = {-1, 0, 1}


def asks_for_order(given: Any) -> bool:
    """Whether some column of a `monotonic_cst` may only raise or lower the answer.

    Examples
    --------
    >>> asks_for_order({"age": 1}), asks_for_order([0, 0]), asks_for_order(None)
    (True, False, False)
    """
    return given is not None and any(given.values() if isinstance(given, Mapping) else given)


def monotone_ways(given: Any, schema: Schema) -> list[int]:
    """Give -1, 0 or 1 for each column; an empty list where nothing is asked for.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook",))), None)
    >>> monotone_ways({"age": -1}, schema), monotone_ways([1, 0], schema), monotone_ways(None, schema)
    ([-1, 0], [1, 0], [])
    """
    if given is None:
        return []
    if isinstance(given, Mapping):
        ways = [0] * len(schema.columns)
        for name, way in given.items():
            ways[_column_number(name, schema, "monotonic_cst")] = way
    else:
        ways = list(given)
        if len(ways) != len(schema.columns):
            raise DataError(
                f"monotonic_cst has {len(ways)} numbers for {len(schema.columns)} columns. Give each column one, or a "
                "dict of those that count."
            )
    for column, way in zip(schema.columns, ways, strict=True):
        if isinstance(way, bool) or way not in _WAYS:
            raise DataError(f"monotonic_cst of column '{column.name}' is {way!r}. Use 1 (rising), -1 (falling) or 0.")
        if way and column.kind == "nominal":
            raise DataError(
                f"monotonic_cst names the column '{column.name}', but it is nominal: its levels have no order. "
                f'Leave it out, or say column_kinds={{"{column.name}": "ordinal"}}.'
            )
    return [int(way) for way in ways] if any(ways) else []


def columns_named(given: Any, names: Sequence[str]) -> list[str]:
    """Columns by name, by number, or as a truth value for each column.

    Examples
    --------
    >>> columns_named([1], ["age", "zip"]), columns_named([True, False], ["age", "zip"]), columns_named(None, ["age"])
    (['zip'], ['age'], [])
    """
    if given is None or isinstance(given, str):
        return []
    asked = np.asarray(given)
    if asked.dtype == bool:
        if asked.shape != (len(names),):
            raise DataError(
                f"categorical_features has {asked.size} truth values for {len(names)} columns. Give each column one."
            )
        return [name for name, chosen in zip(names, asked, strict=True) if chosen]
    schema = Schema(tuple(Column(name, "numeric") for name in names), None)
    return [names[_column_number(one, schema, "categorical_features")] for one in asked.ravel().tolist()]


def column_groups(given: Any, schema: Schema) -> list[list[int]]:
    """Give the groups of columns that may meet; an empty list where all may.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> schema = Schema(tuple(Column(name, "numeric") for name in "abc"), None)
    >>> column_groups([["a", 1]], schema), column_groups("no_interactions", schema)
    ([[0, 1], [2]], [[0], [1], [2]])
    """
    if given is None:
        return []
    numbers = range(len(schema.columns))
    if isinstance(given, str):
        size = 2 if given == "pairwise" and len(numbers) > 1 else 1
        return [list(group) for group in combinations(numbers, size)]
    groups = []
    for group in [given.item()] if isinstance(given, np.ndarray) and given.ndim == 0 else given:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise DataError(
                f"interaction_cst holds {group!r}, which is no group of columns. Give lists of names or numbers, such "
                'as [["age", "job"], ["zip"]].'
            )
        groups.append(sorted({_column_number(name, schema, "interaction_cst") for name in group}))
    others = sorted(set(numbers) - {number for group in groups for number in group})
    return [*groups, others] if others else groups


def _column_number(name: Any, schema: Schema, parameter: str) -> int:
    count = len(schema.columns)
    if isinstance(name, str):
        if name in schema.names:
            return schema.names.index(name)
        raise DataError(f"{parameter} names a column '{name}' that X does not have. {nearest(name, schema.names)}")
    if isinstance(name, bool) or not hasattr(name, "__index__") or not -count <= int(name) < count:
        raise DataError(
            f"{parameter} holds {name!r}, which is no column. Use a name, or a number from 0 to {count - 1}."
        )
    return int(name) % count
