"""A small tree to try things on: the first two questions about the weather and a game of tennis."""

from __future__ import annotations

from typing import Any

from treewright.table.schema import Column, Schema
from treewright.tree.plain import FORMAT, VERSION
from treewright.tree.tree import Tree


def example_tree() -> Tree:
    """Give a tree of five nodes over fourteen days, on which examples and experiments can be tried.

    >>> example_tree().n_leaves
    3
    """
    levels = ("sunny", "overcast", "rain")
    columns = (Column("outlook", "nominal", "text", levels), Column("humidity", "numeric"))
    first = {"column": "outlook", "levels": [["overcast"], ["sunny", "rain"]], "missing_branch": 1}
    second = {"column": "humidity", "threshold": 82.5, "missing_branch": 1}
    return Tree.from_dict(
        {
            "format": FORMAT,
            "version": VERSION,
            "schema": Schema(columns, "play").to_json(),
            "classes": ["no", "yes"],
            "criterion": "gini",
            "nodes": [
                _node(0, no=5, yes=9, gain=5 / 49, test=first, children=[1, 2]),
                _node(1, no=0, yes=4),
                _node(2, no=5, yes=5, gain=0.18, test=second, children=[3, 4]),
                _node(3, no=1, yes=4),
                _node(4, no=4, yes=1),
            ],
        }
    )


def _node(id: int, no: int, yes: int, gain: float = 0.0, **rest: Any) -> dict[str, Any]:
    n = no + yes
    counts = [[label, weight] for label, weight in (("no", no), ("yes", yes)) if weight]
    impurity = 1 - (no / n) ** 2 - (yes / n) ** 2
    prediction = "yes" if yes >= no else "no"  # a tie goes the way of the parent
    numbers = {"n_rows": n, "weight": n, "impurity": impurity, "gain": gain}
    return {"id": id, **numbers, "counts": counts, "prediction": prediction, **rest}
