"""One question of a tree: which column, what may be answered, and how an answer is meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treewright.table.schema import Column, Level, level_text
from treewright.table.value_range import range_text, usual_values
from treewright.tree.format import name_text
from treewright.tree.plain import number
from treewright.tree.test import level_list

_FORMS = {
    "number": "a number",
    "date": "a date such as 2024-01-31",
    "datetime": "a date and time such as 2024-01-31 14:30",
    "time": "a time such as 14:30",
    "duration": "a length of time such as 01:30:00",
}
_LISTED = 20  # levels that a question lists


@dataclass(frozen=True)
class AskedColumn:
    """A question: which column, and what may be answered.

    Examples
    --------
    >>> AskedColumn(0, Column("size", "ordinal", "text", ("small", "large"))).text
    'size (small or large; empty if not known)'
    """

    index: int
    column: Column

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @property
    def text(self) -> str:
        """The question in words."""
        if self.column.kind == "numeric":
            form = _FORMS[self.column.value_type]
        else:
            codes = list(range(1, min(len(self.column.levels), _LISTED) + 1))
            form = ", ".join(level_list(self.column, [code]) for code in codes[:-1])
            form += (" or " if form else "") + level_list(self.column, codes[-1:])
            form += " …" if len(self.column.levels) > _LISTED else ""
        return f"{name_text(self.name)} ({form}; empty if not known)"

    def as_written(self, line: str) -> str:
        """Give an answer as the levels are written: "yes" is Yes where no other level is meant.

        >>> AskedColumn(0, Column("ok", "nominal", "text", ("No", "Yes"))).as_written(" yes\\n")
        'Yes'
        """
        text = line.strip()
        levels = [level_text(level) for level in self.column.levels]
        meant = [level for level in levels if level.casefold() == text.casefold()]
        return meant[0] if len(meant) == 1 and text not in levels else text

    def is_unknown(self, text: str) -> bool:
        """Tell whether an answer is a level that training never had."""
        return bool(text) and self.column.kind != "numeric" and text not in map(level_text, self.column.levels)


def column_on_page(column: Column, text_of: Callable[[Level], str]) -> dict[str, Any]:
    """Give what a form in a page needs to ask for a column; of numbers also what is far outside training.

    >>> column_on_page(Column("age", "numeric", range=(20.0, 60.0)), str)["usual"]
    [0.0, 80.0]
    """
    levels = [text_of(level) for level in column.levels]
    plain = {"name": column.name, "kind": column.kind, "face": column.value_type, "levels": levels}
    usual = usual_values(column)
    return plain if usual is None else {**plain, "usual": list(map(number, usual)), "range": range_text(column)}
