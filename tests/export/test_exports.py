"""Every kind of model in every runtime that is here: proven, and the same on rows of a table."""

from __future__ import annotations

import json
import runpy
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import treewright as tw
from export.exported import classes, fitted_models, table
from treewright.errors import DataError
from treewright.export.export import export, verify_export
from treewright.export.model_program import program_of
from treewright.export.probes import probes
from treewright.export.proof import ENDING, digest

MODELS = dict(fitted_models())
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("file", "dialect"), [("m.py", ""), ("m.sql", "sqlite"), ("m.sql", "duckdb"), ("m.onnx", "")])
def test_an_export_is_proven_where_it_runs(name: str, file: str, dialect: str, tmp_path: Path) -> None:
    how = {"dialect": dialect} if dialect else {}
    verdict = export(MODELS[name], tmp_path / file, **how)
    assert verdict.proven, verdict.text
    assert verify_export(tmp_path / file).proven


@pytest.mark.parametrize("name", MODELS)
def test_c_compiles_without_a_warning_and_is_proven(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for compiler in COMPILERS:
        monkeypatch.setenv("CC", compiler)
        assert export(MODELS[name], tmp_path / "m.c").proven


@pytest.mark.parametrize("name", MODELS)
def test_javascript_is_proven_where_node_is(name: str, tmp_path: Path) -> None:
    verdict = export(MODELS[name], tmp_path / "m.mjs")
    assert verdict.proven == (shutil.which("node") is not None), verdict.text


@pytest.mark.parametrize("file", ["m.py", "m.mjs", "m.c", "m.onnx", "sqlite.sql", "duckdb.sql"])
@pytest.mark.parametrize("estimator", [None, tw.ModelTreeRegressor()], ids=["cart", "model trees"])
def test_the_weighted_median_of_trees_is_proven(file: str, estimator: Any, tmp_path: Path) -> None:
    frame, score = table(6)
    model = tw.AdaBoostRegressor(estimator, n_estimators=9).fit(frame, score.round(1))
    how = {"dialect": file.partition(".")[0]} if file.endswith("sql") else {}
    verdict = export(model, tmp_path / file, **how)
    assert verdict.proven or (file == "m.mjs" and shutil.which("node") is None), verdict.text
    assert "not proven" in verdict.text or "equal to the last bit" in verdict.text


ENDINGS = ["m.py", "m.mjs", "m.c", "m.onnx", "m.R", "m.pmml", "m.xlsx", "m.json", "m.tw", "sqlite.sql", "duckdb.sql"]


@pytest.mark.parametrize("file", ENDINGS)
@pytest.mark.parametrize("missing", ["refuse", "branch"])
def test_id3_is_proven_whether_it_refuses_holes_or_not(file: str, missing: str, tmp_path: Path) -> None:
    frame, score = table(7)
    levels = frame[["level's", "select"]] if missing == "branch" else frame[["level's", "select"]].fillna("no text")
    model = tw.ID3Classifier(missing=missing).fit(levels, classes(score))
    how = {"dialect": file.partition(".")[0]} if file.endswith("sql") else {}
    verdict = export(model, tmp_path / file, **how)
    assert verdict.proven or "not proven: no " in verdict.text, verdict.text


def test_a_level_that_id3_never_saw_is_asked_for_where_it_refuses_holes() -> None:
    frame = pd.DataFrame({"wind": ["weak", "strong", "weak"], "sky": ["blue", "grey", "grey"]})
    model = tw.ID3Classifier().fit(frame, ["yes", "no", "yes"])
    asked = {cell for row in probes(program_of(model)) for cell in row}
    assert None not in asked
    assert {"weak", "strong", "no such level"} <= asked


def test_rows_of_a_table_get_the_answers_of_the_model(tmp_path: Path) -> None:
    frame, score = table(5, 400)
    model = tw.C45Classifier().fit(frame, classes(score))
    model.export(tmp_path / "m.py")
    written = runpy.run_path(str(tmp_path / "m.py"))
    rows = [{k: None if pd.isna(v) else v for k, v in row.items()} for row in frame.to_dict("records")]
    assert [written["predict"](row) for row in rows] == model.predict(frame).tolist()
    assert [written["predict_proba"](row) for row in rows] == model.predict_proba(frame).tolist()
    model.export(tmp_path / "m.sql", dialect="sqlite", table="people", keep=["id"])
    with sqlite3.connect(":memory:") as base:
        frame.assign(id=np.arange(len(frame))).to_sql("people", base, index=False)
        told = base.execute((tmp_path / "m.sql").read_text().rstrip().rstrip(";")).fetchall()
    by_id = {row[4]: row[5] for row in told}
    assert [by_id[i] for i in range(len(frame))] == model.predict(frame).tolist()


def test_a_table_may_be_in_a_schema_and_a_deep_tree_is_cut_into_steps(tmp_path: Path) -> None:
    chain = tw.DecisionTreeRegressor().fit([[i] for i in range(31)], [3.0**i for i in range(31)])
    assert chain.get_depth() == 30
    for dialect in ("sqlite", "duckdb"):
        assert chain.export(tmp_path / "deep.sql", dialect=dialect, table="sales.rows").proven


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_statement_says_every_node_once_however_many_surrogates_lead_there(dialect: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = np.where(rng.random((600, 6)) < 0.1, np.nan, rng.normal(size=(600, 1)) + rng.normal(size=(600, 6)))
    y = np.nansum(X, axis=1) + rng.normal(size=600) > 0
    model = tw.DecisionTreeClassifier(missing="surrogates").fit(X, y)
    assert model.get_depth() > 10
    assert model.export(tmp_path / "m.sql", dialect=dialect).proven
    text = (tmp_path / "m.sql").read_text()
    assert text.count("ELSE") < 3 * model.tree_.n_nodes
    assert len(text) < 500 * model.tree_.n_nodes


def test_a_proof_fails_where_the_file_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    model = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [10, 20, 40])
    model.export(path)
    path.write_text(path.read_text().replace("1.5", "1.5000000000000002"))
    with pytest.raises(DataError, match="is not the file that was proven"):
        verify_export(path)
    proof = path.parent / (path.name + ENDING)
    changed = json.loads(proof.read_text())
    changed["sha256"] = digest(path)
    proof.write_text(json.dumps(changed))
    with pytest.raises(DataError, match="does not answer as the model does"):
        verify_export(path)


@pytest.mark.parametrize(
    ("model", "file", "how", "words"),
    [
        (tw.KNeighborsClassifier(1), "m.py", {}, "KNeighborsClassifier cannot be exported"),
        (tw.DecisionTreeClassifier(), "m.slq", {}, "tells no format"),
        (tw.DecisionTreeClassifier(), "m.sql", {"dialect": "postgres"}, "Did you mean 'postgresql'"),
        (tw.DecisionTreeClassifier(), "2nd.c", {}, "is no name in C"),
        (tw.DecisionTreeClassifier(), "no/m.py", {}, "The folder .* is not there"),
        (tw.BaggingTreesClassifier(tw.C45Classifier(), voting="vote"), "m.py", {}, "a vote is no sum over leaves"),
        (tw.AdaBoostRegressor(n_estimators=130, learning_rate=0.01), "m.sql", {}, "compares every two of them"),
        (tw.AdaBoostRegressor(n_estimators=3), "m.pmml", {}, "has a weighted median of another kind"),
        (tw.AdaBoostRegressor(n_estimators=3), "m.R", {}, "has a weighted median of trees"),
        (tw.AdaBoostClassifier(GaussianNB(), n_estimators=2), "m.onnx", {}, "it is made of GaussianNB"),
    ],
)
def test_what_cannot_be_exported_is_said_by_name(
    model: Any, file: str, how: dict[str, Any], words: str, tmp_path: Path
) -> None:
    frame, score = table(3)
    X = frame if isinstance(model, tw.BaggingTreesClassifier) else frame[["count"]].fillna(0)
    model.fit(X, score if isinstance(model, tw.AdaBoostRegressor) else classes(score))
    with pytest.raises(DataError, match=words):
        export(model, tmp_path / file, **how)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql", "spark"])
def test_columns_that_are_handed_on_are_proven_where_the_statement_runs(dialect: str, tmp_path: Path) -> None:
    frame, score = table(8)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(frame[["count", "level's"]], classes(score))
    verdict = model.export(tmp_path / "m.sql", dialect=dialect, keep=["id", "count", "of 'whom'"])
    assert verdict.proven or "not proven: no " in verdict.text, verdict.text
    assert verify_export(tmp_path / "m.sql") == verdict


def test_the_node_is_compared_beside_columns_that_are_handed_on(tmp_path: Path) -> None:
    path = tmp_path / "m.sql"
    model = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [10, 20, 40])
    model.export(path, dialect="sqlite", keep=["id"])
    path.write_text(path.read_text().replace("n0 AS node", "n0 + 1 AS node"))
    proof = path.parent / (path.name + ENDING)
    proof.write_text(json.dumps({**json.loads(proof.read_text()), "sha256": digest(path)}))
    with pytest.raises(DataError, match="does not answer as the model does"):
        verify_export(path)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_what_a_database_does_not_take_is_said_in_its_words(dialect: str, tmp_path: Path) -> None:
    model = tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])
    with pytest.raises(DataError, match=r"does not take the statement: .*syntax error.* need the quotes of the engine"):
        model.export(tmp_path / "m.sql", dialect=dialect, table="my table")
    assert list(tmp_path.iterdir()) == []
    assert model.export(tmp_path / "m.sql", dialect=dialect, table='"my table"').proven


