"""SHAP values equal those of the shap package and of LightGBM to 1e-9, for trees that those can represent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treewright import _core

HERE = Path(__file__).parent / "shap"
MODELS = [
    (file, model) for file in ("shap_package", "lightgbm") for model in json.loads((HERE / f"{file}.json").read_text())
]
N_LEVELS = 8


def core_tree(nodes: list[dict[str, Any]], n_columns: int) -> _core.Tree:
    """A stored tree; a test by levels names all levels, and the others take the second branch."""
    inner = [node["column"] >= 0 for node in nodes]
    levels = [node.get("levels") for node in nodes]
    codes = [list(range(1, N_LEVELS + 1)) if first else [] for first in levels]
    branches = [0 if code in (first or []) else 1 for first, of in zip(levels, codes, strict=True) for code in of]
    zeros = np.zeros(len(nodes))
    arrays = {
        "n_children": np.array([2 if i else 0 for i in inner], dtype=np.uint16),
        "kind": np.array([0 if not i else 2 if first else 1 for i, first in zip(inner, levels, strict=True)], np.uint8),
        "column": np.array([node["column"] for node in nodes], dtype=np.int32),
        "threshold": np.array([node.get("threshold") for node in nodes], dtype=np.float64),
        "missing_branch": np.array([node["missing_branch"] for node in nodes], dtype=np.int32),
        "level_start": np.cumsum([0, *map(len, codes)], dtype=np.int64),
        "level": np.array([code for of in codes for code in of], dtype=np.uint32),
        "level_branch": np.array(branches, dtype=np.uint16),
        "n_rows": np.array([node["weight"] for node in nodes], dtype=np.int64),
        "weight": np.array([node["weight"] for node in nodes], dtype=np.float64),
        "impurity": zeros,
        "gain": zeros,
        "value": zeros,
    }
    return _core.Tree(arrays, n_columns, 0)


@pytest.mark.parametrize(("file", "model"), MODELS, ids=[f"{file}: {model['name']}" for file, model in MODELS])
def test_the_values_are_those_of_the_other_program(file: str, model: dict[str, Any]) -> None:
    rows = np.array(model["rows"], dtype=np.float64)
    trees = [
        (core_tree(nodes, rows.shape[1]), np.array([node["answers"] for node in nodes]), 0, 1.0)
        for nodes in model["trees"]
    ]
    explained = _core.Explained(trees, rows.shape[1], len(model["expected"]))
    np.testing.assert_allclose(explained.shap_values(rows, 1), model["values"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(explained.expected(), model["expected"], rtol=0, atol=1e-9)
    if "background" in model:
        background = np.array(model["background"], dtype=np.float64)
        against = explained.background_values(rows, background, 1)
        np.testing.assert_allclose(against, model["against_background"], rtol=0, atol=1e-6)  # 32 bits there
    assert len(model["trees"]) > 1 or len(model["trees"][0]) > 20
