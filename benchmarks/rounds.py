"""Start the workers: every contestant of every task in its own process, in reversed order every other round."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.levels import level_of
from benchmarks.lines import Line, Slope, Task
from benchmarks.results import Record
from benchmarks.roster import CONTESTANTS, at_both_levels

ROOT = Path(__file__).parent.parent
TIME_LIMIT = 900.0
# A run this long is not disturbed much by what else the machine does, so once is enough.
LONG_SECONDS = 20.0


def run(lines: list[Line | Slope], rounds: int, only: list[str]) -> Iterator[Record]:
    """Run every work of the lines and hand out each record as soon as it is there.

    With `only`, contestants whose title is not named are left out.
    """
    done: set[tuple[Task, str]] = set()
    for number in range(rounds):
        for task, contestants in _works(lines, only):
            for contestant in contestants[::-1] if number % 2 else contestants:
                if (task, contestant) in done:
                    continue
                record = measure(task, contestant)
                if record.problem is not None or max(record.numbers.get("fit_cpu", [0.0])) > LONG_SECONDS:
                    done.add((task, contestant))
                yield record


def _works(lines: list[Line | Slope], only: list[str]) -> Iterator[tuple[Task, list[str]]]:
    works: dict[Task, dict[str, None]] = {}
    for line in lines:
        for task in line.tasks():
            named = [title for title in at_both_levels(line.contestants) if not only or title in only]
            works.setdefault(task, {}).update(dict.fromkeys(named))
    for task, contestants in works.items():
        yield task, list(contestants)


def measure(task: Task, contestant: str) -> Record:
    """Let a worker measure one contestant on one task; what goes wrong there is told in the record."""
    missing = CONTESTANTS[contestant].why_missing()
    if missing is not None:
        return Record(task, contestant, {}, time.time(), missing)
    order = json.dumps({"contestant": contestant, "task": asdict(task)})
    command = [sys.executable, "-m", "benchmarks.worker", order]
    try:
        worker = subprocess.run(
            command, cwd=ROOT, env=_environment(contestant), capture_output=True, text=True, timeout=TIME_LIMIT
        )
    except subprocess.TimeoutExpired:
        return Record(task, contestant, {}, time.time(), f"took more than {TIME_LIMIT:.0f} s")
    if worker.returncode:
        told = [line for line in worker.stderr.strip().splitlines() if line.strip() and "[bt]" not in line]
        reason = (told or [f"exit code {worker.returncode}"])[-1]
        return Record(task, contestant, {}, time.time(), reason[:200])
    return Record(task, contestant, json.loads(worker.stdout.strip().splitlines()[-1]), time.time())


def _environment(contestant: str) -> dict[str, str]:
    threads = str(CONTESTANTS[contestant].threads)
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
    level = level_of(CONTESTANTS[contestant])
    vectors = {} if level is None else {"TREEWRIGHT_VECTORS": level}
    return {**os.environ, **dict.fromkeys(names, threads), **vectors}
