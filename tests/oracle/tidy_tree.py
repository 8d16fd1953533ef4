"""Where the nodes of a tree stand, by definition: slow, recursive, every outline made anew for every push.

A tree is (width, [subtrees]). The answer is the same shape with the middle of each node in place of its width.
"""

from __future__ import annotations

from typing import Any

Drawn = tuple[float, float, list[Any]]  # middle relative to the parent, width, subtrees


def place(tree: tuple[float, list[Any]], gap: float) -> list[float]:
    """Give the middles in preorder; the leftmost box begins at 0."""
    drawn = _draw(tree, gap)
    boxes = list(_boxes(drawn, 0.0, 0))
    left = min(middle - width / 2 for middle, width, _ in boxes)
    return [middle - left for middle, _, _ in boxes]


def _draw(tree: tuple[float, list[Any]], gap: float) -> Drawn:
    width, below = tree
    children = [_draw(child, gap) for child in below]
    if not children:
        return 0.0, width, []
    at = [0.0]
    moves = [0.0] * len(children)
    for i in range(1, len(children)):
        at.append(_push(children, at, moves, i, gap))
    at = [x + more for x, more in zip(at, moves, strict=True)]
    middle = (at[0] + at[-1]) / 2
    return 0.0, width, [(x - middle, child[1], child[2]) for x, child in zip(at, children, strict=True)]


def _push(children: list[Drawn], at: list[float], moves: list[float], i: int, gap: float) -> float:
    """Push subtree i to the right, level by level; what it is pushed by is shared among those before it."""
    own = _edges(children[i], 0.0)
    x: float | None = None
    for level in range(len(own)):
        owner = next((j for j in reversed(range(i)) if len(_edges(children[j], 0.0)) > level), None)
        if owner is None:
            break
        needed = _edges(children[owner], at[owner])[level][1] + gap - own[level][0]
        if x is None:
            x = needed
        elif needed > x:
            for k in range(owner + 1, i):
                moves[k] += (needed - x) * (k - owner) / (i - owner)
            x = needed
    assert x is not None
    return x


def _edges(tree: Drawn, at: float) -> list[tuple[float, float]]:
    """Give the left and right edge of each level."""
    levels: list[tuple[float, float]] = []
    for middle, width, level in _boxes((0.0, tree[1], tree[2]), at, 0):
        if level == len(levels):
            levels.append((middle - width / 2, middle + width / 2))
        low, high = levels[level]
        levels[level] = (min(low, middle - width / 2), max(high, middle + width / 2))
    return levels


def _boxes(tree: Drawn, at: float, level: int) -> Any:
    offset, width, children = tree
    yield at + offset, width, level
    for child in children:
        yield from _boxes(child, at + offset, level + 1)
