"""Changed files of trees in every format, run where they run: how many does a proof catch?

Each function takes how many changes to make, a folder to write in, and of how many models one is taken. A cut is
moved by the least that the format can tell: one double; in a sheet, which compares about fifteen digits, 1e-8 of it.
"""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from export.mutations import Known, Outcome, Tried, known_model, models_for, mutants_of, outcome_of, shares
from treewright.errors import DataError
from treewright.export.code import r_runtime
from treewright.export.code.c_file import c_source
from treewright.export.code.javascript_module import javascript_source
from treewright.export.code.python_file import python_source
from treewright.export.code.r_runtime import RRuntime
from treewright.export.code.r_script import r_source
from treewright.export.excel import workbook
from treewright.export.excel.runtime import LibreOfficeRuntime
from treewright.export.excel.runtime import _answers as answers_of_sheet
from treewright.export.excel.workbook import refuse_what_excel_cannot_say, sheet_probes, workbook_bytes
from treewright.export.expected import Answers
from treewright.export.onnx.model import onnx_bytes
from treewright.export.onnx.runtime import OnnxRuntime
from treewright.export.pmml.document import pmml_text, refuse_what_pmml_cannot_say
from treewright.export.pmml.runtime import JpmmlRuntime
from treewright.export.program import Program
from treewright.export.runtimes import (
    CRuntime,
    NodeRuntime,
    PythonRuntime,
    Runtime,
    c_answers,
    c_questions,
    run_program,
)
from treewright.export.sql.chain import SqlOptions
from treewright.export.sql.databases import SqliteRuntime
from treewright.export.sql.statement import sql_source
from treewright.export.steps import steps_of
from treewright.table.sql_dialects import DIALECTS

AT_ONCE = 40  # files of C, JavaScript, R or LibreOffice, which take longer to start than to answer
TABLE = "asked"


def python_files(n: int, _folder: Path, one_of: int = 1) -> Outcome:
    """Run the text as `runtimes.PythonRuntime` does, without a process for each of thousands."""

    def is_caught(known: Known, text: str) -> bool:
        written: dict[str, Any] = {}
        exec(text, written)
        rows = known.asked.rows
        labels = [written["predict"](row) for row in rows] if known.asked.labels is not None else None
        numbers = [written["predict_proba"](row) for row in rows]
        return known.differs(Answers([written["nodes"](row) for row in rows], numbers, labels), PythonRuntime)

    return _one_by_one(n, models_for()[::one_of], python_source, is_caught, seed=7)


def sql_statements(n: int, folder: Path, one_of: int = 1) -> Outcome:
    runtime, path = SqliteRuntime(), folder / "m.sql"

    def is_caught(known: Known, text: str) -> bool:
        path.write_text(text, encoding="utf-8")
        return known.differs(runtime.run(path, replace(known.asked, table=TABLE)), SqliteRuntime)

    write = partial(sql_source, dialect=DIALECTS["sqlite"], options=SqlOptions(TABLE))
    return _one_by_one(n, models_for()[::one_of], write, is_caught, seed=3, by_nodes=_of_one_tree)


def onnx_files(n: int, folder: Path, one_of: int = 1) -> Outcome:
    runtime, path = OnnxRuntime(), folder / "m.onnx"

    def is_caught(known: Known, file: bytes) -> bool:
        path.write_bytes(file)
        return known.differs(runtime.run(path, known.asked), OnnxRuntime)

    return _one_by_one(n, models_for()[::one_of], onnx_bytes, is_caught, seed=1)


def pmml_files(n: int, folder: Path, one_of: int = 1) -> Outcome:
    rng, tried, path = random.Random(2), [], folder / "m.pmml"
    models = models_for(refuse_what_pmml_cannot_say)[::one_of]
    for model, of_it in zip(models, shares(n, len(models)), strict=True):
        known = known_model(model, 20_000)
        write = partial(pmml_text, rows=known.asked.rows, answers=known.expected)
        for mutant, what, file in mutants_of(known, of_it, rng, write):
            path.write_text(file, encoding="utf-8")
            tried.append((known, mutant, what, _pmml_is_caught(known, path)))
    return outcome_of(tried, by_nodes=_of_one_tree)


