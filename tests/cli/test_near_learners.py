"""Neighbours, local regression and naive Bayes on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treewright as tw
from cli.terminal import Run


@pytest.mark.parametrize(
    ("algorithm", "setting", "says"),
    [
        ("knn", "n_neighbors=cv", "neighbours for 'survived'"),
        ("knn", "metric=gower", "metric     gower"),
        ("naive_bayes", "numeric=kernel", "sex = female"),
    ],
)
def test_training_prints_a_summary_and_the_score(
    algorithm: str, setting: str, says: str, run: Run, titanic: Path, tmp_path: Path
) -> None:
    options = ("--algorithm", algorithm, "--set", setting, "--cv", 2, "--out", "m.tw")
    said = run("train", titanic, "--target", "survived", *options)
    assert said.code == 0, said.err
    assert says in said.out
    assert "2-fold cross-validation" in said.out
    assert says in run("show", tmp_path / "m.tw").out
    answers = run("predict", tmp_path / "m.tw", titanic, "--json")
    assert answers.code == 0, answers.err


def test_local_regression_is_trained_on_numbers(run: Run, titanic: Path) -> None:
    options = ("--algorithm", "local", "--set", "bandwidth=0.5", "--set", "kernel=tricube", "--cv", 2, "--json")
    said = run("train", titanic, "--target", "age", *options)
    assert said.code == 0, said.err
    assert json.loads(said.out)["model"] == "LocallyWeightedRegression"


def test_a_wrong_setting_is_answered_with_a_sentence(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--algorithm", "knn", "--set", "metric=hamming", "--cv", 0)
    assert said.code == 3
    assert "column 'age' holds numbers" in said.err


def test_the_answers_are_those_of_the_library(run: Run, titanic: Path, tmp_path: Path) -> None:
    run("train", titanic, "--target", "survived", "--algorithm", "knn", "--cv", 0, "--out", "m.tw")
    frame = tw.read(titanic)
    X = frame.drop(columns="survived")
    model = tw.KNeighborsClassifier("cv", smoothing=1.0).fit(X, frame["survived"])
    assert tw.load(tmp_path / "m.tw").predict(X).tolist() == model.predict(X).tolist()
