"""Runs exports where they will run: a fresh Python, node, a C compiler; `sql/databases.py` has the databases.

Each runtime takes the exported text and probes and gives the answers, or says in a sentence why it is not there.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.errors import DataError
from treewright.export.arriving_rows import Cell
from treewright.export.expected import Answers

_TIME_LIMIT = 600


class NotHereError(Exception):
    """A runtime that is not installed; the text says which."""


@dataclass(frozen=True)
class Questions:
    """What a runtime is asked: rows of cells.

    Attributes
    ----------
    columns : list of dict
        Those of the cells, in order: "name", and "holds": "number", "text" or "boolean"; "value_type" where the numbers
        are dates, moments, times of the day or spans.
    rows : list of list
    labels : list or None
        The classes; None where numbers are predicted.
    table : str
        Of SQL: the table that the statement reads.
    n_scores : int
        Of models of classes without trees: how many scores are told beside the probabilities.
    keep : tuple of str
        Of SQL: further columns of the table that the statement hands on.
    """

    columns: list[dict[str, str]]
    rows: list[list[Cell]]
    labels: list[Any] | None
    table: str = ""
    n_scores: int = 0
    keep: tuple[str, ...] = ()


class Runtime(ABC):
    """One way to run an export.

    Attributes
    ----------
    units : int
        In the last place, by which answers may differ where they are not equal to the last bit.
    keeps_bits : tuple of str
        Whether "numbers" and the probabilities of "classes" come back with all their bits.
    most_cells : int
        Probes × trees, so that a proof takes seconds; of larger models a part of the tests is tried, and said to be.
    """

    most_cells: int = 400_000
    units: int = 2  # exp and log of two runtimes
    keeps_bits: tuple[str, ...] = ("numbers", "classes")

    @abstractmethod
    def version(self) -> str:
        """Name the runtime and its version; raises NotHereError."""

    @abstractmethod
    def run(self, path: Path, asked: Questions) -> Answers:
        """Run the export on the rows."""


def run_program(command: Sequence[str], **how: Any) -> str:
    """Run a program and give what it prints; where it fails, its own words are in the error."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIME_LIMIT, **how)  # noqa: S603
    if done.returncode:
        told = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        reason = next((line for line in told if "rror" in line), told[-1])
        raise DataError(f"{Path(command[0]).name} failed: {reason[:300]}")
    return str(done.stdout)