def _pmml_is_caught(known: Known, path: Path) -> bool:
    try:
        return known.differs(JpmmlRuntime().run(path, known.asked), JpmmlRuntime)
    except DataError:  # the rows with known answers in the file itself
        return True


def _one_by_one(
    n: int,
    models: list[Any],
    write: Callable[[Program], Any],
    is_caught: Callable[[Known, Any], bool],
    seed: int,
    by_nodes: Callable[[Program], bool] = lambda _: True,
) -> Outcome:
    rng, tried = random.Random(seed), []
    for model, of_it in zip(models, shares(n, len(models)), strict=True):
        known = known_model(model, 20_000)
        for mutant, what, file in mutants_of(known, of_it, rng, write):
            tried.append((known, mutant, what, is_caught(known, file)))
    return outcome_of(tried, by_nodes)


def _of_one_tree(program: Program) -> bool:
    """Whether a format that tells no node of many trees tells those of this model."""
    return len(program.trees) == 1


# ---------------------------------------------------------------- many at a time

Mutant = tuple[Program, str, Any]

# All scripts in one session.
ASK_ALL = """
for (path in commandArgs(TRUE)) {
  source(path)
  numbers <- predict(m, rows, "prob")
  nodes <- predict(m, rows, "node")
  label <- if (is.null(m$labels)) rep(0L, nrow(nodes)) else match(predict(m, rows), m$labels)
  numbers <- apply(numbers, 1, function(row) paste(sprintf("%a", row), collapse = " "))
  writeLines(c(paste(label, ";", apply(nodes, 1, paste, collapse = " "), ";", numbers), "next"))
}
"""


def _some_at_a_time(mutants: Iterator[Mutant]) -> Iterator[list[Mutant]]:
    while some := list(islice(mutants, AT_ONCE)):
        yield some


def _many(
    n: int,
    models: list[Any],
    write: Callable[[Program], Any],
    answer: Callable[[Known, list[Any]], list[Answers]],
    runtime: type[Runtime],
    seed: int,
) -> Outcome:
    rng, tried = random.Random(seed), []
    for model, of_it in zip(models, shares(n, len(models)), strict=True):
        known = known_model(model, 20_000)
        for some in _some_at_a_time(mutants_of(known, of_it, rng, write)):
            found = answer(known, [file for _, _, file in some])
            for (mutant, what, _), said in zip(some, found, strict=True):
                tried.append((known, mutant, what, known.differs(said, runtime)))
    return outcome_of(tried)


def javascript_modules(n: int, _folder: Path, one_of: int = 1) -> Outcome:
    def answers(known: Known, modules: list[str]) -> list[Answers]:
        return NodeRuntime().run_all([module.encode() for module in modules], known.asked)

    return _many(n, models_for()[::one_of], javascript_source, answers, NodeRuntime, seed=9)


def c_files(n: int, folder: Path, one_of: int = 1) -> Outcome:
    write = partial(c_source, name="m")
    return _many(n, models_for()[::one_of], write, partial(_c_answers, folder), CRuntime, seed=10)


PUBLIC = {"m_predict": "(const m_row *, double *)", "m_node": "(const m_row *, int)"}


def _c_answers(folder: Path, known: Known, files: list[tuple[str, str]]) -> list[Answers]:
    """Compile all files into one program. They share their header, and each has public names of its own."""
    (header,) = {header for _, header in files}
    (folder / "m.h").write_text(header, encoding="utf-8")
    for place, (source, _) in enumerate(files):
        renamed = "".join(f"#define {name} {name}_{place}\n" for name in (*PUBLIC, "m_labels"))
        (folder / f"{place}.c").write_text(renamed + source, encoding="utf-8")
    names = [[f"{name}_{place}" for name in PUBLIC] for place in range(len(files))]
    declared = [f"int {name}{takes};" for pair in names for name, takes in zip(pair, PUBLIC.values(), strict=True)]
    asking = f"static int ask({', '.join(f'int (*{name}){takes}' for name, takes in PUBLIC.items())})"
    asked = c_questions("m", header, known.asked).replace("int main(void)", "\n".join([*declared, asking]))
    calls = [f'  ask({", ".join(pair)}), puts("next");' for pair in names]
    (folder / "ask.c").write_text("\n".join([asked, "int main(void) {", *calls, "  return 0;", "}", ""]))
    sources = [*(f"{place}.c" for place in range(len(files))), "ask.c"]
    run_program(["gcc", *CRuntime.FLAGS, *sources, "-lm", "-o", "ask"], cwd=folder)
    text = run_program([str(folder / "ask")])
    return [c_answers(part, known.asked) for part in text.split("next\n")[: len(files)]]


