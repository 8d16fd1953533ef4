"""From boxes to a picture: levels, places, branches with their labels, for trees that grow down or to the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.draw.layout import Shape, tidy
from treewright.draw.node_faces import Face
from treewright.draw.palette import INK
from treewright.draw.scene import Bend, Group, Mark, Words
from treewright.draw.text_size import LINE, text_width

LABEL = 7.0  # size of the letters on the branches
_LABEL_GAP = 2.5  # between a label and its box
_SIBLINGS = {"down": 8.0, "right": 3.5}  # the least distance of boxes on a level
_LEVELS = {"down": 18.0, "right": 22.0}  # between the boxes of a level and the labels of the next
_THIN, _THICK = 0.6, 6.0  # branches: no rows, all rows
_BRANCH, _HINT = "#c8c8c8", "#444444"


@dataclass(frozen=True)
class Item:
    """A node to be placed: its box, the lines on the branch that leads to it, and the share of all rows it has.

    The label of a branch on the path of a row is set in bold.
    """

    face: Face
    label: Sequence[str]
    depth: int
    share: float
    title: str
    name: str
    on_path: bool = False

    @property
    def label_width(self) -> float:
        """How wide the label is."""
        return max((text_width(line, LABEL, self.on_path) for line in self.label), default=0.0)

    @property
    def label_height(self) -> float:
        """How high it is."""
        return len(self.label) * LABEL * LINE


@dataclass(frozen=True)
class Arrangement:
    """A finished picture of a tree, without title and legend; `boxes` are (x, y, width, height) of the nodes."""

    width: float
    height: float
    groups: list[Group]
    boxes: NDArray[np.float64]


def arrange(shape: Shape, items: Sequence[Item], direction: str) -> Arrangement:
    """Place all boxes and draw the branches between them."""
    sideways = direction == "right"
    across = [_across(item, sideways) for item in items]
    middles = tidy(shape, across, _SIBLINGS[direction])
    fronts = _fronts(items, sideways, _LEVELS[direction])
    boxes = np.empty((len(items), 4))
    for i, item in enumerate(items):
        width, height = item.face.width, item.face.height
        front, middle = fronts[item.depth], float(middles[i])
        boxes[i] = (
            (front, middle - height / 2, width, height) if sideways else (middle - width / 2, front, width, height)
        )
    branches = Group(0, 0, tuple(_branches(shape, items, boxes, sideways)), name="branches")
    nodes = [_node(item, box, sideways) for item, box in zip(items, boxes.tolist(), strict=True)]
    width = max(float((boxes[:, 0] + boxes[:, 2]).max()), 0.0 if sideways else _far(middles, across))
    height = max(float((boxes[:, 1] + boxes[:, 3]).max()), _far(middles, across) if sideways else 0.0)
    return Arrangement(width, height, [branches, *nodes], boxes)


def _far(middles: NDArray[np.float64], across: Sequence[float]) -> float:
    return float((middles + np.asarray(across) / 2).max())


def _across(item: Item, sideways: bool) -> float:
    if sideways:
        return max(item.face.height, item.label_height)
    return max(item.face.width, item.label_width)


def _fronts(items: Sequence[Item], sideways: bool, gap: float) -> list[float]:
    """Where the boxes of each level begin: behind the longest box of the level before and the longest label."""
    n_levels = max(item.depth for item in items) + 1
    labels, lengths = [0.0] * n_levels, [0.0] * n_levels
    for item in items:
        label = item.label_width if sideways else item.label_height
        labels[item.depth] = max(labels[item.depth], label + _LABEL_GAP if item.label else 0.0)
        lengths[item.depth] = max(lengths[item.depth], item.face.width if sideways else item.face.height)
    fronts = [labels[0]]
    for level in range(1, n_levels):
        fronts.append(fronts[-1] + lengths[level - 1] + gap + labels[level])
    return fronts


def _branches(shape: Shape, items: Sequence[Item], boxes: NDArray[np.float64], sideways: bool) -> list[Mark]:
    """Draw the branches, as wide as the rows that take them; those of a path last, so that they lie on top."""
    usual: list[Mark] = []
    on_path: list[Mark] = []
    for parent in range(shape.n_nodes):
        x, y, width, height = boxes[parent].tolist()
        start = (x + width, y + height / 2) if sideways else (x + width / 2, y + height)
        for child in shape.of(parent):
            item = items[child]
            left, top, child_width, child_height = boxes[child].tolist()
            space = _LABEL_GAP + 1.5 if item.label else 0.0
            if sideways:
                end = (left - item.label_width - space, top + child_height / 2)
            else:
                end = (left + child_width / 2, top - item.label_height - space + 1.0)
            line = _THIN + _THICK * item.share
            if item.on_path:
                on_path.append(Bend(start, end, INK, min(max(line, 2.0), 3.5), sideways))
            else:
                usual.append(Bend(start, end, _BRANCH, line, sideways))
    return usual + on_path


def _node(item: Item, box: list[float], sideways: bool) -> Group:
    x, y, width, height = box
    step = LABEL * LINE
    words: list[Mark] = []
    for number, line in enumerate(item.label):
        if sideways:
            below = height / 2 - item.label_height / 2 + (number + 1) * step - 0.25 * LABEL
            words.append(Words(-_LABEL_GAP, below, line, LABEL, _HINT, item.on_path, "end"))
        else:
            below = -_LABEL_GAP - item.label_height + (number + 1) * step - 0.25 * LABEL
            words.append(Words(width / 2, below, line, LABEL, _HINT, item.on_path, "middle"))
    return Group(x, y, (*words, *item.face.marks), item.title, item.name)
