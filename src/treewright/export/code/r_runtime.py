"""Runs an exported R script by Rscript, in a session of its own."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from treewright.export.arriving_rows import Cell
from treewright.export.code.r_script import r_number, r_text
from treewright.export.expected import Answers
from treewright.export.runtimes import NotHereError, Questions, Runtime, run_program

_ASK = """
source(commandArgs(TRUE)[1])
model <- get(commandArgs(TRUE)[2])
numbers <- predict(model, rows, "prob")
nodes <- predict(model, rows, "node")
label <- if (is.null(model$labels)) rep(0L, nrow(nodes)) else match(predict(model, rows), model$labels)
for (i in seq_len(nrow(nodes)))
  cat(label[i], ";", nodes[i, ], ";", sprintf("%a", numbers[i, ]), "\\n")
"""


class RRuntime(Runtime):
    """Rscript, without anybody's profile."""

    most_cells = 200_000

    def _command(self) -> list[str]:
        found = shutil.which("Rscript")
        if found is None:
            raise NotHereError("no Rscript here")
        return [found, "--vanilla"]

    def version(self) -> str:
        command, *_ = self._command()
        said = re.search(r"version (\d[\w.]*)", run_program([command, "--version"]))
        return f"R {said[1]}" if said else "R of an old version"

    def run(self, path: Path, asked: Questions) -> Answers:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "ask.R"
            script.write_text(_rows(asked) + _ASK, encoding="ascii")
            text = run_program([*self._command(), str(script), str(path.resolve()), path.stem])
        return _answers(text, asked.labels)


def _answers(text: str, labels: list[Any] | None) -> Answers:
    """Read lines of: the number of the class; the nodes; the numbers."""
    told = [[part.split() for part in line.split(";")] for line in text.splitlines()]
    numbers = [[float.fromhex(number) for number in line[2]] for line in told]
    nodes = [[int(node) for node in line[1]] for line in told]
    return Answers(nodes, numbers, None if labels is None else [labels[int(line[0][0]) - 1] for line in told])


def _rows(asked: Questions) -> str:
    """The rows as a data frame, a column a list of values."""
    cells = list(zip(*asked.rows, strict=True)) if asked.columns else []
    lines = [f"rows <- data.frame(row.names = seq_len({len(asked.rows)}))"]
    for column, values in zip(asked.columns, cells, strict=True):
        written = ",\n".join(_cell(column["holds"], cell) for cell in values)
        lines.append(f"rows[[{r_text(column['name'])}]] <- c(\n{written})")
    return "\n".join(lines)


def _cell(holds: str, cell: Cell) -> str:
    if holds == "text":
        return "NA_character_" if cell is None else r_text(str(cell))
    if holds == "boolean":
        return "NA" if cell is None else str(bool(cell)).upper()
    return "NA_real_" if cell is None else r_number(float(cell))
