"""A question to a saved model starts without the packages that only learning needs, and gets the same answer."""

import json
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from cli.terminal import Run
from treewright.cli import inputs
from treewright.cli.options import ModelRequest
from treewright.errors import ReadingWarning
from treewright.inspection.align import used_columns
from treewright.learners.asked_model import open_asked_model
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame
from treewright.table.reading.plain_csv import read_plain_csv
from treewright.table.reading.read import read_by
from treewright.table.reading.reading_options import ReadingOptions
from treewright.table.schema import Column, Schema

PROGRAM = """
import sys
from treewright.cli.main import main
try: main()
except SystemExit as leaving: print(leaving.code, *sorted(m for m in sys.modules if '.' not in m), file=sys.stderr)
"""
HEAVY = {"pandas", "sklearn", "scipy", "duckdb", "rich", "matplotlib", "joblib"}


@pytest.fixture
def new_rows(titanic: Path) -> Path:
    """Give a small file of new passengers, one of them without an age."""
    path = titanic.parent / "new.csv"
    path.write_text("".join(titanic.read_text().splitlines(keepends=True)[:40]))
    return path


@pytest.mark.parametrize("verb", ["predict", "predict_by_many", "predict_by_sums", "show", "show_many", "rules", "why"])
def test_a_question_to_a_saved_model_imports_nothing_heavy(model: Path, new_rows: Path, verb: str) -> None:
    if "many" in verb or "sums" in verb:
        X, y = tw.datasets.load_titanic(return_X_y=True)
        learner = tw.LogisticRegression() if "sums" in verb else tw.GradientBoostingClassifier(n_estimators=5)
        tw.save(learner.fit(X, y), model.parent / "other.tw")
    asked = {
        "predict_by_many": ["predict", model.parent / "other.tw", new_rows, "--proba"],
        "predict_by_sums": ["predict", model.parent / "other.tw", new_rows, "--proba"],
        "show_many": ["show", model.parent / "other.tw"],
        "predict": ["predict", model, new_rows, "--proba"],
        "show": ["show", model],
        "rules": ["show", model, "--rules"],
        "why": ["why", model, new_rows, "--row", 2],
    }[verb]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, asked)], capture_output=True, text=True, check=True, cwd=model.parent
    )
    code, *loaded = done.stderr.splitlines()[-1].split()
    assert code == "0", done.stderr
    assert done.stdout
    assert "numpy" in loaded
    assert HEAVY & set(loaded) == set()


ONE_TREE = ["classes", "numbers", "c45", "laplace", "id3", "costs", "written"]
MANY_TREES = ["forest", "votes", "numbers_of_forest", "oblique_forest", "boosting", "three_classes", "poisson"]
NUMBERS = ["numbers", "numbers_of_forest", "poisson", "linear", "flagged", "regularized"]
SUMS = ["logistic", "squared_loss", "three_sums", "linear", "flagged", "regularized"]


@pytest.mark.parametrize("kind", SUMS)
@pytest.mark.parametrize("as_json", [False, True])
def test_sums_are_answered_on_the_quick_way_as_on_the_whole_way(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, as_json: bool
) -> None:
    model, data = _stored(kind, tmp_path)
    proba = [] if kind in NUMBERS else ["--proba"]
    request = ModelRequest(model=str(model), data=str(data), db=None, missing_values=())
    assert inputs.ask_at_once(request) is not None
    quick = run("predict", model, data, *proba, *(["--json"] if as_json else []))
    assert quick.code == 0, quick.err
    monkeypatch.setattr(inputs, "ask_at_once", lambda *_, **__: None)
    assert run("predict", model, data, *proba, *(["--json"] if as_json else [])) == quick


def test_a_model_with_basis_functions_takes_the_whole_way(tmp_path: Path) -> None:
    tw.save(tw.LinearRegression(basis="polynomial:2").fit([[1], [2], [4]], [1, 2, 3]), tmp_path / "m.tw")
    assert open_asked_model(tmp_path / "m.tw") is None


@pytest.mark.parametrize("kind", [*ONE_TREE, *MANY_TREES])
@pytest.mark.parametrize("verb", ["predict", "predict_json", "show", "rules", "why"])
def test_the_quick_way_says_what_the_whole_way_says(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, verb: str
) -> None:
    model, data = _stored(kind, tmp_path)
    asked: list[Any] = {
        "predict": ["predict", model, data, *([] if kind in NUMBERS else ["--proba"])],
        "predict_json": ["predict", model, data, "--json"],
        "show": ["show", model],
        "rules": ["show", model, "--rules", *(["--tree", 0] if kind in MANY_TREES else [])],
        "why": ["why", model, data, "--row", 3],
    }[verb]
    quick = run(*asked)
    assert quick.code == 0, quick.err
    monkeypatch.setattr(inputs, "ask_at_once", lambda *_, **__: None)
    monkeypatch.setattr(inputs, "load_tree", inputs.load_model)
    assert run(*asked) == quick