@pytest.mark.parametrize("keep", [[], ["B", "b"]])
def test_names_that_differ_in_capitals_alone_are_refused_where_they_are_one_column(
    keep: list[str], tmp_path: Path
) -> None:
    X = pd.DataFrame({"a": [1.0, 2, 1, 2], "A": [1.0, 1, 2, 2]})
    model = tw.DecisionTreeRegressor().fit(X[["a"]] if keep else X, [1, 2, 3, 4])
    for dialect in ("sqlite", "duckdb", "spark", "mysql", "bigquery", "sqlserver"):
        with pytest.raises(DataError, match=rf"differ in capitals alone, and to {dialect} they are one"):
            model.export(tmp_path / "m.sql", dialect=dialect, keep=keep)
    assert model.export(tmp_path / "m.sql", dialect="postgresql", keep=keep).text.startswith(("proven", "written"))


def test_a_dialect_that_cannot_run_here_is_written_and_said_to_be_unproven(tmp_path: Path) -> None:
    model = MODELS["cart of classes"]
    for dialect in ("bigquery", "snowflake", "sqlserver", "mysql"):
        verdict = model.export(tmp_path / "m.sql", dialect=dialect)
        assert not verdict.proven
        assert "written, not proven" in verdict.text


def test_dates_are_days_in_every_runtime(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 120), unit="D"))
    frame = pd.DataFrame({"day": days, "size": rng.random(120)})
    model = tw.DecisionTreeRegressor(max_depth=3).fit(frame, (days.dt.year == 2021) * 10.0 + frame["size"])
    assert model.export(tmp_path / "m.py").proven
    written = runpy.run_path(str(tmp_path / "m.py"))
    rows = [{"day": day.to_pydatetime(), "size": size} for day, size in zip(frame["day"], frame["size"], strict=True)]
    assert [written["predict"](row) for row in rows] == model.predict(frame).tolist()


def test_an_export_that_is_interrupted_leaves_the_file_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.sql"
    X, y = tw.datasets.load_iris(return_X_y=True)
    tw.export(tw.DecisionTreeClassifier(max_depth=1).fit(X, y), path, dialect="sqlite")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["treewright.export.export"], "write_proof", stopped)
    with pytest.raises(KeyboardInterrupt):
        tw.export(tw.DecisionTreeClassifier().fit(X, y), path, dialect="sqlite")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    with pytest.raises(KeyboardInterrupt):
        tw.export(tw.DecisionTreeClassifier().fit(X, y), tmp_path / "new.sql", dialect="sqlite")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_one_class_of_threshold_neurons_and_classes_beyond_64_bits_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="threshold neurons answer with classes alone"):
        tw.Perceptron().fit([[1.0], [2.0]], ["good", "good"]).export(tmp_path / "m.py")
    huge = np.array([10**30, 0], dtype=object)
    with pytest.raises(DataError, match="whole number that no database"):
        tw.DecisionTreeClassifier().fit([[1.0], [2.0]], huge).export(tmp_path / "m.sql")
    assert list(tmp_path.iterdir()) == []
