"""learners, importance, roc, surrogate, tune: what the library does, as verbs; and words of the command line in all."""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import treewright as tw
from cli.terminal import Run, write_csv
from treewright.learners.registry import LEARNERS, PRUNERS
from treewright.model_selection.roc_points import roc_points


def test_learners_lists_every_name_that_algorithm_takes(run: Run) -> None:
    told = json.loads(run("learners", "--json").out)["learners"]
    assert [each["learner"] for each in told] == list(LEARNERS)
    said = run("learners", "--task", "regression")
    assert said.code == 0
    assert "model_tree" in said.out
    assert "naive_bayes" not in said.out


def test_importance_puts_the_column_first_that_the_model_needs_most(run: Run, model: Path, titanic: Path) -> None:
    said = run("importance", model, titanic, "--repeats", 2, "--out", "i.csv")
    assert said.code == 0, said.err
    assert pd.read_csv("i.csv").iloc[0]["column"] == "sex"
    assert "sex" in said.out
    told = json.loads(run("importance", model, titanic, "--by", "impurity", "--json").out)
    assert told["columns"][0]["column"] == "sex"
    assert run("importance", model, titanic, "--scoring", "no_such").code == 2


def test_shap_tells_all_rows_one_row_or_one_column_and_draws_each(run: Run, model: Path, titanic: Path) -> None:
    whole = run("shap", model, titanic, "--out", "bee.png")
    assert whole.code == 0, whole.err
    assert whole.out.splitlines()[3].startswith("sex")
    row = json.loads(run("shap", model, titanic, "--row", 3, "--out", "fall.svg", "--json").out)
    assert row["mean_answer"] + sum(row["values"].values()) == pytest.approx(row["row"])
    assert row["row"] == pytest.approx(tw.load(model).predict_proba(tw.read(titanic).iloc[2:3, 1:])[0, 1])
    other = json.loads(run("shap", model, titanic, "--row", 3, "--of-class", "no", "--json").out)
    assert other["row"] == pytest.approx(1 - row["row"])
    column = json.loads(run("shap", model, titanic, "--column", "age", "--out", "dep.pdf", "--json").out)
    assert sum(part["rows"] for part in column["values"]) == 1309
    assert all(Path(name).stat().st_size > 0 for name in ("bee.png", "fall.svg", "dep.pdf"))


def test_numbers_of_shap_under_each_other_have_the_same_decimals(run: Run, cars: Path) -> None:
    run("train", cars, "--target", "class", "--set", "prune=none", "--cv", 0, "--out", "cars.tw")
    for options, last in (((), 3), (("--row", 3), 1), (("--column", "weight"), 3)):
        said = run("shap", "cars.tw", cars, *options)
        assert said.code == 0, said.err
        cells = [line.split()[-last:] for line in said.out.splitlines() if line[-1:].isdigit() and "." in line][1:]
        assert len(cells) > 3
        assert len({len(cell.partition(".")[2]) for line in cells for cell in line}) == 1, said.out


def test_shap_shows_numbers_of_the_table_in_six_digits(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", {"a": [k + 0.072553045859 for k in range(70)], "y": ["u", "v"] * 35})
    run("train", "t.csv", "--target", "y", "--set", "prune=none", "--cv", 0, "--out", "m.tw")
    for options in (("--row", 70), ("--column", "a")):
        said = run("shap", "m.tw", "t.csv", *options)
        assert "69.0726 " in said.out
        assert "69.07255" not in said.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--row", "5000"), "has 1,309 rows"),
        (("--row", "2", "--column", "age"), "Leave out one of them"),
        (("--column", "agee"), "Did you mean 'age'?"),
        (("--of-class", "yess"), "Did you mean 'yes'?"),
        (("--out", "x.txt"), ".png"),
    ],
)
def test_a_wrong_question_to_shap_gets_a_sentence(
    run: Run, model: Path, titanic: Path, options: tuple[str, ...], said: str
) -> None:
    told = run("shap", model, titanic, *options)
    assert told.code == 2
    assert said in told.err


