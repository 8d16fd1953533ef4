"""Rows that stay where they are, by the command line: many files, a DuckDB file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from cli.terminal import Run


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Give three files, and their rows in one of DuckDB."""
    frame = tw.read(tw.datasets.path("titanic"))[["age", "sex", "survived"]]
    frame.insert(1, "fare", frame["age"].fillna(30) * 2.5 + frame.index % 7)
    (tmp_path / "rows").mkdir()
    for part in range(3):
        frame[part::3].to_parquet(tmp_path / f"rows/{part}.parquet", index=False)
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE passengers AS SELECT * FROM frame")
    return tmp_path


def expected_bytes(parts: Path, **settings: int) -> bytes:
    frame = pd.concat([pd.read_parquet(path) for path in sorted((parts / "rows").iterdir())])
    model = tw.DecisionTreeClassifier(**settings).fit(frame.drop(columns="survived"), frame["survived"])
    tw.save(model, parts / "expected.tw")
    return (parts / "expected.tw").read_bytes()


@pytest.mark.parametrize("where", [["rows/*.parquet"], ["rows"], ["passengers", "--db", "shop.duckdb", "--in-place"]])
def test_a_tree_of_rows_in_place_is_that_of_the_rows_in_memory(run: Run, parts: Path, where: list[str]) -> None:
    said = run("train", *where, "--target", "survived", "--out", "m.tw")
    assert said.code == 0, said.err
    assert "1,309 rows, 3 columns, classification of 'survived'" in said.out
    assert "nothing was cross-validated" in said.err
    assert (parts / "m.tw").read_bytes() == expected_bytes(parts, max_leaf_nodes=16)


@pytest.mark.parametrize(
    ("algorithm", "learner"),
    [
        (["naive_bayes"], tw.NaiveBayesClassifier()),
        (["chaid"], tw.CHAIDClassifier()),
        (["boosting", "--set", "n_estimators=5"], tw.GradientBoostingClassifier(n_estimators=5)),
        (["logistic", "--set", "C=1.0"], tw.LogisticRegression(C=1.0, standardize=True)),
    ],
)
@pytest.mark.parametrize("where", [["rows/*.parquet"], ["passengers", "--db", "shop.duckdb", "--in-place"]])
def test_every_algorithm_that_sources_have_is_offered(
    run: Run, parts: Path, where: list[str], algorithm: list[str], learner: Any
) -> None:
    said = run("train", *where, "--target", "survived", "--algorithm", *algorithm, "--out", "m.tw")
    assert said.code == 0, said.err
    assert "1,309 rows, 3 columns, classification of 'survived'" in said.out
    frame = pd.concat([pd.read_parquet(path) for path in sorted((parts / "rows").iterdir())])
    expected = clone(learner).fit(frame.drop(columns="survived"), frame["survived"])
    assert tw.load(parts / "m.tw").fingerprint() == expected.fingerprint()


def test_settings_and_columns_left_out_hold_in_place_too(run: Run, parts: Path) -> None:
    run("train", "rows/*.parquet", "--target", "survived", "--ignore", "sex", "--set", "max_depth=2", "--out", "m.tw")
    model = tw.load(parts / "m.tw")
    assert list(model.feature_names_in_) == ["age", "fare"]
    assert model.get_params()["max_leaf_nodes"] is None
    assert model.tree_.depth == 2


@pytest.mark.parametrize("where", [["rows/*.parquet"], ["passengers", "--db", "shop.duckdb", "--in-place"]])
def test_rows_in_place_are_answered_and_scored(run: Run, parts: Path, where: list[str]) -> None:
    run("train", *where, "--target", "survived", "--out", "m.tw")
    said = run("predict", "m.tw", *where, "--keep", "age", "--proba", "--out", "answers.parquet")
    assert (said.code, "1,309 predictions written" in said.err) == (0, True), said.err
    answers = pd.read_parquet(parts / "answers.parquet")
    assert list(answers.columns) == ["age", "prediction", "probability_no", "probability_yes"]
    found = json.loads(run("evaluate", "m.tw", *where, "--json").out)
    frame = pd.concat([pd.read_parquet(path) for path in sorted((parts / "rows").iterdir())])
    expected = tw.evaluate(tw.load(parts / "m.tw"), frame.drop(columns="survived"), frame["survived"])
    assert found["accuracy"] == pytest.approx(expected.measures["accuracy"], abs=1e-12)


def test_a_table_may_be_named_beside_its_database(run: Run, parts: Path) -> None:
    where = ["--db", "shop.duckdb", "--table", "passengers"]
    assert run("train", *where, "--target", "survived", "--out", "m.tw").code == 0
    assert (parts / "m.tw").read_bytes() == expected_bytes(parts, max_leaf_nodes=16)
    assert "1,309 predictions written" in run("predict", "m.tw", *where, "--out", "answers.csv").err
    assert run("evaluate", "m.tw", *where).code == 0
    assert "GROUP BY" in run("train", *where, "--target", "survived", "--dry-run").out


