"""`--algorithm model_tree`: trained, shown, used, and refused where the target is a class."""

from __future__ import annotations

import json
from pathlib import Path

from cli.terminal import Run


def test_a_model_tree_is_trained_shown_and_used(run: Run, cars: Path) -> None:
    said = run("train", cars, "--target", "class", "--algorithm", "model_tree", "--set", "smoothing=5", "--out", "m.tw")
    assert said.code == 0
    assert "equation 1" in said.out
    shown = run("show", "m.tw")
    assert "equation 1: " in shown.out
    assert "·weight" in run("show", "m.tw", "--rules").out
    assert json.loads(run("verify", "m.tw", "--json").out)
    predicted = run("predict", "m.tw", cars)
    assert predicted.code == 0
    assert len(predicted.out.splitlines()) == 399


def test_a_model_tree_of_classes_is_refused(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--algorithm", "model_tree")
    assert said.code == 2
    assert "--algorithm model_tree does no classification" in said.err


def test_a_model_tree_is_not_pruned_afterwards(run: Run, cars: Path) -> None:
    run("train", cars, "--target", "class", "--algorithm", "model_tree", "--cv", 0, "--out", "m.tw")
    said = run("prune", "m.tw", cars, "--method", "cost_complexity", "--set", "alpha=0.1", "--out", "n.tw")
    assert said.code == 3
    assert "prunes itself while it is trained" in said.err
