"""treewright compare and treewright curve."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from cli.terminal import Outcome, Run, write_csv
from treewright.model_selection import slow_learners

SMALL = ("--algorithms", "cart,c45", "--cv", "3")


@pytest.fixture
def iris(tmp_path: Path) -> Path:
    path = tmp_path / "iris.csv"
    path.write_bytes(tw.datasets.path("iris").read_bytes())
    return path


def compare(run: Run, data: Path, *more: object) -> Outcome:
    return run("compare", data, "--target", "class", *more)


def test_compare_prints_what_the_library_finds(run: Run, iris: Path) -> None:
    said = compare(run, iris, *SMALL)
    result = tw.compare(*tw.datasets.load_iris(return_X_y=True), ["cart", "c45"], cv=3)
    assert said.code == 0
    assert said.out.startswith(f"{iris}: 150 rows, 4 columns, classification of 'class'\n3 folds, the same for all")
    lines = [line.split() for line in said.out.splitlines()[4:7]]
    assert [line[0] for line in lines] == [one.name for one in result.learners]
    assert lines[0][1:4] == [
        f"{result.learners[0].mean('accuracy'):.3f}",
        f"{result.learners[0].spread('accuracy'):.3f}",
        "best",
    ]
    assert "corrected paired t-test" in said.out


def test_json_has_every_fold(run: Run, iris: Path) -> None:
    read = json.loads(compare(run, iris, *SMALL, "--json", "--scoring", "auc").out)
    assert read["scoring"] == "auc"
    assert read["target"] == "class"
    assert len(read["learners"]) == 3
    assert all(len(one["folds"]["auc"]) == 3 for one in read["learners"])


def test_a_learner_that_fails_is_told_and_the_rest_is_done(run: Run, iris: Path) -> None:
    said = compare(run, iris, "--algorithms", "cart", "--algorithms", "id3", "--cv", "2")
    assert said.code == 0
    assert "id3 failed: Column" in said.out
    assert ["id3", "failed"] in [line.split() for line in said.out.splitlines()]


def test_algorithm_is_another_name_of_algorithms_as_train_has_it(run: Run, iris: Path) -> None:
    said = compare(run, iris, "--algorithm", "cart,c45", "--cv", "3", "--json")
    assert said.code == 0, said.err
    assert [one["learner"] for one in json.loads(said.out)["learners"]] == [
        one["learner"] for one in json.loads(compare(run, iris, *SMALL, "--json").out)["learners"]
    ]
    wrong = compare(run, iris, "--algorithm", "kart")
    assert "there is no such algorithm" in wrong.err


def test_settings_go_to_the_learner_that_they_name(run: Run, iris: Path) -> None:
    few = ("--set", "forest.n_estimators=3")
    sizes = []
    for more in ((), few):
        said = compare(run, iris, "--algorithms", "cart,forest", "--cv", "2", "--json", *more)
        sizes.append({one["learner"]: one["bytes"] for one in json.loads(said.out)["learners"]})
    assert sizes[1]["forest"] < sizes[0]["forest"] / 4
    assert sizes[1]["cart"] == sizes[0]["cart"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--algorithms", "forrest"), "there is no such algorithm. Did you mean 'forest'?"),
        (("--algorithms", "model_tree"), "The algorithm model_tree does no classification."),
        (("--algorithms", "cart", "--set", "max_depth=3"), "say of which learner, for instance --set cart.max_depth=3"),
        (("--algorithms", "cart", "--set", "forest.max_depth=3"), "'forest' takes no part"),
        (("--algorithms", "cart", "--set", "cart.max_dept=3"), "Did you mean 'max_depth'?"),
        (("--algorithms", "cart", "--set", "cart.max_depth=-3"), "max_depth=-3: it takes a whole number"),
        (("--scoring", "acuracy"), "Did you mean 'accuracy'?"),
        (("--groups", "nothing"), "--groups nothing:"),
        (("--positive", "Iris-setoza"), "Did you mean 'Iris-setosa'?"),
        (("--cv", "1"), "--cv"),
        (("--out", "a.doc"), "the name must end with .png"),
        (("--ignore", "class"), "the target cannot be ignored"),
    ],
)
def test_wrong_usage_has_code_two_and_a_cure(run: Run, iris: Path, options: tuple[str, ...], words: str) -> None:
    said = compare(run, iris, *options)
    assert said.code == 2
    assert words in said.err


def test_too_few_rows_are_a_data_problem(run: Run, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "few.csv", {"x": [1, 2, 3], "class": ["a", "b", "a"]})
    said = compare(run, path, "--algorithms", "cart")
    assert said.code == 3
    assert "number of rows, 3" in said.err


def test_columns_of_folds_and_groups_are_not_learnt_from(run: Run, tmp_path: Path) -> None:
    columns = {
        "x": [i * i for i in range(24)],
        "fold": [0, 1, 2] * 8,
        "who": [i // 2 for i in range(24)],
        "class": ["a", "b"] * 12,
    }
    path = write_csv(tmp_path / "t.csv", columns)
    read = json.loads(compare(run, path, "--algorithms", "cart", "--folds", "fold", "--json").out)
    assert (read["columns"], read["n_folds"], read["folds"]) == (2, 3, "3 folds as given")
    read = json.loads(compare(run, path, "--algorithms", "cart", "--groups", "who", "--cv", "4", "--json").out)
    assert (read["columns"], read["folds"]) == (2, "4 folds of whole groups")


def test_rows_without_a_target_and_small_integers_are_noted(run: Run, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", {"x": range(20), "class": [0, 1] * 9 + [None, 1]})
    said = compare(run, path, *SMALL)
    assert "1 row without a value of 'class' left out." in said.err
    assert "taken as classes" in said.err


def test_on_a_narrow_terminal_names_stay_and_measures_go(run: Run, iris: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.cli.screen.table_space", lambda: 60)
    said = compare(run, iris, *SMALL)
    assert "cart" in said.out
    assert "F1" not in said.out


@pytest.mark.parametrize("name", ["c.png", "c.svg", "c.csv"])
def test_out_is_a_picture_or_the_table(run: Run, iris: Path, name: str) -> None:
    said = compare(run, iris, *SMALL, "--out", name)
    path = iris.parent / name
    assert f"The comparison is in {name}." in said.err
    if name.endswith("csv"):
        assert list(pd.read_csv(path)["learner"])[-1] == "baseline"
    else:
        assert path.stat().st_size > 1000


def test_curve_prints_the_mean_of_each_size(run: Run, iris: Path) -> None:
    said = run("curve", iris, "--target", "class", "--algorithms", "cart,c45", "--sizes", "20,0.5", "--trials", "3")
    curve = tw.learning_curve(*tw.datasets.load_iris(return_X_y=True), ["cart", "c45"], sizes=[20, 75], trials=3)
    assert said.code == 0
    lines = [line.split() for line in said.out.splitlines()[3:6]]
    assert lines[0] == ["rows", "cart", "+-", "c45", "+-"]
    assert [line[0] for line in lines[1:]] == ["20", "75"]
    assert lines[1][1] == f"{curve['cart'].means()[0]:.3f}"


def test_curve_has_json_and_a_picture(run: Run, iris: Path) -> None:
    request = ("curve", iris, "--target", "class", "--sizes", "30", "--trials", "2")
    read = json.loads(run(*request, "--algorithms", "cart", "--json", "--out", "c.png").out)
    assert read["sizes"] == [30]
    assert len(read["learners"][0]["scores"][0]) == 2
    assert (iris.parent / "c.png").read_bytes().startswith(b"\x89PNG")
    usual = json.loads(run(*request, "--json").out)
    assert [one["learner"] for one in usual["learners"]] == ["cart", "forest"]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--sizes", "ten"), 2, "give numbers with commas"),
        (("--sizes", "1000"), 3, "sizes must lie between 1 and 149"),
        (("--trials", "0"), 2, "--trials"),
        (("--algorithms", "crat"), 2, "Did you mean 'cart'?"),
        (("--test", "none"), 2, "--test"),
    ],
)
def test_wrong_curves_are_refused(run: Run, iris: Path, options: tuple[str, ...], code: int, words: str) -> None:
    said = run("curve", iris, "--target", "class", *options)
    assert said.code == code
    assert words in said.err


def test_a_learner_that_takes_long_is_told_of_while_the_others_run(
    run: Run, titanic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_learners, "_WORTH_TELLING", 0.0)
    monkeypatch.setattr(slow_learners, "_TIMES", 1.0)
    asked = (
        "compare",
        titanic,
        "--target",
        "survived",
        "--algorithms",
        "naive_bayes,forest",
        "--cv",
        "2",
        "--jobs",
        "1",
    )
    said = run(*asked).err
    assert re.search(r"forest takes \d+ s in each of 2 folds, \d+ times the median of the others", said)
    assert said.index("forest takes") < said.index("forest: it took")


def test_where_one_class_has_most_rows_a_note_names_measures_that_tell_more(run: Run, tmp_path: Path) -> None:
    late = ["yes" if i % 14 == 7 else "no" for i in range(84)]
    data = write_csv(tmp_path / "late.csv", {"x": [i % 7 for i in range(84)], "late": late})
    asked = (data, "--target", "late", "--cv", "2", "--algorithms", "cart,naive_bayes")
    said = run("compare", *asked)
    assert "Note: 93 % of the rows are no, which a guess says of all" in said.err
    assert "--scoring auc" in said.err
    assert "which a guess says of all" not in run("compare", *asked, "--scoring", "auc").err
