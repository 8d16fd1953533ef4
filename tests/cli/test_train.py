import json
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from cli.terminal import Run, write_csv


def test_training_prints_tree_score_baseline_and_columns_and_saves(run: Run, titanic: Path, tmp_path: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--out", "m.tw")
    assert said.code == 0
    assert "classification of 'survived'" in said.out
    assert "10-fold cross-validation" in said.out
    assert "always the most frequent class: 0.618" in said.out
    assert "█" in said.out
    model = tw.load(tmp_path / "m.tw")
    assert model.tree_.to_text().splitlines()[0] in said.out


def test_the_same_training_gives_the_same_bytes_and_the_same_words(run: Run, titanic: Path, tmp_path: Path) -> None:
    first = run("train", titanic, "--target", "survived", "--out", "a.tw")
    second = run("train", titanic, "--target", "survived", "--out", "b.tw")
    assert first.out.replace("a.tw", "b.tw") == second.out
    assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes()


def test_the_tree_is_readable_unless_the_full_one_is_asked_for(run: Run, titanic: Path) -> None:
    pruned = json.loads(run("train", titanic, "--target", "survived", "--cv", 0, "--json").out)
    full = json.loads(run("train", titanic, "--target", "survived", "--cv", 0, "--set", "prune=None", "--json").out)
    assert pruned["leaves"] <= 30 < full["leaves"]


def test_json_has_scores_of_each_fold(run: Run, titanic: Path) -> None:
    report = json.loads(run("train", titanic, "--target", "survived", "--cv", 5, "--json").out)
    accuracy = report["cross_validation"]["accuracy"]
    assert len(accuracy["folds"]) == 5
    assert accuracy["baseline"] < accuracy["mean"] < 1
    assert sum(report["importances"].values()) == pytest.approx(1)


def test_a_number_is_learnt_by_regression(run: Run, cars: Path) -> None:
    said = run("train", cars, "--target", "class")
    assert "regression of 'class'" in said.out
    assert "RMSE" in said.out
    assert "R²" in said.out


def test_few_integers_are_classes_with_a_note_how_to_change(run: Run, cars: Path) -> None:
    said = run("train", cars, "--target", "cylinders", "--cv", 0)
    assert "classification of 'cylinders'" in said.out
    assert "--task regression" in said.err
    assert "regression of" in run("train", cars, "--target", "cylinders", "--cv", 0, "--task", "regression").out


def test_regression_of_text_is_refused(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--task", "regression")
    assert said.code == 3
    assert "holds no numbers ('yes' in its first row)" in said.err


def test_a_wrong_target_names_the_nearest_column(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "surived")
    assert said.code == 2
    assert "Did you mean 'survived'?" in said.err


def test_a_wrong_setting_names_the_nearest_and_the_list(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--set", "max_dept=3")
    assert said.code == 2
    assert "Did you mean 'max_depth'?" in said.err
    assert "min_samples_leaf" in said.err


@pytest.mark.parametrize("setting", ["max_depth=-1", "criterion=ginni", "max_depth=deep"])
def test_a_value_that_a_setting_cannot_take_is_wrong_usage(run: Run, titanic: Path, setting: str) -> None:
    said = run("train", titanic, "--target", "survived", "--set", setting)
    assert said.code == 2
    assert setting.split("=")[0] in said.err


def test_settings_reach_the_tree(run: Run, titanic: Path) -> None:
    command = ("train", titanic, "--target", "survived", "--cv", 0, "--json", "--set", "prune=None")
    assert json.loads(run(*command, "--set", "max_depth=2").out)["depth"] == 2


def test_an_ignored_column_is_not_used(run: Run, titanic: Path) -> None:
    report = json.loads(run("train", titanic, "--target", "survived", "--cv", 0, "--ignore", "sex", "--json").out)
    assert "sex" not in report["columns"]


def test_the_target_can_be_neither_ignored_nor_given_a_kind(run: Run, titanic: Path) -> None:
    assert run("train", titanic, "--target", "survived", "--ignore", "survived").code == 2
    assert "--task" in run("train", titanic, "--target", "survived", "--kind", "survived=nominal").err


def test_rows_without_a_target_are_left_out_with_a_note(run: Run, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"x": [1, 2, 3, 4], "y": ["a", "b", None, "a"]})
    said = run("train", table, "--target", "y", "--cv", 0)
    assert "1 row without a value of 'y' left out" in said.err
    assert "3 rows" in said.out


def test_no_known_target_at_all_is_a_data_problem(run: Run, tmp_path: Path) -> None:
    said = run("train", write_csv(tmp_path / "t.csv", {"x": [1, 2], "y": [None, None]}), "--target", "y")
    assert said.code == 3
    assert "no row has a value of 'y'" in said.err


def test_a_table_of_nothing_but_its_target_is_told(run: Run, tmp_path: Path) -> None:
    said = run(
        "train",
        write_csv(tmp_path / "t.csv", {"y": ["a", "b"] * 20, "x": [1, 2] * 20}),
        "--target",
        "y",
        "--ignore",
        "x",
    )
    assert said.code == 3
    assert "beside the target 'y' there is no column to learn from" in said.err


def test_an_identifier_in_the_tree_is_pointed_out(run: Run, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"student": range(100), "y": ["a"] * 50 + ["b"] * 50})
    said = run("train", table, "--target", "y", "--cv", 0)
    assert "'student', which looks like an identifier" in said.err
    assert "--ignore student" in said.err


def test_a_column_of_names_does_not_hide_the_others(run: Run, tmp_path: Path) -> None:
    made = {"make": [f"car {i}" for i in range(100)], "seats": [2, 4] * 50, "y": ["sporty", "family"] * 50}
    made["owner"] = ["Ann", "Ben", "Cleo", "Dan", *(f"owner {i}" for i in range(92)), "Ann", "Ben", "Cleo", "Dan"]
    table = write_csv(tmp_path / "t.csv", made)
    said = run("train", table, "--target", "y", "--cv", 0)
    assert "seats <= 3" in said.out
    for name in ("make", "owner"):
        assert f"Column '{name}' has another text in (nearly) every row" in said.err
        assert f"--kind {name}=nominal keeps it" in said.err
    assert "100 rows, 1 column," in said.out
    kept = run("train", table, "--target", "y", "--cv", 0, "--kind", "make=nominal")
    assert "100 rows, 2 columns," in kept.out
    assert "Column 'make' has another text" not in kept.err
    codes = write_csv(tmp_path / "c.csv", {"zip": [f"{i:05d}" for i in range(100)], "y": ["a", "b"] * 50})
    assert "100 rows, 1 column," in run("train", codes, "--target", "y", "--cv", 0).out


def test_texts_of_which_most_stand_in_one_row_do_not_hide_the_others_either(run: Run, tmp_path: Path) -> None:
    towns = [f"town {i}" for i in range(150)] + [f"town {i}" for i in range(50)]
    table = write_csv(tmp_path / "t.csv", {"town": towns, "metro": [0, 1] * 100, "y": ["no", "yes"] * 100})
    said = run("train", table, "--target", "y", "--cv", 0)
    assert "200 rows, 1 column," in said.out
    assert "Column 'town' has another text in most rows" in said.err
    assert "200 rows, 2 columns," in run("train", table, "--target", "y", "--cv", 0, "--kind", "town=nominal").out


def test_too_few_rows_for_the_folds_are_told_and_trained(run: Run, tmp_path: Path) -> None:
    said = run("train", write_csv(tmp_path / "t.csv", {"x": [1, 2, 3], "y": ["a", "b", "b"]}), "--target", "y")
    assert said.code == 0
    assert "10 folds" in said.err


def test_another_word_for_out_and_a_misspelt_algorithm_are_answered_with_the_right_one(run: Run, titanic: Path) -> None:
    for word in ("-o", "--save"):
        said = run("train", titanic, "--target", "survived", word, "m.tw")
        assert said.code == 2
        assert said.err.rstrip().endswith("A file to write is --out MODEL.tw.")
    said = run("train", titanic, "--target", "survived", "--algorithm", "forrest")
    assert said.code == 2
    assert "Did you mean 'forest'?" in said.err


def test_one_fold_is_wrong_usage(run: Run, titanic: Path) -> None:
    assert run("train", titanic, "--target", "survived", "--cv", 1).code == 2


def test_a_folder_that_is_not_there_is_told_before_the_work(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--out", "no/such/m.tw")
    assert said.code == 2
    assert "no/such" in said.err


def test_out_to_stdout_is_the_model_and_the_report_goes_to_stderr(
    titanic: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from treewright.cli.main import main

    with pytest.raises(SystemExit, match="0"):
        main(["train", str(titanic), "--target", "survived", "--cv", "0", "--out", "-"])
    said = capfdbinary.readouterr()
    assert said.out.startswith(b"\x89TWTREE\n")
    assert b"classification of" in said.err


def test_a_long_tree_is_cut_with_a_word_where_the_rest_is(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--cv", 0, "--set", "prune=None", "--out", "m.tw")
    assert "more lines: treewright show m.tw" in said.out
    assert len(said.out.splitlines()) < 70


def test_a_row_order_of_the_file_does_not_matter_for_the_tree(run: Run, titanic: Path, tmp_path: Path) -> None:
    pd.read_csv(titanic).sample(frac=1, random_state=3).to_csv(tmp_path / "mixed.csv", index=False)
    settings = ("--target", "survived", "--cv", 0, "--set", "prune=None", "--json")
    one, other = run("train", titanic, *settings), run("train", tmp_path / "mixed.csv", *settings)
    assert json.loads(one.out)["fingerprint"] == json.loads(other.out)["fingerprint"]


def test_a_pruner_may_be_set_with_its_numbers(run: Run, titanic: Path) -> None:
    command = ("train", titanic, "--target", "survived", "--cv", 0, "--out", "m.tw", "--set")
    assert run(*command, "prune=reduced_error(share=0.4)").code == 0
    assert tw.load("m.tw").get_params()["prune"] == tw.ReducedError(share=0.4)
    assert run(*command, "prune=mdl").code == 0
    assert tw.load("m.tw").get_params()["prune"] == "mdl"


WRONG_PRUNERS = {
    "prune=reduced_eror(share=0.4)": "Did you mean 'reduced_error'?",
    "prune=reduced_error(shares=0.4)": "Did you mean 'share'?",
    "prune=reduced_error(share=4)": "must be a number between 0 and 1",
    "prune=reduced_error(0.4)": "written as a name with its numbers",
    "prune=reduced_error(share=open(1))": "written as a name with its numbers",
    "prune=reduced": "Did you mean 'reduced_error'",
}


@pytest.mark.parametrize("setting", WRONG_PRUNERS)
def test_a_wrong_pruner_is_wrong_usage(run: Run, titanic: Path, setting: str) -> None:
    said = run("train", titanic, "--target", "survived", "--cv", 0, "--set", setting)
    assert said.code == 2
    assert WRONG_PRUNERS[setting] in said.err
