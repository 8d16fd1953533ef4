"""PMML files: valid by the schema, proven in JPMML-Evaluator, and what PMML cannot say is refused by name."""

from __future__ import annotations

import io
import re
import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from lxml import etree

import treewright as tw
from export.exported import classes, fitted_models, table
from treewright.errors import DataError
from treewright.export.export import verify_export
from treewright.export.proof import ENDING

MODELS = dict(fitted_models())
CANNOT = {
    "fractional of classes": "rows that are cut in pieces",
    "c45 of classes": "rows that are cut in pieces",
    "laplace of classes": "rows that are cut in pieces",
    "bagged of classes": "rows that are cut in pieces",
    "oblique of classes": "weighted sums",
    "oblique of numbers": "weighted sums",
    "adaboost of classes": "AdaBoost's votes",
    "model tree of numbers": "equations in leaves",
    "bagged of numbers": "equations in leaves",
}


@cache
def schema() -> Any:
    """The schema of PMML 4.4, which ships with JPMML."""
    jars = files("jpmml_evaluator") / "dependencies"
    jar = next(part for part in jars.iterdir() if re.fullmatch(r"pmml-model-[\d.]+\.jar", part.name))
    with zipfile.ZipFile(io.BytesIO(jar.read_bytes())) as opened:
        return etree.XMLSchema(etree.fromstring(opened.read("pmml.xsd")))


@pytest.mark.parametrize("name", sorted(set(MODELS) - set(CANNOT)))
def test_a_file_is_valid_and_proven_where_java_is(name: str, tmp_path: Path) -> None:
    verdict = MODELS[name].export(tmp_path / "m.pmml")
    assert verdict.proven == (shutil.which("java") is not None), verdict.text
    written = etree.parse(tmp_path / "m.pmml")
    schema().assertValid(written)
    verified = written.getroot().find(".//{*}ModelVerification")
    assert len(verified.find("{*}InlineTable")) == int(verified.get("recordCount")) > 20


@pytest.mark.parametrize("labels", [["n", "y"], [0, 1], [3, 7, 9], [False, True], [0.0, 2.0]], ids=str)
@pytest.mark.parametrize(
    "make",
    [
        lambda: tw.DecisionTreeClassifier(max_depth=2),
        lambda: tw.RandomForestClassifier(3, max_depth=2),
        lambda: tw.GradientBoostingClassifier(n_estimators=2, max_leaf_nodes=4, early_stopping=False),
    ],
    ids=["tree", "forest", "boosting"],
)
def test_classes_of_every_type_are_proven(make: Callable[[], Any], labels: list[Any], tmp_path: Path) -> None:
    frame, score = table(2)
    model = make().fit(frame, np.array(labels)[np.digitize(score, [-0.5, 0.5][: len(labels) - 1])])
    verdict = model.export(tmp_path / "m.pmml")
    assert verdict.proven == (shutil.which("java") is not None), verdict.text
    schema().assertValid(etree.parse(tmp_path / "m.pmml"))


@pytest.mark.parametrize(("name", "words"), CANNOT.items())
def test_what_pmml_cannot_say_is_refused_by_name(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"cannot be written as PMML, which .*{words}"):
        MODELS[name].export(tmp_path / "m.pmml")
    assert list(tmp_path.iterdir()) == []


def test_names_that_xml_does_not_hold_and_deep_chains_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a\x01": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match="is XML, which cannot hold the name"):
        tw.DecisionTreeRegressor().fit(frame, [1, 2, 3]).export(tmp_path / "m.pmml")
    chain = tw.DecisionTreeRegressor().fit([[i] for i in range(250)], [2.0**i for i in range(250)])
    assert chain.get_depth() > 100
    with pytest.raises(DataError, match="deeper than 100"):
        chain.export(tmp_path / "m.pmml")
    with pytest.raises(DataError, match="asks for no column"):
        tw.DecisionTreeRegressor().fit([[1], [2]], [5, 5]).export(tmp_path / "m.pmml")


def test_a_file_whose_proof_is_run_again_is_caught_where_a_cut_moved(tmp_path: Path) -> None:
    import json

    from treewright.export.proof import digest

    frame, score = table(21)
    path = tmp_path / "m.pmml"
    model = tw.DecisionTreeClassifier(max_depth=3).fit(frame[["count"]], classes(score))
    assert model.export(path).proven == (shutil.which("java") is not None)
    text = path.read_text(encoding="utf-8")
    cut = model.tree_.threshold[0]
    changed = text.replace(f'value="{float(cut)!r}"', f'value="{float(cut) + 1e-13!r}"')
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    proof = json.loads((tmp_path / f"m.pmml{ENDING}").read_text())
    (tmp_path / f"m.pmml{ENDING}").write_text(json.dumps({**proof, "sha256": digest(path)}))
    if proof["proven"]:
        with pytest.raises(DataError, match=r"does not answer as the model does|do not match"):
            verify_export(path)
