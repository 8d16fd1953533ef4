"""Learners beside the trees on the command line: trained, shown, used; verbs that need a tree say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.terminal import Run

SMALL = ("--algorithm", "mlp", "--set", "hidden_layer_sizes=(4,3)", "--set", "max_iter=5")


@pytest.fixture
def network(run: Run, titanic: Path, tmp_path: Path) -> Path:
    """Give the model file of a small network."""
    assert run("train", titanic, "--target", "survived", *SMALL, "--cv", 0, "--out", "m.tw").code == 0
    return tmp_path / "m.tw"


def test_training_prints_a_summary_and_the_score(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", *SMALL, "--cv", 2)
    assert said.code == 0, said.err
    assert "MLPClassifier for 'survived'" in said.out
    assert "4 relu, 3 relu, 1 sigmoid" in said.out
    assert "2-fold cross-validation" in said.out
    assert "Most important columns" not in said.out


def test_numbers_are_learnt_too(run: Run, cars: Path) -> None:
    report = json.loads(run("train", cars, "--target", "class", *SMALL, "--cv", 0, "--json").out)
    assert report["model"] == "MLPRegressor"
    assert report["summary"][1].strip() == "layers   7 inputs, 4 relu, 3 relu, 1 linear"
    assert report["importances"] == {}


def test_a_network_is_shown_checked_and_used(run: Run, titanic: Path, network: Path) -> None:
    assert "MLPClassifier for 'survived'" in run("show", network).out
    assert "MLPClassifier" in json.loads(run("show", network, "--json").out)["model"]
    assert "header and numbers are in order" in run("verify", network).out
    assert "accuracy" in run("evaluate", network, titanic).out
    predicted = run("predict", network, titanic, "--proba")
    assert predicted.code == 0
    assert predicted.out.startswith("prediction,probability_")


@pytest.mark.parametrize(
    "words",
    [
        ("why", "{model}", "{data}"),
        ("prune", "{model}", "{data}", "--set", "alpha=0.1", "--out", "n.tw"),
        ("show", "{model}", "--rules"),
        ("show", "{model}", "--depth", "2"),
    ],
)
def test_verbs_that_need_a_tree_say_so(words: tuple[str, ...], run: Run, titanic: Path, network: Path) -> None:
    said = run(*(word.format(model=network, data=titanic) for word in words))
    assert said.code == 2
    assert "needs a tree, and MLPClassifier has none" in said.err


def test_a_wrong_setting_is_wrong_usage(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--algorithm", "mlp", "--set", "activation=threshold")
    assert said.code == 3
    assert "has no gradient" in said.err
    said = run("train", titanic, "--target", "survived", "--algorithm", "mlp", "--set", "activation=step")
    assert said.code == 2


def test_neighbours_tell_why(run: Run, titanic: Path) -> None:
    assert run("train", titanic, "--target", "survived", "--algorithm", "knn", "--cv", 0, "--out", "k.tw").code == 0
    said = run("why", "k.tw", titanic, "--row", 1)
    assert said.code == 0, said.err
    assert "nearest rows are" in said.out
    refused = run("why", "k.tw", titanic, "--not", "no")
    assert (refused.code, "questions to a tree" in refused.err) == (2, True)
