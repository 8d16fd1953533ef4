"""The proof of an Excel rule book can fail: one cut, branch, level or answer changed is caught by LibreOffice.

Sheets compare about fifteen digits, and probes keep 3e-9 of a cut away from it: a cut is moved by 1e-8 of it.
"""

from __future__ import annotations

import math
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from export.mutations import Known, assert_caught, known_model, models_for, mutants_of, shares
from treewright.errors import DataError
from treewright.export.excel.runtime import LibreOfficeRuntime, _answers
from treewright.export.excel.workbook import refuse_what_excel_cannot_say, sheet_probes, workbook_bytes
from treewright.export.program import Program
from treewright.export.runtimes import run_program
from treewright.export.steps import steps_of


def step_of_a_sheet(cut: float, towards: float) -> float:
    return cut + math.copysign(1e-8 * (abs(cut) or 1.0), towards)


def cells_of(program: Program) -> Any:
    """What the sheets of steps, sets and answers are made of."""
    return repr(steps_of(program)[0]), program.trees[0].answers.tolist()


def are_caught(known: Known, mutants: list[Program], folder: Path) -> list[bool]:
    """Recalculate all of them at once: LibreOffice takes longer to start than to compute."""
    for place, mutant in enumerate(mutants):
        book = workbook_bytes(mutant, known.model.rules().to_frame(), known.asked.rows, known.expected)
        (folder / f"{place}.xlsx").write_bytes(book)
    command = [str(shutil.which("soffice")), f"-env:UserInstallation=file://{folder}/settings", "--headless"]
    files = [str(folder / f"{place}.xlsx") for place in range(len(mutants))]
    run_program([*command, "--convert-to", "xlsx", "--outdir", str(folder / "out"), *files])
    return [_is_caught(known, folder / "out" / f"{place}.xlsx") for place in range(len(mutants))]


def _is_caught(known: Known, path: Path) -> bool:
    rows = list(load_workbook(path, data_only=True, read_only=True)["Check"].iter_rows(values_only=True))
    try:
        return known.differs(_answers(rows, len(known.asked.rows), known.asked.labels), LibreOfficeRuntime)
    except DataError:  # the cell that says whether all are the same
        return True


if shutil.which("soffice"):

    @pytest.mark.thorough
    @pytest.mark.timeout(600)
    def test_nearly_every_mutation_of_a_workbook_is_caught(tmp_path: Path) -> None:
        rng, tried = random.Random(8), []
        models = models_for(refuse_what_excel_cannot_say)[::4]
        for place, (model, n) in enumerate(zip(models, shares(4, len(models)), strict=True)):
            known = known_model(model, 0, sheet_probes)
            found = list(mutants_of(known, n, rng, cells_of, step_of_a_sheet))
            folder = tmp_path / str(place)
            folder.mkdir()
            caught = are_caught(known, [mutant for mutant, _, _ in found], folder)
            tried += [(known, mutant, what, yes) for (mutant, what, _), yes in zip(found, caught, strict=True)]
        assert_caught(tried)
