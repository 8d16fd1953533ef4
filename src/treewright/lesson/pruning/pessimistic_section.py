"""The closing section of a lesson in C4.5: the estimates at every inner node and what pruning makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from treewright.lesson.measures import fixed, weight_text
from treewright.lesson.methods.method import Method
from treewright.lesson.pruning.section import PruningLesson
from treewright.lesson.routes import shared_rows, split_of
from treewright.lesson.sample import Sample
from treewright.pages.blocks import Block, Paragraph, Table, Verbatim
from treewright.reference.error_based import ErrorBasedPruning, Pessimism, Verdict
from treewright.reference.growing import Node
from treewright.reference.table import Place
from treewright.tree.tree import Tree

_LISTED = 30


def pessimistic_lesson(grown: Any, model: Any, method: Method) -> PruningLesson | None:
    """Judge every inner node of the grown tree as C4.5 does, and show the tree that is left."""
    if grown.tree_.n_nodes == 1:
        return None
    parameters = model.get_params(deep=False)
    after: list[Block] = [Paragraph("The tree after pruning:"), Verbatim(model.tree_.to_text(width=80))]
    if model.tree_.n_nodes == grown.tree_.n_nodes:
        after = [Paragraph("Nothing is cut off.")]
    if parameters.get("reduced_error"):
        text = "With reduced_error=True some rows are held out, and a subtree stays if it is right more often there."
        return PruningLesson((Paragraph(text), *after), {"method": "reduced_error"})
    if not parameters["prune"]:
        return None
    pessimism = Pessimism(parameters["confidence"], parameters.get("variant", "j48"))
    pruning = ErrorBasedPruning(method.algorithm, pessimism, parameters.get("raise_subtrees", True))
    pruning.run(read_nodes(grown.tree_, method.sample))
    about = (
        "The errors that a leaf makes on its own rows are too few to be true. C4.5 takes the upper limit of its error "
        f"rate at confidence {parameters['confidence']:g}. From the bottom up, each node is compared as a leaf, as the "
        "subtree that it is, and with its largest branch in its place; the smaller wins unless it is worse by more "
        "than 0.1."
    )
    facts = {"method": "pessimistic", "steps": [_facts(verdict) for verdict in pruning.record]}
    return PruningLesson((Paragraph(about), _table(pruning.record), *after), facts)


def read_nodes(tree: Tree, sample: Sample) -> Node:
    """Take a fitted tree apart, with the rows of every node; give the root."""
    nodes: list[Node] = []
    for number, cases in enumerate(shared_rows(tree, sample)):
        parent, children = int(tree.node_parent[number]), tree.child_ids(number)
        node = Node(Place(sample.table, cases), parent=nodes[parent] if parent >= 0 else None, number=number)
        if children:
            node.split, node.n_branches = split_of(tree, number), len(children)
        if node.parent is not None:
            node.parent.children.append(node)
        nodes.append(node)
    return nodes[0]


def _what(verdict: Verdict) -> str:
    if isinstance(verdict.what, int):
        return f"replaced by its branch, node {verdict.what}"
    return "becomes a leaf" if verdict.what == "leaf" else "kept"


def _facts(verdict: Verdict) -> dict[str, Any]:
    branch = verdict.as_branch if math.isfinite(verdict.as_branch) else None
    return {
        "node": verdict.node,
        "rows": verdict.weight,
        "errors": verdict.errors,
        "as_leaf": verdict.as_leaf,
        "as_tree": verdict.as_tree,
        "as_branch": branch,
        "what": _what(verdict),
    }


def _table(record: Sequence[Verdict]) -> Table:
    rows = tuple(
        (
            str(verdict.node),
            weight_text(verdict.weight),
            weight_text(verdict.errors),
            fixed(verdict.as_leaf),
            fixed(verdict.as_tree),
            fixed(verdict.as_branch) if math.isfinite(verdict.as_branch) else "",
            _what(verdict),
        )
        for verdict in record[:_LISTED]
    )
    caption = f"The first {_LISTED} of {len(record)} steps" if len(record) > _LISTED else "Errors to be feared"
    headings = ("node", "rows", "errors", "as a leaf", "as it is", "as its branch", "")
    return Table(headings, rows, frozenset(range(6)), caption=caption)
