"""Where the nodes of a tree stand: a tidy layout for boxes of any width and nodes with any number of children.

No two boxes of a level come nearer than the gap, branches keep their order, a parent stands above the middle of its
outer children, equal subtrees look equal, and the whole is narrow. The idea is that of Reingold and Tilford (1981): lay
out every subtree by itself and push it against its left neighbours, level by level along their outlines. Small subtrees
between large ones are then spread evenly, as by Buchheim, Jünger and Leipert (2002). Two outlines are joined in as many
steps as the shorter one has levels, so the time grows with the number of nodes. Nodes are numbered in preorder:
counting backwards meets children before parents, and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


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
