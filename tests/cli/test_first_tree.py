"""The first tree that `train` gives: of a size to read, and a sentence where there is nothing to learn."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli.terminal import Run


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """Give a table whose target has nothing to do with its columns."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({f"c{j}": draw.normal(size=200).round(2) for j in range(3)})
    frame["ill"] = np.where(draw.random(200) < 0.2, "Yes", "No")
    frame["number"] = draw.normal(size=200).round(2)
    frame.to_csv(tmp_path / "noise.csv", index=False)
    return tmp_path / "noise.csv"


def test_train_says_that_nothing_holds_up_and_what_comes_nearest(run: Run, noise: Path) -> None:
    said = run("train", noise, "--target", "ill", "--ignore", "number", "--cv", 3)
    assert said.code == 0
    assert "No split of these 3 columns beats always answering 'No' on rows not seen." in said.out
    assert said.out.count("(gain ") == 3
    assert "A tree of 8 leaves has AUC 0." in said.out
    told = json.loads(run("train", noise, "--target", "ill", "--ignore", "number", "--cv", 3, "--json").out)
    assert told["nothing_learnt"]


def test_train_says_so_of_numbers_too(run: Run, noise: Path) -> None:
    said = run("train", noise, "--target", "number", "--ignore", "ill", "--cv", 3)
    assert "beats always answering the mean on rows not seen" in said.out
    assert "R2 -0." in said.out


def test_leaves_limits_the_tree(run: Run, titanic: Path) -> None:
    told = json.loads(run("train", titanic, "--target", "survived", "--leaves", 3, "--cv", 0, "--json").out)
    assert told["leaves"] <= 3
    assert told["nothing_learnt"] == []
    said = run("train", titanic, "--target", "survived", "--leaves", 3, "--set", "prune=None")
    assert said.code == 2
    assert "--leaves and --set prune both say how large the tree is" in said.err
    assert run("train", titanic, "--target", "survived", "--leaves", 3, "--algorithm", "naive_bayes").code == 2


def test_train_tells_how_well_the_classes_are_told_apart(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--cv", 3)
    assert "\n  AUC       0." in said.out
    assert "(always the most frequent class: 0.500)" in said.out
