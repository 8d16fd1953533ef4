"""The branches of a question in words."""

from __future__ import annotations

from itertools import pairwise

from treewright.reference.split import Division, Split
from treewright.table.schema import Column
from treewright.tree.format import name_text, number_text


def value_text(column: Column, value: float) -> str:
    """Write one value of a column, or the place of a cut.

    >>> value_text(Column("size", "ordinal", "text", ("small", "large")), 2), value_text(Column("age", "numeric"), 41.5)
    ('large', '41.5')
    """
    if column.kind != "numeric":
        return name_text(column.show(value))
    return number_text(value) if column.value_type == "number" else column.show(value)


def cut_labels(column: Column, cuts: tuple[float, ...]) -> list[str]:
    """Name the branches that cuts make.

    >>> cut_labels(Column("age", "numeric"), (30.0,)), cut_labels(Column("age", "numeric"), (30.0, 50.0))
    (['<= 30', '> 30'], ['<= 30', '> 30 to 50', '> 50'])
    """
    texts = [value_text(column, cut) for cut in cuts]
    middle = [f"> {low} to {high}" for low, high in pairwise(texts)]
    return [f"<= {texts[0]}", *middle, f"> {texts[-1]}"]


def level_label(column: Column, levels: list[int]) -> str:
    """Name a branch that takes some levels.

    >>> level_label(Column("c", "nominal", "text", ("red", "green", "blue")), [1, 3])
    'red, blue'
    """
    return ", ".join(value_text(column, level) for level in levels)


def split_labels(column: Column, split: Split) -> list[str]:
    """Name the branches of a question.

    >>> split_labels(Column("c", "nominal", "text", ("red", "green", "blue")), Split(0, levels={1: 0, 3: 0, 2: 1}))
    ['red, blue', 'green']
    """
    if split.asks_whether_known:
        return ["known", "missing"]
    if not split.levels:
        return cut_labels(column, split.cuts)
    sides = range(max(split.levels.values()) + 1)
    return [level_label(column, [code for code, branch in split.levels.items() if branch == side]) for side in sides]


def division_labels(column: Column, division: Division) -> tuple[str, ...]:
    """Name the branches of a division; the one that takes the missing values says so."""
    labels, goes = [*split_labels(column, division.split), "missing"][: len(division.branches)], division.split.missing
    if division.has_missing and len(labels) == 2 and goes is not None and labels[goes] != "missing":
        labels[goes] += " or missing" if division.sees_all else ""
    return tuple(labels)
