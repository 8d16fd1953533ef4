"""What a model of LightGBM answers, row by row, out of the text of the model: the definition for what is brought in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

ZERO = float(np.float32(1e-35))


def trees_of(text: str) -> list[dict[str, list[str]]]:
    """The lines of each tree by name, each as a list of words."""
    blocks = text.split("end of trees")[0].split("Tree=")[1:]
    return [{line.split("=")[0]: line.split("=")[1].split() for line in b.splitlines() if "=" in line} for b in blocks]


def leaf_of(tree: dict[str, list[str]], row: Any) -> int:
    """The leaf of a row, by the rules of the header that says how rows are sent."""
    if tree["num_leaves"] == ["1"]:
        return 0
    node = 0
    while node >= 0:
        kind, x = int(tree["decision_type"][node]), float(row[int(tree["split_feature"][node])])
        if abs(x) <= ZERO:
            x = 0.0
        left = in_set(tree, node, x) if kind & 1 else below(float(tree["threshold"][node]), kind, x)
        node = int(tree["left_child" if left else "right_child"][node])
    return -node - 1


def below(threshold: float, kind: int, x: float) -> bool:
    missing = kind >> 2 & 3  # 0: none, 1: zeros, 2: NaN
    if math.isnan(x) and missing != 2:
        x = 0.0
    if (missing == 1 and abs(x) <= ZERO) or (missing == 2 and math.isnan(x)):
        return bool(kind & 2)
    return x <= threshold


def in_set(tree: dict[str, list[str]], node: int, x: float) -> bool:
    if math.isnan(x) or int(x) < 0:
        return False
    place = int(float(tree["threshold"][node]))
    first, last = int(tree["cat_boundaries"][place]), int(tree["cat_boundaries"][place + 1])
    words = [int(word) for word in tree["cat_threshold"][first:last]]
    return int(x) // 32 < len(words) and bool(words[int(x) // 32] >> (int(x) % 32) & 1)


def raw_scores(text: str, rows: Any, n_outputs: int) -> np.ndarray:
    """The values of the leaves, added up in double precision in the order of the trees."""
    sums = np.zeros((len(rows), n_outputs))
    for i, tree in enumerate(trees_of(text)):
        for row, sum_of_row in zip(rows, sums, strict=True):
            sum_of_row[i % n_outputs] += float(tree["leaf_value"][leaf_of(tree, row)])
    return sums
