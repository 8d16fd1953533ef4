import json
import sqlite3
from pathlib import Path

import treewright as tw
from cli.terminal import Run, write_csv


def test_profile_counts_rows_missing_and_distinct_values(run: Run, titanic: Path) -> None:
    said = run("profile", titanic)
    assert said.code == 0
    assert "1,309 rows, 4 columns" in said.out
    age = next(line for line in said.out.splitlines() if line.startswith("age "))
    assert "numeric" in age
    assert "263 (20%)" in age
    assert "--kind column=" in said.out


def test_profile_of_a_wish_says_that_the_user_decided(run: Run, titanic: Path) -> None:
    said = json.loads(run("profile", titanic, "--kind", "age=nominal", "--json").out)
    age = next(column for column in said["columns"] if column["name"] == "age")
    assert (age["kind"], age["decided_by"]) == ("nominal", "user")


def test_profile_points_out_identifiers(run: Run, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"student": range(100), "grade": [1.5, 2.5] * 50})
    assert "identifier" in run("profile", table).out


def test_piped_columns_are_never_cut(run: Run, tmp_path: Path) -> None:
    name = "a very long name " * 20
    assert name.strip() in run("profile", write_csv(tmp_path / "t.csv", {name: [1, 2], "b": [1, 2]})).out


def test_profile_reads_stdin(run: Run) -> None:
    assert "2 rows, 2 columns" in run("profile", "-", stdin=b"a,b\n1,x\n2,y\n").out


def test_profile_reads_a_query(run: Run, titanic: Path, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        tw.read(titanic).to_sql("people", database)
    database.close()
    said = run("profile", "select age, sex from people limit 7", "--db", tmp_path / "t.sqlite")
    assert "7 rows, 2 columns" in said.out


def test_a_missing_value_of_ones_own_makes_a_column_numeric(run: Run, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"size": ["1.5", "unknown", "2.5"], "b": [1, 2, 3]})
    report = json.loads(run("profile", table, "--missing-value", "unknown", "--json").out)["columns"][0]
    assert (report["kind"], report["missing"]) == ("numeric", 1)


def test_a_kind_or_a_column_that_does_not_exist_is_told(run: Run, titanic: Path) -> None:
    said = run("profile", titanic, "--kind", "age=big")
    assert said.code == 2
    assert "column=kind" in said.err
    said = run("profile", titanic, "--kind", "agee=nominal")
    assert said.code == 3
    assert "Did you mean 'age'?" in said.err


def test_a_file_that_is_not_there_is_a_data_problem(run: Run) -> None:
    said = run("profile", "nowhere.csv")
    assert said.code == 3
    assert "nowhere.csv" in said.err


def test_a_ragged_row_is_a_data_problem_with_its_line(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "ragged.csv"
    table.write_text("a,b\n1,2\n1,2,3\n")
    said = run("profile", table)
    assert said.code == 3
    assert "ragged.csv:3" in said.err
