"""The boxes of a picture: what stands in an inner node and in a leaf, with or without the training rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from treewright.plot.node_charts import Chart, NodeRows, node_chart
from treewright.plot.scene import Bars, Box, Dots, Mark, Point, Stroke, Words
from treewright.plot.style import EDGE, FAINT, INK, number_colour, tint
from treewright.plot.text_size import KEEP, LINE, Line, fit, width_in_a_row, width_of, wrapped
from treewright.tree.equation import equation_text, has_equations
from treewright.tree.format import name_text, number_text
from treewright.tree.node import VALUE_WORD, NodeFacts
from treewright.tree.test import NodeTest
from treewright.tree.tree import Tree

# What a node asks and what its branches answer, apart: the question stands in the box, the answers on the branches.


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


PAD = 4.0
NAME, SMALL = 7.5, 6.5  # sizes of letters
_ROOM = 84.0  # for the words of a box
_EQUATION_ROOM = 130.0
_BAR = 4.0
_FLAT_BAR = 26.0  # width of the bar beside the words of a leaf
_PIE = 8.0  # radius


@dataclass(frozen=True)
class NodeBox:
    """A box with what stands in it; the upper left corner is at (0, 0)."""

    width: float
    height: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class DrawStyle:
    """What all nodes of a picture share: colours, the range of values, and how leaves are shown."""

    tree: Tree
    colours: list[str]
    low: float
    high: float
    rows: NodeRows | None = None
    marked: NodeRows | None = None  # the one row whose path is shown
    path: frozenset[int] = frozenset()
    flat: bool = False  # leaves as one line, for trees that grow to the right
    pies: bool = False
    compact: bool = False  # many charts: no more in a node than its chart tells

    def colour(self, node: NodeFacts) -> str:
        """The colour of what a node answers."""
        if self.tree.classes is not None:
            return self.colours[int(self.tree.arrays["prediction"][node.id])]
        value = float(self.tree.arrays["value"][node.id])
        size = self.high - self.low
        return number_colour((value - self.low) / size if size > 0 and math.isfinite(size) else 0.5)

    def edge(self, node: NodeFacts, usual: str) -> tuple[str, float]:
        """Colour and width of a node's frame."""
        return (INK, 1.8) if node.id in self.path else (usual, 0.8)


def inner_box(look: DrawStyle, node: NodeFacts, test: NodeTest) -> NodeBox:
    """Draw a node that asks: the question, how the rows lie, and the shares of the classes below."""
    chart = None if look.rows is None else _chart(look, node, test)
    lines = _question_lines(test)
    facts = _facts(look, node, test)
    width = width_of(lines + facts, max(48.0, chart.width if chart else 0.0)) + 2 * PAD
    marks: list[Mark] = []
    y = _stacked(marks, lines, width, PAD)
    if chart:
        marks += [_moved(mark, (width - chart.width) / 2, y + 3) for mark in chart.marks]
        y += chart.height + 3
    y = _stacked(marks, facts, width, y)
    if not (look.compact and chart):
        marks += _bar(look, node, PAD, y + 2, width - 2 * PAD, _BAR)
        y += 2 + _BAR
    stroke, line_width = look.edge(node, EDGE)
    frame = Box(0, 0, width, y + PAD, "#ffffff", stroke, line_width, radius=2.5)
    return NodeBox(width, y + PAD, (frame, *marks))


def _question_lines(test: NodeTest) -> list[Line]:
    if test.kind == "hyperplane":
        return wrapped(question_text(test), _ROOM, SMALL, most=6)
    return wrapped(question_text(test), _ROOM, NAME, True, most=3)


def _facts(look: DrawStyle, node: NodeFacts, test: NodeTest) -> list[Line]:
    """How many rows; where there is room, what most of them are; and what the row has whose path is shown."""
    said_by_chart = look.compact and look.rows is not None and test.kind not in ("levels", "known")
    facts = [] if said_by_chart else _rows_and_answer(look, node)
    if node.id in look.path and look.marked is not None:
        facts.append(Line(fit(_value_of_row(look.marked, node, test), _ROOM, SMALL), SMALL, fill=FAINT))
    return facts


