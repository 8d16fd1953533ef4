"""Write lightgbm.json: SHAP values of boosted trees by LightGBM itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def nodes_of(root: dict[str, Any], output: int, n_outputs: int) -> list[dict[str, Any]]:
    """The nodes in preorder."""
    found: list[dict[str, Any]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        answers = [0.0] * n_outputs
        if "split_feature" not in node:
            answers[output] = node["leaf_value"]
            found.append(
                {
                    "column": -1,
                    "threshold": None,
                    "missing_branch": -1,
                    "weight": node["leaf_count"],
                    "answers": answers,
                }
            )
            continue
        by_levels = node["decision_type"] == "=="
        levels = [int(code) + 1 for code in str(node["threshold"]).split("||")] if by_levels else None
        entry = {"column": node["split_feature"], "missing_branch": 0 if node["default_left"] and not by_levels else 1}
        test = {"levels": levels} if by_levels else {"threshold": node["threshold"]}
        found.append({**entry, **test, "weight": node["internal_count"], "answers": answers})
        waiting += [node["right_child"], node["left_child"]]
    return found


def explained(name: str, X: np.ndarray, y: np.ndarray, rows: np.ndarray, **more: Any) -> dict[str, Any]:
    """A model of the file. Column 4 is nominal: levels 0 to 7, written as level codes from 1 on."""
    import lightgbm

    data = lightgbm.Dataset(X, y, categorical_feature=[4], params={"verbose": -1, "min_data_per_group": 5})
    given = {"num_leaves": 12, "verbose": -1, "min_data_in_leaf": 5, "max_cat_to_onehot": 2, "cat_smooth": 1.0}
    booster = lightgbm.train({**given, "min_data_per_group": 5, "boost_from_average": False, **more}, data, 6)
    n_outputs = more.get("num_class", 1)
    trees = [
        nodes_of(tree["tree_structure"], i % n_outputs, n_outputs)
        for i, tree in enumerate(booster.dump_model()["tree_info"])
    ]
    parts = booster.predict(rows, pred_contrib=True).reshape(len(rows), n_outputs, -1)
    cells = [[None if np.isnan(x) else float(x) + (j == 4) for j, x in enumerate(row)] for row in rows]
    values = parts[:, :, :-1].transpose(0, 2, 1)
    return {
        "name": name,
        "trees": trees,
        "rows": cells,
        "values": values.tolist(),
        "expected": parts[0, :, -1].tolist(),
    }


def main() -> None:
    """Boost two models on numbers with holes and a nominal column, explain some rows, write the file."""
    draw = np.random.default_rng(21)
    X = np.round(draw.normal(size=(600, 5)) * 64) / 64
    X[:, 4] = draw.integers(0, 8, size=600)
    push = np.array([2.0, -1.0, 0.5, 3.0, -2.0, 0.0, 1.0, -3.0])
    y = X[:, 0] * X[:, 1] + X[:, 2] + push[X[:, 4].astype(int)] + 0.2 * draw.normal(size=600)
    X[draw.random(X.shape) < 0.1] = np.nan
    rows = X[draw.choice(600, 15, replace=False)]
    classes = np.digitize(y, [-1.0, 1.0])
    models = [
        explained("numbers", X, y, rows, objective="regression"),
        explained("three classes", X, classes, rows, objective="multiclass", num_class=3),
    ]
    Path(__file__).with_name("lightgbm.json").write_text(json.dumps(models, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
