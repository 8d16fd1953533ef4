"""Exports to R: every kind of model is proven by Rscript, and a table of R gets the answers of the model."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from export.exported import classes, fitted_models, table
from thorough import some
from treewright.errors import DataError
from treewright.export.code.r_script import r_source
from treewright.export.export import export, verify_export
from treewright.export.model_program import program_of

MODELS = dict(fitted_models())
# One of each way that the interpreter goes; the others are tried by make thorough.
FIRST = [
    "surrogates of classes",
    "laplace of classes",
    "oblique of classes",
    "boosting of classes",
    "bagged of numbers",
]


def ask(folder: Path, words: str) -> str:
    """What R prints in a folder."""
    command = [str(shutil.which("Rscript")), "--vanilla", "-e", words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", some([*FIRST, *(name for name in MODELS if name not in FIRST)], len(FIRST)))
def test_an_export_is_proven_by_rscript(name: str, tmp_path: Path) -> None:
    verdict = export(MODELS[name], tmp_path / "m.R")
    assert verdict.proven, verdict.text


def test_a_script_verifies_again_and_fails_where_it_was_changed(tmp_path: Path) -> None:
    model = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [10, 20, 40])
    assert model.export(tmp_path / "m.R").proven
    assert verify_export(tmp_path / "m.R").proven
    (tmp_path / "m.R").write_text((tmp_path / "m.R").read_text() + "\n")
    with pytest.raises(DataError, match="is not the file that was proven"):
        verify_export(tmp_path / "m.R")


def test_a_table_of_r_gets_the_answers_of_the_model(tmp_path: Path) -> None:
    frame, score = table(5, 300)
    model = tw.C45Classifier().fit(frame, classes(score))
    model.export(tmp_path / "rule.R")
    frame.to_csv(tmp_path / "rows.csv", index=False, na_rep="NA")
    read = 'rows <- read.csv("rows.csv", check.names = FALSE, encoding = "UTF-8"); rows$select <- rows$select == "True"'
    told = ask(tmp_path, f'source("rule.R"); {read}; writeLines(enc2utf8(predict(rule, rows)), useBytes = TRUE)')
    assert told.splitlines() == model.predict(frame).tolist()


def test_dates_of_r_are_dates(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 120), unit="D"))
    frame = pd.DataFrame({"day": days.dt.date, "hour": days + pd.Timedelta(minutes=1)})
    model = tw.DecisionTreeRegressor(max_depth=3).fit(frame, (days.dt.year == 2021) * 10.0 + days.dt.month)
    assert model.export(tmp_path / "m.R").proven
    days.dt.strftime("%Y-%m-%d").rename("day").to_csv(tmp_path / "rows.csv", index=False)
    read = 'rows <- read.csv("rows.csv"); rows$day <- as.Date(rows$day)'
    hours = 'rows$hour <- as.POSIXct(rows$day, tz = "UTC") + 60'
    told = ask(tmp_path, f'source("m.R"); {read}; {hours}; cat(sprintf("%a", predict(m, rows)))')
    assert [float.fromhex(number) for number in told.split()] == model.predict(frame).tolist()


def test_a_link_that_the_script_does_not_know_is_refused_by_name() -> None:
    program = program_of(MODELS["forest of numbers"])
    with pytest.raises(DataError, match="has the link 'another', which our script of R has no words for"):
        r_source(replace(program, link="another"), "m")


@pytest.mark.parametrize(
    ("file", "level", "words"),
    [
        ("2nd.R", "a", "is no name in R"),
        ("function.R", "a", "is no name in R"),
        ("m.R", "zero\0", "R has no text"),
        ("m.R", 2**60, "R has no whole number"),
    ],
)
def test_what_r_cannot_say_is_refused_by_name(file: str, level: str | int, words: str, tmp_path: Path) -> None:
    X = pd.DataFrame({"x": pd.Categorical([level, "b" if isinstance(level, str) else 1] * 5)})
    model = tw.DecisionTreeRegressor().fit(X, [1.0, 2.0] * 5)
    with pytest.raises(DataError, match=words):
        model.export(tmp_path / file)
    assert list(tmp_path.iterdir()) == []
