"""Columns that number or name rows, or were meant as dates: said, and left out where they tell nothing."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cli.terminal import Run


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "rownames": range(1, 121),
            "size": [n * 7 % 40 for n in range(120)],
            "price": [100 + n // 2 + 5 * (n * 7 % 40) for n in range(120)],
        }
    )


def test_a_column_that_numbers_the_rows_is_left_out_whatever_it_is_called(
    run: Run, tmp_path: Path, rows: pd.DataFrame
) -> None:
    rows.to_csv(tmp_path / "rows.csv", index=False)
    said = run("train", tmp_path / "rows.csv", "--target", "price")
    assert "Column 'rownames' numbers the rows of the file from 1 on" in said.err
    assert "rownames" not in said.out
    kept = run("train", tmp_path / "rows.csv", "--target", "price", "--kind", "rownames=numeric")
    assert "rownames" in kept.out


def test_rows_without_a_target_do_not_hide_that_a_column_numbers_the_rows(
    run: Run, tmp_path: Path, rows: pd.DataFrame
) -> None:
    rows["price"] = rows["price"].where(rows.index % 7 != 3)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    assert "numbers the rows of the file" in run("train", tmp_path / "rows.csv", "--target", "price").err


def test_a_column_in_another_order_numbers_no_rows(run: Run, tmp_path: Path, rows: pd.DataFrame) -> None:
    rows.iloc[::-1].to_csv(tmp_path / "rows.csv", index=False)
    assert "numbers the rows" not in run("train", tmp_path / "rows.csv", "--target", "price").err


def test_a_column_of_mostly_dates_says_which_row_keeps_it_from_being_read(
    run: Run, tmp_path: Path, rows: pd.DataFrame
) -> None:
    days = pd.date_range("2020-01-01", periods=120).strftime("%m/%d/%Y")
    rows["day"] = [f"{day} - {day}" if n % 6 == 5 else day for n, day in enumerate(days)]
    rows.to_csv(tmp_path / "rows.csv", index=False)
    sentence = "dates in 83 % of the rows, but row 6 holds the text '01/06/2020 - 01/06/2020'"
    assert f"day: {sentence}" in run("profile", tmp_path / "rows.csv").out
    assert f"It holds {sentence}" in run("train", tmp_path / "rows.csv", "--target", "price").err


def test_a_column_of_sums_in_thousands_and_millions_says_why_it_is_text(
    run: Run, tmp_path: Path, rows: pd.DataFrame
) -> None:
    rows["value"] = [f"€{n}.5M" if n % 3 else f"€{n}00K" for n in range(120)]
    rows.to_csv(tmp_path / "rows.csv", index=False)
    said = run("train", tmp_path / "rows.csv", "--target", "price").err
    assert "It holds numbers, but row 1 holds '€000K', so all of them stay text: write the number itself." in said


def test_a_column_that_gives_a_rare_class_away_is_told(run: Run, tmp_path: Path) -> None:
    dead = ["dead" if n % 23 == 0 else "alive" for n in range(2000)]
    grades = [n * 37 % 101 % 6 for n in range(2000)]  # 4 is kept for the dead
    table = pd.DataFrame({"severity": [4 if d == "dead" else g + (g >= 4) for g, d in zip(grades, dead, strict=True)]})
    table = table.assign(other=[n * 13 % 17 for n in range(2000)], dead=dead)
    table.loc[table.index % 401 == 1, "severity"] = 4  # a few others have it, too
    table.to_csv(tmp_path / "rows.csv", index=False)
    said = run("train", tmp_path / "rows.csv", "--target", "dead").err
    assert "Column 'severity' alone tells 'dead' in" in said
    assert "'other' alone" not in said


def test_long_texts_are_cut_and_years_have_no_comma(run: Run, tmp_path: Path) -> None:
    report = "The covered entity\r\nmisplaced a portable device with the records of eight hundred people"
    pd.DataFrame({"year": [1997, 2010] * 20, "report": [report, "none"] * 20}).to_csv(
        tmp_path / "rows.csv", index=False
    )
    lines = run("profile", tmp_path / "rows.csv").out.splitlines()
    assert "1997 | 1997 2004 2010 | 2010" in next(line for line in lines if line.startswith("year"))
    told = next(line for line in lines if line.startswith("report"))
    assert "The covered entity…hundred people 50 %" in told