def _stacked(marks: list[Mark], lines: list[Line], width: float, y: float) -> float:
    """Write lines under each other in the middle of a box; give where the last one ends."""
    for line in lines:
        y += line.size * LINE
        marks.append(Words(width / 2, y - 0.25 * line.size, line.text, line.size, line.fill, line.bold, "middle"))
    return y


def leaf_box(look: DrawStyle, node: NodeFacts, below: int = 0) -> NodeBox:
    """Draw a leaf, or an inner node whose `below` nodes are left out: what it answers, how sure, how many rows."""
    lines = _leaf_lines(look, node, below)
    box = _flat_leaf(look, node, lines) if look.flat else _boxed_leaf(look, node, lines)
    colour = look.colour(node)
    ground = tint(colour, 0.1 + 0.22 * (node.share or 0.0)) if look.tree.classes is not None else "#ffffff"
    stroke, width = look.edge(node, colour if look.tree.classes is not None else EDGE)
    frame: list[Mark] = [Box(0, 0, box.width, box.height, ground, stroke, width, radius=2.5)]
    if below:
        frame.append(Box(1.5, 1.5, box.width - 3, box.height - 3, None, stroke, 0.5, radius=1.5))
    return replace(box, marks=(*frame, *box.marks))


def _leaf_lines(look: DrawStyle, node: NodeFacts, below: int) -> list[Line]:
    tree = look.tree
    if tree.classes is not None:
        share = "no rows" if node.share is None else f"{node.percent} of {node.rows}"
        lines = [*wrapped(node.answer, _ROOM, NAME, True, most=1 if look.flat else 2), Line(share, SMALL)]
    elif has_equations(tree) and not below:
        equation = f"{name_text(tree.schema.target or 'y')} = {signs_with_numbers(equation_text(tree, node.id))}"
        lines = wrapped(equation, _EQUATION_ROOM, SMALL, most=8)
        lines.append(Line(f"mean {node.answer}, {node.rows}", SMALL))
    else:
        word = VALUE_WORD.get(tree.criterion or "", "value")
        lines = [Line(f"{word} {node.answer}", NAME, True), Line(node.rows, SMALL)]
    return [*lines, Line(f" … {below:,} nodes below ", SMALL)] if below else lines


def _boxed_leaf(look: DrawStyle, node: NodeFacts, lines: list[Line]) -> NodeBox:
    width = width_of(lines, 40.0) + 2 * PAD
    marks: list[Mark] = []
    y = PAD
    if look.pies and look.tree.classes is not None:
        marks += _pie(look, node, (width / 2, y + _PIE), _PIE)
        y += 2 * _PIE + 1
    y = _stacked(marks, lines, width, y)
    if not (look.pies and look.tree.classes is not None):
        marks += _bar(look, node, PAD, y + 2, width - 2 * PAD, _BAR)
        y += 2 + _BAR
    return NodeBox(width, y + PAD, tuple(marks))


def _flat_leaf(look: DrawStyle, node: NodeFacts, lines: list[Line]) -> NodeBox:
    """A leaf as one line, or as few as an equation needs, with its bar or pie on the left."""
    is_pie = look.pies and look.tree.classes is not None
    left = PAD + (2 * 5.5 if is_pie else _FLAT_BAR) + 4
    rows = (
        [lines[:2], *([line] for line in lines[2:])] if len(lines) > 1 and lines[0].bold else [[line] for line in lines]
    )
    width = left + max(width_in_a_row(row, 4) for row in rows) + PAD
    height = len(rows) * NAME * LINE + 4
    marks: list[Mark] = []
    for number, row in enumerate(rows):
        x, y = left, 2 + (number + 1) * NAME * LINE - 0.27 * NAME
        for line in row:
            marks.append(Words(x, y, line.text, line.size, INK, line.bold))
            x += width_of([line]) + 4
    if is_pie:
        marks += _pie(look, node, (PAD + 5.5, height / 2), 5.5)
    else:
        marks += _bar(look, node, PAD, height / 2 - 3, _FLAT_BAR, 6.0)
    return NodeBox(width, height, tuple(marks))