@pytest.mark.parametrize("verb", ["predict", "why"])
def test_columns_that_no_test_asks_for_may_be_absent_on_the_quick_way_too(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    model, data = _stored("numbers", tmp_path)
    rows = pd.read_csv(data)
    used = used_columns(tw.load(model))
    assert used < set(rows.columns[:-1])
    rows[sorted(used, reverse=True)].assign(note="x").to_csv(data, index=False)
    asked: list[Any] = [verb, model, data, *(["--row", 3] if verb == "why" else [])]
    assert inputs.ask_at_once(ModelRequest(model=str(model), data=str(data), db=None, missing_values=())) is not None
    quick = run(*asked)
    assert quick.code == 0, quick.err
    monkeypatch.setattr(inputs, "ask_at_once", lambda *_, **__: None)
    assert run(*asked) == quick


def _stored(kind: str, folder: Path) -> tuple[Path, Path]:
    """Give a model of a kind, and a file with some of its rows."""
    if kind == "written":
        return _stored_by_hand(folder)
    names = {"id3": "tennis", "three_classes": "iris", "three_sums": "iris", **dict.fromkeys(NUMBERS, "auto_mpg")}
    name = names.get(kind, "titanic")
    frame = tw.read(tw.datasets.path(name))
    target = "survived" if name == "titanic" else frame.columns[-1]
    learner = {
        "classes": tw.DecisionTreeClassifier(max_depth=4),
        "numbers": tw.DecisionTreeRegressor(max_depth=4),
        "c45": tw.C45Classifier(),
        "laplace": tw.C45Classifier(laplace=True),
        "id3": tw.ID3Classifier(),
        "costs": tw.DecisionTreeClassifier(max_depth=3, costs={("yes", "no"): 5}),
        "forest": tw.RandomForestClassifier(n_estimators=3, max_depth=3),
        "votes": tw.ExtraTreesClassifier(n_estimators=5, voting="vote", oob_score=False),
        "numbers_of_forest": tw.RandomForestRegressor(n_estimators=3),
        "oblique_forest": tw.RandomForestClassifier(n_estimators=3, splitter="oblique"),
        "boosting": tw.GradientBoostingClassifier(n_estimators=9),
        "three_classes": tw.GradientBoostingClassifier(n_estimators=4),
        "logistic": tw.LogisticRegression(missing="flag"),
        "squared_loss": tw.LogisticRegression(loss="squared", penalty=None),
        "three_sums": tw.LogisticRegression(),
        "linear": tw.LinearRegression(),
        "flagged": tw.LinearRegression(missing="flag"),
        "regularized": tw.RegularizedRegression(alpha=0.1),
        "poisson": tw.GradientBoostingRegressor(n_estimators=9, loss="poisson"),
    }[kind]
    tw.save(learner.fit(frame.drop(columns=target), frame[target]), folder / "asked.tw")
    frame.head(12).to_csv(folder / "rows.csv", index=False)
    return folder / "asked.tw", folder / "rows.csv"


def _stored_by_hand(folder: Path) -> tuple[Path, Path]:
    """Row numbers without a name, money and dates with slashes; the new rows have a sum far outside."""
    days = [f"{1 + i % 12}/{1 + i % 28}/20{i % 24:02}" for i in range(60)]
    lines = [f'{i + 1},{day},"${i * 130:,}",{"late" if i * 7 % 13 > 5 else "early"}' for i, day in enumerate(days)]
    (folder / "old.csv").write_text("\n".join([",day,sum,y", *lines]) + "\n")
    (folder / "rows.csv").write_text("\n".join([",day,sum,y", *lines[3:9], '10,,"$99,000",late']) + "\n")
    with pytest.warns(ReadingWarning):
        frame = tw.read(folder / "old.csv")
    tw.save(tw.DecisionTreeClassifier(max_depth=4).fit(frame[["day", "sum"]], frame["y"]), folder / "asked.tw")
    return folder / "asked.tw", folder / "rows.csv"


CELLS = {
    "numeric": [
        "1",
        "2.5",
        "-3",
        "0",
        "0.125",
        "",
        "NA",
        "007",
        "1e3",
        " 4",
        "x",
        "+5",
        "1,5",
        "1234567890123456",
        "-0",
    ],
    "nominal": ["a", "b", "c", "", "?", "B", " a", "d", '"a"', "a,b"],
    "ordinal": ["1", "2", "3", "", "1.0", "4"],
    "boolean": ["True", "False", "true", "", "1", "yes"],
    "date": ["2020-01-01", "2021-12-31", "", "2020-02-30", "1.1.2020"],
}
SCHEMA = Schema(
    (
        Column("numeric", "numeric"),
        Column("nominal", "nominal", "text", ("a", "b", "c")),
        Column("ordinal", "ordinal", "number", (1, 2, 3)),
        Column("boolean", "nominal", "boolean", (False, True)),
        Column("date", "numeric", "date"),
    )
)


def test_a_plain_file_is_read_as_the_whole_reader_reads_it_or_left_to_it(tmp_path: Path) -> None:
    encoder, taken, path = RowEncoder(SCHEMA), 0, tmp_path / "t.csv"
    for seed in range(200):
        draw = random.Random(seed)
        odd = draw.choice([2, 3, 3, 100])  # how far into the odd cells a table goes
        columns = {name: [draw.choice(cells[: odd + 1]) for _ in range(4)] for name, cells in CELLS.items()}
        pd.DataFrame(columns).sample(frac=1, axis=1, random_state=seed).to_csv(path, index=False)
        found = read_plain_csv(path, encoder)
        if found is None:
            continue
        taken += 1
        frame = tw.read(path, column_kinds={"numeric": "numeric", "nominal": "nominal"})
        whole = encoder.encode(open_frame(frame[list(SCHEMA.names)]))
        for (kind, values, mask), (quick_kind, quick, none) in zip(whole.parts, found.encoded.parts, strict=True):
            assert (quick_kind, none) == (kind, None)
            known = values if mask is None else np.where(mask != 0, np.nan, values)
            np.testing.assert_array_equal(np.asarray(known, dtype=float), np.asarray(quick, dtype=float))
        for name, number in found.n_missing().items():
            assert frame[name].isna().sum() == number
    assert 20 < taken < 180


WRITTEN = {
    "money": ("number", "$1,234.5", ["$1,200", "$3.50", "950", "", "1,5", "$x", "€3"]),
    "german": ("number", "1.234,5", ["1.234", "7,5", "12", "NA", "1,234.5", "x"]),
    "share": ("number", "5.0 %", ["5 %", "7.25%", "3", "?", "5 kg"]),
    "day": ("date", "12/31/2020", ["01/02/2020", "12/31/2020", "2/3/2021", "", "31/12/2020", "2020-12-31"]),
    "hour": ("datetime", "31.12.2020", ["01.02.2020 10:30", "31.12.2020", "", "32.12.2020"]),
}
INDEX = {"numbers": ["4", "5", "6", "7"], "names": ["Ann", "Bo", "Cy", "Di Ek"], "twice": ["1", "2", "2", "3"]}


def test_formats_of_the_training_file_and_row_indices_are_read_as_the_whole_reader_reads_them(tmp_path: Path) -> None:
    columns = (Column(name, "numeric", kind, written=sample) for name, (kind, sample, _) in WRITTEN.items())
    schema, path, taken = Schema(tuple(columns)), tmp_path / "t.csv", 0
    for seed in range(200):
        draw = random.Random(seed)
        odd = draw.choice([1, 2, 2, 100])
        table = {name: [draw.choice(cells[: odd + 1]) for _ in range(4)] for name, (*_, cells) in WRITTEN.items()}
        index = draw.choice(["none", *INDEX])
        frame = pd.DataFrame({**({} if index == "none" else {"": INDEX[index]}), **table})
        frame.to_csv(path, index=False, sep=draw.choice(";,"))
        found = read_plain_csv(path, RowEncoder(schema))
        assert found is None or index != "twice"
        if found is None:
            continue
        taken += 1
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            frame = read_by(path, ReadingOptions((), trained=schema))
        assert [str(each.message) for each in told] == list(found.notes)
        assert tuple(frame.columns) == found.names
        whole = RowEncoder(schema).encode(open_frame(frame))
        for (_, values, mask), (_, quick, _) in zip(whole.parts, found.encoded.parts, strict=True):
            known = values if mask is None else np.where(mask != 0, np.nan, values)
            np.testing.assert_array_equal(np.asarray(known, dtype=float), np.asarray(quick, dtype=float))
    assert 20 < taken < 180


def test_a_cell_that_the_model_does_not_know_takes_the_whole_way_and_is_told(
    run: Run, model: Path, new_rows: Path
) -> None:
    new_rows.write_text(new_rows.read_text().replace("male", "man"))
    said = run("predict", model, new_rows, "--json")
    assert said.code == 0
    assert "never seen" in said.err
    assert len(json.loads(said.out)["rows"]) == 39
