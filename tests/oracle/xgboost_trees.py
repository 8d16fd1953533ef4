"""What a model of XGBoost answers, row by row, out of its JSON: the definition for what is brought in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def leaf_of(tree: dict[str, Any], row: Any) -> int:
    """The leaf of a row: numbers are rounded to single precision and go left below the condition."""
    sets = {
        node: tree["categories"][start : start + size]
        for node, start, size in zip(
            tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
        )
    }
    node = 0
    while tree["left_children"][node] >= 0:
        x = np.float32(row[tree["split_indices"][node]])
        if math.isnan(x):
            left = bool(tree["default_left"][node])
        elif tree["split_type"][node] == 1:
            left = int(x) not in sets[node]
        else:
            left = bool(x < np.float32(tree["split_conditions"][node]))
        node = tree["left_children" if left else "right_children"][node]
    return int(node)


def trees_of(document: dict[str, Any]) -> tuple[list[dict[str, Any]], list[int], list[float]]:
    """The trees, the output of each, and what each is multiplied by."""
    booster = document["learner"]["gradient_booster"]
    model = (booster["gbtree"] if booster["name"] == "dart" else booster)["model"]
    return model["trees"], model["tree_info"], booster.get("weight_drop", [1.0] * len(model["trees"]))


def raw_scores(document: dict[str, Any], rows: Any, start: Any) -> np.ndarray:
    """The values of the leaves, added up in single precision in the order of the trees."""
    sums = np.tile(np.asarray(start, dtype=np.float32), (len(rows), 1))
    for tree, output, weight in zip(*trees_of(document), strict=True):
        for row, sum_of_row in zip(rows, sums, strict=True):
            sum_of_row[output] += np.float32(weight) * np.float32(tree["split_conditions"][leaf_of(tree, row)])
    return sums
