"""Write the model files of format version 3 that every later treewright has to read. Run once, then keep the files.

PYTHONPATH=tests python tests/compat/make_version_3.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from compat.make_version_1 import small_table
from treewright.learners.bagging.bagging import BaggingTreesClassifier
from treewright.learners.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from treewright.learners.forest.random_forest import RandomForestClassifier
from treewright.learners.trees.c45 import C45Classifier
from treewright.save.persist import save

FOLDER = Path(__file__).parent / "version_3"
NAMES = ("forest", "boosted_classes", "boosted_numbers", "bagged")


def expected_of(model: Any, X: pd.DataFrame) -> dict[str, Any]:
    """What a model of many trees says about the table, as JSON values."""
    expected = {
        "texts": [tree.to_text(digits=17) for tree in model.trees_],
        "predict": model.predict(X).tolist(),
        "summary": str(model).splitlines()[0],
    }
    if hasattr(model, "predict_proba"):
        expected["predict_proba"] = model.predict_proba(X).tolist()
    return expected


def main() -> None:
    """Write the models and what they predict; existing files are never overwritten."""
    X, risk, income = small_table()
    models = {
        "forest": RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, risk),
        "boosted_classes": GradientBoostingClassifier(n_estimators=3, max_leaf_nodes=4, min_samples_leaf=5).fit(
            X, risk
        ),
        "boosted_numbers": GradientBoostingRegressor(n_estimators=3, max_leaf_nodes=4, min_samples_leaf=5).fit(
            X, income
        ),
        "bagged": BaggingTreesClassifier(C45Classifier(), n_estimators=2, random_state=0).fit(X, risk),
    }
    FOLDER.mkdir(exist_ok=True)
    for name, model in models.items():
        path = FOLDER / f"{name}.tw"
        if path.exists():
            raise SystemExit(f"{path} exists. Files of an old version are kept as they are.")
        save(model, path)
        path.with_suffix(".json").write_text(json.dumps(expected_of(model, X), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
