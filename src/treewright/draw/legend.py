"""The head of a picture: what is predicted, from how many rows, and what the colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.draw.node_faces import Look
from treewright.draw.palette import EDGE, FAINT, INK, OTHERS, number_colour
from treewright.draw.scene import Bars, Box, Mark, Words
from treewright.draw.text_size import fit, text_width
from treewright.tree.wording import name_text, number_text, rows_text

_TITLE, _TEXT = 9.0, 7.0
_LINE = 10.0
_LEAST = 200.0  # the head may be so wide, however small the tree is
_LONGEST = 150.0  # of a class name


def head(look: Look, width: float, title: str | None) -> tuple[float, float, list[Mark]]:
    """Give the width and height of the head, and its shapes."""
    tree = look.tree
    room = max(width, _LEAST)
    target = name_text(tree.schema.target) if tree.schema.target is not None else "Decision tree"
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    first = fit(title if title is not None else target, room, _TITLE, True)
    second = f"{rows_text(tree.root.n)}, {leaves}, depth {tree.depth}"
    marks: list[Mark] = [Words(0, _TITLE, first, _TITLE, INK, True), Words(0, _TITLE + _LINE, second, _TEXT, FAINT)]
    y = _TITLE + 1.4 * _LINE
    reach = 0.0
    if tree.classes is None:
        y, reach = _numbers(look, y, marks)
    classes = tree.classes if look.rows is None else look.rows.target.classes
    if classes is not None:
        y, width = _classes(classes, look.colours, room, y, marks)
        reach = max(reach, width)
    return max(text_width(first, _TITLE, True), text_width(second, _TEXT), reach), y + 6, marks


def _classes(
    classes: Sequence[Any], colours: list[str], room: float, y: float, marks: list[Mark]
) -> tuple[float, float]:
    """A square and a name for each class that has a colour of its own, in as many lines as they take."""
    entries = [(colour, name_text(label)) for label, colour in zip(classes, colours, strict=True)]
    shared = sum(colour == OTHERS for colour, _ in entries)
    entries = [entry for entry in entries if entry[0] != OTHERS]
    if shared:
        entries.append((OTHERS, f"{shared:,} other classes"))
    x, reach = 0.0, 0.0
    for colour, name in entries:
        shown = fit(name, _LONGEST, _TEXT)
        width = 9 + text_width(shown, _TEXT) + 10
        if x and x + width - 10 > room:
            x, y = 0.0, y + _LINE
        marks += [Bars(((x, y, 6.5, 6.5),), colour), Words(x + 9, y + 6, shown, _TEXT)]
        x += width
        reach = max(reach, x - 10)
    return y + _LINE, reach


def _numbers(look: Look, y: float, marks: list[Mark]) -> tuple[float, float]:
    """A scale from the lowest leaf to the highest."""
    low, high = number_text(look.low, 4), number_text(look.high, 4)
    start, size = text_width(low, _TEXT) + 4, 60.0
    step = size / 20
    marks.append(Words(0, y + 6, low, _TEXT))
    marks += [Bars(((start + k * step, y, step + 0.2, 6.5),), number_colour((k + 0.5) / 20)) for k in range(20)]
    marks += [Box(start, y, size, 6.5, None, EDGE, 0.4), Words(start + size + 4, y + 6, high, _TEXT)]
    return y + _LINE, start + size + 4 + text_width(high, _TEXT)
