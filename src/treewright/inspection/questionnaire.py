"""A tree that asks: only the next question that it needs, until the answer is certain."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import DataError, nearest
from treewright.inspection.asked_column import AskedColumn, column_on_page
from treewright.inspection.conditions import conditions_by_node
from treewright.inspection.decision_path import (
    RowValues,
    branch_by_test,
    class_shares,
    read_row,
    surrogate_levels,
    take_step,
)
from treewright.inspection.support import support_text
from treewright.inspection.why import Asked, Why, explain
from treewright.table.encode import RowEncoder
from treewright.table.schema import Level, level_text
from treewright.table.value_range import far_outside, range_text
from treewright.tree.format import name_text
from treewright.tree.node import Node
from treewright.tree.plain import number
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEVELS, SPREADS, STOPS, THRESHOLD
from treewright.tree.test import bounds_of
from treewright.tree.tree import Tree

# Which column a tree has to know next, given what is known so far.


def next_question(tree: Tree, values: Sequence[float], asked: Collection[int]) -> int | None:
    """Give the first column that decides the way of a row and was not asked yet; None when the answer is certain.

    Parameters
    ----------
    tree : Tree
    values : sequence of float
        What is known of the row; NaN elsewhere.
    asked : collection of int
        Columns whose value is known, or known to be missing.

    Examples
    --------
    >>> from math import nan
    >>> from treewright.tree import example_tree
    >>> next_question(example_tree(), [nan, nan], []), next_question(example_tree(), [1.0, nan], [0])
    (0, 1)
    >>> next_question(example_tree(), [2.0, nan], [0]) is None
    True
    """
    arrays, waiting = tree.arrays, [0]
    while waiting:
        node = waiting.pop()
        is_leaf = arrays["n_children"][node] == 0
        wanted = _unknown(tree, node, values, asked, is_leaf)
        if wanted is not None:
            return wanted
        if is_leaf:
            continue
        branch = take_step(arrays, node, values).branch
        below = tree.child_ids(node)
        if branch == SPREADS:
            waiting += reversed(below)
        elif branch != STOPS:
            waiting.append(below[branch])
        else:
            wanted = _first(_equation_columns(tree, node), asked)
            if wanted is not None:
                return wanted
    return None


def _unknown(tree: Tree, node: int, values: Sequence[float], asked: Collection[int], is_leaf: bool) -> int | None:
    """Give what a node needs: its column, or its surrogates where that has no value; at a leaf its equation."""
    if is_leaf:
        return _first(_equation_columns(tree, node), asked)
    arrays = tree.arrays
    if arrays["kind"][node] == HYPERPLANE:
        part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
        wanted = _first(arrays["term_column"][part].astype(int).tolist(), asked)
    else:
        wanted = _first([int(arrays["column"][node])], asked)
    if wanted is not None or branch_by_test(arrays, node, values) >= 0 or "surrogate_start" not in arrays:
        return wanted
    part = slice(int(arrays["surrogate_start"][node]), int(arrays["surrogate_start"][node + 1]))
    for column in arrays["surrogate_column"][part].astype(int).tolist():
        if column not in asked:
            return int(column)
        if values[column] == values[column] and take_step(arrays, node, values).by == "surrogate":
            return None
    return None


def _equation_columns(tree: Tree, node: int) -> list[int]:
    arrays = tree.arrays
    if "equation_start" not in arrays:
        return []
    part = slice(int(arrays["equation_start"][node]), int(arrays["equation_start"][node + 1]))
    columns: list[int] = arrays["equation_column"][part].astype(int).tolist()
    return columns


def _first(columns: Sequence[int], asked: Collection[int]) -> int | None:
    return next((column for column in columns if column not in asked), None)


# A questionnaire as one HTML page: the tree as JSON, and a short script that walks it as the core does.


_TERMS = ("column", "level", "weight", "filler", "share")


def write_questionnaire(tree: Tree, title: str | None = None) -> str:
    """Write the page.

    >>> from treewright.tree import example_tree
    >>> page = write_questionnaire(example_tree(), "Play? </script>")
    >>> page.count("</script>"), "http" in page.replace("http-equiv", "")
    (2, False)
    """
    target = tree.schema.target
    title = title or (f"{name_text(target)}?" if target else "Questions")
    # No sign in the data can end the script element that holds it.
    data = json.dumps(page_data(tree), ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    return _template().replace("{{title}}", escape(title)).replace("{{data}}", data)


@cache
def _template() -> str:
    return (Path(__file__).parent / "questionnaire.html").read_text(encoding="utf-8")


def page_data(tree: Tree) -> dict[str, Any]:
    """Give what the script needs: columns with their levels, and nodes with their tests and answers.

    >>> from treewright.tree import example_tree
    >>> page_data(example_tree())["nodes"][2]["threshold"]
    82.5
    """
    nodes: list[dict[str, Any]] = [{} for _ in range(tree.n_nodes)]
    for i, merged in conditions_by_node(tree):
        node = Node(tree, i)
        stops = not node.is_leaf and tree.arrays["missing_branch"][i] == STOPS
        nodes[i] = {} if node.is_leaf else _test(tree, i)
        if node.is_leaf or stops or node.parent is None:
            nodes[i]["why"] = " and ".join(condition.text() for condition in merged.values())
            nodes[i] |= _answer(node)
    return {
        "target": None if tree.schema.target is None else name_text(tree.schema.target),
        "classes": None if tree.classes is None else [name_text(label) for label in tree.classes],
        "columns": [column_on_page(column, _level_text) for column in tree.schema.columns],
        "nodes": nodes,
    }


def _level_text(level: Level) -> str:
    return name_text(level_text(level))


def _answer(node: Node) -> dict[str, Any]:
    tree = node.tree
    plain: dict[str, Any] = {"support": support_text(node, node.prediction)}
    if tree.classes is not None:
        return plain | {"prediction": int(tree.arrays["prediction"][node.id]), "shares": class_shares(tree, node.id)}
    plain["value"] = number(node.prediction)
    if "equation_start" in tree.arrays:
        plain["equation"] = _list(tree, "equation", node.id)
        plain["intercept"] = number(float(tree.arrays["intercept"][node.id]))
        if "lowest" in tree.arrays:
            plain["range"] = [number(float(tree.arrays[name][node.id])) for name in ("lowest", "highest")]
    return plain


def _test(tree: Tree, node: int) -> dict[str, Any]:
    arrays = tree.arrays
    kind, children = arrays["kind"][node], tree.child_ids(node)
    plain: dict[str, Any] = {
        "column": int(arrays["column"][node]),
        "children": children,
        "weights": arrays["weight"][children].tolist(),
        "missing": int(arrays["missing_branch"][node]),
    }
    if kind in (THRESHOLD, HYPERPLANE):
        plain["threshold"] = number(float(arrays["threshold"][node]))
    if kind == HYPERPLANE:
        plain["terms"] = _list(tree, "term", node)
    if kind == INTERVALS:
        plain["bounds"] = list(map(number, bounds_of(arrays, node)))
    if kind == LEVELS:
        part = slice(int(arrays["level_start"][node]), int(arrays["level_start"][node + 1]))
        plain["levels"] = list(zip(arrays["level"][part].tolist(), arrays["level_branch"][part].tolist(), strict=True))
    if "surrogate_start" in arrays:
        plain["surrogates"] = _surrogates(tree, node)
    return plain


def _list(tree: Tree, name: str, node: int) -> list[list[Any]]:
    arrays = tree.arrays
    part = slice(int(arrays[f"{name}_start"][node]), int(arrays[f"{name}_start"][node + 1]))
    fields = (arrays[f"{name}_{field}"][part].tolist() for field in _TERMS)
    return [[int(column), int(level), *numbers] for column, level, *numbers in zip(*fields, strict=True)]


def _surrogates(tree: Tree, node: int) -> list[dict[str, Any]]:
    arrays = tree.arrays
    start, end = arrays["surrogate_start"][node : node + 2].tolist()
    levels = surrogate_levels(arrays, node)
    found = []
    for k in range(start, end):
        threshold = float(arrays["surrogate_threshold"][k])
        plain: dict[str, Any] = {"column": int(arrays["surrogate_column"][k])}
        if threshold == threshold:
            plain |= {"threshold": number(threshold), "flip": bool(arrays["surrogate_flip"][k])}
        else:
            plain["levels"] = [(level, branch) for which, level, branch in levels if which == k - start]
        found.append(plain)
    return found


_FAR = 10  # so many widths outside the cuts of a column


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
        is_number = question.column.kind == "numeric" and question.column.value_type == "number"
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
        'yelow' is no answer to color that training has seen. Did you mean 'yellow'? Leave it empty if it is not known.
        >>> why.prediction
        'lemon'
        """
        while (question := self.question) is not None:
            line = question.as_written(ask(f"{question.text}: "))
            if question.is_unknown(line):
                meant = nearest(line, map(level_text, question.column.levels))
                tell(
                    f"'{line}' is no answer to {name_text(question.name)} that training has seen. {meant} "
                    "Leave it empty if it is not known."
                )
                continue
            try:
                self.answer(line)
            except DataError as problem:
                tell(str(problem))
                continue
            if remark := self._far_outside(question):
                tell(remark)
        result = self.result
        assert result is not None
        return result

    def _far_outside(self, question: AskedColumn) -> str | None:
        """Remark on a number far outside what training had; it was perhaps mistyped."""
        value, column = self._numbers[question.index], question.column
        if column.range is None:
            return self._far_from_cuts(question)
        if math.isnan(value) or not far_outside(column, np.array([value]))[0]:
            return None
        had = f"{name_text(question.name)} ({range_text(column)})"
        return f"{column.show(value)} is far outside what training had of {had}. Is it mistyped?"

    def _far_from_cuts(self, question: AskedColumn) -> str | None:
        """The same where the range is not known, as of an array or in older files: far from all that the tree asks."""
        value = self._numbers[question.index]
        arrays = self.tree.arrays
        cuts = arrays["threshold"][(arrays["column"] == question.index) & (arrays["kind"] == THRESHOLD)]
        cuts = cuts[abs(cuts) < math.inf]
        if question.column.kind != "numeric" or math.isnan(value) or len(cuts) == 0:
            return None
        low, high = float(cuts.min()), float(cuts.max())
        width = max(high - low, abs(low), abs(high))
        if low - _FAR * width <= value <= high + _FAR * width:
            return None
        show = question.column.show
        asks = show(low) if low == high else f"{show(low)} to {show(high)}"
        return f"{show(value)} is far from what the tree asks of {name_text(question.name)} ({asks}). Is it mistyped?"

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
