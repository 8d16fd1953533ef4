"""The tree: drawn, and as rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treewright.draw import draw
from treewright.pages.blocks import Block, Drawing, Heading, Paragraph
from treewright.report.split_rows import SplitTable

_DRAWN_DEPTH = 5
_MOST_RULES = 30


def tree_section(tree: Any, rows: SplitTable) -> Iterator[Block]:
    """Draw the tree with the rows that it was grown from, and write its rules."""
    yield Heading(2, "A tree to read", "tree")
    n_leaves, depth = tree.get_n_leaves(), tree.get_depth()
    leaves = "1 leaf" if n_leaves == 1 else f"{n_leaves:,} leaves"
    yield Paragraph(
        f"CART, pruned to the size that cross-validation chose: {leaves}, depth {depth}. Each node shows the rows to "
        "learn from and where they are cut."
    )
    below = f"; only the first {_DRAWN_DEPTH} levels are drawn" if depth > _DRAWN_DEPTH else ""
    picture = draw(tree, X=rows.table, y=rows.truth, max_depth=_DRAWN_DEPTH)
    yield Drawing(picture.to_svg(), f"the tree of '{rows.target}'{below}")
    yield Heading(3, "Its rules", "rules")
    rules = tree.rules().sorted("support")
    yield rules[:_MOST_RULES].table()
    if len(rules) > _MOST_RULES:
        yield Paragraph(f"{len(rules) - _MOST_RULES:,} more rules with fewer rows: model.rules() has all of them.")
