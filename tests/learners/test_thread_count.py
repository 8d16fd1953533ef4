"""There are never more threads than processors that this process may use."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import machine
from treewright.learners.base import threads as threads_module
from treewright.learners.base.threads import thread_count

TASKS = Path("/proc/self/task")
DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(3000, 8))
Y = (X[:, 0] + DRAW.normal(size=3000) > 0).astype(int)


def most_threads(work: Callable[[], Any]) -> int:
    """The most threads that there were at one time while the work went on, beside those that were there before."""
    before, most, over = len(list(TASKS.iterdir())), 0, threading.Event()

    def look() -> None:
        nonlocal most
        while not over.is_set():
            most = max(most, len(list(TASKS.iterdir())) - before - 1)
            over.wait(0.0005)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        work()
    finally:
        over.set()
        looking.join()
    return most


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize(
    "model",
    [
        tw.DecisionTreeClassifier(n_jobs=5000),
        tw.RandomForestClassifier(60, n_jobs=5000),
        tw.GradientBoostingClassifier(n_estimators=20, n_jobs=5000),
        tw.BaggingTreesClassifier(n_estimators=20, n_jobs=5000),
        tw.ConditionalTreeClassifier(n_jobs=5000),
        tw.KNeighborsClassifier(n_jobs=5000),
    ],
    ids=lambda model: type(model).__name__,
)
def test_five_thousand_jobs_start_no_more_threads_than_there_are_processors(model: Any) -> None:
    assert most_threads(lambda: model.fit(X, Y).predict(X)) <= machine.processors()
    few = type(model)(**{**model.get_params(deep=False), "n_jobs": 1}).fit(X, Y)
    assert model.fingerprint() == few.fingerprint()


@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(None, 4), (-1, 4), (-2, 3), (-9, 1), (1, 1), (3, 3), (5000, 4), (2**70, 4)]
)
def test_n_jobs_is_read_as_scikit_learn_does_and_capped(n_jobs: int | None, threads: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(threads_module, "processors", lambda: 4)
    assert thread_count(n_jobs) == threads


def groups(tmp_path: Path, monkeypatch: Any, lines: str, files: dict[str, str]) -> None:
    """Pretend that this process is in such control groups."""
    (tmp_path / "self").write_text(lines)
    for name, text in files.items():
        file = tmp_path / "groups" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    real = Path.read_text
    monkeypatch.setattr(machine, "_CONTROL_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(
        Path, "read_text", lambda p, *a: real(tmp_path / "self" if str(p) == "/proc/self/cgroup" else p, *a)
    )


@pytest.mark.parametrize(
    ("lines", "files"),
    [
        ("0::/box\n", {"box/cpu.max": "150000 100000\n"}),
        ("0::/box/inner\n", {"box/cpu.max": "150000 100000\n", "box/inner/cpu.max": "max 100000\n"}),
        ("3:cpu,cpuacct:/box\n", {"cpu/box/cpu.cfs_quota_us": "150000\n", "cpu/box/cpu.cfs_period_us": "100000\n"}),
        ("0::/unseen/path\n", {"cpu.max": "150000 100000\n"}),
    ],
    ids=["version 2", "a group above", "version 1", "a path of the machine outside"],
)
def test_a_container_that_pays_for_some_processors_has_so_many(
    lines: str, files: dict[str, str], tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)), raising=False)
    groups(tmp_path, monkeypatch, lines, files)
    assert machine.processors() == 2


@pytest.mark.parametrize(
    ("lines", "files"),
    [
        (
            "0::/box\n",
            {
                "box/memory.max": "1000\n",
                "box/memory.current": "700\n",
                "box/memory.stat": "anon 3\ninactive_file 50\n",
            },
        ),
        (
            "4:memory:/box\n",
            {
                "memory/box/memory.limit_in_bytes": "1000\n",
                "memory/box/memory.usage_in_bytes": "700\n",
                "memory/box/memory.stat": "cache 3\ntotal_inactive_file 50\n",
                "memory/memory.limit_in_bytes": "9223372036854771712\n",
                "memory/memory.usage_in_bytes": "800\n",
            },
        ),
    ],
    ids=["version 2", "version 1"],
)
def test_the_memory_that_a_container_leaves_is_known(
    lines: str, files: dict[str, str], tmp_path: Path, monkeypatch: Any
) -> None:
    groups(tmp_path, monkeypatch, lines, files)
    assert machine.free_memory() == 350


def test_without_any_word_of_the_system_there_is_no_limit(monkeypatch: Any) -> None:
    def nothing(*_: Any) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", nothing)
    monkeypatch.setattr(os, "sysconf", nothing, raising=False)
    assert machine.free_memory() == sys.maxsize
