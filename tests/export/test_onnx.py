"""ONNX files: inputs as tables have them, odd names and levels, and the operator that is used for trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

import treewright as tw
from export.exported import classes, table
from treewright.errors import DataError


def operators(path: Path) -> set[str]:
    return {node.op_type for node in onnx.load(path).graph.node}


def asked(path: Path, frame: pd.DataFrame) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given = {
        place.name: frame[[place.name]].fillna("").to_numpy(dtype=object)
        if place.type == "tensor(string)"
        else frame[[place.name]].astype(float).to_numpy()
        for place in session.get_inputs()
    }
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, given), strict=True))


def test_rows_of_a_table_get_the_answers_of_the_model(tmp_path: Path) -> None:
    frame, score = table(11, 500)
    model = tw.RandomForestClassifier(20, random_state=0).fit(frame, classes(score))
    assert model.export(tmp_path / "m.onnx").proven
    told = asked(tmp_path / "m.onnx", frame)
    assert told["label"].tolist() == model.predict(frame).tolist()
    assert told["probabilities"].tolist() == model.predict_proba(frame).tolist()
    assert told["nodes"].tolist() == model.apply(frame).tolist()


def test_the_operator_of_trees_is_used_where_it_can_say_them(tmp_path: Path) -> None:
    frame, score = table(12)
    tw.DecisionTreeClassifier(max_depth=5).fit(frame, classes(score)).export(tmp_path / "m.onnx")
    assert {"TreeEnsemble", "LabelEncoder"} <= operators(tmp_path / "m.onnx")
    tw.DecisionTreeClassifier(max_depth=4, missing="surrogates").fit(frame, classes(score)).export(tmp_path / "m.onnx")
    assert "Loop" in operators(tmp_path / "m.onnx")
    assert "TreeEnsemble" not in operators(tmp_path / "m.onnx")
    tw.C45Classifier().fit(frame, classes(score)).export(tmp_path / "m.onnx")
    assert not {"Loop", "TreeEnsemble"} & operators(tmp_path / "m.onnx")


def test_a_deep_chain_and_many_trees_are_proven(tmp_path: Path) -> None:
    chain = tw.DecisionTreeRegressor().fit([[i] for i in range(301)], [1.5**i for i in range(301)])
    assert chain.get_depth() > 50
    assert chain.export(tmp_path / "m.onnx").proven
    frame, score = table(13, 600)
    assert tw.RandomForestRegressor(200, random_state=0).fit(frame, score).export(tmp_path / "m.onnx").proven


def test_names_that_the_file_uses_itself_may_be_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = ["label", "tw/c0", "nodes", "probabilities", "tw/step/at"]
    frame = pd.DataFrame(rng.normal(size=(200, 5)), columns=names)
    target = frame.sum(axis=1) > 0
    model = tw.DecisionTreeClassifier(missing="surrogates", max_depth=4).fit(frame, target)
    assert model.export(tmp_path / "m.onnx").proven
    told = asked(tmp_path / "m.onnx", frame)
    assert set(told) == {"label_", "probabilities_", "nodes_"}
    assert told["label_"].tolist() == model.predict(frame).tolist()


@pytest.mark.parametrize("labels", [[True, False], [3, 7], ["a", "b"], [0.0, 2.0]])
def test_levels_and_classes_of_every_type(labels: list[Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "text": rng.choice(["", "a", "b"], 200),
            "flag": pd.Series(rng.random(200) < 0.5, dtype=object),
            "grade": pd.Categorical(rng.choice([1, 2, 5], 200), categories=[1, 2, 5], ordered=True),
        }
    )
    number = (frame["text"] == "a") + 2 * frame["flag"].astype(int) + frame["grade"].astype(int) > 3
    model = tw.DecisionTreeClassifier().fit(frame, [labels[int(value)] for value in number])
    assert model.export(tmp_path / "m.onnx").proven


def test_what_onnx_cannot_say_is_refused_by_name(tmp_path: Path) -> None:
    leaf = tw.DecisionTreeRegressor().fit([[1], [2]], [5, 5])
    with pytest.raises(DataError, match="asks for no column"):
        leaf.export(tmp_path / "m.onnx")
    frame = pd.DataFrame({"": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match="needs a name"):
        tw.DecisionTreeRegressor().fit(frame, [1, 2, 3]).export(tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_one_cut_moved_is_caught(tmp_path: Path) -> None:
    import json

    from treewright.export.export import verify_export
    from treewright.export.proof import ENDING, digest

    frame, score = table(14)
    path = tmp_path / "m.onnx"
    model = tw.DecisionTreeRegressor(max_depth=3).fit(frame[["count"]], score)
    model.export(path)
    cut = float(model.tree_.threshold[0])
    changed = path.read_bytes().replace(np.float64(cut).tobytes(), np.nextafter(cut, np.inf).tobytes())
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    proof = json.loads((tmp_path / f"m.onnx{ENDING}").read_text())
    (tmp_path / f"m.onnx{ENDING}").write_text(json.dumps({**proof, "sha256": digest(path)}))
    with pytest.raises(DataError, match="does not answer as the model does"):
        verify_export(path)
