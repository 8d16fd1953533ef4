"""Where the nodes of a tree stand: a tidy layout in linear time; labels and branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from treewright.plot.node_boxes import NodeBox
from treewright.plot.scene import Bend, Group, Mark, Words
from treewright.plot.style import INK
from treewright.plot.text_size import LINE, text_width

# Where the nodes of a tree stand: a tidy layout for boxes of any width and nodes with any number of children.


@dataclass(frozen=True)
class Shape:
    """A tree without anything but its form: the children of node i are `children[start[i] : start[i + 1]]`.

    >>> Shape([0, 2, 2, 2], [1, 2]).of(0)
    [1, 2]
    """

    start: Sequence[int]
    children: Sequence[int]

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.start) - 1

    def of(self, node: int) -> Sequence[int]:
        """Give the children of a node."""
        return self.children[self.start[node] : self.start[node + 1]]


def tidy(shape: Shape, widths: Sequence[float], gap: float) -> NDArray[np.float64]:
    """Give the middle of every node across the levels; the leftmost box begins at 0.

    Parameters
    ----------
    shape : Shape
        Nodes in preorder: every node before its children, the first child right behind its parent.
    widths : sequence of float
        How wide each node is.
    gap : float
        The least distance of two boxes on the same level.

    Examples
    --------
    >>> tidy(Shape([0, 2, 2, 2], [1, 2]), [10, 20, 40], gap=5).tolist()
    [27.5, 10.0, 45.0]
    """
    from_parent = np.zeros(shape.n_nodes)
    outlines: dict[int, _Outline] = {}  # of subtrees that have no parent yet
    for node in reversed(range(shape.n_nodes)):
        children, half = shape.of(node), widths[node] / 2
        if children:
            places, outline = _side_by_side([outlines.pop(child) for child in children], gap)
            middle = (places[0] + places[-1]) / 2
            from_parent[list(children)] = np.asarray(places) - middle
            outline.move(-middle)
        else:
            outline = _Outline()
        outline.put_above(half)
        outlines[node] = outline
    middles = np.zeros(shape.n_nodes)
    for node in range(shape.n_nodes):  # parents come first
        for child in shape.of(node):
            middles[child] = middles[node] + from_parent[child]
    left: NDArray[np.float64] = middles - (middles - np.asarray(widths, dtype=np.float64) / 2).min()
    return left


@dataclass
class _Outline:
    """The outer edges of some subtrees on each level, the deepest level first, so that a new root goes to the end.

    The lists are never moved as a whole: `left_moved` and `right_moved` are to be added to every entry.
    """

    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    left_moved: float = 0.0
    right_moved: float = 0.0

    def move(self, by: float) -> None:
        self.left_moved += by
        self.right_moved += by

    def put_above(self, half: float) -> None:
        self.left.append(-half - self.left_moved)
        self.right.append(half - self.right_moved)


def _side_by_side(subtrees: list[_Outline], gap: float) -> tuple[list[float], _Outline]:
    """Push each subtree against those on its left; give the places of their roots and the outline of them all."""
    forest = subtrees[0]
    places, spread = [0.0], _Spread(len(subtrees))
    reach = [(len(forest.left), 0)]  # who owns the right edge: the last one that is deep enough, deeper ones first
    for number, subtree in enumerate(subtrees[1:], start=1):
        places.append(_push(forest, subtree, gap, reach, spread))
        depth = len(subtree.left)
        while reach and reach[-1][0] <= depth:
            reach.pop()
        reach.append((depth, number))
        forest = _joined(forest, subtree, places[-1])
    return [place + more for place, more in zip(places, spread.moves(), strict=True)], forest


def _push(forest: _Outline, subtree: _Outline, gap: float, reach: list[tuple[int, int]], spread: _Spread) -> float:
    """Find how far a subtree must stand to the right, and note what those between it and an obstacle should move."""
    number, owner = reach[-1][1] + 1, len(reach) - 1
    at, first = 0.0, True
    moved = forest.right_moved - subtree.left_moved + gap
    for level in range(1, min(len(forest.right), len(subtree.left)) + 1):
        while reach[owner][0] < level:
            owner -= 1
        more = forest.right[-level] - subtree.left[-level] + moved - at
        if first:
            at, first = more, False  # roots stand side by side; nothing lies between them
        elif more > 0:
            at += more
            spread.note(reach[owner][1], number, more)
    return at


def _joined(forest: _Outline, subtree: _Outline, at: float) -> _Outline:
    """Give the outline of both, changing the longer of each pair of lists."""
    levels = min(len(forest.left), len(subtree.left))
    subtree.move(at)
    if len(forest.left) >= len(subtree.left):
        change = subtree.right_moved - forest.right_moved
        forest.right[len(forest.right) - levels :] = [edge + change for edge in subtree.right]
        return forest
    change = forest.left_moved - subtree.left_moved
    subtree.left[len(subtree.left) - levels :] = [edge + change for edge in forest.left]
    return subtree


class _Spread:
    """Shares a push of one subtree among those that stand between it and the one that was in its way."""

    def __init__(self, n: int) -> None:
        self.slope, self.fall = [0.0] * (n + 1), [0.0] * (n + 1)

    def note(self, obstacle: int, pushed: int, by: float) -> None:
        step = by / (pushed - obstacle)
        self.slope[obstacle + 1] += step
        self.slope[pushed] -= step
        self.fall[pushed] -= by - step

    def moves(self) -> list[float]:
        moves, slope, height = [], 0.0, 0.0
        for n in range(len(self.slope) - 1):
            slope += self.slope[n]
            height += slope + self.fall[n]
            moves.append(height)
        return moves


# From boxes to a picture: levels, places, branches with their labels, for trees that grow down or to the right.


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

    box: NodeBox
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
    levels = _levels(items, sideways, _LEVELS[direction])
    boxes = np.empty((len(items), 4))
    for i, item in enumerate(items):
        width, height = item.box.width, item.box.height
        front, middle = levels[item.depth].front, float(middles[i])
        boxes[i] = (
            (front, middle - height / 2, width, height) if sideways else (middle - width / 2, front, width, height)
        )
    branches = Group(0, 0, tuple(_branches(shape, items, boxes, levels, sideways)), name="branches")
    nodes = [_node(item, box, sideways) for item, box in zip(items, boxes.tolist(), strict=True)]
    width = max(float((boxes[:, 0] + boxes[:, 2]).max()), 0.0 if sideways else _far(middles, across))
    height = max(float((boxes[:, 1] + boxes[:, 3]).max()), _far(middles, across) if sideways else 0.0)
    return Arrangement(width, height, [branches, *nodes], boxes)


def _far(middles: NDArray[np.float64], across: Sequence[float]) -> float:
    return float((middles + np.asarray(across) / 2).max())


def _across(item: Item, sideways: bool) -> float:
    if sideways:
        return max(item.box.height, item.label_height)
    return max(item.box.width, item.label_width)


@dataclass(frozen=True)
class _Level:
    """Where the boxes of a level begin, and the lane in front of their labels in which the branches bend.

    The lane begins behind the longest box of the level before, so that no branch passes behind a box or a label.
    """

    front: float
    lane: tuple[float, float]


def _levels(items: Sequence[Item], sideways: bool, gap: float) -> list[_Level]:
    """Give every level: behind the longest box of the level before, the lane and the longest label."""
    n_levels = max(item.depth for item in items) + 1
    labels, lengths = [0.0] * n_levels, [0.0] * n_levels
    for item in items:
        label = item.label_width if sideways else item.label_height
        labels[item.depth] = max(labels[item.depth], label + _LABEL_GAP if item.label else 0.0)
        lengths[item.depth] = max(lengths[item.depth], item.box.width if sideways else item.box.height)
    levels = [_Level(labels[0], (0.0, 0.0))]
    for level in range(1, n_levels):
        start = levels[-1].front + lengths[level - 1]
        levels.append(_Level(start + gap + labels[level], (start, start + gap - 1.0)))
    return levels


def _branches(
    shape: Shape, items: Sequence[Item], boxes: NDArray[np.float64], levels: list[_Level], sideways: bool
) -> list[Mark]:
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
            line, lane = _THIN + _THICK * item.share, levels[item.depth].lane
            if item.on_path:
                on_path.append(Bend(start, end, INK, min(max(line, 2.0), 3.5), sideways, lane))
            else:
                usual.append(Bend(start, end, _BRANCH, line, sideways, lane))
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
    return Group(x, y, (*words, *item.box.marks), item.title, item.name)
