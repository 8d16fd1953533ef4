"""A questionnaire as one HTML page: the tree as JSON, and a short script that walks it as the core does."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from treewright.encode.schema import Column
from treewright.explain.conditions import conditions_by_node
from treewright.explain.support import answer_text, support_text
from treewright.explain.walk import class_shares, surrogate_levels
from treewright.tree.node import Node
from treewright.tree.plain import number
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEVELS, STOPS, THRESHOLD
from treewright.tree.test import bounds_of
from treewright.tree.tree import Tree
from treewright.tree.wording import name_text

_TERMS = ("column", "level", "weight", "filler", "share")


def write_questionnaire(tree: Tree, title: str | None = None) -> str:
    """Write the page.

    >>> from treewright.tree import example_tree
    >>> page = write_questionnaire(example_tree(), "Play? </script>")
    >>> page.count("</script>"), "http" in page.replace("http-equiv", "")
    (2, False)
    """
    target = tree.schema.target
    title = title or (f"{name_text(target)}?" if target else "Questions")
    # No sign in the data can end the script element that holds it.
    data = json.dumps(page_data(tree), ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    return _template().replace("{{title}}", escape(title)).replace("{{data}}", data)


@cache
def _template() -> str:
    return (Path(__file__).parent / "questionnaire.html").read_text(encoding="utf-8")


def page_data(tree: Tree) -> dict[str, Any]:
    """Give what the script needs: columns with their levels, and nodes with their tests and answers.

    >>> from treewright.tree import example_tree
    >>> page_data(example_tree())["nodes"][2]["threshold"]
    82.5
    """
    nodes: list[dict[str, Any]] = [{} for _ in range(tree.n_nodes)]
    for i, merged in conditions_by_node(tree):
        node = Node(tree, i)
        stops = not node.is_leaf and tree.arrays["missing_branch"][i] == STOPS
        nodes[i] = {} if node.is_leaf else _test(tree, i)
        if node.is_leaf or stops or node.parent is None:
            nodes[i]["why"] = " and ".join(condition.text() for condition in merged.values())
            nodes[i] |= _answer(node)
    return {
        "target": None if tree.schema.target is None else name_text(tree.schema.target),
        "classes": None if tree.classes is None else [answer_text(label) for label in tree.classes],
        "columns": [_column(column) for column in tree.schema.columns],
        "nodes": nodes,
    }


def _column(column: Column) -> dict[str, Any]:
    levels = [name_text(column.show(code)) for code in range(1, len(column.levels) + 1)]
    return {"name": column.name, "kind": column.kind, "face": column.face, "levels": levels}


def _answer(node: Node) -> dict[str, Any]:
    tree = node.tree
    plain: dict[str, Any] = {"support": support_text(node, node.prediction)}
    if tree.classes is not None:
        return plain | {"prediction": int(tree.arrays["prediction"][node.id]), "shares": class_shares(tree, node.id)}
    plain["value"] = number(node.prediction)
    if "equation_start" in tree.arrays:
        plain["equation"] = _list(tree, "equation", node.id)
        plain["intercept"] = number(float(tree.arrays["intercept"][node.id]))
        if "lowest" in tree.arrays:
            plain["range"] = [number(float(tree.arrays[name][node.id])) for name in ("lowest", "highest")]
    return plain


def _test(tree: Tree, node: int) -> dict[str, Any]:
    arrays = tree.arrays
    kind, children = arrays["kind"][node], tree.child_ids(node)
    plain: dict[str, Any] = {
        "column": int(arrays["column"][node]),
        "children": children,
        "weights": arrays["weight"][children].tolist(),
        "missing": int(arrays["missing_branch"][node]),
    }
    if kind in (THRESHOLD, HYPERPLANE):
        plain["threshold"] = number(float(arrays["threshold"][node]))
    if kind == HYPERPLANE:
        plain["terms"] = _list(tree, "term", node)
    if kind == INTERVALS:
        plain["bounds"] = list(map(number, bounds_of(arrays, node)))
    if kind == LEVELS:
        part = slice(int(arrays["level_start"][node]), int(arrays["level_start"][node + 1]))
        plain["levels"] = list(zip(arrays["level"][part].tolist(), arrays["level_branch"][part].tolist(), strict=True))
    if "surrogate_start" in arrays:
        plain["surrogates"] = _surrogates(tree, node)
    return plain


def _list(tree: Tree, name: str, node: int) -> list[list[Any]]:
    arrays = tree.arrays
    part = slice(int(arrays[f"{name}_start"][node]), int(arrays[f"{name}_start"][node + 1]))
    fields = (arrays[f"{name}_{field}"][part].tolist() for field in _TERMS)
    return [[int(column), int(level), *numbers] for column, level, *numbers in zip(*fields, strict=True)]


def _surrogates(tree: Tree, node: int) -> list[dict[str, Any]]:
    arrays = tree.arrays
    start, end = arrays["surrogate_start"][node : node + 2].tolist()
    levels = surrogate_levels(arrays, node)
    found = []
    for k in range(start, end):
        threshold = float(arrays["surrogate_threshold"][k])
        plain: dict[str, Any] = {"column": int(arrays["surrogate_column"][k])}
        if threshold == threshold:
            plain |= {"threshold": number(threshold), "flip": bool(arrays["surrogate_flip"][k])}
        else:
            plain["levels"] = [(level, branch) for which, level, branch in levels if which == k - start]
        found.append(plain)
    return found
