"""`--algorithm linear` and `regularized`: trained, shown, used, and refused where the target is a class."""

from __future__ import annotations

import json
from pathlib import Path

from cli.terminal import Run


def test_a_linear_regression_is_trained_shown_and_used(run: Run, cars: Path) -> None:
    said = run("train", cars, "--target", "class", "--algorithm", "linear", "--set", "basis=spline:3", "--out", "m.tw")
    assert said.code == 0
    assert "spline(weight) at" in said.out
    assert "degrees of freedom" in run("show", "m.tw").out
    assert json.loads(run("verify", "m.tw", "--json").out)
    predicted = run("predict", "m.tw", cars)
    assert predicted.code == 0
    assert len(predicted.out.splitlines()) == 399
    assert run("evaluate", "m.tw", cars, "--fail-under", "r2=0.8").code == 0


def test_a_regularised_regression_is_trained_and_shown(run: Run, cars: Path) -> None:
    settings = ("--set", "q=2", "--set", "rule=1se")
    said = run("train", cars, "--target", "class", "--algorithm", "regularized", *settings, "--out", "m.tw", "--cv", 3)
    assert said.code == 0
    assert "q = 2, lambda" in said.out
    assert "10-fold cross-validation, 1se" in run("show", "m.tw").out


def test_a_wrong_setting_is_a_wrong_command(run: Run, cars: Path) -> None:
    said = run("train", cars, "--target", "class", "--algorithm", "regularized", "--set", "q=0")
    assert said.code == 2
    assert "--set q=0: it takes" in said.err
    said = run("train", cars, "--target", "class", "--algorithm", "linear", "--set", "basis=splin")
    assert said.code == 3
    assert "Did you mean 'spline'?" in said.err


def test_classes_are_refused(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--algorithm", "linear")
    assert said.code == 2
    assert "--algorithm linear does no classification" in said.err
