"""What the HTML page of a tree knows: its arrays, the words of its tests, and the colours; no training row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.draw.palette import HIGH, LOW, MIDDLE, class_colours
from treewright.draw.question import answer_texts, question_text
from treewright.encode.schema import level_text
from treewright.explain.split_candidates import entries, one_test
from treewright.tree.plain import number
from treewright.tree.stored import HYPERPLANE
from treewright.tree.test import read_test
from treewright.tree.tree import Tree

_SHOWN_ONLY = ("candidate",)  # lists that no row is answered by: they come as words


def page_data(tree: Tree, title: str | None = None, digits: int = 6) -> dict[str, Any]:
    """Give everything that the page shows, as JSON values.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> data = page_data(example_tree())
    >>> data["title"], data["questions"], data["answers"][1:3]
    ('Decision tree for play', ['outlook', '', 'humidity', '', ''], ['overcast', 'sunny or rain'])
    """
    arrays = tree.arrays
    questions, answers = _words(tree, digits)
    data = {
        "title": title or (f"Decision tree for {tree.schema.target}" if tree.schema.target else "Decision tree"),
        "columns": [
            {"name": c.name, "kind": c.kind, "face": c.face, "levels": [level_text(level) for level in c.levels]}
            for c in tree.schema.columns
        ],
        "classes": None if tree.classes is None else [level_text(label) for label in tree.classes],
        "parent": [None, *tree.node_parent.tolist()[1:]],
        "depth": tree.node_depth.tolist(),
        "arrays": {name: _plain(array) for name, array in arrays.items() if not name.startswith(_SHOWN_ONLY)},
        "questions": questions,
        "answers": answers,
        "asked": _asked_columns(tree),
    }
    if tree.classes is None:
        values = arrays["value"]
        data |= {"range": [float(values.min()), float(values.max())], "scale": [LOW, MIDDLE, HIGH]}
    else:
        data["colours"] = class_colours(_class_sizes(tree))
    if "candidate_start" in arrays:
        data["candidates"] = _candidates(tree, digits)
    return data


def _plain(array: NDArray[Any]) -> list[Any]:
    return [number(value) if isinstance(value, float) else value for value in array.tolist()]


def _words(tree: Tree, digits: int) -> tuple[list[str], list[str]]:
    """What each inner node asks, and which answer leads to each node."""
    questions, answers = [""] * tree.n_nodes, [""] * tree.n_nodes
    for node in np.flatnonzero(tree.arrays["n_children"]).tolist():
        test = read_test(tree.arrays, node, tree.schema.columns, digits)
        questions[node] = question_text(test)
        for child, words in zip(tree.child_ids(node), answer_texts(test), strict=True):
            answers[child] = words
    return questions, answers


def _asked_columns(tree: Tree) -> list[int]:
    """The columns that can change an answer, in the order of the table."""
    arrays = tree.arrays
    inner = arrays["n_children"] > 0
    plain = arrays["column"][inner & (arrays["kind"] != HYPERPLANE)].tolist()
    others = [arrays[name].tolist() for name in _COLUMN_LISTS if name in arrays]
    return sorted({int(column) for columns in (plain, *others) for column in columns})


_COLUMN_LISTS = ("term_column", "surrogate_column", "equation_column")


def _class_sizes(tree: Tree) -> list[float]:
    sizes = [0.0] * len(tree.classes or ())
    for index, weight in tree.root.class_weights():
        sizes[index] = weight
    return sizes


def _candidates(tree: Tree, digits: int) -> list[list[list[Any]]]:
    """For each node the best splits of other columns in words, with what they would have gained."""
    arrays = tree.arrays
    found: list[list[list[Any]]] = []
    for node in range(tree.n_nodes):
        lines = []
        for k in entries(arrays, "candidate", node):
            test = read_test(one_test(arrays, "candidate", node, k), 0, tree.schema.columns, digits)
            lines.append([test.branches[0].label, float(arrays["candidate_improvement"][k])])
        found.append(lines)
    return found
