"""`tw.draw`: a tree as a picture. Pick the tree, draw each node, place them, add the head."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import DataError, nearest
from treewright.plot.html_page import tree_page
from treewright.plot.layout import LABEL, Arrangement, Item, Shape, arrange
from treewright.plot.node_boxes import DrawStyle, answer_texts, inner_box, leaf_box
from treewright.plot.node_charts import NodeRows
from treewright.plot.scene import Bars, Box, Group, Mark, Picture, Scene, Words, picture_ending
from treewright.plot.style import EDGE, FAINT, INK, OTHERS, class_colours, number_colour
from treewright.plot.text_size import fit, text_width, wrap
from treewright.tree.format import mean_text, name_text, rows_text
from treewright.tree.node import VALUE_WORD, NodeFacts, read_facts
from treewright.tree.stored import HYPERPLANE
from treewright.tree.test import NodeTest, read_test
from treewright.tree.tree import Tree, tree_of

# The head of a picture: what is predicted, from how many rows, and what the colours mean.


_TITLE, _TEXT = 9.0, 7.0
_LINE = 10.0
_LEAST = 200.0  # the head may be so wide, however small the tree is
_LONGEST = 150.0  # of a class name


def head(look: DrawStyle, width: float, title: str | None) -> tuple[float, float, list[Mark]]:
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


def _numbers(look: DrawStyle, y: float, marks: list[Mark]) -> tuple[float, float]:
    """A scale from the lowest leaf to the highest."""
    word = VALUE_WORD.get(look.tree.criterion or "", "value")
    low, high = f"{word} {mean_text(look.low)}", mean_text(look.high)
    start, size = text_width(low, _TEXT) + 4, 60.0
    step = size / 20
    marks.append(Words(0, y + 6, low, _TEXT))
    marks += [Bars(((start + k * step, y, step + 0.2, 6.5),), number_colour((k + 0.5) / 20)) for k in range(20)]
    marks += [Box(start, y, size, 6.5, None, EDGE, 0.4), Words(start + size + 4, y + 6, high, _TEXT)]
    return y + _LINE, start + size + 4 + text_width(high, _TEXT)


A4 = (595.0, 842.0)  # points
MOST_NODES = 20_000
_MARGIN = 12.0
_DEPTH_BESIDE_A_PAGE = 5
_MANY_CHARTS = 15  # the nodes of a full tree of depth 4; with more of them charts have to be small
_LABEL_ROOM = {"down": 84.0, "right": 66.0}
_SMALL_LABEL_ROOM = 56.0
_DIRECTIONS = ("auto", "down", "right")
_LEAVES = ("bar", "pie")


def draw(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    X: Any = None,
    y: Any = None,
    *,
    max_depth: int | None = None,
    highlight: Any = None,
    tree: int | None = None,
    direction: str = "auto",
    leaves: str = "bar",
    title: str | None = None,
    digits: int = 4,
    dpi: float = 150.0,
) -> Picture:
    """Draw a tree: plain boxes, or with the training rows a small chart in every node.

    Parameters
    ----------
    model : fitted model or Tree
        Any tree of treewright. Of an ensemble, `tree` says which one.
    path : str, optional
        Where to save the picture; the ending tells the format: .svg, .png or .pdf, or .html for a page
        that opens offline, to search, fold and ask the tree.
    X, y : table and column, optional
        Rows to show in the nodes, mostly those of the training: a histogram of the asked column by class with the cut,
        bars for levels, for numbers the target over the column. Without y the charts have one colour.
    max_depth : int, optional
        Leave out what lies deeper; a node says how much lies below it. None draws everything, up to 20,000 nodes.
    highlight : dict, list or one-row table, optional
        A row whose path is drawn in black, with its values.
    tree : int, optional
        Of an ensemble: the number of the tree, from 0.
    direction : {"auto", "down", "right"}, default "auto"
        Where the tree grows. "auto" takes the one that is larger on a sheet of A4: down for small trees.
    leaves : {"bar", "pie"}, default "bar"
        How leaves show the shares of the classes.
    title : str, optional
        The heading; the name of the target by default.
    digits : int, default 4
        Significant digits of cuts. The text that appears when a node is pointed at has six.
    dpi : float, default 150
        Dots per inch of a PNG. A huge picture gets fewer.

    Returns
    -------
    Picture
        It has `to_svg()`, `save(path)` and `figure()`, and shows itself in a notebook.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> picture = tw.draw(model, X=X, y=y, highlight=X.iloc[0])
    >>> "petallength" in picture.to_svg()
    True
    """
    if max_depth is not None and not isinstance(max_depth, int | np.integer):
        raise DataError(f"max_depth must be a whole number, or None for all nodes. Got {max_depth!r} instead.")
    if path is not None and picture_ending(path) == ".html" and max_depth is None:
        max_depth = _DEPTH_BESIDE_A_PAGE  # the page has all nodes, however many
    _check("direction", direction, _DIRECTIONS)
    _check("leaves", leaves, _LEAVES)
    shown = tree_of(model, tree)
    look = _look(shown, X, y, highlight)
    look = replace(look, pies=leaves == "pie")
    nodes = _shown_nodes(shown, max_depth)
    row = None if look.marked is None else [look.marked.numbers(j)[0] for j in range(len(shown.schema.columns))]
    picture = Picture(
        lambda: _scene(look, nodes, direction, title, digits),
        lambda: tree_page(shown, title=title, digits=max(digits, 6), row=row),
    )
    if path is not None:
        picture.save(path, dpi)
    return picture


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise DataError(f"{name}={value!r} is not one of {', '.join(map(repr, allowed))}. {nearest(value, allowed)}")


def _shown_nodes(tree: Tree, max_depth: int | None) -> list[int]:
    if max_depth is not None and max_depth < 0:
        raise DataError(f"max_depth must be at least 0. Got {max_depth} instead.")
    shown = np.arange(tree.n_nodes) if max_depth is None else np.flatnonzero(tree.node_depth <= max_depth)
    if len(shown) > MOST_NODES:
        up_to = np.cumsum(np.bincount(tree.node_depth))
        fits = int(np.searchsorted(up_to, MOST_NODES, side="right")) - 1
        raise DataError(
            f"The picture would have {len(shown):,} nodes, and nobody reads more than {MOST_NODES:,}. "
            f"Draw the top of the tree: max_depth={max(min(fits, 5), 0)}."
        )
    return shown.tolist()


def _look(tree: Tree, X: Any, y: Any, highlight: Any) -> DrawStyle:
    if X is None and y is not None:
        raise DataError("y alone shows nothing. Pass the rows too: tw.draw(model, X=X, y=y).")
    rows = None if X is None else NodeRows(tree, X, y)
    marked = None if highlight is None else NodeRows(tree, _one_row(tree, highlight))
    path = frozenset() if marked is None else frozenset(marked.path())
    if tree.classes is not None:
        sizes = np.zeros(len(tree.classes))
        for index, weight in tree.root.class_weights():
            sizes[index] = weight
        return DrawStyle(tree, class_colours(sizes), 0.0, 1.0, rows, marked, path)
    colours = [] if rows is None or rows.target.classes is None else class_colours([1.0] * len(rows.target.classes))
    values = tree.arrays["value"][tree.arrays["n_children"] == 0]
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    return DrawStyle(tree, colours, low, high, rows, marked, path)


def _one_row(tree: Tree, row: Any) -> Any:
    """Give a row as a table of one row: a dict, a list, a row of a data frame, or such a table already."""
    import pandas as pd

    names = tree.schema.names
    if getattr(row, "ndim", 1) == 2 or hasattr(row, "columns"):
        if len(row) != 1:
            raise DataError(f"highlight= takes one row. Got a table of {len(row):,} rows.")
        return row
    if isinstance(row, str) or not hasattr(row, "__len__"):
        raise DataError(f"highlight= takes the values of one row: a dict by column name, or a list. Got {row!r}.")
    values = [row.get(name) for name in names] if hasattr(row, "keys") else list(row)
    if len(values) != len(names):
        raise DataError(f"highlight= has {len(values)} values, but the tree was grown on {len(names)} columns.")
    return pd.DataFrame({name: pd.Series([value]).infer_objects() for name, value in zip(names, values, strict=True)})


def _scene(look: DrawStyle, nodes: list[int], direction: str, title: str | None, digits: int) -> Scene:
    tree = look.tree
    tests = {i: _test(tree, i, digits) for i in nodes if tree.arrays["n_children"][i]}
    wanted = ("down", "right") if direction == "auto" else (direction,)
    look = replace(look, compact=len(tests) > _MANY_CHARTS)
    facts = read_facts(tree, nodes)
    drawn = [_arranged(replace(look, flat=way == "right"), facts, tests, way) for way in wanted]
    best = max(drawn, key=lambda one: round(min(size_on_a4(one.width, one.height), 1.0), 2))
    width, height, marks = head(look, best.width, title)
    groups = [replace(group, x=group.x + _MARGIN, y=group.y + _MARGIN + height) for group in best.groups]
    top = Group(_MARGIN, _MARGIN, tuple(marks), name="head")
    name = title or f"Decision tree for {tree.schema.target or 'a target'}"
    whole = max(best.width, width) + 2 * _MARGIN
    return Scene(whole, best.height + height + 2 * _MARGIN, [top, *groups], name)


def _test(tree: Tree, node: int, digits: int) -> NodeTest:
    """Read a test; the weights of a sum are written with two digits fewer than cuts, which would be too few here."""
    more = 2 if tree.arrays["kind"][node] == HYPERPLANE else 0
    return read_test(tree.arrays, node, tree.schema.columns, digits + more)


def size_on_a4(width: float, height: float) -> float:
    """Tell how large a picture is on a sheet of A4, upright or across: 1 is as large as it was drawn.

    >>> size_on_a4(595, 842), size_on_a4(842, 595), size_on_a4(1190, 100)
    (1.0, 1.0, 0.707...)
    """
    short, long = A4
    return max(min(short / width, long / height), min(long / width, short / height))


def _arranged(look: DrawStyle, nodes: list[NodeFacts], tests: dict[int, NodeTest], direction: str) -> Arrangement:
    tree = look.tree
    shape = _shape(tree, [node.id for node in nodes])
    below = np.diff([node.id for node in nodes], append=tree.n_nodes) - 1  # left out after a shown one: all under it
    answers = {node: _answers(look, node, test) for node, test in tests.items()}
    items = []
    for place, node in enumerate(nodes):
        parent = int(tree.node_parent[node.id])
        label = answers[parent][int(tree.node_branch[node.id])] if node.id else ""
        test = tests.get(node.id) if shape.start[place] < shape.start[place + 1] else None
        items.append(_item(look, node, test, int(below[place]), label))
    return arrange(shape, items, direction)


def _shape(tree: Tree, nodes: list[int]) -> Shape:
    """Give who is above whom among the shown nodes, which are in preorder."""
    number = {node: place for place, node in enumerate(nodes)}
    children: list[list[int]] = [[] for _ in nodes]
    for place, node in enumerate(nodes[1:], start=1):
        children[number[int(tree.node_parent[node])]].append(place)
    start = np.concatenate([[0], np.cumsum([len(own) for own in children])])
    return Shape(start.tolist(), [child for own in children for child in own])


def _answers(look: DrawStyle, node: int, test: NodeTest) -> list[str]:
    """Say what leads down each branch, and of rows without a value, where there are such, where they go."""
    answers = answer_texts(test)
    rows, branch = look.rows, test.missing_branch
    if rows is None or branch is None or test.kind in ("hyperplane", "known") or answers[branch] == "missing":
        return answers
    if rows.n_missing(node, test.column_index):
        answers[branch] += " or missing"
    return answers


def _item(look: DrawStyle, node: NodeFacts, test: NodeTest | None, below: int, label: str) -> Item:
    room = _SMALL_LABEL_ROOM if look.flat and look.compact else _LABEL_ROOM["right" if look.flat else "down"]
    box = leaf_box(look, node, below) if test is None else inner_box(look, node, test)
    total = float(look.tree.arrays["weight"][0])
    asks = f"\nasks: {test.text}" if test is not None else ""
    said = f"{label}: {node.described}" if node.id else node.described
    return Item(
        box=box,
        label=wrap(label, room, LABEL, node.id in look.path, most=4) if label else (),
        depth=node.depth,
        share=min(node.weight / total, 1.0) if total > 0 else 0.0,
        title=f"Node {node.id}: {said}{asks}",
        name=f"node-{node.id}",
        on_path=node.id in look.path,
    )
