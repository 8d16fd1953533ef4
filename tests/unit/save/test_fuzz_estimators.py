"""Damaged files of fitted models: a clean error or a model that predicts, never anything else."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone, is_regressor

import treewright as tw
from compat.make_version_1 import small_table
from thorough import THOROUGH
from treewright.errors import ModelFileError
from treewright.save.persist import load_bytes, save
from unit.save.mutations import mutations, systematic

N_FILES = 2_500 if THOROUGH else 125

# One model of each kind of test and list that a stored tree may have.
MODELS: dict[str, Any] = {
    "class": tw.DecisionTreeClassifier(max_depth=4),
    "number": tw.DecisionTreeRegressor(max_depth=4),
    "spread rows": tw.C45Classifier(),
    "surrogates": tw.DecisionTreeClassifier(missing="surrogates", max_depth=4),
    "intervals": tw.CHAIDClassifier(alpha_merge=0.9, alpha_split=0.9, min_samples_split=4, min_samples_leaf=2),
    "statistics": tw.ConditionalTreeClassifier(alpha=0.9, min_samples_split=4, min_samples_leaf=2),
    "hyperplanes": tw.ObliqueTreeClassifier(max_depth=4, prune=None),
    "equations": tw.ModelTreeRegressor(max_depth=4),
    "small trees": tw.RandomForestClassifier(3, max_depth=4, random_state=0),
    "small trees of numbers": tw.RandomForestRegressor(3, max_depth=4, random_state=0),
    "bagged": tw.BaggingTreesClassifier(tw.DecisionTreeClassifier(max_depth=3), n_estimators=3, bootstrap=False),
    "boosted": tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=3),
    "boosted numbers": tw.AdaBoostRegressor(n_estimators=3),
}


@pytest.fixture(params=list(MODELS))
def model_bytes(request: pytest.FixtureRequest, tmp_path: Path) -> bytes:
    X, y_class, y_number = small_table()
    model = clone(MODELS[request.param])
    save(model.fit(X, y_number if is_regressor(model) else y_class), tmp_path / "m.tw")
    return (tmp_path / "m.tw").read_bytes()


def loads_and_predicts(data: bytes) -> bool:
    X = small_table()[0].head(3)
    try:
        model = load_bytes(data, "fuzz.tw")
    except ModelFileError:
        return False
    if list(getattr(model, "feature_names_in_", X.columns)) == list(X.columns):  # names may be what was damaged
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a damaged "has_names" makes scikit-learn warn, rightly
            assert len(model.predict(X)) == 3
        assert str(model.trees_[0] if hasattr(model, "trees_") else model.tree_)
    return True


@pytest.mark.random_examples
def test_a_damaged_model_gives_a_clean_error_or_predicts(model_bytes: bytes) -> None:
    read = sum(loads_and_predicts(data) for data in mutations(model_bytes, N_FILES, seed=7))
    assert N_FILES / 125 < read < N_FILES


@pytest.mark.random_examples
def test_a_cut_or_mislabelled_model_is_refused_cleanly(model_bytes: bytes) -> None:
    assert not loads_and_predicts(model_bytes[:-1])
    for data in list(systematic(model_bytes))[:: 3 if THOROUGH else 60]:
        loads_and_predicts(data)
