"""The smallest change of a row that gives another answer, to be told: what changes from what to what."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from treewright.encode.schema import Column
from treewright.explain.flip import Flip
from treewright.explain.row_values import RowValues, value_text
from treewright.explain.support import answer_text, support_text
from treewright.explain.value_sets import condition_words
from treewright.explain.walk import pieces
from treewright.tree.node import Node
from treewright.tree.tree import Tree
from treewright.tree.wording import name_text

_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Change:
    """A changed row and what it is answered with.

    Attributes
    ----------
    row : dict
        The whole row after the change, by column name.
    columns : dict
        What changed: column name → (old value, new value).
    answer : class or number
        The new answer.
    node : int
        The node where the changed row ends.
    size : float
        The sum of the changes in units of the scale.
    """

    tree: Tree
    before: RowValues
    flip: Flip
    scale_words: str

    @property
    def row(self) -> dict[str, Any]:
        """The whole row after the change, by column name."""
        names = self.before.schema.names
        changed = {names[c]: plain_value(self.before.schema.columns[c], x) for c, x in self.flip.changes.items()}
        return {**dict(zip(names, self.before.given, strict=True)), **changed}

    @property
    def columns(self) -> dict[str, tuple[Any, Any]]:
        """What changed: column name → (old value, new value)."""
        names, row = self.before.schema.names, self.row
        return {names[c]: (self.before.given[c], row[names[c]]) for c in self.flip.changes}

    @property
    def answer(self) -> Any:
        """What the changed row is answered with."""
        return self.flip.answer

    @property
    def node(self) -> int:
        """The node where the changed row ends."""
        return self.flip.node

    @property
    def size(self) -> float:
        """The sum of the changes in units of the scale."""
        return self.flip.cost

    @property
    def words(self) -> str:
        """What has to change, as the end of a sentence."""
        return " and ".join(self._one(column, value) for column, value in self.flip.changes.items())

    def _one(self, column: int, value: float) -> str:
        about = self.before.schema.columns[column]
        said = condition_words(self.flip.sets[column], about.name, about)
        changed = f"{name_text(about.name)} goes from {self.before.shown(column)} to {value_text(about, value)}"
        plain = f"{name_text(about.name)} is {value_text(about, value)}"
        return changed if said == plain else f"{changed} ({said})"

    @property
    def text(self) -> str:
        """The sentence: the new answer, what has to change, and what the training rows there were."""
        said = f"It would be {answer_text(self.answer)} if {self.words}"
        if len(pieces(self.tree, self._numbers)) > 1:  # no single node speaks for it
            return f"{said}."
        return f"{said}; {support_text(Node(self.tree, self.node), self.answer)}."

    @property
    def _numbers(self) -> list[float]:
        return [self.flip.changes.get(column, old) for column, old in enumerate(self.before.numbers)]

    def to_dict(self) -> dict[str, Any]:
        """Give the change as plain values."""
        names = self.before.schema.names
        changes = [
            {
                "column": names[column],
                "from": self.before.shown(column),
                "to": value_text(self.before.schema.columns[column], value),
                "condition": condition_words(self.flip.sets[column], names[column], self.before.schema.columns[column]),
            }
            for column, value in self.flip.changes.items()
        ]
        return {
            "answer": self.answer,
            "node": self.node,
            "changes": changes,
            "size": self.size,
            "measured_in": self.scale_words,
            "text": self.text,
        }


def plain_value(column: Column, number: float) -> Any:
    """Give a value of a column as users write it: a level, a number, a date, a time.

    >>> plain_value(Column("job", "nominal", "text", ("cook", "smith")), 2.0)
    'smith'
    >>> plain_value(Column("born", "numeric", "date"), 19723.0)
    datetime.date(2024, 1, 1)
    """
    if column.kind != "numeric":
        return column.levels[int(number) - 1]
    if column.face == "number":
        return number
    length = dt.timedelta(days=number) if column.face == "date" else dt.timedelta(microseconds=number)
    if column.face == "duration":
        return length
    moment = _EPOCH + length
    return {"date": moment.date(), "time": moment.time()}.get(column.face, moment)
