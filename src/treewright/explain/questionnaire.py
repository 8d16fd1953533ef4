"""A tree that asks: only the next question that it needs, until the answer is certain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.encode.schema import Column
from treewright.encode.table import RowEncoder
from treewright.errors import DataError
from treewright.explain.ask_why import Asked, explain
from treewright.explain.next_question import next_question
from treewright.explain.questionnaire_page import write_questionnaire
from treewright.explain.row_values import RowValues, read_row
from treewright.explain.why import Why
from treewright.tree.test import level_list
from treewright.tree.tree import Tree
from treewright.tree.wording import name_text

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
            form = _FORMS[self.column.face]
        else:
            codes = list(range(1, min(len(self.column.levels), _LISTED) + 1))
            form = ", ".join(level_list(self.column, [code]) for code in codes[:-1])
            form += (" or " if form else "") + level_list(self.column, codes[-1:])
            form += " …" if len(self.column.levels) > _LISTED else ""
        return f"{name_text(self.name)} ({form}; empty if not known)"


class Questionnaire:
    """Asks one question after another.

    Made by `questionnaire(model)`. `question` is the next one, `answer(value)` answers it; when `question` is None,
    `result` says what the tree answers and why.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_fruit(return_X_y=True)
    >>> asking = tw.questionnaire(tw.DecisionTreeClassifier().fit(X, y))
    >>> asking.question.text
    'shape (curved or round; empty if not known)'
    >>> asking.answer("curved")
    >>> asking.question is None
    True
    >>> asking.result.sentence
    'banana, because shape is curved; 2 of 2 training rows like it were banana.'
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._encoder = RowEncoder(tree.schema)
        self.start_again()

    def start_again(self) -> None:
        """Forget every answer."""
        columns = len(self.tree.schema.columns)
        self._numbers: list[float] = [math.nan] * columns
        self._given: list[Any] = [None] * columns
        self._asked: list[int] = []

    @property
    def question(self) -> AskedColumn | None:
        """The next question; None when the answer is certain."""
        index = next_question(self.tree, self._numbers, self._asked)
        return None if index is None else AskedColumn(index, self.tree.schema.columns[index])

    def answer(self, value: Any) -> None:
        """Answer the question: a value as in a table, or text as a person types it; None or "" if it is not known."""
        question = self.question
        if question is None:
            raise DataError("Nothing is asked any more: the answer is in 'result'. Use start_again() for another row.")
        if isinstance(value, str):
            value = value.strip() or None
        number = math.nan if value is None else self._read(question, value)
        self._given[question.index] = value
        self._numbers[question.index] = number
        self._asked.append(question.index)

    def _read(self, question: AskedColumn, value: Any) -> float:
        is_number = question.column.kind == "numeric" and question.column.face == "number"
        if is_number and isinstance(value, str):
            return _read_number(question, value)
        return read_row(self._encoder, {question.name: value}).numbers[question.index]

    def is_new(self, question: AskedColumn) -> bool:
        """Whether the last answer to a question was a level that training never had."""
        return RowValues(self.tree.schema, self._numbers, self._given).is_new(question.index)

    @property
    def answers(self) -> dict[str, Any]:
        """What was answered so far, by column name, in the order of the questions."""
        return {self.tree.schema.names[index]: self._given[index] for index in self._asked}

    @property
    def result(self) -> Why | None:
        """What the tree answers and why; None as long as something is asked."""
        if self.question is not None:
            return None
        return explain(self.tree, RowValues(self.tree.schema, self._numbers, self._given), Asked())

    def run(self, ask: Callable[[str], str] = input, tell: Callable[[str], object] = print) -> Why:
        """Ask until the answer is certain; `ask` gets a prompt and gives a line, `tell` gets remarks.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_fruit(return_X_y=True)
        >>> typed = iter(["round", "yelow", "yellow"])
        >>> why = tw.questionnaire(tw.ID3Classifier().fit(X, y)).run(lambda prompt: next(typed))
        'yelow' was never seen in training, so color counts as not known.
        >>> why.prediction
        'apple'
        """
        while (question := self.question) is not None:
            line = ask(f"{question.text}: ")
            try:
                self.answer(line)
            except DataError as problem:
                tell(str(problem))
                continue
            if self.is_new(question):
                tell(f"'{line.strip()}' was never seen in training, so {name_text(question.name)} counts as not known.")
        result = self.result
        assert result is not None
        return result

    def to_html(self, title: str | None = None) -> str:
        """Write a page that asks in a browser: one file, no request to anywhere."""
        return write_questionnaire(self.tree, title)

    def save(self, path: str | Path, title: str | None = None) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.to_html(title), encoding="utf-8")


def questionnaire(model: Any) -> Questionnaire:
    """Make a questionnaire of a fitted tree: it asks only what it needs to know for its answer.

    Parameters
    ----------
    model : fitted model of one tree, or a tree

    Returns
    -------
    Questionnaire
        `run()` asks in the terminal, `save("page.html")` writes a page that asks in a browser.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> questionnaire(example_tree()).question.name
    'outlook'
    """
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise DataError(
            f"A questionnaire needs a fitted model of one tree. Got {type(model).__name__} instead; "
            "of many trees take one, such as model.trees_[0]."
        )
    return Questionnaire(tree)


def _read_number(question: AskedColumn, text: str) -> float:
    try:
        number = float(text.replace(",", "")) if text.count(",") and "." in text else float(text.replace(",", "."))
    except ValueError:
        raise DataError(
            f"'{text}' is no number, but {name_text(question.name)} needs one. Leave it empty if it is not known."
        ) from None
    return number