@pytest.mark.parametrize("seed", range(4))
def test_the_points_of_a_roc_curve_are_those_of_scikit_learn(seed: int) -> None:
    draw = np.random.default_rng(seed)
    truth, score = np.append(draw.random(50) < 0.4, [True, False]), draw.integers(0, 12, 52) / 12
    found = roc_points(truth, score)
    false, true, cuts = metrics.roc_curve(truth, score, drop_intermediate=False)
    np.testing.assert_allclose(found.false_positive_rate, false)
    np.testing.assert_allclose(found.true_positive_rate, true)
    np.testing.assert_allclose(found.cut_off[1:], cuts[1:])
    assert found.auc == pytest.approx(metrics.roc_auc_score(truth, score))


def test_roc_tells_the_area_and_what_false_alarms_buy(run: Run, model: Path, titanic: Path, regressor: Path) -> None:
    told = json.loads(run("roc", model, titanic, "--json").out)
    assert told["auc"] == pytest.approx(json.loads(run("evaluate", model, titanic, "--json").out)["auc"])
    said = run("roc", model, titanic, "--positive", "no", "--out", "roc.svg")
    assert f"{model.name}: AUC" in Path("roc.svg").read_text("utf-8")
    assert said.code == 0
    assert "false positive rate" in said.out
    assert Path("roc.svg").stat().st_size > 0
    assert run("roc", regressor, regressor.parent / "cars.csv").code == 2
    assert run("roc", model, titanic, "--positive", "nein").code == 2


def test_roc_of_three_classes_says_which_one_is_looked_for(run: Run, tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"x": draw.normal(size=90), "y": np.repeat(["a", "b", "c"], 30)})
    rows = write_csv(tmp_path / "rows.csv", frame)
    tw.save(tw.DecisionTreeClassifier(max_depth=2).fit(frame[["x"]], frame["y"]), tmp_path / "m.tw")
    said = run("roc", tmp_path / "m.tw", rows, "--target", "y")
    assert "'c', the last of 3 classes, against all others; --positive names another" in " ".join(said.err.split())
    assert "against all others" not in run("roc", tmp_path / "m.tw", rows, "--target", "y", "--positive", "a").err


def test_surrogate_grows_a_small_tree_that_answers_as_the_model(run: Run, titanic: Path, tmp_path: Path) -> None:
    frame = tw.read(titanic)
    forest = tw.RandomForestClassifier(n_estimators=5).fit(frame.drop(columns="survived"), frame["survived"])
    tw.save(forest, tmp_path / "forest.tw")
    said = run("surrogate", "forest.tw", titanic, "--leaves", 4, "--out", "small.tw")
    assert said.code == 0, said.err
    assert "Answers as the model in" in said.out
    assert tw.load("small.tw").get_n_leaves() <= 4


def test_what_is_left_out_of_a_list_is_had_by_an_option(run: Run, titanic: Path) -> None:
    said = run("tune", titanic, "--target", "survived", "--candidates", 14, "--cv", 2, "--jobs", 1)
    assert "--json has all" in said.out
    assert "to_frame" not in said.out


def test_tune_tries_settings_and_saves_the_best(run: Run, titanic: Path) -> None:
    said = run("tune", titanic, "--target", "survived", "--candidates", 3, "--cv", 2, "--jobs", 1, "--out", "best.tw")
    assert said.code == 0, said.err
    assert "candidates tried" in said.out
    assert tw.load("best.tw").predict_one({"sex": "female"}) == "yes"
    assert run("tune", titanic, "--target", "survived", "--algorithms", "kart").code == 2


@pytest.mark.parametrize("method", [name for name in PRUNERS if name != "price"])
def test_every_way_of_pruning_runs_as_it_is_or_says_what_it_needs(run: Run, titanic: Path, method: str) -> None:
    frame = tw.read(titanic)
    tw.save(tw.DecisionTreeClassifier(max_depth=4).fit(frame.drop(columns="survived"), frame["survived"]), "full.tw")
    said = run("prune", "full.tw", titanic, "--method", method, "--out", "small.tw")
    if method == "cost_complexity":
        assert said.code == 2
        assert "--set cp=0.01" in said.err
    else:
        assert said.code == 0, said.err


def test_the_usual_way_of_pruning_needs_no_setting(run: Run, model: Path, titanic: Path) -> None:
    assert run("prune", model, titanic, "--out", "small.tw").code == 0


