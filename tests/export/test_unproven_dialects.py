"""Statements for engines that cannot be started here follow what their manuals say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError

UNPROVEN = ("bigquery", "snowflake", "sqlserver", "mysql")
LEVELS = ["Ünï", "it's", "back\\slash", "new\nline"]
TABLE = pd.DataFrame({"level": LEVELS * 10, "flag": ([True] * 4 + [False] * 4) * 5})
MODEL = tw.DecisionTreeClassifier().fit(TABLE, [a == "it's" or (a != "Ünï" and b) for a, b in TABLE.to_numpy()])


def statement(model: Any, dialect: str, folder: Path) -> str:
    verdict = model.export(folder / "m.sql", dialect=dialect)
    assert not verdict.proven
    return (folder / "m.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize("dialect", UNPROVEN)
def test_the_file_itself_says_that_it_was_not_run(dialect: str, tmp_path: Path) -> None:
    assert f"-- Written to the documented rules of {dialect}, not proven there." in statement(MODEL, dialect, tmp_path)


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        ("bigquery", ["'Ünï'", r"'it\'s'", r"'back\\slash'", r"'new\nline'"]),  # a text ends with its line
        ("snowflake", ["'Ünï'", "'it''s'", r"'back\\slash'", "'new\nline'"]),
        ("sqlserver", ["N'Ünï'", "N'it''s'", "N'back\\slash'", "N'new\nline'"]),  # without N a code page is lost
        ("mysql", ["'Ünï'", "'it''s'", r"'back\\slash'", "'new\nline'"]),
    ],
)
def test_texts_are_written_as_the_engine_reads_them(dialect: str, written: list[str], tmp_path: Path) -> None:
    frame = TABLE[["level"]]
    for level, word in zip(LEVELS, written, strict=True):
        model = tw.DecisionTreeClassifier(max_depth=1).fit(frame, frame["level"] == level)
        assert f"x0 = {word} " in statement(model, dialect, tmp_path)


@pytest.mark.parametrize(
    ("dialect", "cell"),
    [
        ("sqlserver", "[level] COLLATE Latin1_General_100_BIN2 AS x0"),
        ("mysql", "CONVERT(`level` USING utf8mb4) COLLATE utf8mb4_0900_bin AS x0"),
    ],
)
def test_capitals_count_where_an_engine_would_not_mind_them(dialect: str, cell: str, tmp_path: Path) -> None:
    assert cell in statement(MODEL, dialect, tmp_path)


def test_sql_server_has_no_words_for_truth_values(tmp_path: Path) -> None:
    text = statement(MODEL, "sqlserver", tmp_path)
    assert "TRUE" not in text
    assert "x1 = 1 " in text or "x1 = 0 " in text


@pytest.mark.parametrize(
    ("dialect", "cell"),
    [
        ("bigquery", "UNIX_DATE(CAST(`day` AS DATE))"),
        ("snowflake", "DATEDIFF('day', DATE '1970-01-01', CAST(\"day\" AS DATE))"),
        ("sqlserver", "DATEDIFF(day, '19700101', CAST([day] AS DATE))"),
        ("mysql", "DATEDIFF(`day`, '1970-01-01')"),
    ],
)
def test_dates_are_days_since_1970(dialect: str, cell: str, tmp_path: Path) -> None:
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=40).date})
    model = tw.DecisionTreeRegressor(max_depth=1).fit(days, [0.0] * 20 + [1.0] * 20)
    assert cell in statement(model, dialect, tmp_path)


@pytest.mark.parametrize("dialect", UNPROVEN)
def test_exp_is_kept_from_numbers_at_which_engines_fail(dialect: str, tmp_path: Path) -> None:
    model = tw.GradientBoostingClassifier(n_estimators=2, early_stopping=False).fit(TABLE, TABLE["flag"])
    assert "< -700 THEN" in statement(model, dialect, tmp_path)


def test_levels_that_sql_server_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"level": ["a", "a "] * 10})
    model = tw.DecisionTreeClassifier().fit(frame, frame["level"])
    with pytest.raises(DataError, match="differ by blanks at their ends alone, which SQL Server"):
        model.export(tmp_path / "m.sql", dialect="sqlserver")
