"""What the workers measured, kept between runs in benchmarks/results, the newest record of each work and contestant."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.lines import Task

FOLDER = Path(__file__).parent / "results"


@dataclass
class Record:
    """The numbers of one contestant on one task: lists hold repeats. `problem` says why there are none."""

    task: Task
    contestant: str
    numbers: dict[str, Any]
    when: float
    problem: str | None = None

    def smallest(self, key: str) -> float | None:
        """Give the smallest of the repeats: noise of the machine only ever adds.

        >>> Record(Task("flights"), "YDF", {"fit_cpu": [2.0, 1.5]}, 0.0).smallest("fit_cpu")
        1.5
        """
        found = self.numbers.get(key)
        return min(found) if isinstance(found, list) else found


class Results:
    """Records by task and contestant; `add` joins the repeats of this run and replaces those of earlier runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._records: dict[tuple[Task, str], Record] = {}
        self._of_this_run: set[tuple[Task, str]] = set()
        for stored in json.loads(path.read_text()) if path.exists() else []:
            record = Record(**{**stored, "task": Task(**stored["task"])})
            self._records[record.task, record.contestant] = record

    def get(self, task: Task, contestant: str) -> Record | None:
        return self._records.get((task, contestant))

    def newest(self) -> float:
        return max((record.when for record in self._records.values()), default=0.0)

    def add(self, record: Record) -> None:
        key = (record.task, record.contestant)
        earlier = self._records.get(key)
        if earlier is not None and key in self._of_this_run and record.problem is None:
            repeats = {name: old for name, old in earlier.numbers.items() if isinstance(old, list)}
            record.numbers |= {name: old + record.numbers[name] for name, old in repeats.items()}
        self._of_this_run.add(key)
        self._records[key] = record
        self._write()

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps([asdict(record) for record in self._records.values()], indent=1))
        unfinished.replace(self.path)