def _rows_and_answer(look: DrawStyle, node: NodeFacts) -> list[Line]:
    """How many rows there are and what they are, on two lines where one is too short: the same words in every node."""
    if look.tree.classes is None:
        parts = [f"{node.rows},", f"{VALUE_WORD.get(look.tree.criterion or '', 'value')} {node.answer}"]
    elif node.share is None:
        parts = [node.rows]
    else:
        parts = [f"{node.rows},", f"{node.percent} {node.answer}"]
    whole = " ".join(parts)
    lines = [whole] if width_of([Line(whole, SMALL)]) <= _ROOM else [fit(part, _ROOM, SMALL) for part in parts]
    return [Line(line, SMALL, fill=FAINT) for line in lines]


def _value_of_row(row: NodeRows, node: NodeFacts, test: NodeTest) -> str:
    """Say what the row that is followed has here."""
    if test.kind == "hyperplane":
        return f"this row: {number_text(float(row.sums(node.id)[0]), 4)}"
    value = float(row.numbers(test.column_index)[0])
    column = row.tree.schema.columns[test.column_index]
    if math.isnan(value):
        return "this row: missing"
    shown = (
        number_text(value)
        if column.kind == "numeric" and column.value_type == "number"
        else name_text(column.show(value))
    )
    return f"this row: {shown}"


def _chart(look: DrawStyle, node: NodeFacts, test: NodeTest) -> Chart:
    assert look.rows is not None
    marked = None
    if node.id in look.path and look.marked is not None:
        values = look.marked.sums(node.id) if test.kind == "hyperplane" else look.marked.numbers(test.column_index)
        marked = None if np.isnan(values[0]) else float(values[0])
    note = node.rows if look.compact else ""
    return node_chart(look.rows, node.id, test, look.colours, marked, note)


def _bar(look: DrawStyle, node: NodeFacts, x: float, y: float, width: float, height: float) -> list[Mark]:
    """The shares of the classes side by side; of a number, how far it lies between the lowest and the highest leaf."""
    frame = Box(x, y, width, height, "#ffffff", EDGE, 0.4)
    if look.tree.classes is None:
        share = _share_of_range(look, node)
        return [frame, Bars(((x, y, max(share * width, 0.8), height),), look.colour(node))]
    weights = node.class_weights
    total = sum(weight for _, weight in weights)
    marks: list[Mark] = []
    for index, weight in weights:
        part = width * weight / total if total > 0 else 0.0
        if part > 0:
            marks.append(Bars(((x, y, part, height),), look.colours[index]))
            x += part
    return [replace(frame, fill="#ffffff", stroke=EDGE), *marks]


def _share_of_range(look: DrawStyle, node: NodeFacts) -> float:
    size = look.high - look.low
    value = float(look.tree.arrays["value"][node.id])
    return min(max((value - look.low) / size, 0.0), 1.0) if size > 0 and math.isfinite(size) else 0.5


def _pie(look: DrawStyle, node: NodeFacts, centre: Point, radius: float) -> list[Mark]:
    weights = [(index, weight) for index, weight in node.class_weights if weight > 0]
    total = sum(weight for _, weight in weights)
    if total <= 0:
        return [Stroke(_arc(centre, radius, 0.0, 1.0), EDGE, 0.6, closed=True)]
    marks: list[Mark] = []
    start = 0.0
    for index, weight in weights:
        end = start + weight / total
        points = _arc(centre, radius, start, end)
        if len(weights) > 1:
            points = (centre, *points)
        marks.append(Stroke(points, "#ffffff", 0.4, look.colours[index], closed=True))
        start = end
    return marks


def _arc(centre: Point, radius: float, start: float, end: float) -> tuple[Point, ...]:
    """Points on a circle, clockwise from the top; the whole circle is 1."""
    steps = max(2, math.ceil(48 * (end - start)) + 1)
    angles = [2 * math.pi * (start + (end - start) * k / (steps - 1)) for k in range(steps)]
    return tuple((centre[0] + radius * math.sin(a), centre[1] - radius * math.cos(a)) for a in angles)


def _moved(mark: Mark, dx: float, dy: float) -> Mark:
    """Move a shape of a chart into its box."""
    if isinstance(mark, Box | Words):
        return replace(mark, x=mark.x + dx, y=mark.y + dy)
    if isinstance(mark, Bars):
        return replace(mark, bars=tuple((x + dx, y + dy, w, h) for x, y, w, h in mark.bars))
    assert isinstance(mark, Stroke | Dots)
    return replace(mark, points=tuple((x + dx, y + dy) for x, y in mark.points))
