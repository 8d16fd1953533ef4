"""Logistic regression and the perceptron on the command line: trained, shown, used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.terminal import Run


@pytest.mark.parametrize(
    ("algorithm", "line"),
    [("logistic", "log odds of yes, strongest first"), ("perceptron", "weights for yes, strongest first")],
)
def test_a_linear_classifier_is_trained_shown_and_used(
    run: Run, titanic: Path, tmp_path: Path, algorithm: str, line: str
) -> None:
    said = run("train", titanic, "--target", "survived", "--algorithm", algorithm, "--cv", 2, "--out", "m.tw")
    assert said.code == 0, said.err
    assert line in said.out
    assert "2-fold cross-validation" in said.out
    assert line in run("show", tmp_path / "m.tw").out
    assert json.loads(run("verify", tmp_path / "m.tw", "--json").out)["whole"]
    answers = run("predict", tmp_path / "m.tw", titanic)
    assert answers.code == 0, answers.err
    assert run("evaluate", tmp_path / "m.tw", titanic).code == 0


def test_a_perceptron_has_no_probabilities_and_says_so(run: Run, titanic: Path, tmp_path: Path) -> None:
    run("train", titanic, "--target", "survived", "--algorithm", "perceptron", "--cv", 0, "--out", "m.tw")
    said = run("predict", tmp_path / "m.tw", titanic, "--proba")
    assert said.code == 2
    assert "Perceptron has no probabilities" in said.err


def test_settings_reach_the_model(run: Run, titanic: Path) -> None:
    settings = ("--set", "penalty=l1", "--set", "C=0.01")
    said = run("train", titanic, "--target", "survived", "--algorithm", "logistic", *settings, "--cv", 0)
    assert "penalty l1, C 0.01" in said.out
    wrong = run("train", titanic, "--target", "survived", "--algorithm", "logistic", "--set", "C=-1", "--cv", 0)
    assert wrong.code == 2
    assert "--set C=-1: it takes" in wrong.err
