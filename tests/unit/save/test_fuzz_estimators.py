"""Damaged files of fitted models: a clean error or a model that predicts, never anything else."""

from __future__ import annotations

from typing import Any

import pytest

import treewright as tw
from compat.make_version_1 import small_table
from treewright.errors import ModelFileError
from treewright.estimators.persist import load_bytes
from unit.save.mutations import mutations, systematic

N_FILES = 4_000


def saved(model: Any, tmp_path: Any) -> bytes:
    tw.save(model, tmp_path / "m.tw")
    data: bytes = (tmp_path / "m.tw").read_bytes()
    return data


@pytest.fixture(params=["class", "number"])
def model_bytes(request: pytest.FixtureRequest, tmp_path: Any) -> bytes:
    X, y_class, y_number = small_table()
    if request.param == "class":
        return saved(tw.DecisionTreeClassifier(max_depth=4).fit(X, y_class), tmp_path)
    return saved(tw.DecisionTreeRegressor(max_depth=4).fit(X, y_number), tmp_path)


def loads_and_predicts(data: bytes) -> bool:
    X = small_table()[0].head(3)
    try:
        model = load_bytes(data, "fuzz.tw")
    except ModelFileError:
        return False
    if list(getattr(model, "feature_names_in_", X.columns)) == list(X.columns):  # names may be what was damaged
        assert len(model.predict(X)) == 3
    return True


def test_a_damaged_model_gives_a_clean_error_or_predicts(model_bytes: bytes) -> None:
    read = sum(loads_and_predicts(data) for data in mutations(model_bytes, N_FILES, seed=7))
    assert 20 < read < N_FILES


def test_a_cut_or_mislabelled_model_is_refused_cleanly(model_bytes: bytes) -> None:
    assert not loads_and_predicts(model_bytes[:-1])
    for data in list(systematic(model_bytes))[::3]:
        loads_and_predicts(data)
