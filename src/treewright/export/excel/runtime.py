"""Recalculates a workbook with LibreOffice, without a window, and reads what its sheet of checks says."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from treewright.errors import DataError
from treewright.export.expected import Answers
from treewright.export.runtimes import NotHereError, Questions, Runtime, run_program


class LibreOfficeRuntime(Runtime):
    """LibreOffice Calc. It writes numbers with fifteen digits."""

    units = 64
    keeps_bits = ()

    def version(self) -> str:
        found = shutil.which("soffice")
        if found is None:
            raise NotHereError("no LibreOffice here")
        return run_program([found, "--version"]).strip()[:60]

    def run(self, path: Path, asked: Questions) -> Answers:
        from openpyxl import load_workbook

        with tempfile.TemporaryDirectory() as folder:
            own = f"-env:UserInstallation=file://{folder}/settings"  # beside one that is open
            command = [str(shutil.which("soffice")), own, "--headless", "--convert-to", "xlsx", "--outdir", folder]
            run_program([*command, str(path.resolve())])
            sheet = load_workbook(Path(folder) / path.name, data_only=True)["Check"]
            rows = list(sheet.iter_rows(values_only=True))
        return _answers(rows, len(asked.rows), asked.labels)


def _answers(rows: list[tuple[Any, ...]], n_rows: int, labels: list[Any] | None) -> Answers:
    heading = list(rows[0])
    node = heading.index("node")
    if rows[1][heading.index("all the same")] is not True:
        raise DataError("The sheet of checks says that an answer is another one.")
    found = [row[node:] for row in rows[1 : n_rows + 1]]
    n_answers = 1 if labels is None else len(labels)
    first = 1 if labels is None else 2
    numbers = [[float(number) for number in row[first : first + n_answers]] for row in found]
    return Answers([[int(row[0])] for row in found], numbers, None if labels is None else [row[1] for row in found])
