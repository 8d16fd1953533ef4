"""The proof beside a model file is run before the model answers anybody."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from export.exported import fitted_models
from serve.running import serving
from treewright.errors import DataError, ModelFileError
from treewright.export.export import verify_export
from treewright.export.model_file import check_proof
from treewright.export.proof import ENDING
from treewright.serve.shelf import Shelf


def change(path: Path, how: Callable[[dict[str, Any]], Any]) -> None:
    proof = path.with_name(path.name + ENDING)
    said = json.loads(proof.read_text())
    how(said)
    proof.write_text(json.dumps(said))


@pytest.fixture
def proven(tmp_path: Path) -> Path:
    model = tw.DecisionTreeRegressor().fit([[1], [2], [4]], [10, 20, 40])
    assert tw.export(model, tmp_path / "m.tw").proven
    return tmp_path / "m.tw"


@pytest.mark.parametrize("name", ["surrogates of classes", "bagged of numbers", "boosting of classes"])
def test_the_proof_of_a_model_file_is_run_again(name, tmp_path):
    model = dict(fitted_models())[name]
    assert tw.export(model, tmp_path / "m.tw").proven
    assert tw.load(tmp_path / "m.tw").fingerprint() == model.fingerprint()
    assert verify_export(tmp_path / "m.tw").proven
    assert check_proof(model, tmp_path / "m.tw").proven


def test_dates_and_models_that_refuse_holes_have_proofs(tmp_path):
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D"))
    dated = tw.DecisionTreeRegressor(max_depth=3).fit(
        pd.DataFrame({"day": days, "x": np.arange(60.0)}), np.arange(60.0) % 7
    )
    full = tw.DecisionTreeRegressor(missing="refuse").fit([[1, 5], [2, 6], [4, 7]], [10, 20, 40])
    for model in (dated, full):
        assert tw.export(model, tmp_path / "m.tw").proven


def test_a_server_with_a_proof_says_what_came_of_it(proven):
    with serving(str(proven), "--require-proof") as server:
        assert "all answers equal to the last bit" in server.ask("/model?model=m")[1]["proof"]
        assert server.ask("/predict", {"row": [4]})[1]["predictions"] == [40.0]


def test_a_server_whose_proof_fails_does_not_start(proven):
    change(proven, lambda said: said["expected"]["numbers"][0].__setitem__(0, (10.000000000000002).hex()))
    with (
        pytest.raises(AssertionError, match=r"its proof fails.* does not answer as"),
        serving(str(proven)),
    ):
        pass


def test_a_model_without_a_proof_is_served_unless_one_is_required(tmp_path):
    tw.save(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]), tmp_path / "m.tw")
    assert Shelf.open([str(tmp_path / "m.tw")]).find(None).proof is None
    with pytest.raises(ModelFileError, match="it has no proof beside it"):
        Shelf.open([str(tmp_path / "m.tw")], require_proof=True)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (lambda said: said.pop("expected"), "is damaged"),
        (lambda said: said["questions"]["rows"].append([1, 2]), "is damaged"),
        (lambda said: said["questions"].update(columns=[{"name": "z"}]), "asks for other columns"),
        (lambda said: said["expected"]["numbers"].pop(), "does not answer as the model does"),
        (lambda said: said["expected"]["nodes"].pop(), "is damaged"),
        (lambda said: said["expected"]["numbers"][0].__setitem__(0, "0x1p99999"), "is damaged"),
        (lambda said: said.update(sha256="0"), "is not the file that was proven"),
    ],
)
def test_a_proof_that_is_damaged_or_of_another_file_fails(how, words, proven):
    change(proven, how)
    with pytest.raises(ModelFileError, match=f"because its proof fails.*{words}"):
        Shelf.open([str(proven)])
    with pytest.raises(DataError, match=words):
        check_proof(tw.load(proven), proven)


def test_a_new_version_that_fails_its_proof_leaves_the_old_one(proven):
    shelf = Shelf.open([str(proven)])
    other = tw.DecisionTreeRegressor().fit([[1], [2], [4]], [10, 20, 80])
    tw.save(other, proven)  # with the proof of the old one beside it
    assert "m stays as it was" in shelf.refresh()[0]
    assert shelf.find(None).model.predict_one([4]) == 40.0
    tw.export(other, proven)
    assert shelf.refresh() == []
    assert shelf.find(None).model.predict_one([4]) == 80.0
