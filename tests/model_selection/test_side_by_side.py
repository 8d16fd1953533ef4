"""Many jobs, here or in processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest

from treewright.model_selection import run_jobs as side_by_side
from treewright.model_selection.run_jobs import DIED, SideBySide


def power(base: int, exponent: int) -> int:
    return base**exponent


def where(_shared: Any, _number: int) -> int:
    return os.getpid()


def end_process(parent: int, number: int) -> int:
    if number == 2 and os.getpid() != parent:
        os._exit(1)
    return number


def wait(seconds: float, _number: int) -> int:
    time.sleep(seconds)
    return os.getpid()


JOBS = [(number,) for number in range(6)]


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
@pytest.mark.parametrize("at_once", [0.0, 100.0])
def test_results_come_in_the_order_of_the_jobs(n_jobs: int, at_once: float) -> None:
    assert SideBySide(power, 3, JOBS).run(n_jobs, at_once=at_once) == [1, 3, 9, 27, 81, 243]


def test_small_work_starts_no_process_and_one_job_never_does() -> None:
    assert set(SideBySide(where, None, JOBS).run(2)) == {os.getpid()}
    assert set(SideBySide(where, None, JOBS).run(1, at_once=0.0)) == {os.getpid()}
    assert os.getpid() not in SideBySide(where, None, JOBS).run(2, at_once=0.0)


def test_a_process_that_dies_loses_its_own_job_only() -> None:
    results = SideBySide(end_process, os.getpid(), JOBS).run(2, at_once=0.0)
    assert results == [0, 1, DIED, 3, 4, 5]


def test_where_no_process_can_start_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_workers: int) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(side_by_side, "_pool", refuse)
    assert set(SideBySide(where, None, JOBS).run(2, at_once=0.0)) == {os.getpid()}


@pytest.mark.thorough
def test_functions_of_a_script_go_to_processes_too() -> None:
    assert SideBySide(lambda shared, number: shared + number, 10, JOBS).run(2, at_once=0.0) == [10, 11, 12, 13, 14, 15]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_job_begins_when_the_time_is_up(n_jobs: int) -> None:
    results = SideBySide(wait, 0.2, [(number,) for number in range(40)], seconds=0.5).run(n_jobs, at_once=0.0)
    begun = [result for result in results if result is not None]
    assert len(begun) < 20
    assert SideBySide(wait, 0.2, JOBS, seconds=0.0).run(n_jobs) == [None] * 6


def test_ctrl_c_ends_the_processes_at_once() -> None:
    SideBySide(power, 2, JOBS).run(2, at_once=0.0)  # the processes are there
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
    start = time.monotonic()
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            SideBySide(wait, 30.0, JOBS).run(2, at_once=0.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 15
    assert SideBySide(power, 2, JOBS).run(2, at_once=0.0) == [1, 2, 4, 8, 16, 32]  # and the next call has new ones
