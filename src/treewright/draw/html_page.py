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

from treewright.draw.page_data import page_data
from treewright.draw.subject import tree_of
from treewright.errors import DataError
from treewright.tree.plain import number

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
            "Prune it first: model.prune(…)."
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
    return (files("treewright.draw") / "page" / name).read_text(encoding="utf-8")


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
