"""Cost-complexity pruning explained: the sequence of trees, from the grown one to the root, with the price of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.lesson.measures import fixed
from treewright.lesson.methods.method import Method
from treewright.lesson.pruning.section import PruningLesson
from treewright.pages.blocks import Block, Paragraph, Table, Verbatim
from treewright.prune.cost_complexity import loss_risk

_LONG = 20


def price_lesson(grown: Any, model: Any, method: Method) -> PruningLesson | None:
    """Show at which price of a leaf the grown tree loses a part; then the tree that the model kept, if it is smaller.

    The risk of a leaf is its share of wrong answers, or its share of the loss for numbers.
    """
    core = grown.tree_.core
    if core.n_nodes == 1:
        return None
    alphas, risks, leaves = core.prune_path(loss_risk(core))
    rows = tuple(zip(np.maximum(alphas, 0).tolist(), leaves.tolist(), np.maximum(risks, 0).tolist(), strict=True))
    blocks: list[Block] = [
        Paragraph(
            "Cost-complexity pruning gives every leaf a price. The weakest link is the node whose subtree lowers the "
            "risk least for each leaf that it adds; it is cut first. The price is what a leaf then gains."
        ),
        _table(rows),
    ]
    if model.tree_.n_nodes < grown.tree_.n_nodes:
        blocks += [Paragraph("The tree after pruning:"), Verbatim(model.tree_.to_text(width=80))]
    facts = [{"price": alpha, "leaves": count, "risk": risk} for alpha, count, risk in rows]
    return PruningLesson(tuple(blocks), {"method": "cost_complexity", "sequence": facts})


def _table(rows: tuple[tuple[float, int, float], ...]) -> Table:
    shown = rows[-_LONG:]
    caption = f"The last {len(shown)} of {len(rows)} trees" if len(shown) < len(rows) else ""
    texts = tuple((fixed(alpha), str(leaves), fixed(risk)) for alpha, leaves, risk in shown)
    return Table(("price of a leaf", "leaves", "risk"), texts, frozenset({0, 1, 2}), caption=caption)
