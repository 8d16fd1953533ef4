"""A question to a saved tree starts without the packages that only learning needs, and gets the same answer."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from cli.terminal import Run
from treewright.cli import inputs
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame
from treewright.table.plain_csv import read_plain_csv
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


@pytest.mark.parametrize("verb", ["predict", "show", "rules", "why"])
def test_a_question_to_a_saved_tree_imports_nothing_heavy(model: Path, new_rows: Path, verb: str) -> None:
    asked = {
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


@pytest.mark.parametrize("kind", ["classes", "numbers", "c45", "laplace", "id3", "costs", "forest"])
@pytest.mark.parametrize("verb", ["predict", "predict_json", "show", "rules", "why"])
def test_the_quick_way_says_what_the_whole_way_says(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, verb: str
) -> None:
    model, data = _stored(kind, tmp_path)
    asked: list[Any] = {
        "predict": ["predict", model, data, *([] if kind == "numbers" else ["--proba"])],
        "predict_json": ["predict", model, data, "--json"],
        "show": ["show", model],
        "rules": ["show", model, "--rules", *(["--tree", 0] if kind == "forest" else [])],
        "why": ["why", model, data, "--row", 3],
    }[verb]
    quick = run(*asked)
    assert quick.code == 0, quick.err
    monkeypatch.setattr(inputs, "ask_at_once", lambda _request: None)
    monkeypatch.setattr(inputs, "load_tree", inputs.load_model)
    assert run(*asked) == quick


def _stored(kind: str, folder: Path) -> tuple[Path, Path]:
    """Give a model of a kind, and a file with some of its rows."""
    name = "auto_mpg" if kind == "numbers" else "tennis" if kind == "id3" else "titanic"
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
    }[kind]
    tw.save(learner.fit(frame.drop(columns=target), frame[target]), folder / "asked.tw")
    frame.head(12).to_csv(folder / "rows.csv", index=False)
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


def test_a_column_that_was_written_otherwise_in_training_is_left_to_the_whole_reader(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1.234\n5.678\n")
    plain, german = Column("a", "numeric"), Column("a", "numeric", written="1.234,5")
    assert read_plain_csv(tmp_path / "t.csv", RowEncoder(Schema((plain,)))) is not None
    assert read_plain_csv(tmp_path / "t.csv", RowEncoder(Schema((german,)))) is None


def test_a_cell_that_the_model_does_not_know_takes_the_whole_way_and_is_told(
    run: Run, model: Path, new_rows: Path
) -> None:
    new_rows.write_text(new_rows.read_text().replace("male", "man"))
    said = run("predict", model, new_rows, "--json")
    assert said.code == 0
    assert "never seen" in said.err
    assert len(json.loads(said.out)["rows"]) == 39
