"""What a node asks and what its branches answer, apart: the question stands in the box, the answers on the branches."""

from __future__ import annotations

from treewright.draw.text_size import KEEP
from treewright.tree.test import NodeTest
from treewright.tree.wording import name_text


def question_text(test: NodeTest) -> str:
    """Say what a node asks for: its column, or the weighted sum of several.

    >>> from treewright.tree import example_tree
    >>> question_text(example_tree().root.test), question_text(example_tree().node(2).test)
    ('outlook', 'humidity')
    """
    if test.kind == "hyperplane":
        return signs_with_numbers(test.branches[0].label.rpartition(" <= ")[0])
    return name_text(test.column)


def signs_with_numbers(sum_text: str) -> str:
    """Keep each sign of a sum on the line of the number that it belongs to.

    >>> signs_with_numbers("0.7·age - income").count(KEEP)
    1
    """
    return sum_text.replace(" + ", f" +{KEEP}").replace(" - ", f" -{KEEP}")


def answer_texts(test: NodeTest) -> list[str]:
    """Say what leads down each branch, without the name of the column.

    >>> from treewright.tree import example_tree
    >>> answer_texts(example_tree().root.test), answer_texts(example_tree().node(2).test)
    (['overcast', 'sunny or rain'], ['≤ 82.5', '> 82.5'])
    """
    return [_answer(test, number, branch.label) for number, branch in enumerate(test.branches)]


def _answer(test: NodeTest, number: int, label: str) -> str:
    name = name_text(test.column)
    if test.kind == "hyperplane" and number < 2:
        sign = (" <= ", " > ")[number]
        return _signs(sign.strip() + " " + label.rpartition(sign)[2])
    low, inside, high = label.partition(f" < {name} <= ")
    if test.kind == "intervals" and inside:
        return f"{low} < … ≤ {high}"
    words = label.removeprefix(f"{name} ")
    return words.removeprefix("is ") if words.startswith("is ") else _signs(words)


def _signs(words: str) -> str:
    return "≤" + words.removeprefix("<=") if words.startswith("<=") else words
