"""The closing section of a lesson in model trees: the tree with the equations of its leaves."""

from __future__ import annotations

from typing import Any

from treewright.lesson.methods.method import Method
from treewright.lesson.pruning.section import PruningLesson
from treewright.pages.blocks import Paragraph, Verbatim


def equations_lesson(grown: Any, model: Any, method: Method) -> PruningLesson:
    """Say how equations decide, and show the tree that is left."""
    about = (
        "The error of an equation with v numbers on n rows is multiplied by (n + p·v) / (n − v), p the penalty: an "
        "equation fits its own rows too well. From the bottom up, a subtree becomes a leaf where the equation of its "
        f"node is no worse. The tree of {grown.tree_.n_leaves} leaves keeps {model.tree_.n_leaves}:"
    )
    facts = {"method": "equations", "leaves_before": grown.tree_.n_leaves, "leaves": model.tree_.n_leaves}
    return PruningLesson((Paragraph(about), Verbatim(model.tree_.to_text(width=80))), facts)
