"""The growing loop: choose, divide with the help of surrogates, go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from typing import Any

from oracle.rpart.lesson import Control, Lesson, Method, Rows, total
from oracle.rpart.primary import Candidate, Test, candidates
from oracle.rpart.surrogate import Surrogate, sends_left, surrogates

DIGITS = 40


@dataclass
class Node:
    """A node of the grown tree. `rows` are all that came here; those that could not be sent on stay."""

    rows: tuple[int, ...]
    depth: int
    answer: Any
    risk: Decimal
    primary: Candidate | None = None
    competitors: list[Candidate] = field(default_factory=list)
    surrogates: list[Surrogate] = field(default_factory=list)
    default_left: bool | None = None  # where rows go that nothing can send; None: they stay
    improve: Decimal = Decimal(0)
    children: list[Node] = field(default_factory=list)

    def preorder(self) -> Iterator[Node]:
        """The node and all below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


def goes_left(lesson: Lesson, node: Node, row: int) -> bool | None:
    """Where the node sends a row: by its test, else by the first surrogate that can, else the default."""
    assert node.primary is not None
    tests: list[Test] = [node.primary.test, *(surrogate.test for surrogate in node.surrogates)]
    for place, test in enumerate(tests):
        value = lesson.columns[test.column].values[row]
        side = test.goes_left(value) if place == 0 else sends_left(test, value)
        if side is not None:
            return side
    return node.default_left


def known_sides(lesson: Lesson, test: Test, rows: Rows) -> tuple[list[int], list[int]]:
    """The rows that the test itself can send to the left, and to the right."""
    sent = [(row, test.goes_left(lesson.columns[test.column].values[row])) for row in rows]
    return [row for row, left in sent if left is True], [row for row, left in sent if left is False]


def mean(method: Method, rows: Rows) -> Decimal:
    """The mean of a target; of classes, of their indices. rpart's right branch is the one with the higher mean."""
    sums = total(method, rows)
    if method.lesson.n_classes == 0:
        return method.rate(sums)
    return sum((k * part for k, part in enumerate(sums)), Decimal(0)) / sum(sums, Decimal(0))


def open_node(method: Method, control: Control, node: Node) -> list[Node]:
    """Split a node if the rules allow it; its new children."""
    if len(node.rows) < control.min_samples_split or node.depth >= control.max_depth:
        return []
    offers = candidates(method, control, node.rows)
    if not offers:
        return []
    lesson = method.lesson
    node.primary, *node.competitors = offers
    node.improve = method.improve(node.primary.gain, node.rows)
    if control.use_surrogates:
        left, right = known_sides(lesson, node.primary.test, node.rows)
        torn_goes_left = not mean(method, left) < mean(method, right)
        node.surrogates = surrogates(lesson, control, node.primary.test, node.rows, torn_goes_left)
        if not control.no_value_stops and lesson.weight(left) != lesson.weight(right):
            node.default_left = lesson.weight(left) > lesson.weight(right)
    sent = {row: goes_left(lesson, node, row) for row in node.rows}
    for side in (True, False):
        rows = tuple(row for row in node.rows if sent[row] is side)
        node.children.append(Node(rows, node.depth + 1, method.answer(rows), method.risk(rows)))
    return node.children


def grow(method: Method, control: Control, rows: list[int] | None = None) -> Node:
    """Grow a tree from all rows, or from some."""
    with localcontext(Context(prec=DIGITS)):
        chosen = tuple(method.lesson.rows() if rows is None else rows)
        root = Node(chosen, 0, method.answer(chosen), method.risk(chosen))
        waiting = [root]
        while waiting:
            waiting += open_node(method, control, waiting.pop())
    return root
