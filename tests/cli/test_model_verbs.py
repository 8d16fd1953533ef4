"""show, predict, evaluate, prune, verify, doctor: the verbs on a stored model."""

import json
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from cli.terminal import Run, write_csv
from treewright.learners.registry import PRUNERS
from treewright.prune import PRUNER_NAMES, choose_pruner


def test_show_prints_the_tree(run: Run, model: Path) -> None:
    said = run("show", model)
    assert said.code == 0
    assert said.out.rstrip("\n") == tw.load(model).tree_.to_text(width=None).rstrip("\n")


def test_show_cuts_at_a_depth(run: Run, model: Path) -> None:
    assert len(run("show", model, "--depth", 1).out.splitlines()) < len(run("show", model).out.splitlines())


def test_show_gives_one_rule_a_leaf(run: Run, model: Path) -> None:
    assert len(run("show", model, "--rules").out.splitlines()) == tw.load(model).tree_.n_leaves
    assert run("show", model, "--rules", "--depth", 2).code == 2


def test_show_gives_json(run: Run, model: Path) -> None:
    assert json.loads(run("show", model, "--json").out) == json.loads(tw.load(model).tree_.to_json())


def test_a_model_comes_from_stdin_too(run: Run, model: Path) -> None:
    assert run("show", "-", stdin=model.read_bytes()).out == run("show", model).out
    said = run("show", "-", stdin=model.read_bytes()[:-1])
    assert said.code == 4
    assert "stdin" in said.err


@pytest.mark.parametrize("verb", ["show", "verify"])
def test_a_damaged_model_is_a_model_file_problem(run: Run, model: Path, verb: str) -> None:
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    model.write_bytes(bytes(content))
    said = run(verb, model)
    assert said.code == 4
    assert str(model) in said.err
    assert run(verb, "nowhere.tw").code == 4


def test_predictions_keep_the_order_of_the_rows(run: Run, model: Path, titanic: Path) -> None:
    said = run("predict", model, titanic)
    frame = tw.read(titanic)
    expected = tw.load(model).predict(frame.drop(columns="survived"))
    assert said.out.splitlines() == ["prediction", *expected]
    assert "1 column of the table not used by the model: survived" in said.err


@pytest.mark.parametrize(("ending", "read"), [(".csv", pd.read_csv), (".parquet", pd.read_parquet)])
def test_predictions_go_to_a_file_by_its_ending(
    run: Run, model: Path, titanic: Path, ending: str, read: object
) -> None:
    said = run("predict", model, titanic, "--proba", "--keep", "age", "--out", f"answers{ending}")
    assert said.code == 0
    assert said.out == ""
    answers = read(f"answers{ending}")
    assert list(answers) == ["age", "prediction", "probability_no", "probability_yes"]
    assert answers[["probability_no", "probability_yes"]].sum(axis=1).to_numpy() == pytest.approx(1)
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []


def test_predictions_as_json_lines(run: Run, model: Path, titanic: Path) -> None:
    run("predict", model, titanic, "--out", "answers.jsonl")
    lines = Path("answers.jsonl").read_text().splitlines()
    assert len(lines) == 1309
    assert json.loads(lines[0])["prediction"] in ("no", "yes")


def test_an_ending_that_tells_no_format_is_wrong_usage(run: Run, model: Path, titanic: Path) -> None:
    said = run("predict", model, titanic, "--out", "answers.xls")
    assert said.code == 2
    assert ".parquet" in said.err


def test_predict_tells_of_missing_cells_and_levels_never_seen(run: Run, model: Path, tmp_path: Path) -> None:
    table = write_csv(
        tmp_path / "n.csv", {"age": [None, 3.0], "sex": ["male", "cat"], "passengerClass": ["1st", "9th"]}
    )
    said = run("predict", model, table)
    assert said.code == 0
    assert "1 cell in age (1): no value" in said.err
    assert "2 cells in sex (1), passengerClass (1): a level never seen" in said.err


def test_a_table_without_a_column_of_the_model_is_a_data_problem(run: Run, model: Path, tmp_path: Path) -> None:
    said = run("predict", model, write_csv(tmp_path / "n.csv", {"age": [1, 2], "sexx": ["male", "male"]}))
    assert said.code == 3
    assert "'sex', 'passengerClass'" in said.err
    assert "Did you mean 'sexx'?" in said.err


def test_probabilities_of_a_number_are_wrong_usage(run: Run, regressor: Path, cars: Path) -> None:
    assert run("predict", regressor, cars, "--proba").code == 2


def test_model_and_table_cannot_both_be_stdin(run: Run) -> None:
    assert run("predict", "-", "-").code == 2