def test_a_dry_run_prints_the_statements_and_asks_no_row(run: Run, parts: Path) -> None:
    said = run("train", "passengers", "--db", "shop.duckdb", "--in-place", "--target", "survived", "--dry-run")
    assert said.code == 0, said.err
    assert said.out.count(";\n") == 3
    with duckdb.connect(str(parts / "shop.duckdb"), read_only=True) as connection:
        for statement in said.out.split(";\n")[:3]:
            assert connection.execute(statement).fetchone() is not None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["rows/*.parquet", "--target", "survivd"], "has no such column. Did you mean 'survived'?"),
        (
            ["rows", "--target", "survived", "--algorithm", "knn"],
            "KNeighborsClassifier does not learn from a source",
        ),
        (["rows", "--target", "survived", "--algorithm", "linear"], "does no classification"),
        (
            ["rows", "--target", "survived", "--algorithm", "naive_bayes", "--set", "alpha=-1"],
            "--set alpha=-1: it takes",
        ),
        (["rows", "--target", "survived", "--set", "max_depth=-1"], "--set max_depth=-1: it takes"),
        (
            [
                "passengers",
                "--db",
                "shop.duckdb",
                "--in-place",
                "--target",
                "survived",
                "--algorithm",
                "id3",
                "--dry-run",
            ],
            "--dry-run shows the SQL of --algorithm cart",
        ),
        (["rows/*.parquet", "--target", "survived", "--decimal", ","], "--decimal is for tables that are read"),
        (["rows/*.parquet", "--target", "survived", "--measure", "auc"], "--measure"),
        (["rows/*.parquet", "--target", "survived", "--dry-run"], "--dry-run shows SQL"),
        (["rows/0.parquet", "--target", "survived", "--dry-run"], "Add --db and --in-place"),
        (["nowhere/*.parquet", "--target", "survived"], "there is no such file"),
        (["mixed", "--target", "survived"], "mixed/a.csv and mixed/b.parquet have two formats"),
        (["mixed/*", "--target", "survived"], "mixed/c.txt: files of a source end with .parquet"),
        (["mixed/empty", "--target", "survived"], "no file in this folder ends with .parquet"),
        (["passengers", "--db", "rows/0.parquet", "--in-place", "--target", "survived"], "and this is neither"),
        (["passengers", "--db", "no.duckdb", "--in-place", "--target", "survived"], "no such database file"),
        (["passenger", "--db", "shop.duckdb", "--in-place", "--target", "survived"], "Did you mean 'passengers'?"),
        (["-", "--in-place", "--target", "survived"], "stdin has no place"),
        (["--db", "shop.duckdb", "--table", "passenger", "--target", "survived"], "Did you mean 'passengers'?"),
        (["rows", "--table", "passengers", "--db", "shop.duckdb", "--target", "survived"], "Leave one out."),
        (["--table", "passengers", "--target", "survived"], "Add --db FILE_OR_URL"),
        (["--target", "survived"], "Missing argument 'DATA'"),
        (["rows", "--engine", "dask", "--target", "survived"], "--engine needs the form dask=ADDRESS"),
        (["rows", "--engine", "ray=host", "--target", "survived"], "--engine needs the form dask=ADDRESS"),
        (
            ["--db", "shop.duckdb", "--table", "passengers", "--engine", "dask=x", "--target", "survived"],
            "Leave one out.",
        ),
    ],
)
def test_what_cannot_be_done_in_place_is_told(run: Run, parts: Path, arguments: list[str], told: str) -> None:
    Path("mixed/empty").mkdir(parents=True)
    for name in ("a.csv", "b.parquet", "c.txt"):
        (Path("mixed") / name).write_text("survived\n1\n")
    said = run("train", *arguments)
    assert said.code in (2, 3)
    assert told in " ".join(said.err.split())


def test_answers_of_rows_in_place_need_a_file(run: Run, parts: Path) -> None:
    run("train", "rows", "--target", "survived", "--out", "m.tw")
    assert "--out answers.parquet" in run("predict", "m.tw", "rows").err


def test_a_number_is_learnt_as_a_number_and_few_integers_as_classes(run: Run, parts: Path) -> None:
    assert "regression of 'fare'" in run("train", "rows", "--target", "fare").out
    pd.DataFrame({"x": range(40), "died": [0, 1] * 20}).to_parquet(parts / "rows/3.parquet")
    said = run("train", "rows/3*.parquet", "--target", "died")
    assert "classification of 'died'" in said.out
    assert "taken as classes" in said.err
