"""Every learner grows, answers and explains with the same bytes at every level of vectors that the processor has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from thorough import THOROUGH
from treewright.learners.registry import LEARNERS
from vector_levels import LEVELS, vectors

# Sizes that lanes of 4, 8, 16 and 32 do not divide, and one above the largest block of small nodes.
SIZES = [(23, 3), (90, 5), (257, 17), (1500, 33), (5003, 9)]
EVERY_TASK = [(name, task) for name, record in LEARNERS.items() for task in record.classes]
SLOW = {"adaboost", "bagging", "mlp", "oblique", "forest", "extra_trees", "boosting"}
# What has code of its own beside the usual way.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "cart": [{}, {"criterion": "entropy"}, {"missing": "larger", "max_surrogates": 3}, {"prune": "cost_complexity_cv"}],
    "forest": [{"criterion": "entropy"}, {"max_features": None, "max_samples": 0.3}],
    "extra_trees": [{"bootstrap": True}, {"max_features": 0.4}],
    "boosting": [{"max_leaf_nodes": 63, "max_depth": None}, {"subsample": 0.6, "max_features": 0.5}],
}


def table_of(seed: int, task: str, size: tuple[int, int]) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers with and without ties, small whole numbers, levels and holes; a target of 2 to 5 classes, or a number."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = size
    signal = rng.normal(size=n_rows)
    columns: dict[str, Any] = {}
    for j in range(n_columns):
        values = signal * (j < 3) + rng.normal(size=n_rows)
        if j % 4 == 1:
            values = values.round(1)
        if j % 4 == 2:
            values = np.floor(values * 3)
        if j % 3 == 2:
            values[rng.random(n_rows) < 0.1] = np.nan
        columns[f"x{j}"] = values.astype(np.float32) if j % 2 else values
    columns["level"] = pd.Categorical.from_codes(rng.integers(0, 6, n_rows), list("abcdef"))
    noisy = signal + 0.7 * rng.normal(size=n_rows)
    n_classes = 2 + seed % 4
    cuts = np.quantile(noisy, np.linspace(0, 1, n_classes + 1)[1:-1])
    target = np.searchsorted(cuts, noisy) if task == "classification" else noisy
    return pd.DataFrame(columns), target, rng.integers(1, 4, n_rows).astype(float)


def estimator_of(name: str, task: str, parameters: dict[str, Any]) -> Any:
    kind = LEARNERS[name].load(task)
    known = kind().get_params()
    few = {"n_estimators": 7, "n_jobs": 1, "random_state": 3, "max_iter": 20}
    chosen = {key: value for key, value in few.items() if key in known} | parameters
    if task == "regression" and chosen.get("criterion") == "entropy":
        chosen["criterion"] = "squared_error"
    return kind(**{key: value for key, value in chosen.items() if key in known})


def accepts(name: str, X: pd.DataFrame) -> pd.DataFrame:
    """The table as this learner takes it: ID3 takes levels only, without holes."""
    return X[["level"]].assign(second=pd.cut(X["x0"], 4).astype(str)) if name == "id3" else X


def everything(model: Any, X: pd.DataFrame, folder: Path) -> list[bytes]:
    """The model file, and all that it says about the rows."""
    path = folder / "model.tw"
    tw.save(model, path)
    said = [path.read_bytes(), np.asarray(model.predict(X)).astype(str).tobytes()]
    for method in ("predict_proba", "decision_function", "apply"):
        if hasattr(model, method):
            said.append(np.asarray(getattr(model, method)(X)).tobytes())
    said.append(repr([model.predict_one(row) for row in X.head(5).to_dict("records")]).encode())
    if hasattr(model, "shap_values") and "Oblique" not in type(model).__name__:
        said.append(np.asarray(model.shap_values(X.head(40))).tobytes())
    if hasattr(model, "why"):
        said.append(str(model.why(X.head(1).to_dict("records")[0])).encode())
    return said


@pytest.mark.random_examples
@pytest.mark.parametrize(("name", "task"), EVERY_TASK)
def test_every_level_gives_the_same_bytes(name: str, task: str, tmp_path: Path) -> None:
    assert len(LEVELS) > 0
    n_tables = 6 if name in SLOW else 15
    for number in range(n_tables if THOROUGH else 1 if name in SLOW else 2):
        size = SIZES[number % (3 if name in {"knn", "local", "oblique"} else len(SIZES))]
        variants = VARIANTS.get(name, [{}])
        parameters = variants[number % len(variants)]
        X, y, weights = table_of(number, task, size)
        X = accepts(name, X)
        estimator = estimator_of(name, task, parameters)
        weighted = number % 2 == 1 and "sample_weight" in estimator.fit.__code__.co_varnames
        extra = {"sample_weight": weights} if weighted else {}
        found = {}
        for level in LEVELS:
            with vectors(level):
                model = estimator_of(name, task, parameters).fit(X, y, **extra)
                found[level] = everything(model, X, tmp_path)
        for level in LEVELS[1:]:
            assert found[level] == found[LEVELS[0]], f"{level} differs: {parameters}, table {number}"


def test_a_level_that_the_processor_lacks_is_refused_in_a_sentence() -> None:
    from treewright import _core

    missing = next(level for level in ("neon", "avx512", "avx2") if level not in LEVELS)
    with pytest.raises(ValueError, match=f"TREEWRIGHT_VECTORS is '{missing}', but this processor has only baseline"):
        _core.use_vectors(missing)
    with pytest.raises(ValueError, match="'sse9', which is no level of vectors"):
        _core.use_vectors("sse9")
