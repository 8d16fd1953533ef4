"""Pruning by the price of tests explained: the bits of every inner node as a leaf, and with its subtree."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.lesson.measures import fixed, weight_text
from treewright.lesson.methods.method import Method
from treewright.lesson.pruning.section import PruningLesson
from treewright.pages.blocks import Block, Paragraph, Table, Verbatim
from treewright.prune.description_length import DescriptionLength, class_bits
from treewright.prune.pruner import Grown

_LISTED = 30


def description_length_lesson(grown: Any, model: Any, method: Any) -> PruningLesson | None:
    """Show from the bottom up what telling the targets takes as a leaf and with the subtree that is left."""
    if grown.tree_.n_nodes == 1 or model.get_params(deep=False).get("prune") != "price":
        return None
    about = (
        "From the bottom up a subtree stays only where it takes fewer bits than a leaf. A test takes its price, the "
        "logarithm of the number of columns and one bit more. "
    )
    core = grown.tree_.core
    cut = DescriptionLength().becomes_leaf(Grown(core, grown.tree_.schema, method.criterion))
    blocks: list[Block] = []
    steps = []
    if core.n_classes:
        about += "A leaf takes the bits of its classes, the shares included."
        steps = _steps(core, cut)
        blocks.append(_table(steps, method))
    else:
        about += (
            "Numbers are told with one spread for the whole subtree, of which every leaf takes a degree of freedom."
        )
    after: list[Block] = [Paragraph("The tree after pruning:"), Verbatim(model.tree_.to_text(width=80))]
    if model.tree_.n_nodes == grown.tree_.n_nodes:
        after = [Paragraph("Nothing is cut off.")]
    return PruningLesson((Paragraph(about), *blocks, *after), {"method": "price", "steps": steps})


def _steps(core: Any, cut: Any) -> list[dict[str, Any]]:
    """Bits of each inner node as a leaf, and as the subtree that is left below it."""
    arrays, start, children = core.arrays(), core.children_start, core.children
    leaf, price = class_bits(core), np.nan_to_num(arrays["price"])
    told = leaf.copy()
    steps = []
    for node in range(core.n_nodes - 1, -1, -1):
        below = children[start[node] : start[node + 1]]
        if not len(below):
            continue
        subtree = float(price[node] + told[below].sum())
        what = "becomes a leaf" if cut[node] else "kept"
        told[node] = leaf[node] if cut[node] else subtree
        found = {"weight": arrays["weight"][node], "as_leaf": leaf[node], "test": price[node], "as_tree": subtree}
        steps.append({"node": node, **{name: float(value) for name, value in found.items()}, "what": what})
    return steps


def _table(steps: list[dict[str, Any]], method: Method) -> Table:
    rows = tuple(
        (
            str(step["node"]),
            weight_text(step["weight"]),
            *(fixed(method.unit.show(step[name])) for name in ("as_leaf", "test", "as_tree")),
            str(step["what"]),
        )
        for step in steps[-_LISTED:]
    )
    caption = f"The last {_LISTED} of {len(steps)} steps" if len(steps) > _LISTED else ""
    headings = ("node", "rows", "as a leaf", "its test", "as it is", "")
    return Table(headings, rows, frozenset(range(5)), caption=caption)
