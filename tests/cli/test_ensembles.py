"""Models of many trees on the command line: a summary in place of the tree, and any one tree on demand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treewright as tw
from cli.terminal import Run
from learners.small_ensembles import SmallForestClassifier
from treewright.learners.registry import LEARNERS

MANY_TREES = ("forest", "extra_trees", "boosting", "bagging", "adaboost")


@pytest.fixture
def forest(titanic: Path, tmp_path: Path) -> Path:
    """Give a model file of four trees."""
    frame = tw.read(titanic)
    path = tmp_path / "forest.tw"
    tw.save(SmallForestClassifier(4).fit(frame.drop(columns="survived"), frame["survived"]), path)
    return path


@pytest.mark.parametrize("algorithm", MANY_TREES)
def test_training_prints_a_summary_the_score_and_the_columns(
    algorithm: str, run: Run, titanic: Path, tmp_path: Path
) -> None:
    options = ("--algorithm", algorithm, "--set", "n_estimators=5", "--cv", 2, "--out", "m.tw")
    said = run("train", titanic, "--target", "survived", *options)
    assert said.code == 0, said.err
    assert f"\n{LEARNERS[algorithm].in_words} of 5 trees for 'survived'" in said.out
    assert "Classifier" not in said.out
    assert f"{LEARNERS[algorithm].classifier} of 5 trees" in str(tw.load(tmp_path / "m.tw"))
    assert run("show", "m.tw").out.startswith(f"{LEARNERS[algorithm].in_words} of 5 trees for 'survived'\n")
    assert "2-fold cross-validation" in said.out
    assert "Most important columns" in said.out
    assert len(tw.load(tmp_path / "m.tw").trees_) == 5


@pytest.mark.parametrize("algorithm", MANY_TREES)
def test_json_has_the_size_in_place_of_the_tree(algorithm: str, run: Run, titanic: Path) -> None:
    options = ("--algorithm", algorithm, "--set", "n_estimators=3", "--cv", 0, "--json")
    report = json.loads(run("train", titanic, "--target", "survived", *options).out)
    assert report["trees"] == 3
    assert "tree" not in report
    assert sum(report["importances"].values()) == pytest.approx(1)


def test_show_prints_the_summary_or_one_tree(run: Run, forest: Path) -> None:
    model = tw.load(forest)
    assert run("show", forest).out == f"{model}\n"
    assert run("show", forest, "--tree", 3).out == model.trees_[3].to_text().rstrip("\n") + "\n"
    assert run("show", forest, "--tree", 0, "--rules").out.count("IF ") == 2
    assert json.loads(run("show", forest, "--tree", 1, "--json").out) == model.trees_[1].to_dict()
    assert json.loads(run("show", forest, "--json").out)["trees"] == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tree", 4), "this model has the trees 0 to 3"),
        (("--rules",), "Say which one: --tree 0 to 3"),
        (("--depth", 2), "Say which one: --tree 0 to 3"),
    ],
)
def test_a_tree_that_is_not_there_is_wrong_usage(
    run: Run, forest: Path, options: tuple[object, ...], message: str
) -> None:
    said = run("show", forest, *options)
    assert said.code == 2
    assert message in said.err


def test_one_tree_has_no_number(run: Run, model: Path) -> None:
    said = run("show", model, "--tree", 0)
    assert said.code == 2
    assert "this one is a single tree" in said.err


def test_predict_and_evaluate_answer_with_all_trees(run: Run, forest: Path, titanic: Path) -> None:
    said = run("predict", forest, titanic, "--proba")
    frame = tw.read(titanic)
    expected = tw.load(forest).predict(frame.drop(columns="survived"))
    assert [line.split(",")[0] for line in said.out.splitlines()[1:]] == expected.tolist()
    assert "accuracy" in run("evaluate", forest, titanic).out


def test_verify_tells_how_many_trees_there_are(run: Run, forest: Path) -> None:
    said = run("verify", forest)
    assert said.code == 0
    assert "trees           4" in said.out
    assert "format version  3" in said.out
    assert "checksum, header and trees are in order" in said.out
    data = bytearray(forest.read_bytes())
    data[-1] ^= 1
    forest.write_bytes(data)
    assert run("verify", forest).code == 4


def test_prune_wants_one_tree(run: Run, forest: Path, titanic: Path) -> None:
    said = run("prune", forest, titanic, "--method", "chi_square", "--out", "small.tw")
    assert said.code == 2
    assert "prune cuts one tree, and this model has many" in said.err