def test_evaluate_gives_accuracy_with_its_interval_and_the_confusion(run: Run, model: Path, titanic: Path) -> None:
    report = json.loads(run("evaluate", model, titanic, "--json").out)
    frame = tw.read(titanic)
    right = (tw.load(model).predict(frame.drop(columns="survived")) == frame["survived"]).mean()
    assert report["accuracy"] == pytest.approx(right)
    assert report["accuracy_interval"][0] < right < report["accuracy_interval"][1]
    assert sum(map(sum, report["confusion"])) == 1309
    text = run("evaluate", model, titanic).out
    assert f"{right:.3f}" in text  # the digits that compare and train have
    assert "True class (rows), predicted class (columns)" in text


def test_evaluate_measures_numbers(run: Run, regressor: Path, cars: Path) -> None:
    report = json.loads(run("evaluate", regressor, cars, "--json").out)
    assert 0 < report["mae"] <= report["rmse"]
    assert 0.7 < report["r2"] < 1


@pytest.mark.parametrize(
    ("gate", "code"), [("accuracy=0.7", 0), ("accuracy=0.99", 5), ("log_loss=0.1", 5), ("log_loss=0.69", 0)]
)
def test_a_gate_fails_where_the_score_is_worse(run: Run, model: Path, titanic: Path, gate: str, code: int) -> None:
    said = run("evaluate", model, titanic, "--fail-under", gate)
    assert said.code == code
    assert "accuracy" in said.out
    assert ("Gate failed" in said.err) == (code == 5)


@pytest.mark.parametrize("gate", ["accuracy", "accurracy=0.9", "accuracy=high", "rmse=3"])
def test_a_gate_that_makes_no_sense_is_wrong_usage(run: Run, model: Path, titanic: Path, gate: str) -> None:
    assert run("evaluate", model, titanic, "--fail-under", gate).code == 2


@pytest.mark.parametrize("gate", ["auc=0.999", "recall=0.999", "precision=0.999", "f1=0.999", "brier=0.001"])
def test_every_measure_can_be_a_gate(run: Run, model: Path, titanic: Path, gate: str) -> None:
    name, limit = gate.split("=")
    said = run("evaluate", model, titanic, "--fail-under", gate)
    assert said.code == 5
    assert f"{name} is " in said.err
    loose = "0.001" if limit == "0.999" else "0.999"
    assert run("evaluate", model, titanic, "--fail-under", f"{name}={loose}").code == 0


def test_evaluate_takes_a_cut_off_and_finds_the_cheapest(run: Run, model: Path, titanic: Path, regressor: Path) -> None:
    said = run("evaluate", model, titanic, "--cut-off", 0.1, "--positive", "no", "--costs", "false_negative=4")
    assert said.code == 0
    assert "'no' from a probability of 0.1 on" in said.out
    assert "Where the probabilities are true it is 0.2." in said.out
    assert run("evaluate", model, titanic, "--cut-off", 2).code == 2
    assert run("evaluate", model, titanic, "--positive", "ja").code == 2
    assert run("evaluate", model, titanic, "--costs", "false_alarm=4").code == 2
    assert run("evaluate", regressor, regressor.parent / "cars.csv", "--cut-off", 0.5).code == 2


def test_evaluate_without_the_truth_is_a_data_problem(run: Run, model: Path, titanic: Path, tmp_path: Path) -> None:
    pd.read_csv(titanic).rename(columns={"survived": "survivd"}).to_csv(tmp_path / "t.csv", index=False)
    said = run("evaluate", model, tmp_path / "t.csv")
    assert said.code == 3
    assert "Did you mean 'survivd'?" in said.err
    assert run("evaluate", model, tmp_path / "t.csv", "--target", "survivd").code == 0


def test_evaluate_with_foreign_classes_is_a_data_problem(run: Run, model: Path, titanic: Path, tmp_path: Path) -> None:
    pd.read_csv(titanic).assign(survived="vielleicht").to_csv(tmp_path / "t.csv", index=False)
    said = run("evaluate", model, tmp_path / "t.csv")
    assert said.code == 3
    assert "vielleicht" in said.err


def test_prune_saves_a_smaller_tree_and_leaves_the_model_alone(run: Run, model: Path, titanic: Path) -> None:
    before = model.read_bytes()
    said = run("prune", model, titanic, "--method", "cost_complexity", "--set", "alpha=0.02", "--out", "small.tw")
    assert said.code == 0
    assert tw.load("small.tw").tree_.n_leaves < tw.load(model).tree_.n_leaves
    assert model.read_bytes() == before
    assert "before" in said.out


