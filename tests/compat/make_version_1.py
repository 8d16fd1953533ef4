"""Write the model files of format version 1 that every later treewright has to read. Run once, then keep the files.

python tests/compat/make_version_1.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.save.persist import save

FOLDER = Path(__file__).parent / "version_1"


def small_table() -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """A table of 60 rows with every kind of column, holes included, made without chance."""
    i = np.arange(60)
    age = np.where(i % 7 == 3, np.nan, 20.0 + (i * 13) % 45)
    job = np.array(["clerk", "cook", "manager", "pilot", None], dtype=object)[(i * 3) % 5]
    grade = pd.Categorical(np.array(["low", "middle", "high"])[(i * 7) % 3], ["low", "middle", "high"], ordered=True)
    signed = pd.Timestamp("2020-01-01") + pd.to_timedelta((i * 37) % 900, unit="D")
    X = pd.DataFrame({"age": age, "job": job, "grade": grade, "signed": signed, "member": i % 4 == 1})
    risk = np.where((np.nan_to_num(age, nan=99.0) > 41) ^ (job == "pilot"), "bad", "good")
    income = 1000.0 + 25 * np.nan_to_num(age, nan=30.0) + 300 * (i % 3)
    return X, pd.Series(risk, name="risk"), pd.Series(income, name="income")


def expected_of(model: Any, X: pd.DataFrame) -> dict[str, Any]:
    """What a model says about the table, as JSON values."""
    expected = {"text": model.tree_.to_text(digits=17), "predict": model.predict(X).tolist()}
    if hasattr(model, "predict_proba"):
        expected["predict_proba"] = model.predict_proba(X).tolist()
    return expected


def main() -> None:
    """Write both models and what they predict; existing files are never overwritten."""
    X, risk, income = small_table()
    models = {
        "classifier": DecisionTreeClassifier(max_depth=4).fit(X, risk),
        "regressor": DecisionTreeRegressor(max_depth=4).fit(X, income),
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
