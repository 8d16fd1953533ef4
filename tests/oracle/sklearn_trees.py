"""Where a tree of scikit-learn sends a row: the definition that a model which was brought in is compared with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def leaf_of(tree: Any, row: np.ndarray) -> int:
    """The leaf of a `DecisionTree…`, `ExtraTree…` or a member of a forest: numbers are rounded to single precision."""
    missing_left = tree.__getstate__()["nodes"]["missing_go_to_left"]
    node = 0
    while tree.children_left[node] >= 0:
        x = np.float32(row[tree.feature[node]])
        left = bool(missing_left[node]) if math.isnan(x) else float(x) <= tree.threshold[node]
        node = tree.children_left[node] if left else tree.children_right[node]
    return int(node)


def histogram_leaf_of(predictor: Any, row: np.ndarray) -> int:
    """The leaf of a tree of `HistGradientBoosting…`; the row as the booster sees it, with categories as numbers."""
    nodes, at = predictor.nodes, 0
    while not nodes[at]["is_leaf"]:
        node = nodes[at]
        x = row[node["feature_idx"]]
        if math.isnan(x):
            left = bool(node["missing_go_to_left"])
        elif node["is_categorical"]:
            word = predictor.raw_left_cat_bitsets[node["bitset_idx"]][int(x) // 32]
            left = bool(int(word) >> (int(x) % 32) & 1)
        else:
            left = x <= node["num_threshold"]
        at = int(node["left"] if left else node["right"])
    return at