def test_a_wrong_number_for_a_pruner_is_wrong_usage(run: Run, model: Path, titanic: Path) -> None:
    command = ("prune", model, titanic, "--out", "small.tw", "--set")
    assert "Did you mean 'alpha'?" in run(*command, "alfa=1").err
    assert run(*command, "alpha=-1").code == 2


@pytest.mark.parametrize("method", sorted(set(PRUNERS) - {"cost_complexity", "critical_value", "price"}))
def test_every_way_of_pruning_has_its_method(run: Run, model: Path, titanic: Path, method: str) -> None:
    said = run("prune", model, titanic, "--method", method, "--out", "small.tw", "--json")
    assert said.code == 0
    sizes = json.loads(said.out)
    assert 1 <= sizes["after"]["leaves"] <= sizes["before"]["leaves"]
    assert tw.load("small.tw").get_n_leaves() == sizes["after"]["leaves"]


def test_the_numbers_of_a_pruner_are_settings(run: Run, model: Path, titanic: Path) -> None:
    leaves = []
    for threshold in (0.0, 0.5):
        settings = ("--method", "critical_value", "--set", f"threshold={threshold}")
        leaves.append(json.loads(run("prune", model, titanic, *settings, "--out", "m.tw", "--json").out)["after"])
    assert leaves[0]["leaves"] > leaves[1]["leaves"] == 1
    assert run("prune", model, titanic, "--method", "critical_value", "--out", "m.tw").code == 0  # 0.01 is the default


def test_the_methods_are_the_names_that_prune_takes() -> None:
    assert set(PRUNERS) == set(PRUNER_NAMES)
    for method in PRUNER_NAMES:
        made = choose_pruner(method, ccp_alpha=0.5)
        name, numbers = PRUNERS[method]
        assert type(made).__name__ == name
        assert all(getattr(made, number) == value for number, value in numbers.items())


def test_verify_tells_version_and_fingerprint(run: Run, model: Path) -> None:
    report = json.loads(run("verify", model, "--json").out)
    assert report["format_version"] == 1
    assert report["fingerprint"] == tw.load(model).fingerprint()
    assert report["model"] == "DecisionTreeClassifier"
    assert "whole" in run("verify", model).out


def test_doctor_finds_this_installation_in_order(run: Run, tmp_path: Path) -> None:
    said = run("doctor")
    assert said.code == 0
    assert "self-test     passed" in said.out
    assert json.loads(run("doctor", "--json").out)["self_test"] == "passed"
    assert list(tmp_path.iterdir()) == []


def test_doctor_tells_what_is_wrong(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError("no core")

    monkeypatch.setattr(tw.DecisionTreeClassifier, "fit", fail)
    said = run("doctor")
    assert said.code == 3
    assert "no core" in said.err


def test_a_file_is_read_as_the_training_table_was(run: Run, tmp_path: Path) -> None:
    # In training the codes are text because of 'x'; a new file with numbers only has to be read as text too.
    train = write_csv(tmp_path / "train.csv", {"code": ["1", "2", "x"] * 20, "y": ["1", "2", "z"] * 20})
    run("train", train, "--target", "y", "--out", "m.tw", "--cv", 0)
    new = write_csv(tmp_path / "new.csv", {"code": [1, 2], "y": [1, 2]})
    said = run("predict", "m.tw", new)
    assert said.out.split() == ["prediction", "1", "2"]
    assert "never seen" not in said.err
    assert json.loads(run("evaluate", "m.tw", new, "--json").out)["accuracy"] == 1


def test_a_few_words_among_numbers_are_missing_and_told_with_their_row(run: Run, model: Path, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "n.csv", {"age": ["3", "old"], "sex": ["male"] * 2, "passengerClass": ["1st"] * 2})
    said = run("predict", model, table)
    assert said.code == 0
    assert "1 cell is none and counts as missing: row 2 holds 'old'." in said.err
    empty = write_csv(tmp_path / "e.csv", {"age": ["3", ""], "sex": ["male"] * 2, "passengerClass": ["1st"] * 2})
    assert run("predict", model, empty).out == said.out


def test_many_words_among_numbers_are_a_data_problem_with_its_line(run: Run, model: Path, tmp_path: Path) -> None:
    rows = {"age": ["3"] * 10 + ["old"] * 5, "sex": ["male"] * 15, "passengerClass": ["1st"] * 15}
    said = run("predict", model, write_csv(tmp_path / "n.csv", rows))
    assert said.code == 3
    assert "n.csv:12" in said.err
    assert "--missing-value old" in said.err
