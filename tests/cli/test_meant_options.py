"""An option that a verb does not have is answered with the one that does what was meant."""

from pathlib import Path

import pytest

from cli.terminal import Run


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("curve", "t.csv", "--target", "y", "--cv", "3"), "'--cv'. A curve draws rows anew instead of dealing folds"),
        (("export", "m.tw", "--to", "m.py"), "'--to'. The ending of OUT is the format"),
        (("prune", "m.tw", "t.csv", "--leaves", "3"), "'--leaves'. The most leaves are --set leaves=N"),
        (("boundary", "t.csv", "--columns", "a,b"), "'--columns'. The two columns are --x COLUMN and --y COLUMN."),
        (("train", "t.csv", "--learner", "c45"), "'--learner'. The learner is --algorithm NAME."),
        (("compare", "t.csv", "--model", "c45"), "'--model'. The learner is --algorithm NAME."),
        (("train", "t.csv", "--max-depth", "3"), "--set max_depth=VALUE"),
        (("train", "t.csv", "-o", "m.tw"), "--out MODEL.tw"),
    ],
)
def test_an_option_of_other_tools_is_answered_with_ours(run: Run, asked: tuple[str, ...], said: str) -> None:
    answer = run(*asked)
    assert answer.code == 2
    assert said in answer.err


def test_pruning_takes_the_leaves_that_the_hint_names(run: Run, model: Path, titanic: Path, tmp_path: Path) -> None:
    answer = run("prune", model, titanic, "--set", "leaves=3", "--out", f"{tmp_path}/small.tw")
    assert answer.code == 0, answer.err


def test_costs_without_names_are_answered_with_their_form(run: Run, model: Path, titanic: Path) -> None:
    assert "needs the form false_positive=1,false_negative=5" in run("evaluate", model, titanic, "--costs", "1,10").err


def test_a_file_that_is_not_there_is_not_taken_for_one_with_another_name(run: Run, titanic: Path) -> None:
    answer = run("train", str(titanic).replace("titanic", "old"), "--target", "survived")
    assert "Did you mean" not in answer.err
    assert "Did you mean 'titanic.csv'?" in run("train", str(titanic).replace("tanic", "tanc"), "--target", "x").err
