"""`save` refuses what `load` would refuse, before the old file is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from fuzz.models import MODELS, model_bytes
from treewright.errors import ModelFileError
from treewright.save.persist import load_bytes

X, Y = tw.datasets.load_iris(return_X_y=True)


def with_a_wrong_number(model: Any) -> Any:
    """The model after something went wrong with a number of its own."""
    if hasattr(model, "coef_"):
        model.coef_ = model.coef_ * np.nan
    else:
        model.baseline_ = model.baseline_ + np.inf
    return model


@pytest.mark.parametrize("kind", [tw.LogisticRegression, tw.Perceptron, tw.GradientBoostingClassifier])
def test_a_model_that_could_not_be_loaded_is_not_saved_and_the_old_file_stays(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.tw"
    tw.save(tw.DecisionTreeClassifier(max_depth=1).fit(X, Y), path)
    before = path.read_bytes()
    model = kind(**({"n_estimators": 2} if "Boosting" in kind.__name__ else {})).fit(X, Y)
    with pytest.raises(ModelFileError, match=r"cannot be saved, because it could not be loaded again: its .* Nothing"):
        tw.save(with_a_wrong_number(model), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.tw"]


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_model_that_loads_is_saved_with_the_same_bytes(name: str, tmp_path: Path) -> None:
    tw.save(load_bytes(model_bytes(name)), tmp_path / "m.tw")
    assert (tmp_path / "m.tw").read_bytes() == model_bytes(name)
