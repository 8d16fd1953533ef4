"""Write shap_package.json: SHAP values of some trees by the shap package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


def nodes_of(tree: Any, values: np.ndarray, draw: np.random.Generator) -> list[dict[str, Any]]:
    """The nodes in preorder, as scikit-learn has them unless it grows best first. Where missing values go is drawn."""
    found = []
    for i in range(tree.node_count):
        leaf = tree.children_left[i] < 0
        found.append(
            {
                "column": -1 if leaf else int(tree.feature[i]),
                "threshold": None if leaf else float(tree.threshold[i]),
                "missing_branch": -1 if leaf else int(draw.integers(2)),
                "weight": float(tree.weighted_n_node_samples[i]),
                "answers": [float(x) for x in values[i]],
            }
        )
    return found


def in_words_of_shap(tree: Any, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """The tree as the shap package takes it."""
    left, right = tree.children_left, tree.children_right
    default = [(left, right)[node["missing_branch"]][i] if node["column"] >= 0 else -1 for i, node in enumerate(nodes)]
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.array(default),
        "features": tree.feature,
        "thresholds": tree.threshold,
        "values": np.array([node["answers"] for node in nodes]),
        "node_sample_weight": tree.weighted_n_node_samples,
    }


def explained(name: str, fitted: list[Any], X: np.ndarray, draw: np.random.Generator) -> dict[str, Any]:
    """A model of the file."""
    import shap

    trees = []
    for member in fitted:
        values = member.tree_.value[:, 0, :] / len(fitted)
        trees.append(nodes_of(member.tree_, values, draw))
    members = zip(fitted, trees, strict=True)
    model = {"trees": [in_words_of_shap(member.tree_, nodes) for member, nodes in members]}
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    rows = X[draw.choice(len(X), 12, replace=False)].copy()
    rows[draw.random(rows.shape) < 0.15] = np.nan
    values = np.asarray(explainer.shap_values(rows, check_additivity=False))
    values = values[:, :, None] if values.ndim == 2 else values
    expected = np.ravel(explainer.expected_value).tolist()
    found = {"name": name, "trees": trees, "rows": cells(rows), "values": values.tolist(), "expected": expected}
    others = X[draw.choice(len(X), 15, replace=False)].copy()
    against = shap.TreeExplainer(model, others, feature_perturbation="interventional")
    values = np.asarray(against.shap_values(rows, check_additivity=False))
    values = values[:, :, None] if values.ndim == 2 else values
    return {**found, "background": cells(others), "against_background": values.tolist()}


def cells(rows: np.ndarray) -> list[list[float | None]]:
    """The numbers of a table as they are written."""
    return [[None if np.isnan(x) else float(x) for x in row] for row in rows]


def main() -> None:
    """Train some trees on numbers that a float of 32 bits holds exactly, explain them, write the file."""
    draw = np.random.default_rng(20)
    X = np.round(draw.normal(size=(400, 6)) * 64) / 64
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.2 * draw.normal(size=400)
    weights = draw.integers(1, 4, size=400).astype(float)
    models = [
        explained("a tree of numbers", [DecisionTreeRegressor(max_depth=6).fit(X, y, weights)], X, draw),
        explained("a deep tree", [DecisionTreeRegressor(min_samples_leaf=4).fit(X[:, :3], y)], X[:, :3], draw),
        explained("three classes", [DecisionTreeClassifier(max_depth=6).fit(X, np.digitize(y, [-0.5, 0.5]))], X, draw),
        explained("a forest", RandomForestRegressor(4, max_depth=5, random_state=2).fit(X, y).estimators_, X, draw),
    ]
    Path(__file__).with_name("shap_package.json").write_text(json.dumps(models, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
