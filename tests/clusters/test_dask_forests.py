"""Forests over the workers of a Dask cluster: the bytes of a fit in memory, also where workers die."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pytest

import treewright as tw
from clusters.killed import a_worker_dies
from clusters.test_dask import in_parts, long_table
from sources.random_forests import assert_same_forest
from thorough import some
from treewright.errors import NotEnoughMemoryError
from treewright.sources.crew import Crew
from treewright.sources.dask_crew import DaskCrew

ALL = 10**6


@pytest.mark.parametrize("block", some(range(10), 1))
def test_a_random_forest_has_the_bytes_of_the_rows_in_memory(block: int, two_workers: Any) -> None:
    for seed in range(3 * block, 3 * block + 3):
        assert_same_forest(seed, lambda case: tw.source(in_parts(case.frame, case.parts), fetch_rows=ALL))


@pytest.mark.thorough
@pytest.mark.parametrize("n_workers", [1, 2, 4])
@pytest.mark.parametrize("partitions", [1, 3, 17])
def test_workers_and_partitions_change_no_byte(
    n_workers: int, partitions: int, dask_cluster: Callable[[int], Any]
) -> None:
    client = dask_cluster(n_workers)
    client.wait_for_workers(n_workers)
    frame = long_table(500)
    parts = np.array_split(np.arange(500), partitions)
    model = tw.RandomForestClassifier(n_estimators=30, oob_score=True, min_samples_leaf=2)
    expected = model.fit(frame.drop(columns="y"), frame["y"])._tw_bytes()
    with client.as_current():
        assert model.fit(tw.source(in_parts(frame, parts)), "y")._tw_bytes() == expected


def test_the_workers_grow_the_trees_and_keep_nothing(
    two_workers: Any, no_tree_is_grown_from_now_on: Callable[[], None]
) -> None:
    frame = long_table(200)
    expected = tw.ExtraTreesClassifier(n_estimators=20).fit(frame.drop(columns="y"), frame["y"])
    no_tree_is_grown_from_now_on()
    found = tw.ExtraTreesClassifier(n_estimators=20).fit(tw.source(dd.from_pandas(frame, npartitions=3)), "y")
    assert found._tw_bytes() == expected._tw_bytes()
    deadline = time.monotonic() + 30
    while any(two_workers.has_what().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(two_workers.has_what().values())


def test_rows_that_do_not_fit_a_worker_are_refused_before_they_are_sent(
    two_workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(crew: Crew, thing: Any) -> None:
        raise AssertionError("rows are sent")

    monkeypatch.setattr(DaskCrew, "hand_out", never)
    there, where = DaskCrew(two_workers).free_memory()
    assert 2**20 < there < 2**50
    assert where in two_workers.nthreads()
    monkeypatch.setattr(DaskCrew, "free_memory", lambda crew: (1000, "tcp://elsewhere"))
    source = tw.source(dd.from_pandas(long_table(200), npartitions=3))
    with pytest.raises(NotEnoughMemoryError, match=r"tcp://elsewhere has 1.0 kB. Start workers with more memory"):
        tw.RandomForestClassifier(n_estimators=2).fit(source, "y")


def _held_until(rows: Any, argument: Any) -> Any:
    """Half an answer, until a worker may go on."""
    folder, number = argument
    (Path(folder) / f"begun-{number}-{os.getpid()}").touch()
    while not (Path(folder) / "go").exists():
        time.sleep(0.01)
    return rows + number


@pytest.mark.thorough
@pytest.mark.parametrize("dying", [1, 2])
def test_what_was_handed_out_is_handed_out_again_when_all_who_had_it_died(
    dying: int, workers_to_kill: Any, tmp_path: Path
) -> None:
    """One of two workers, and then the other: what Dask cannot make again is sent again."""
    crew = DaskCrew(workers_to_kill)
    crew.hand_out(1000)
    answers: list[Any] = []
    asked = [(str(tmp_path), number) for number in range(4)]
    asking = threading.Thread(target=lambda: answers.extend(crew.each(_held_until, asked, lambda place: None)))
    asking.start()
    killed: set[int] = set()
    deadline = time.monotonic() + 60
    while len(killed) < dying and time.monotonic() < deadline:
        begun = {int(path.name.split("-")[2]) for path in tmp_path.glob("begun-*")} - killed
        for process in list(begun)[:1]:
            os.kill(process, signal.SIGKILL)
            killed.add(process)
        time.sleep(0.01)
    (tmp_path / "go").touch()
    asking.join(60)
    crew.close()
    assert len(killed) == dying
    assert answers == [1000, 1001, 1002, 1003]


@pytest.mark.parametrize("moment", some(range(20), 1))
def test_a_worker_that_is_killed_changes_no_byte(moment: int, workers_to_kill: Any) -> None:
    frame = long_table(2000)
    source = tw.source(dd.from_pandas(frame, npartitions=6))
    model = tw.RandomForestClassifier(n_estimators=40)
    expected = tw.RandomForestClassifier(n_estimators=40).fit(frame.drop(columns="y"), frame["y"])
    start = time.monotonic()
    assert model.fit(source, "y")._tw_bytes() == expected._tw_bytes()
    took = time.monotonic() - start
    with a_worker_dies(workers_to_kill, moment, took):
        assert model.fit(source, "y")._tw_bytes() == expected._tw_bytes()
