"""The first tree that `train` gives: of a size to read, and a sentence where there is nothing to learn."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli.terminal import Run, write_csv


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
    assert "R² -0." in said.out


def test_one_equation_for_all_rows_is_not_said_to_be_nothing(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "line.csv", {"x": np.arange(60.0), "y": 3 * np.arange(60.0) + 1})
    said = run("train", tmp_path / "line.csv", "--target", "y", "--algorithm", "model_tree", "--cv", 0, "--json")
    told = json.loads(said.out)
    assert told["leaves"] == 1
    assert not told["nothing_learnt"]


def test_train_says_that_a_tree_is_no_better_than_guessing(run: Run, noise: Path, titanic: Path) -> None:
    words = "That is no better than guessing: what the model has learnt does not hold up on rows not seen."
    grown = ("--set", "prune=None", "--cv", 3)
    for target, other in (("ill", "number"), ("number", "ill")):
        said = run("train", noise, "--target", target, "--ignore", other, *grown)
        assert words in said.out.splitlines()
    assert words not in run("train", noise, "--target", "ill", "--ignore", "number", "--cv", 3).out
    assert words not in run("train", titanic, "--target", "survived", "--cv", 3).out


def test_measure_says_what_sizes_are_judged_by(run: Run, titanic: Path, noise: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--measure", "auc", "--cv", 0)
    assert said.code == 0, said.err
    assert "Judged by AUC: 0.8" in said.out
    for wrong, sentence in (
        (("--target", "number", "--measure", "auc"), "judges classes, and 'number' is a number"),
        (("--target", "ill", "--measure", "auc", "--set", "prune=None"), "both say how large the tree is"),
        (("--target", "ill", "--measure", "auc", "--algorithm", "forest"), "forest is not cut by a measure"),
        (("--target", "ill", "--measure", "gini"), "auc"),
    ):
        told = run("train", noise, *wrong)
        assert told.code == 2
        assert sentence in told.err


def test_a_tree_of_which_nothing_is_cut_is_not_said_to_be_cut(run: Run, tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": np.repeat([1.0, 2.0, 3.0], 40), "kind": np.repeat(["a", "b", "c"], 40)})
    frame.to_csv(tmp_path / "three.csv", index=False)
    said = run("train", tmp_path / "three.csv", "--target", "kind", "--cv", 0)
    assert "Fully grown; cross-validation cuts nothing: 10 deals of 10 folds" in said.out
    assert "Cut from" not in said.out


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


def test_what_comes_nearest_fits_a_line_and_leaves_out_columns_learnt_by_heart(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    names = [f"person {i} of a street with a long name" for i in range(60)]
    streets = [f"a street with a rather long name number {i % 20}" for i in range(60)]
    table = {"name": names, "street": streets, "y": rng.integers(0, 2, 60)}
    said = run("train", write_csv(tmp_path / "t.csv", table), "--target", "y", "--kind", "name=nominal").out
    told = said.partition("What comes nearest, on the rows that were seen:\n")[2].splitlines()
    assert told[0].startswith("  street: a street with a rather long name")
    assert " …   (gain 0." in told[0]
    assert len(told[0]) < 100
    assert not told[1].startswith("  name")