def test_python_words_are_options_on_the_command_line(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", {"a": [1.5, 2.5] * 15, "y": ["u", "v"] * 15})
    said = run("train", "t.csv", "--target", "y", "--algorithm", "id3")
    assert said.code == 3
    assert "column_kinds" not in said.err
    assert "--kind a=nominal" in said.err


def test_a_learner_that_refuses_missing_values_names_the_option_that_takes_them(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--algorithm", "id3")
    assert said.code == 3
    assert "choose --set missing=branch." in said.err
    said = run("train", titanic, "--target", "survived", "--set", "missing=refuse")
    assert "choose --set missing=learn, larger, branch or surrogates." in said.err
    assert "missing='" not in said.err


def test_train_marks_where_missing_values_go_of_columns_that_have_some(run: Run, titanic: Path) -> None:
    said = run("train", titanic, "--target", "survived", "--cv", 0)
    assert "age > 9.5 or missing" in said.out
    assert "male or missing" not in said.out


def test_one_row_is_not_told_to_take_fewer_folds_than_there_can_be(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "one.csv", {"a": [1.5], "y": ["u"]})
    said = run("train", "one.csv", "--target", "y")
    assert "--cv 1" not in said.err
    assert "one row cannot be divided" in said.err


def test_calibrate_tells_what_it_is_worth_and_saves_a_model_with_the_same_answers(run: Run, titanic: Path) -> None:
    frame = tw.read(titanic)
    columns = frame.drop(columns="survived")
    tw.save(tw.AdaBoostClassifier(n_estimators=20).fit(columns, frame["survived"]), "boosted.tw")
    told = json.loads(run("calibrate", "boosted.tw", titanic, "--out", "better.tw", "--json").out)
    assert told["after"]["log_loss"] < told["before"]["log_loss"]
    assert tw.load("better.tw").predict(columns).tolist() == tw.load("boosted.tw").predict(columns).tolist()
    said = run("calibrate", "boosted.tw", titanic, "--unseen", "--plot", "c.svg", "--out", "new.tw")
    assert said.code == 0, said.err
    assert "calibration error" in said.out
    assert Path("c.svg").stat().st_size > 0
    assert run("calibrate", "boosted.tw", titanic, "--plot", "c.svg", "--out", "new.tw").code == 2
    assert "--unseen" in run("calibrate", "boosted.tw", titanic, "--out", "better.tw").err


def test_conformal_prepares_what_predict_then_promises(run: Run, model: Path, titanic: Path, regressor: Path) -> None:
    cars = regressor.parent / "cars.csv"
    missing = run("predict", regressor, cars, "--interval", 0.9)
    assert missing.code == 3
    assert "treewright conformal MODEL DATA --out FILE" in missing.err
    said = run("conformal", regressor, cars, "--cv", 3, "--out", "numbers.tw")
    assert said.code == 0, said.err
    assert "width of an interval" in said.out
    bounds = pd.read_csv(StringIO(run("predict", "numbers.tw", cars, "--interval", 0.9).out))
    assert (bounds["lower"] < bounds["upper"]).all()
    assert json.loads(run("conformal", model, titanic, "--cv", 3, "--out", "classes.tw", "--json").out)["scores"] > 100
    sets = pd.read_csv(StringIO(run("predict", "classes.tw", titanic, "--set", 0.95, "--proba").out))
    assert set(sets["set"]) <= {"no", "yes", "no|yes"}
    assert "no|yes" in set(sets["set"])
    assert run("predict", "classes.tw", titanic, "--interval", 0.9).code == 2
    assert run("predict", "numbers.tw", cars, "--set", 0.9).code == 2


def test_wrong_inputs_are_answered_in_options_and_about_one_table(run: Run, model: Path, titanic: Path) -> None:
    for arguments, said in (
        (("why", model, titanic, "--below", 3), "so there is no --below. Use --not."),
        (("why", model, titanic, "--not", "yess"), "--not is 'yess', which is no class of the model"),
        (("show", titanic), "Pass a file that treewright train --out wrote"),
        (("profile", "a.csv", "b.csv"), "One table is taken, not b.csv too. Join the files first."),
    ):
        told = run(*arguments)
        assert told.code in (2, 3, 4)
        assert said in told.err
    assert "is no workbook, so --sheet 2 says nothing of it" in run("profile", titanic, "--sheet", 2).err
