"""New rows as they come: only what the model asks for is needed, misspelt names and levels are told."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import treewright as tw
from cli.terminal import Run, write_csv
from treewright.errors import DataError, ReadingWarning

FRAME = pd.DataFrame({"glucose": range(40), "noise": [i * 7 % 5 for i in range(40)], "sex": ["male", "female"] * 20})
Y = pd.Series(["high" if i > 20 or (i > 10 and i % 2) else "low" for i in range(40)], name="y")


@pytest.fixture
def model() -> tw.DecisionTreeClassifier:
    return tw.DecisionTreeClassifier().fit(FRAME, Y)


@pytest.fixture
def saved(model: tw.DecisionTreeClassifier, tmp_path: Path) -> Path:
    tw.save(model, tmp_path / "m.tw")
    return tmp_path / "m.tw"


def test_only_the_columns_that_the_model_asks_for_are_needed(run: Run, saved: Path, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"extra": [1, 2], "sex": ["male", "female"], "glucose": [15, 15]})
    said = run("predict", saved, table)
    assert said.out.split() == ["prediction", "low", "high"]
    assert "no value" not in said.err
    said = run("predict", saved, write_csv(tmp_path / "t.csv", {"glucos": [1], "sex": ["male"]}))
    assert said.code == 3
    assert "lacks 1 of the 2 columns that the model needs: 'glucose'. Did you mean 'glucos'?" in said.err


def test_a_table_without_rows_gives_an_empty_answer(run: Run, saved: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("glucose,noise,sex\n")
    assert run("predict", saved, tmp_path / "t.csv").out == "prediction\n"
    assert run("predict", saved, tmp_path / "t.csv", "--proba").out == "prediction,probability_high,probability_low\n"


def test_levels_in_another_writing_are_matched_with_a_note(run: Run, saved: Path, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"glucose": [15, 15], "noise": [1, 1], "sex": ["Male ", "FEMALE"]})
    said = run("predict", saved, table)
    assert said.out.split() == ["prediction", "low", "high"]
    assert "which are taken as known: 'Male ' is 'male', 'FEMALE' is 'female'" in said.err
    assert "never seen" not in said.err


def test_a_column_of_unknown_levels_is_told_loudly(run: Run, saved: Path, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"glucose": [15] * 3, "noise": [1] * 3, "sex": ["m", "f", "male"]})
    said = run("predict", saved, table)
    assert (
        "MOST CELLS OF 'sex' ARE UNKNOWN (2 of 3), such as 'm', 'f'. The model was trained on 'female', 'male'."
        in said.err
    )


def test_one_row_names_a_misspelt_column_and_takes_others(model: tw.DecisionTreeClassifier) -> None:
    with pytest.raises(DataError, match=r"The model has no column 'GLUCOSE'\. Did you mean 'glucose'\?"):
        model.predict_one({"GLUCOSE": 150})
    with pytest.raises(DataError, match=r"The model has no column 'glucos'\. Did you mean 'glucose'\?"):
        model.predict_one({"glucos": 150})
    with pytest.raises(DataError, match="The model has no column 'weight'"):
        model.predict_one({"weight": 150})
    assert model.predict_one({"weight": 70, "sex": "male", "glucose": 15}) == "low"
    forest = tw.RandomForestClassifier(n_estimators=3).fit(FRAME, Y)
    near = tw.KNeighborsClassifier().fit(FRAME, Y)
    for other in (forest, near):
        with pytest.raises(DataError, match="Did you mean 'glucose'"):
            other.predict_one({"glucos": 150})


def test_predict_in_python_is_strict_and_names_the_way_out(model: tw.DecisionTreeClassifier) -> None:
    new = pd.DataFrame({"sex": ["Male"], "more": [1], "glucose": [15]})
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*tw\.align\(table, model\)"):
        model.predict(new)
    with pytest.warns(ReadingWarning, match="'Male' is 'male'"):
        found = tw.align(new, model)
    assert list(found.columns) == list(FRAME.columns)
    assert model.predict(found).tolist() == ["low"]
    with pytest.raises(DataError, match="lacks 1 of the 2 columns that the model asks for: 'glucose'"):
        tw.align(new.drop(columns="glucose"), model)
    same = {"sex": ["male"], "glucose": [15]}
    for table in (same, pl.DataFrame(same), pd.DataFrame(same)):
        assert model.predict(tw.align(table, model)).tolist() == ["low"]
    with pytest.raises(DataError, match="given a list"):
        tw.align([[1]], model)


def test_asking_takes_other_cases_asks_again_and_remarks_on_strange_numbers(run: Run, saved: Path) -> None:
    said = run("ask", saved, stdin=b"15\nmle\nMALE\n")
    assert "'mle' is no answer to sex that training has seen. Did you mean 'male'?" in said.err
    assert said.out.startswith("low")
    assert "far from" not in said.err
    said = run("ask", saved, stdin=b"15000\n")
    assert "15000 is far outside what training had of glucose (0 to 39). Is it mistyped?" in said.err
    assert said.out.startswith("high")
    assert "far outside" not in run("ask", saved, stdin=b"58\n").err
    assert "58.6 is far outside" in run("ask", saved, stdin=b"58.6\n").err


def test_asking_a_model_that_knows_no_range_remarks_on_numbers_far_from_its_cuts(run: Run, tmp_path: Path) -> None:
    tw.save(tw.DecisionTreeClassifier().fit(FRAME[["glucose"]].to_numpy(), Y), tmp_path / "m.tw")
    said = run("ask", tmp_path / "m.tw", stdin=b"15000\n")
    assert "15000 is far from what the tree asks of x0 (10.5 to 20.5). Is it mistyped?" in said.err


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_numbers_far_outside_training_are_told_beside_the_answers(
    run: Run, saved: Path, tmp_path: Path, ending: str
) -> None:
    table = pd.DataFrame({"glucose": [15, 15000, None], "noise": [1, 1, 1], "sex": ["male"] * 3})
    path = tmp_path / f"t{ending}"
    table.to_csv(path, index=False) if ending == ".csv" else table.to_parquet(path)
    said = run("predict", saved, path)
    assert said.out.split()[:3] == ["prediction", "low", "high"]
    assert (
        "1 cell in glucose (1): far outside what training had, such as 15000 in row 2 of 'glucose' (0 to 39)."
        in said.err
    )


def test_a_model_of_an_array_calls_its_columns_x0_and_x1(run: Run, tmp_path: Path) -> None:
    values = FRAME[["glucose", "noise"]].to_numpy(float)
    for name, model in (("tree", tw.DecisionTreeClassifier()), ("forest", tw.RandomForestClassifier(5))):
        tw.save(model.fit(values, Y), tmp_path / f"{name}.tw")
        named = write_csv(tmp_path / "t.csv", {"x0": [5, 35], "x1": [1, 1]})
        assert run("predict", tmp_path / f"{name}.tw", named).out.split() == ["prediction", "low", "high"]
        assert "x0" in run("why", tmp_path / f"{name}.tw", named, "--row", "1").out
        said = run("predict", tmp_path / f"{name}.tw", write_csv(tmp_path / "t.csv", {"glucose": [5], "noise": [1]}))
        assert "'x0'" in said.err
        assert "it learnt from an array without names, and calls the columns x0, x1 …" in said.err


def test_dates_by_another_clock_are_no_obstacle_where_no_node_asks_for_them(run: Run, tmp_path: Path) -> None:
    """Moments with a zone in training and without one in new rows differ by hours that nobody can tell."""
    rows = pd.DataFrame(
        {"x": [n % 10 for n in range(60)], "at": [f"2020-01-{1 + n % 28:02d}T10:00Z" for n in range(60)]}
    )
    rows["y"] = ["low" if x < 5 else "high" for x in rows["x"]]
    rows.to_csv(tmp_path / "rows.csv", index=False)
    rows.assign(at="2020-01-01T10:00").to_csv(tmp_path / "new.csv", index=False)
    assert run("train", tmp_path / "rows.csv", "--target", "y", "--cv", 0, "--out", tmp_path / "m.tw").code == 0
    assert run("predict", tmp_path / "m.tw", tmp_path / "new.csv").out.splitlines()[1] == "low"
    train = ["train", tmp_path / "rows.csv", "--target", "y", "--cv", 0, "--ignore", "x", "--set", "prune=None"]
    assert run(*train, "--out", tmp_path / "m.tw").code == 0
    refused = run("predict", tmp_path / "m.tw", tmp_path / "new.csv")
    assert refused.code == 3
    assert refused.err.rstrip().endswith("Say which zone they are in, for instance 2024-01-02T10:00+01:00.")


def test_what_is_told_of_new_rows_is_told_of_the_columns_of_the_model(run: Run, tmp_path: Path) -> None:
    rows = pd.DataFrame({"x": [n % 10 for n in range(60)], "price": ["$1,200"] * 60, "y": ["no", "yes"] * 30})
    rows[["x", "y"]].to_csv(tmp_path / "rows.csv", index=False)
    rows.to_csv(tmp_path / "new.csv", index=False)
    assert run("train", tmp_path / "rows.csv", "--target", "y", "--cv", 0, "--out", tmp_path / "m.tw").code == 0
    assert "format of their own" not in run("predict", tmp_path / "m.tw", tmp_path / "new.csv").err
