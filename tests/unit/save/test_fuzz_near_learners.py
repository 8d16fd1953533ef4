"""Damaged files of neighbours, local regressions and naive Bayes: a clean error or a model that answers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone, is_regressor

import treewright as tw
from compat.make_version_1 import small_table
from thorough import THOROUGH
from treewright.errors import ModelFileError, TreewrightError
from treewright.save.persist import load_bytes, save
from unit.save.mutations import mutations, systematic

N_FILES = 2_500 if THOROUGH else 125

MODELS: dict[str, Any] = {
    "neighbours": tw.KNeighborsClassifier("cv", max_neighbors=4, n_jobs=1),
    "neighbours by classes": tw.KNeighborsClassifier(3, metric="hvdm", n_jobs=1),
    "neighbours of numbers": tw.KNeighborsRegressor(3, metric="gower", factors={"x": 2.0}, n_jobs=1),
    "local": tw.LocallyWeightedRegression(),
    "normal curves": tw.NaiveBayesClassifier(),
    "kernels": tw.NaiveBayesClassifier(numeric="kernel"),
}


@pytest.fixture(params=list(MODELS))
def model_bytes(request: pytest.FixtureRequest, tmp_path: Path) -> bytes:
    X, y_class, y_number = small_table()
    model = clone(MODELS[request.param])
    if "factors" in model.get_params() and model.factors:
        model.set_params(factors={X.columns[0]: 2.0})
    save(model.fit(X, y_number if is_regressor(model) else y_class), tmp_path / "m.tw")
    return (tmp_path / "m.tw").read_bytes()


def loads_and_answers(data: bytes) -> bool:
    X = small_table()[0].head(3)
    try:
        model = load_bytes(data, "fuzz.tw")
    except ModelFileError:
        return False
    assert str(model)
    if list(getattr(model, "feature_names_in_", X.columns)) == list(X.columns):  # names may be what was damaged
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a damaged "has_names" makes scikit-learn warn, rightly
            try:
                assert len(model.predict(X)) == 3
            except TreewrightError:
                return True  # a damaged number may be too far from all others to measure, and that is said
    return True


@pytest.mark.random_examples
def test_a_damaged_model_gives_a_clean_error_or_answers(model_bytes: bytes) -> None:
    assert loads_and_answers(model_bytes)
    read = sum(loads_and_answers(data) for data in mutations(model_bytes, N_FILES, seed=7))
    assert N_FILES / 125 < read < N_FILES


@pytest.mark.random_examples
def test_a_cut_or_mislabelled_model_is_refused_cleanly(model_bytes: bytes) -> None:
    assert not loads_and_answers(model_bytes[:-1])
    for data in list(systematic(model_bytes))[:: 3 if THOROUGH else 60]:
        loads_and_answers(data)