def _first_line(program: str, *arguments: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise NotHereError(f"no {program} here")
    return run_program([found, *arguments]).strip().splitlines()[0]


def _json_cell(cell: Cell) -> Any:
    """JSON has no NaN, no infinities and no -0.0: numbers go as text in hexadecimal."""
    return {"double": cell.hex()} if isinstance(cell, float) else cell


def _read_answers(text: str, labels: list[Any] | None, n_scores: int) -> Answers:
    rows = [json.loads(line) for line in text.splitlines()]
    numbers = [[float.fromhex(number) for number in row["numbers"]] for row in rows]
    told = None if labels is None else [row["label"] for row in rows]
    scores = [[float.fromhex(number) for number in row["scores"]] for row in rows] if n_scores else None
    return Answers([row["nodes"] for row in rows], numbers, told, scores)


class PythonRuntime(Runtime):
    """A fresh Python without site packages: neither treewright nor numpy can be imported there."""

    most_cells = 1_000_000

    def version(self) -> str:
        return f"Python {sys.version.split()[0]}, alone"

    def run(self, path: Path, asked: Questions) -> Answers:
        program = (
            "import json, runpy, sys\n"
            "model = runpy.run_path(sys.argv[1])\n"
            "for line in sys.stdin:\n"
            "    row = [float.fromhex(c['double']) if isinstance(c, dict) else c for c in json.loads(line)]\n"
            "    label = model['predict'](row) if model['LABELS'] is not None else None\n"
            "    numbers = [float(n).hex() for n in model['predict_proba'](row)]\n"
            "    nodes = model['nodes'](row) if 'nodes' in model else []\n"
            "    scores = [float(n).hex() for n in model['scores'](row)] if 'scores' in model else []\n"
            "    print(json.dumps({'nodes': nodes, 'numbers': numbers, 'label': label, 'scores': scores}))\n"
        )
        lines = "\n".join(json.dumps([_json_cell(cell) for cell in row]) for row in asked.rows)
        told = run_program([sys.executable, "-I", "-S", "-c", program, str(path.resolve())], input=lines)
        return _read_answers(told, asked.labels, asked.n_scores)


class NodeRuntime(Runtime):
    """Node.js."""

    most_cells = 4_000_000

    def version(self) -> str:
        return f"Node.js {_first_line('node', '--version')}"

    def run(self, path: Path, asked: Questions) -> Answers:
        return self.run_all([path.read_bytes()], asked)[0]

    def run_all(self, modules: list[bytes], asked: Questions) -> list[Answers]:
        """Run many modules in one process, which takes longer to start than to answer."""
        program = """import { pathToFileURL } from "node:url";
import fs from "node:fs";
const bits = new DataView(new ArrayBuffer(8));
const double = (c) => (bits.setBigUint64(0, BigInt(c.bits)), bits.getFloat64(0));
const cell = (c) => (c !== null && typeof c === "object" ? double(c) : c);
const told = (n) => (bits.setFloat64(0, n), bits.getBigUint64(0).toString());
const rows = fs.readFileSync(0, "utf8").split("\\n").filter((text) => text).map((line) => JSON.parse(line).map(cell));
for (const path of process.argv.slice(2)) {
  const model = await import(pathToFileURL(path));
  for (const row of rows) {
    const label = model.labels === null ? null : model.predict(row);
    const nodes = model.nodes ? model.nodes(row) : [];
    const scores = model.scores ? model.scores(row).map(told) : [];
    console.log(JSON.stringify({ nodes, bits: model.predictProba(row).map(told), label, scores }));
  }
}
"""
        lines = "\n".join(json.dumps([_bits_cell(cell) for cell in row]) for row in asked.rows)
        with tempfile.TemporaryDirectory() as folder:
            script, paths = Path(folder) / "ask.mjs", [Path(folder) / f"{i}.mjs" for i in range(len(modules))]
            script.write_text(program, encoding="utf-8")
            for path, module in zip(paths, modules, strict=True):
                path.write_bytes(module)
            text = run_program([str(shutil.which("node")), str(script), *map(str, paths)], input=lines)
        told = [json.loads(line) for line in text.splitlines()]
        n = len(asked.rows)
        return [self._answers(told[i * n : (i + 1) * n], asked) for i in range(len(modules))]

    def _answers(self, told: list[dict[str, Any]], asked: Questions) -> Answers:
        numbers = [[_from_bits(int(bits)) for bits in row["bits"]] for row in told]
        labels = None if asked.labels is None else [row["label"] for row in told]
        scores = [[_from_bits(int(bits)) for bits in row["scores"]] for row in told] if asked.n_scores else None
        return Answers([row["nodes"] for row in told], numbers, labels, scores)


def _bits_cell(cell: Cell) -> Any:
    return {"bits": str(struct.unpack(">Q", struct.pack(">d", cell))[0])} if isinstance(cell, float) else cell


def _from_bits(bits: int) -> float:
    return float(struct.unpack(">d", struct.pack(">Q", bits))[0])


class CRuntime(Runtime):
    """A C compiler: the one that CC names, else gcc, clang or cc; every warning is an error."""

    most_cells = 4_000_000
    FLAGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off")

    def _compiler(self) -> str:
        found = next(
            (name for name in (os.environ.get("CC", ""), "gcc", "clang", "cc") if name and shutil.which(name)), None
        )
        if found is None:
            raise NotHereError("no C compiler here")
        return found

    def version(self) -> str:
        return _first_line(self._compiler(), "--version")

    def run(self, path: Path, asked: Questions) -> Answers:
        name = path.stem
        with tempfile.TemporaryDirectory() as folder:
            for part in (path, path.with_suffix(".h")):
                (Path(folder) / part.name).write_bytes(part.read_bytes())
            header = path.with_suffix(".h").read_text(encoding="utf-8")
            (Path(folder) / "ask.c").write_text(c_questions(name, header, asked), encoding="utf-8")
            command = [self._compiler(), *self.FLAGS, path.name, "ask.c", "-lm", "-o", "ask"]
            run_program(command, cwd=folder)
            return c_answers(run_program([f"{folder}/ask"]), asked)


def c_answers(text: str, asked: Questions) -> Answers:
    """Read what the questions in C print: how many trees and answers there are, then a line a row."""
    told = [line.split() for line in text.splitlines()]
    n_trees, n_answers = int(told[0][0]), int(told[0][1])
    nodes = [[int(node) for node in line[1 : 1 + n_trees]] for line in told[1:]]
    reals = [[float.fromhex(number) for number in line[1 + n_trees :]] for line in told[1:]]
    numbers, scores = [row[:n_answers] for row in reals], [row[n_answers:] for row in reals]
    labels = None if asked.labels is None else [asked.labels[int(line[0])] for line in told[1:]]
    return Answers(nodes, numbers, labels, scores if asked.n_scores else None)


def c_questions(name: str, header: str, asked: Questions) -> str:
    """Write a program that asks a C file for all rows."""
    rows = asked.rows if asked.columns else [[0.0]] * len(asked.rows)
    columns = asked.columns or [{"holds": "number"}]
    written = ",\n".join("{" + ", ".join(map(_c_cell, columns, row)) + "}" for row in rows)
    trees = f'for (t = 0; t < {name}_n_trees; ++t) printf(" %d", {name}_node(&rows[i], t));'
    scores = f"""double scores[{max(1, asked.n_scores)}];
    {name}_scores(&rows[i], scores);
    for (t = 0; t < {asked.n_scores}; ++t) printf(" %a", scores[t]);"""
    has_trees = f"{name}_n_trees" in header
    return f"""#include <math.h>
#include <stdio.h>
#include "{name}.h"
static const {name}_row rows[] = {{
{written}
}};
int main(void) {{
  double answers[{name}_n_answers];
  unsigned long i;
  int t;
  printf("%d %d\\n", {f"(int){name}_n_trees" if has_trees else 0}, (int){name}_n_answers);
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {{
    printf("%d", {name}_predict(&rows[i], answers));
    {trees if has_trees else ""}
    for (t = 0; t < {name}_n_answers; ++t) printf(" %a", answers[t]);
    {scores if asked.n_scores else ""}
    printf("\\n");
  }}
  return 0;
}}
"""


def _c_cell(column: dict[str, str], cell: Cell) -> str:
    if column["holds"] == "text":
        return "NULL" if cell is None else _c_text(str(cell))
    if cell is None:
        return "(double)NAN"
    number = float(cell)
    return number.hex() if math.isfinite(number) else ("(double)INFINITY" if number > 0 else "-(double)INFINITY")


def _c_text(text: str) -> str:
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogatepass")) + '"'
