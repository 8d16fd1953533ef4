"""A tree as text: a line a node, the condition on the left, what the node holds on the right."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.equation import equation_lines, equation_numbers
from treewright.tree.format import cells, clip, name_text, number_text
from treewright.tree.node import Node, NodeText
from treewright.tree.stored import SPREADS
from treewright.tree.test import NodeTest, read_test

if TYPE_CHECKING:
    from treewright.table.schema import Column
    from treewright.tree.node import Node
    from treewright.tree.tree import Tree


# The test of significance behind a split, in words. Trees that were grown by tests store four numbers a node.


SIGNIFICANCE = ("statistic", "df", "log_p", "log_p_adjusted")


def p_text(log_p: float) -> str:
    """Write a p-value from its natural logarithm, however small it is.

    >>> p_text(math.log(0.0778)), p_text(-186.12), p_text(-5000.0), p_text(0.0), p_text(-math.inf)
    ('0.0778', '1.5e-81', '3.4e-2172', '1', '0')
    """
    if log_p < -1e12:  # no table is so long; doubles have no digits left for it
        return "0"
    if log_p > math.log(1e-4):
        return f"{math.exp(min(log_p, 0.0)):.4f}".rstrip("0").rstrip(".")
    power = math.floor(log_p / math.log(10))
    digits = round(math.exp(log_p - power * math.log(10)), 1)
    return f"{digits:.1f}e{power}" if digits < 10 else f"1.0e{power + 1}"


def significance_text(node: Node) -> str:
    """Write the test of a split in brackets; nothing at a leaf, and nothing in trees that were not grown by tests.

    >>> from treewright.tree import example_tree
    >>> significance_text(example_tree().root)
    ''
    """
    if node.is_leaf or node.statistic is None or node.log_p is None:
        return ""
    said = f"statistic {number_text(node.statistic, 4)}, df {number_text(node.df or 0.0, 4)}, p {p_text(node.log_p)}"
    if node.log_p_adjusted is not None and node.log_p_adjusted != node.log_p:
        said += f", adjusted {p_text(node.log_p_adjusted)}"
    return f"  [{said}]"


_DEEPEST_INDENT = 40  # below it the indent stays and the line says its depth, so that a chain prints in linear space
_SHORTEST_LABEL = 30  # a condition is not clipped below this, however narrow the screen


@dataclass(frozen=True)
class Glyphs:
    """The strokes that draw the branches.

    >>> Glyphs().last, Glyphs.ascii().last
    ('└─ ', '`- ')
    """

    down: str = "│  "
    fork: str = "├─ "
    last: str = "└─ "
    empty: str = "   "
    leaf: str = "→ "
    dots: str = "…"
    times: str = "·"

    @classmethod
    def ascii(cls) -> Glyphs:
        """Give strokes for a terminal that knows ASCII only."""
        return cls("|  ", "|- ", "`- ", "   ", "-> ", "...", "*")


@dataclass(frozen=True)
class TextStyle:
    """How a tree is written.

    >>> TextStyle(digits=3).glyphs.leaf
    '→ '
    """

    digits: int = 6
    width: int | None = 100
    # Whether it is told where missing values go, or of which columns; None: of those that had holes in training.
    missing: bool | Collection[str] | None = None
    ascii: bool = False

    def tells_missing(self, column: Column) -> bool:
        """Whether it is told where rows without a value of this column go."""
        if self.missing is None:
            return column.holes
        return self.missing if isinstance(self.missing, bool) else column.name in self.missing

    @property
    def glyphs(self) -> Glyphs:
        """The strokes of this style."""
        return Glyphs.ascii() if self.ascii else Glyphs()


@dataclass(frozen=True)
class _Line:
    indent: str
    label: str
    right: str
    tail: str = ""  # may stand beyond the width


def tree_text(tree: Tree, max_depth: int | None, style: TextStyle) -> str:
    """Write a tree, down to `max_depth`.

    >>> from treewright.tree import example_tree
    >>> print(tree_text(example_tree(), 1, TextStyle(ascii=True)))
    play: yes 64 %, no 36 %  (14 rows)
    |- outlook is overcast       -> yes  100 %  (4 of 4)
    `- outlook is sunny or rain     yes   50 %  (5 of 10)  ... 2 nodes below
    """
    words = NodeText(tree, style.digits, style.glyphs.leaf, style.glyphs.dots)
    lines = list(_lines(tree, max_depth, style, words))
    root_line = words.root_line() + significance_text(tree.root)
    root_line += _more(tree.root, tree.n_nodes - 1 if max_depth == 0 else 0, style)
    return "\n".join([root_line, *_side_by_side(lines, style), *_equations(tree, max_depth, style)])


def _equations(tree: Tree, max_depth: int | None, style: TextStyle) -> Iterator[str]:
    """Write the equations of the leaves that are shown, after an empty line."""
    shown = [leaf for leaf in equation_numbers(tree) if max_depth is None or tree.node_depth[leaf] <= max_depth]
    if shown:
        yield ""
        digits = style.digits if style.digits >= 17 else max(style.digits - 2, 1)
        yield from equation_lines(tree, shown, digits, style.width, style.glyphs.times)


def _lines(tree: Tree, max_depth: int | None, style: TextStyle, words: NodeText) -> Iterator[_Line]:
    glyphs = style.glyphs
    shown = np.arange(tree.n_nodes) if max_depth is None else np.flatnonzero(tree.node_depth <= max_depth)
    below = np.diff(shown, append=tree.n_nodes) - 1  # nodes left out after a shown one are all under it
    indents = [""]  # by depth, of the lines under the last node seen at that depth
    tests: dict[int, NodeTest] = {}
    for node_id, hidden in zip(shown.tolist(), below.tolist(), strict=True):
        node = Node(tree, node_id)
        if node_id:
            yield _line(node, hidden, tests, indents, style, words)
        if not node.is_leaf:
            tests[node_id] = read_test(tree.arrays, node_id, tree.schema.columns, style.digits)
            if node_id and node.depth < _DEEPEST_INDENT:
                del indents[node.depth :]
                indents.append(indents[-1] + (glyphs.empty if _is_last(node) else glyphs.down))


def _line(
    node: Node, hidden: int, tests: dict[int, NodeTest], indents: list[str], style: TextStyle, words: NodeText
) -> _Line:
    glyphs, depth, is_last = style.glyphs, node.depth, _is_last(node)
    parent = int(node.tree.node_parent[node.id])
    test = tests[parent]
    asked = node.tree.schema.columns[test.column_index]
    branch = test.branches[int(node.tree.node_branch[node.id])]
    if is_last:
        del tests[parent]
    indent = indents[min(depth - 1, len(indents) - 1)] + (glyphs.last if is_last else glyphs.fork)
    if depth > _DEEPEST_INDENT:
        indent += f"[{depth}] "
    label = branch.label.replace("…", glyphs.dots)
    told = branch.takes_missing and style.tells_missing(asked) and not label.endswith(" is missing")
    if told and (style.missing is not None or _may_lack(node.tree, parent, test.column_index)):
        label += " or missing"
    return _Line(indent, label, words.right(node) + _more(node, hidden, style), significance_text(node))


def _may_lack(tree: Tree, node: int, column: int) -> bool:
    """Whether rows without a value of the column come to a node: no node above has sent them elsewhere."""
    if len(tree.arrays.get("surrogate_column", ())):
        return True  # other columns decide for them
    asked, sent = tree.arrays["column"], tree.arrays["missing_branch"]
    for _ in range(_DEEPEST_INDENT):  # a chain of a million nodes is not climbed from each of them
        if node == 0:
            break
        above = int(tree.node_parent[node])
        if asked[above] == column and 0 <= sent[above] != tree.node_branch[node]:
            return False
        node = above
    return True


def _more(node: Node, hidden: int, style: TextStyle) -> str:
    """Say what the line of a node cannot show: nodes left out below, and rows that go no further."""
    more = f"  {style.glyphs.dots} {hidden:,} nodes below" if hidden else ""
    arrays = node.tree.arrays
    if node.is_leaf or arrays["missing_branch"][node.id] >= 0:
        return more
    spreads = arrays["missing_branch"][node.id] == SPREADS
    if spreads and style.missing is None:  # all nodes of such a tree do, and the weights show it
        return more
    asked = node.tree.schema.columns[int(arrays["column"][node.id])]
    if style.tells_missing(asked):
        where = "goes down every branch" if spreads else "stops here"
        more += f"  (missing {name_text(asked.name)} {where})"
    return more


def _is_last(node: Node) -> bool:
    tree = node.tree
    parent = int(tree.node_parent[node.id])
    return int(tree.node_branch[node.id]) == int(tree.arrays["n_children"][parent]) - 1


def _side_by_side(lines: list[_Line], style: TextStyle) -> Iterator[str]:
    """Put the right sides under each other where the width allows it; a long condition is clipped in its middle."""
    lefts = [_left(line, style) for line in lines]
    column = max(map(cells, lefts), default=0)
    if style.width is not None:
        column = min(column, style.width - max((cells(line.right) for line in lines), default=0) - 2)
    for left, line in zip(lefts, lines, strict=True):
        yield f"{left}{' ' * max(column - cells(left), 0)}  {line.right}{line.tail}".rstrip()


def _left(line: _Line, style: TextStyle) -> str:
    if style.width is None:
        return line.indent + line.label
    room = style.width - len(line.indent) - len(line.right) - 2
    return line.indent + clip(line.label, max(room, _SHORTEST_LABEL), style.glyphs.dots)
