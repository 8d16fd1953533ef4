"""treewright lesson: the working on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treewright as tw
from cli.terminal import Run, write_csv


@pytest.fixture
def bankruptcy(tmp_path: Path) -> Path:
    path = tmp_path / "bankruptcy.csv"
    path.write_bytes(tw.datasets.path("bankruptcy").read_bytes())
    return path


def teach(run: Run, data: Path, *more: object) -> object:
    return run("lesson", data, "--target", "bankrupt", "--algorithm", "cart", *more)


def test_lesson_prints_what_the_library_writes(run: Run, bankruptcy: Path) -> None:
    said = teach(run, bankruptcy)
    X, y = tw.datasets.load_bankruptcy(return_X_y=True)
    assert said.code == 0
    assert said.out == tw.lesson(X, y, "cart").text + "\n"


def test_settings_reach_the_estimator_and_nats_the_page(run: Run, bankruptcy: Path) -> None:
    said = teach(run, bankruptcy, "--set", "max_depth=1", "--set", "criterion=entropy", "--base", "e")
    assert "it has depth 1 (max_depth)" in said.out
    assert "nats" in said.out


@pytest.mark.parametrize(
    ("form", "start"), [("text", "CART, step by step"), ("markdown", "# CART"), ("html", "<!DOCTYPE"), ("json", "{")]
)
def test_every_format_is_written(run: Run, bankruptcy: Path, form: str, start: str) -> None:
    assert teach(run, bankruptcy, "--format", form).out.startswith(start)


@pytest.mark.parametrize(("name", "start"), [("a.html", "<!DOCTYPE"), ("a.md", "# CART"), ("a.txt", "CART")])
def test_the_ending_of_the_file_tells_the_format(run: Run, bankruptcy: Path, name: str, start: str) -> None:
    said = teach(run, bankruptcy, "--out", name)
    assert said.out == ""
    assert f"The lesson is in {name}." in said.err
    assert (bankruptcy.parent / name).read_text(encoding="utf-8").startswith(start)


def test_json_is_the_lesson_as_plain_values(run: Run, bankruptcy: Path) -> None:
    read = json.loads(teach(run, bankruptcy, "--json").out)
    assert read["nodes"][0]["winner"] == "late_payments"
    assert teach(run, bankruptcy, "--json", "--format", "html").code == 2


def test_max_nodes_cuts_the_lesson_short(run: Run, bankruptcy: Path) -> None:
    assert "Explained so far: 1 of" in teach(run, bankruptcy, "--max-nodes", 1).out
    assert teach(run, bankruptcy, "--max-nodes", 0).code == 2


def test_wrong_names_are_wrong_usage(run: Run, bankruptcy: Path) -> None:
    said = run("lesson", bankruptcy, "--target", "bankrup")
    assert said.code == 2
    assert "Did you mean 'bankrupt'?" in said.err
    said = teach(run, bankruptcy, "--set", "max_dept=1")
    assert said.code == 2
    assert "Did you mean 'max_depth'?" in said.err
    assert teach(run, bankruptcy, "--set", "max_depth=many").code == 2
    assert teach(run, bankruptcy, "--ignore", "bankrupt").code == 2
    assert teach(run, bankruptcy, "--out", "nowhere/a.html").code == 2


def test_a_number_to_learn_is_a_data_problem_for_an_algorithm_of_classes(run: Run, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "numbers.csv", {"x": list("abcd"), "y": [1.5, 2.5, 3.5, 4.25]})
    said = run("lesson", path, "--target", "y")
    assert said.code == 3
    assert "learns classes only" in said.err


def test_rows_without_a_target_are_left_out_with_a_note(run: Run, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "holes.csv", {"x": [1, 2, 3, 4], "y": ["a", "b", None, "a"]})
    said = run("lesson", path, "--target", "y", "--algorithm", "cart")
    assert "3 rows, 1 column:" in said.out
    assert "1 row without a value of 'y' left out." in said.err