def r_scripts(n: int, folder: Path, one_of: int = 1) -> Outcome:
    def answers(known: Known, scripts: list[str]) -> list[Answers]:
        return _r_answers(known, scripts, folder)

    return _many(n, models_for()[::one_of], partial(r_source, name="m"), answers, RRuntime, seed=6)


def _r_answers(known: Known, scripts: list[str], folder: Path) -> list[Answers]:
    paths = [folder / f"{i}.R" for i in range(len(scripts))]
    for path, script in zip(paths, scripts, strict=True):
        path.write_text(script)
    (folder / "ask.R").write_text(r_runtime._rows(known.asked) + ASK_ALL)
    text = run_program([str(shutil.which("Rscript")), "--vanilla", str(folder / "ask.R"), *map(str, paths)])
    return [r_runtime._answers(part, known.asked.labels) for part in text.split("next\n")[: len(paths)]]


def workbooks(n: int, folder: Path, one_of: int = 1) -> Outcome:
    rng, tried = random.Random(8), []
    models = models_for(refuse_what_excel_cannot_say)[::one_of]
    for model, of_it in zip(models, shares(n, len(models)), strict=True):
        known = known_model(model, 0, sheet_probes)
        for some in _some_at_a_time(mutants_of(known, of_it, rng, _cells_of, _step_of_a_sheet)):
            tried += _recalculated(known, some, folder)
    return outcome_of(tried, held=_held_by_a_sheet)


def _held_by_a_sheet(cuts: set[float], number: float) -> list[float]:
    """No cell lies between two cuts that differ in their sixteenth digit."""
    return [cell for cell in workbook._cells(cuts, number) if isinstance(cell, float)]


def _step_of_a_sheet(cut: float, towards: float) -> float:
    return cut + math.copysign(1e-8 * (abs(cut) or 1.0), towards)


def _cells_of(program: Program) -> Any:
    """What the sheets of steps, sets and answers are made of."""
    return repr(steps_of(program)[0]), program.trees[0].answers.tolist()


def _recalculated(known: Known, some: list[Mutant], folder: Path) -> list[Tried]:
    rules = known.model.rules().to_frame()
    files = [folder / f"{place}.xlsx" for place in range(len(some))]
    for path, (mutant, _, _) in zip(files, some, strict=True):
        path.write_bytes(workbook_bytes(mutant, rules, known.asked.rows, known.expected))
    shutil.rmtree(folder / "out", ignore_errors=True)  # an answer of before must not stand for one of now
    command = [str(shutil.which("soffice")), f"-env:UserInstallation=file://{folder}/settings", "--headless"]
    run_program([*command, "--convert-to", "xlsx", "--outdir", str(folder / "out"), *map(str, files)])
    return [
        (known, mutant, what, _sheet_is_caught(known, folder / "out" / path.name))
        for path, (mutant, what, _) in zip(files, some, strict=True)
    ]


def _sheet_is_caught(known: Known, path: Path) -> bool:
    book = load_workbook(path, data_only=True, read_only=True)
    rows = list(book["Check"].iter_rows(values_only=True))
    book.close()  # a workbook that is only read keeps its file open
    try:
        return known.differs(answers_of_sheet(rows, len(known.asked.rows), known.asked.labels), LibreOfficeRuntime)
    except DataError:  # the cell that says whether all are the same
        return True
