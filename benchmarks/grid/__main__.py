"""Run the grid: `python -m benchmarks.grid [tree|forest|extra_trees|boosting]… [--rows 50000] [--again] [--show]`."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.grid.cells import LEARNERS, ROWS, Cell, cells, two_thread_cells
from benchmarks.grid.summary import Measured, text
from benchmarks.levels import COMMON
from benchmarks.results import FOLDER

ROOT = Path(__file__).parents[2]
TIME_LIMIT = 1_800.0


def main(arguments: list[str] | None = None) -> None:
    """Measure the cells that are asked for and print the summary; progress goes to stderr."""
    asked = _parser().parse_args(arguments)
    learners = tuple(asked.learners) or LEARNERS
    wanted = [*cells(learners, asked.rows), *two_thread_cells(learners, asked.rows)]
    if asked.sample < len(wanted):
        wanted = random.Random(1).sample(wanted, asked.sample)
    path = FOLDER / "grid.json"
    measured = _stored(path)
    for cell in [] if asked.show else wanted:
        if asked.again or cell not in measured:
            measured[cell] = _measure(cell)
            _store(path, measured)
            print(f"{cell.name}: {measured[cell].told}", file=sys.stderr, flush=True)
    print(text({cell: measured[cell] for cell in wanted if cell in measured}))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.grid", description="Every learner on every kind of table.")
    parser.add_argument("learners", nargs="*", choices=[*LEARNERS, []], metavar="|".join(LEARNERS))
    parser.add_argument("--rows", type=int, default=ROWS[-1], help="leave out tables of more rows")
    parser.add_argument("--sample", type=int, default=10**6, help="so many cells, drawn at random, always the same")
    parser.add_argument("--again", action="store_true", help="measure what was measured before, too")
    parser.add_argument("--show", action="store_true", help="print what was measured before, measure nothing")
    return parser


def _measure(cell: Cell) -> Measured:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, "1"), "TREEWRIGHT_VECTORS": COMMON}
    command = [sys.executable, "-m", "benchmarks.grid.measure", json.dumps(asdict(cell))]
    try:
        worker = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return Measured({}, {}, f"took more than {TIME_LIMIT:.0f} s")
    if worker.returncode:
        return Measured({}, {}, (worker.stderr.strip().splitlines() or ["no reason told"])[-1][:200])
    return Measured(**json.loads(worker.stdout.strip().splitlines()[-1]))


def _stored(path: Path) -> dict[Cell, Measured]:
    rows = json.loads(path.read_text()) if path.exists() else []
    return {Cell(**row["cell"]): Measured(**row["measured"]) for row in rows}


def _store(path: Path, measured: dict[Cell, Measured]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"cell": asdict(cell), "measured": asdict(found)} for cell, found in measured.items()]
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(rows))
    unfinished.replace(path)


if __name__ == "__main__":
    main()
