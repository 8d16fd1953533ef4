"""A tree as one HTML page: everything is inside, and nothing is asked of anywhere.

The script and the style are built from `web/` and shipped, so that no Node is needed here. The data stand in the page
as JSON, in which no text can end the script that holds it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.inspection.asked_column import column_on_page
from treewright.inspection.split_candidates import entries, one_test
from treewright.plot.node_boxes import answer_texts, question_text
from treewright.plot.style import HIGH, LOW, MIDDLE, class_colours
from treewright.table.schema import level_text
from treewright.tree.equation import equation_text, has_equations
from treewright.tree.format import name_text
from treewright.tree.node import VALUE_WORD
from treewright.tree.plain import number
from treewright.tree.stored import HYPERPLANE
from treewright.tree.test import read_test
from treewright.tree.tree import Tree, tree_of

# What the HTML page of a tree knows: its arrays, the words of its tests, and the colours; no training row.


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
        "columns": [column_on_page(column, level_text) for column in tree.schema.columns],
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
        word = VALUE_WORD.get(tree.criterion or "", "value")
        data |= {"range": [float(values.min()), float(values.max())], "scale": [LOW, MIDDLE, HIGH], "word": word}
    else:
        data["colours"] = class_colours(_class_sizes(tree))
    if has_equations(tree):
        data |= {"target": name_text(tree.schema.target or "y"), "equations": _equations(tree)}
    if "candidate_start" in arrays:
        data["candidates"] = _candidates(tree, digits)
    return data


def _equations(tree: Tree) -> list[str]:
    """What each leaf answers with; a node that asks has its mean only."""
    leaves = tree.arrays["n_children"] == 0
    return [equation_text(tree, node) if leaf else "" for node, leaf in enumerate(leaves.tolist())]


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
            lines.append([test.branches[0].listed, float(arrays["candidate_improvement"][k])])
        found.append(lines)
    return found


MOST_NODES = 100_000
# Nothing may be fetched, whatever the data say.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'"
_HARMFUL = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def tree_page(
    model: Any,
    *,
    tree: int | None = None,
    title: str | None = None,
    digits: int = 6,
    row: Sequence[float] | None = None,
) -> str:
    """Give a tree as the text of an HTML page that opens offline.

    Parameters
    ----------
    model : fitted model or Tree
        Any tree of treewright. Of an ensemble, `tree` says which one.
    tree : int, optional
        Of an ensemble: the number of the tree, from 0.
    title : str, optional
        The heading; the name of the target by default.
    digits : int, default 6
        Significant digits of cuts.
    row : sequence of numbers, optional
        A row to begin with: a number or the code of a level for each column, NaN where it is missing.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> page = tree_page(example_tree(), title="</script> 🍋")
    >>> page.count("</script>"), "🍋" in page
    (2, True)
    """
    shown = tree_of(model, tree)
    if shown.n_nodes > MOST_NODES:
        raise DataError(
            f"The tree has {shown.n_nodes:,} nodes, and a page holds {MOST_NODES:,} at most. "
            "Prune it first: model.pruned(…)."
        )
    data = page_data(shown, title, digits)
    if row is not None:
        data["row"] = [number(float(value)) for value in row]
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter, written in _HARMFUL.items():
        text = text.replace(letter, written)
    return _PAGE.format(
        policy=html.escape(_POLICY), title=html.escape(data["title"]), style=_part("page.css"), data=text,
        script=_part("page.js"),
    )  # fmt: skip


@cache
def _part(name: str) -> str:
    return (files("treewright.plot") / "page" / name).read_text(encoding="utf-8")


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript, which is switched off in this browser.</noscript></div>
<script type="application/json" id="tree-data">{data}</script>
<script>{script}</script>
</body>
</html>
"""
