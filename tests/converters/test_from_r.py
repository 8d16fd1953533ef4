"""Trees of rpart from files, without R: what R answered to rows with holes, what is refused, what is damaged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from converters.hostile_files import damaged_documents, damaged_texts
from thorough import examples
from treewright.errors import ModelFileError

HERE = Path(__file__).parent / "rpart"


def rows_and_answers(name: str) -> tuple[Any, pd.DataFrame, np.ndarray]:
    model = tw.from_r(HERE / f"{name}.json")
    told = pd.read_csv(HERE / f"{name}.csv")
    names = list(model.tree_.schema.names)
    return model, told[names], told.drop(columns=names).to_numpy()


def test_rows_with_holes_are_answered_as_r_answered_them():
    model, rows, answers = rows_and_answers("kyphosis")
    assert model.classes_.tolist() == ["absent", "present"]
    np.testing.assert_array_max_ulp(model.predict_proba(rows), answers, 2)
    model, rows, answers = rows_and_answers("cu_summary")
    assert (model.predict(rows) == answers[:, 0]).all()
    assert [column.kind for column in model.tree_.schema.columns] == ["numeric", "nominal", "ordinal", "nominal"]


def test_importance_is_that_of_rpart():
    model, _, _ = rows_and_answers("kyphosis")
    np.testing.assert_allclose(100 * model.feature_importances_, [24, 12, 64], atol=0.5)


def test_a_tree_that_came_in_does_what_every_model_does(tmp_path):
    model, rows, _ = rows_and_answers("cu_summary")
    assert model.tree_.schema.target == "Mileage"
    tw.save(model, tmp_path / "m.tw")
    assert (tw.load(tmp_path / "m.tw").predict(rows) == model.predict(rows)).all()
    assert (tw.load(HERE / "cu_summary.json").predict(rows) == model.predict(rows)).all()
    assert "because Price" in model.why(rows.iloc[0].to_dict()).sentence
    assert model.shap_values(rows).shape == rows.shape
    assert model.export(tmp_path / "m.py").proven
    assert model.plot().to_svg().startswith("<svg")


def test_classes_keep_the_order_of_r(tmp_path):
    document = json.loads((HERE / "kyphosis.json").read_text())
    document["ylevels"] = ["yes", "no"]
    (tmp_path / "m.json").write_text(json.dumps(document))
    model = tw.load(tmp_path / "m.json")
    tw.save(model, tmp_path / "m.tw")
    row = pd.DataFrame({"Age": [10.0], "Number": [3.0], "Start": [18.0]})
    assert tw.load(tmp_path / "m.tw").predict(row).tolist() == model.predict(row).tolist() == ["yes"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"method": "user"}, "its method is 'user'"),
        ({"version": 2}, "it is of version 2"),
        ({"columns": [{"name": "Start", "class": "other", "levels": []}]}, "neither number, factor, text nor logical"),
        ({"csplit": [], "splits": None}, "is damaged"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(change, words, tmp_path):
    document = json.loads((HERE / "kyphosis.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps({**document, **change}))
    with pytest.raises(ModelFileError, match=words):
        tw.from_r(tmp_path / "m.json")


@pytest.mark.random_examples
def test_damaged_files_are_refused_or_answer(tmp_path):
    texts = [path.read_bytes() for path in HERE.glob("*.json")]
    documents = [json.loads(text) for text in texts]
    damaged = [*damaged_texts(texts, examples(800)), *damaged_documents(documents, examples(800))]
    path = tmp_path / "m.json"
    for data in damaged:
        path.write_bytes(data)
        try:
            model = tw.from_r(path)
        except ModelFileError:
            continue
        rows = pd.DataFrame({column.name: [None] for column in model.tree_.schema.columns}, dtype=object)
        assert len(model.predict(rows)) == 1


def test_python_tells_r_where_the_script_is():
    command = [sys.executable, "-m", "treewright.converters.r_script"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    assert "rpart_to_json <- function" in Path(told).read_text()
