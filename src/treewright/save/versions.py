"""Which version of the format a model needs, so that older readers are told before they stumble."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LISTS_OF_VERSION_1 = ("level_start", "count_start")


def version_needed(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Give the oldest version whose readers understand these arrays.

    Version 2 has rows that spread over branches, hyperplanes, and lists beside the nodes; version 3 has many trees;
    version 4 has models without a tree.

    Examples
    --------
    >>> version_needed({"kind": np.array([1, 0, 0]), "missing_branch": np.array([0, -1, -1])})
    1
    >>> version_needed({"kind": np.array([1, 0, 0]), "missing_branch": np.array([-2, -1, -1])})
    2
    >>> version_needed({"tree_nodes": np.array([3, 3])})
    3
    >>> version_needed({"learnt_coef_": np.array([0.5])})
    4
    """
    if arrays and all(name.startswith("learnt_") for name in arrays):
        return 4
    if "tree_nodes" in arrays or "tree_n_children" in arrays:
        return 3
    has_lists = any(name.endswith("_start") and name not in _LISTS_OF_VERSION_1 for name in arrays)
    spreads = bool((arrays.get("missing_branch", np.zeros(0)) < -1).any())
    hyperplanes = bool((arrays.get("kind", np.zeros(0)) > 2).any())
    return 2 if has_lists or spreads or hyperplanes else 1
