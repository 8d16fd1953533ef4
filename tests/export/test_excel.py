"""Excel rule books: recalculated by LibreOffice, and what a sheet cannot say is refused by name."""

from __future__ import annotations

import io
import shutil
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from openpyxl import load_workbook

import treewright as tw
from export.exported import fitted_models, table
from treewright.errors import DataError
from treewright.export.excel.runtime import LibreOfficeRuntime
from treewright.export.excel.workbook import sheet_probes
from treewright.export.expected import expected_answers
from treewright.export.model_program import program_of
from treewright.export.probes import probes
from treewright.export.runtimes import Questions, run_program

MODELS = dict(fitted_models())


@pytest.mark.parametrize("name", ["cart of classes", "surrogates of classes", "chaid of numbers"])
def test_a_rule_book_is_recalculated_and_all_its_checks_are_true(name: str, tmp_path: Path) -> None:
    verdict = MODELS[name].export(tmp_path / "m.xlsx")
    assert verdict.proven == (shutil.which("soffice") is not None), verdict.text
    book = load_workbook(tmp_path / "m.xlsx")
    assert book.sheetnames[:3] == ["Rules", "Scoring", "Check"]
    rules = MODELS[name].rules().to_frame()
    assert book["Rules"].max_row == len(rules) + 1
    assert [cell.value for cell in book["Rules"][1]] == list(rules.columns)


def test_a_row_that_is_filled_in_is_scored_and_an_empty_one_is_not(tmp_path: Path) -> None:
    model = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [10, 20, 40])
    model.export(tmp_path / "m.xlsx")
    book = load_workbook(tmp_path / "m.xlsx")
    for row, value in ((2, 2.5), (3, 2.75)):
        book["Scoring"].cell(row=row, column=1).value = value
    book.save(tmp_path / "m.xlsx")
    if shutil.which("soffice"):
        run_program(["soffice", f"-env:UserInstallation=file://{tmp_path}/own", "--headless", "--convert-to", "xlsx",
                     "--outdir", str(tmp_path / "out"), str(tmp_path / "m.xlsx")])  # fmt: skip
        rows = list(load_workbook(tmp_path / "out" / "m.xlsx", data_only=True)["Scoring"].iter_rows(values_only=True))
        assert [row[-1] for row in rows[1:4]] == [20, 40, None]


@pytest.mark.parametrize("name", ["cart of classes", "surrogates of classes", "chaid of numbers"])
def test_rows_of_the_check_end_wherever_a_row_can(name: str) -> None:
    model, program = MODELS[name], program_of(MODELS[name])
    ends = [expected_answers(model, program, rows).nodes for rows in (probes(program), sheet_probes(program))]
    assert {*chain.from_iterable(ends[0])} == {*chain.from_iterable(ends[1])}


def test_a_leaf_next_to_zero_is_checked() -> None:
    model = tw.DecisionTreeRegressor().fit([[-1], [1]], [10, 20])  # infinity, and the next double above 0, are no cells
    program = program_of(model)
    assert {*chain.from_iterable(expected_answers(model, program, sheet_probes(program)).nodes)} == {1, 2}


def test_no_formula_is_longer_than_a_cell_takes(tmp_path: Path) -> None:
    MODELS["branch of classes"].export(tmp_path / "m.xlsx")
    cells = [cell for row in load_workbook(tmp_path / "m.xlsx")["Check"].iter_rows() for cell in row]
    formulas = [str(cell.value) for cell in cells if cell.data_type == "f"]
    assert formulas
    assert max(map(len, formulas)) < 8192
    assert all(formula.count("IF(") < 20 for formula in formulas)


def test_a_text_that_looks_like_a_formula_stays_a_text(tmp_path: Path) -> None:
    X = np.array(["=1+1", "=A1", "plain"] * 20, dtype=object)[:, None]
    model = tw.DecisionTreeClassifier().fit(X, ["=x", "=y", "z"] * 20)
    model.export(tmp_path / "m.xlsx")
    book = load_workbook(tmp_path / "m.xlsx")
    assert {cell.data_type for cell in book["Levels"]["A"]} == {"s"}
    assert {cell.data_type for cell in book["Answers"]["B"]} == {"s"}


def test_a_changed_cut_is_caught(tmp_path: Path) -> None:
    model = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [10, 20, 40])
    model.export(tmp_path / "m.xlsx")
    book = load_workbook(io.BytesIO((tmp_path / "m.xlsx").read_bytes()))
    for row in book["Steps"].iter_rows(min_row=2):
        row[2].value = row[2].value * 1.1 if row[2].value < 100 else row[2].value
    book.save(tmp_path / "m.xlsx")
    if shutil.which("soffice"):
        with pytest.raises(DataError, match="says that an answer is another one"):
            LibreOfficeRuntime().run(tmp_path / "m.xlsx", Questions([], [[]], None))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("forest of numbers", "for a single tree"),
        ("c45 of classes", "no rows in pieces"),
        ("oblique of numbers", "weighted sums"),
        ("model tree of numbers", "equations"),
    ],
)
def test_what_a_sheet_cannot_say_is_refused_by_name(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"cannot be an Excel rule book: .*{words}"):
        MODELS[name].export(tmp_path / "m.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_tree_too_large_for_a_person_is_refused(tmp_path: Path) -> None:
    frame, score = table(3, 6_000)
    with pytest.raises(DataError, match="at most 2,000 nodes"):
        tw.DecisionTreeRegressor().fit(frame, score).export(tmp_path / "m.xlsx")
    deep = tw.DecisionTreeRegressor().fit([[i] for i in range(250)], [2.0**i for i in range(250)])
    with pytest.raises(DataError, match="at most 60 questions in a row"):
        deep.export(tmp_path / "m.xlsx")
