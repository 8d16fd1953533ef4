"""Dask: the bytes of a fit in memory whatever the partitions and the workers; faults and odd frames have a sentence."""

from __future__ import annotations

import doctest
import os
import random
import signal
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask import delayed
from distributed import Client, LocalCluster

import treewright as tw
from clusters.killed import a_worker_dies
from sources.random_bayes import assert_same_bayes
from sources.random_boosting import BoostingCase, boosting_case
from sources.random_c45 import assert_same_c45
from sources.random_learners import assert_same_outcome
from sources.random_linear import assert_same_linear
from sources.random_tables import Case, random_case
from sources.random_trees import ONE_OF_EACH, assert_same_tree
from thorough import some
from treewright.cli import in_place
from treewright.cli.main import main
from treewright.errors import ColumnWarning, DataError
from treewright.learners.trees.fit_source import make_plan
from treewright.sources import dask_source, dask_tasks, profile

PAGE = Path(__file__).parents[2] / "docs" / "sources" / "dask.md"
CELLS = (3, 8, 64)  # few cells, so that stretches of values have to be opened


def in_parts(frame: pd.DataFrame, parts: list[np.ndarray]) -> Any:
    """A frame whose partitions have these rows; some may be empty."""
    return dd.from_delayed([delayed(frame.iloc[rows]) for rows in parts], meta=frame.iloc[:0], verify_meta=False)


def assert_same_bytes(case: Case | BoostingCase, source: Any, seed: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        expected = case.in_memory()
    assert case.model().fit(source, "y", case.weight)._tw_bytes() == expected._tw_bytes(), seed


@pytest.mark.parametrize("block", some(range(12), 1))
def test_a_random_tree_has_the_bytes_of_the_rows_in_memory(
    block: int, two_workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(5 * block, 5 * block + 5):
        case = random_case(seed)
        monkeypatch.setattr(profile, "FEW_VALUES", CELLS[seed % 3])
        assert_same_bytes(case, tw.source(in_parts(case.frame, case.parts), fetch_rows=case.fetch_rows), seed)


@pytest.mark.parametrize("seeds", some([range(3 * i, 3 * i + 3) for i in range(8)], 1))
def test_a_random_tree_of_c45_is_counted_and_pruned_to_the_bytes_of_memory(
    seeds: Sequence[int], two_workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray], fetch_rows: int) -> Any:
        return tw.source(in_parts(table.to_pandas(), parts), fetch_rows=fetch_rows)

    for seed in seeds:
        assert_same_c45(seed, open_source, monkeypatch)


@pytest.mark.parametrize("seeds", some([ONE_OF_EACH, *(range(4 * i, 4 * i + 4) for i in range(3, 10))], 1))
def test_a_random_tree_of_tables_and_naive_bayes_are_counted_to_the_bytes_of_memory(
    seeds: Sequence[int], two_workers: Any
) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray]) -> Any:
        return tw.source(in_parts(table.to_pandas(), parts), fetch_rows=1)

    for seed in seeds:
        assert_same_tree(seed, open_source)
    assert_same_bayes(seeds[0], open_source)
    assert_same_linear(seeds[0], open_source)


@pytest.mark.parametrize("block", some(range(10), 1))
def test_a_random_learner_of_gathered_rows_has_the_bytes_of_those_in_memory(block: int, two_workers: Any) -> None:
    for seed in range(6 * block, 6 * block + 6):
        assert_same_outcome(seed, lambda case, parts: tw.source(in_parts(case.frame, parts), fetch_rows=1000))


@pytest.mark.thorough
@pytest.mark.parametrize("n_workers", [1, 2, 4])
@pytest.mark.parametrize("partitions", [1, 3, 17, "shuffled"])
def test_workers_and_partitions_change_no_byte(
    n_workers: int, partitions: int | str, dask_cluster: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = dask_cluster(n_workers)
    client.wait_for_workers(n_workers)
    with client.as_current():
        for seed in range(1000, 1020):
            case = random_case(seed)
            monkeypatch.setattr(profile, "FEW_VALUES", CELLS[seed % 3])
            order = np.random.default_rng(seed).permutation(len(case.frame))
            rows = order if partitions == "shuffled" else np.arange(len(case.frame))
            parts = np.array_split(rows, 5 if partitions == "shuffled" else int(partitions))
            source = tw.source(in_parts(case.frame, parts), fetch_rows=case.fetch_rows)
            assert_same_bytes(case, source, (seed, partitions, n_workers))


def long_table(n: int = 4000) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{j}": np.round(rng.normal(size=n), 3) for j in range(8)})
    frame["c"] = rng.choice(["red", "green", "blue"], n)
    frame["y"] = np.where(frame.x3 + frame.x7 * frame.x1 + (frame.c == "red") + rng.normal(size=n) > 0, "up", "down")
    return frame


def _waits_for_leave(part: pd.DataFrame, folder: str) -> pd.DataFrame:
    (Path(folder) / "begun").touch()
    while not (Path(folder) / "go").exists():
        time.sleep(0.01)
    return part


def test_ctrl_c_does_not_wait_for_the_workers(two_workers: Any, tmp_path: Path) -> None:
    frame = long_table(100)
    waiting = dd.from_pandas(frame, npartitions=2).map_partitions(_waits_for_leave, str(tmp_path), meta=frame[:0])

    def press() -> None:
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    threading.Thread(target=press).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            tw.DecisionTreeClassifier().fit(tw.source(waiting), "y")
    finally:
        signal.signal(signal.SIGINT, before)
        (tmp_path / "go").touch()


def _fails_twice(part: pd.DataFrame, path: str) -> pd.DataFrame:
    with Path(path).open("a+") as file:
        file.write("tried\n")
        file.seek(0)
        if len(file.readlines()) <= 2:
            raise OSError("the disk is away")
    return part


def test_a_partition_that_cannot_be_read_twice_is_read_the_third_time(two_workers: Any, tmp_path: Path) -> None:
    frame = long_table(100)
    shaky = dd.from_pandas(frame, npartitions=1).map_partitions(_fails_twice, str(tmp_path / "tries"), meta=frame[:0])
    expected = tw.DecisionTreeClassifier(max_depth=2).fit(frame.drop(columns="y"), frame["y"])
    assert tw.DecisionTreeClassifier(max_depth=2).fit(tw.source(shaky), "y")._tw_bytes() == expected._tw_bytes()


def _never(part: pd.DataFrame) -> pd.DataFrame:
    raise OSError("the disk is away")


def test_a_partition_that_cannot_be_read_at_all_is_a_sentence(two_workers: Any) -> None:
    frame = long_table(100)
    broken = dd.from_pandas(frame, npartitions=1).map_partitions(_never, meta=frame[:0])
    with pytest.raises(DataError, match="Dask: a task failed 4 times with OSError: the disk is away"):
        tw.DecisionTreeClassifier().fit(tw.source(broken), "y")


def test_no_worker_is_a_sentence_and_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_tasks, "_PATIENCE", 0.5)
    source = tw.source(dd.from_pandas(long_table(100), npartitions=1))
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
        pytest.raises(DataError, match="no worker has been there"),
    ):
        tw.DecisionTreeClassifier().fit(source, "y")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"x": ["one", "two"]}, r"partition 1: column 'x' holds .*string, but the frame says int64"),
        ({"x": [0.5, 1.5]}, r"partition 1: column 'x' holds double, but the frame says int64"),
        ({"y": [None, "a"]}, "partition 1: .*1 rows have no target value"),
    ],
)
def test_a_partition_of_other_types_is_refused_by_its_number(wrong: Any, named: str, two_workers: Any) -> None:
    first = pd.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    source = tw.source(
        dd.from_delayed([delayed(first), delayed(first.assign(**wrong))], meta=first[:0], verify_meta=False)
    )
    with pytest.raises(DataError, match=named):
        tw.DecisionTreeClassifier().fit(source, "y")


def test_numbers_that_differ_in_width_are_widened(two_workers: Any) -> None:
    first = pd.DataFrame({"x": [1.0, 2.5], "y": ["a", "b"]})
    second = pd.DataFrame({"x": np.array([7, 9], dtype=np.int32), "y": ["b", "a"]})
    both = pd.concat([first, second])
    source = tw.source(dd.from_delayed([delayed(first), delayed(second)], meta=first[:0], verify_meta=False))
    found = tw.DecisionTreeClassifier().fit(source, "y")
    assert found._tw_bytes() == tw.DecisionTreeClassifier().fit(both[["x"]], both["y"])._tw_bytes()


def test_a_frame_without_rows_is_a_sentence(two_workers: Any) -> None:
    frame = long_table(10)
    with pytest.raises(DataError, match="the Dask frame has no rows"):
        tw.DecisionTreeClassifier().fit(tw.source(in_parts(frame, [np.arange(0), np.arange(0)])), "y")


@pytest.mark.parametrize(("names", "told"), [((0, "y"), "no text"), (("x", "x"), "two columns named 'x'")])
def test_names_that_models_cannot_keep_are_refused(names: Any, told: str) -> None:
    frame = dd.from_pandas(pd.DataFrame([[1, 2]], columns=["a", "b"]), npartitions=1)
    frame.columns = names
    with pytest.raises(DataError, match=told):
        tw.source(frame)


def test_answers_are_those_of_the_rows_in_memory(two_workers: Any, tmp_path: Path) -> None:
    frame = long_table(500)
    X, y = frame.drop(columns="y"), frame["y"]
    model = tw.DecisionTreeClassifier(max_depth=4).fit(X, y)
    source = tw.source(in_parts(frame, [np.arange(200), np.arange(0), np.arange(200, 500)]))
    assert (model.predict(source) == model.predict(X)).all()
    assert str(tw.evaluate(model, source, "y")) == str(tw.evaluate(model, X, y))
    assert tw.write_predictions(model, source, tmp_path / "answers.parquet", keep=["x0"]) == 500
    lazy = source.predictions(model, keep=["x0"], proba=True)
    assert isinstance(lazy, dd.DataFrame)
    answers = lazy.compute()
    assert (answers["prediction"] == model.predict(X)).all()
    assert (answers[["probability_down", "probability_up"]].to_numpy() == model.predict_proba(X)).all()
    assert (answers["x0"] == frame["x0"]).all()
    numbers = tw.DecisionTreeRegressor(max_depth=2).fit(frame[["x1", "x2"]], frame["x0"])
    assert (source.predictions(numbers).compute()["prediction"] == numbers.predict(frame[["x1", "x2"]])).all()


@pytest.mark.parametrize(("most", "sizes"), [(1, [30, 30, 30, 30]), (60, [60, 60]), (100, [90, 30]), (10**6, [120])])
def test_short_partitions_are_joined_in_their_order(
    most: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame({"x": np.arange(120.0), "s": list("abc") * 40, "y": [0, 1] * 60})
    plan = make_plan(tw.DecisionTreeClassifier(), tw.source(in_parts(frame, [np.arange(120)])), "y", None)
    monkeypatch.setattr(dask_source, "_JOINED_ROWS", most)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    parts = [table.slice(start, 30) for start in (0, 30, 60, 90)] + [table.slice(0, 0)]
    found = dask_source._encode([(part, "a partition") for part in parts], plan)
    assert [len(rows.truth) for rows in found] == sizes
    assert np.concatenate([rows.columns[0] for rows in found]).tolist() == frame["x"].tolist()
    assert np.concatenate([rows.truth for rows in found]).tolist() == frame["y"].tolist()
    assert all(rows.cells is not None and len(rows.cells[1]) == len(rows.truth) for rows in found)


def test_workers_keep_nothing_when_the_tree_is_grown(two_workers: Any) -> None:
    tw.DecisionTreeClassifier(max_depth=3).fit(tw.source(dd.from_pandas(long_table(200), npartitions=3)), "y")
    deadline = time.monotonic() + 30
    while any(two_workers.has_what().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(two_workers.has_what().values())


def test_without_a_cluster_the_partitions_are_counted_here() -> None:
    frame = long_table(300)
    source = tw.source(dd.from_pandas(frame, npartitions=4), fetch_rows=50)
    expected = tw.DecisionTreeClassifier().fit(frame.drop(columns="y"), frame["y"])
    assert tw.DecisionTreeClassifier().fit(source, "y")._tw_bytes() == expected._tw_bytes()


def test_every_example_of_the_page_gives_what_it_says() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted >= 9
    assert result.failed == 0


def test_the_command_line_lets_a_cluster_read_the_files(two_workers: Any, tmp_path: Path) -> None:
    frame = long_table(300)
    (tmp_path / "rows").mkdir()
    for part in range(3):
        frame[100 * part : 100 * part + 100].to_parquet(tmp_path / f"rows/{part}.parquet", index=False)
    engine = f"dask={two_workers.scheduler.address}"
    rows, model, answers = str(tmp_path / "rows"), str(tmp_path / "m.tw"), str(tmp_path / "answers.csv")
    assert left_with(["train", rows, "--engine", engine, "--target", "y", "--set", "max_depth=3", "--out", model]) == 0
    expected = tw.DecisionTreeClassifier(max_depth=3).fit(frame.drop(columns="y"), frame["y"])
    assert tw.load(model).fingerprint() == expected.fingerprint()
    assert left_with(["predict", model, rows, "--engine", engine, "--out", answers]) == 0
    assert (pd.read_csv(answers)["prediction"] == expected.predict(frame.drop(columns="y"))).all()
    assert left_with(["evaluate", model, rows, "--engine", engine, "--fail-under", "accuracy=0.6"]) == 0
    assert left_with(["train", rows + "/none", "--engine", engine, "--target", "y"]) == 3


def test_an_address_without_a_scheduler_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(in_place, "_PATIENCE", 1)
    assert left_with(["train", str(tmp_path), "--engine", "dask=tcp://127.0.0.1:9", "--target", "y"]) == 3
    assert "no scheduler of Dask answers there" in capsys.readouterr().err


def left_with(arguments: list[str]) -> Any:
    """The exit code of the command line."""
    with pytest.raises(SystemExit) as leaving:
        main(arguments)
    return leaving.value.code


@pytest.mark.parametrize("moment", some(range(20), 2))
def test_a_worker_that_is_killed_changes_no_byte(moment: int, workers_to_kill: Any) -> None:
    frame = long_table()
    source = tw.source(dd.from_pandas(frame, npartitions=6), fetch_rows=40)
    model = tw.DecisionTreeClassifier(max_depth=8)
    expected = tw.DecisionTreeClassifier(max_depth=8).fit(frame.drop(columns="y"), frame["y"])
    start = time.monotonic()
    assert model.fit(source, "y")._tw_bytes() == expected._tw_bytes()
    took = time.monotonic() - start
    with a_worker_dies(workers_to_kill, moment, took):
        assert model.fit(source, "y")._tw_bytes() == expected._tw_bytes()


# ---------------------------------------------------------------- boosting


@pytest.mark.parametrize("block", some(range(12), 1))
def test_a_random_booster_has_the_bytes_of_the_rows_in_memory(block: int, two_workers: Any) -> None:
    for seed in range(6 * block, 6 * block + 6):
        case = boosting_case(seed, 60)
        assert_same_bytes(case, tw.source(in_parts(case.frame, case.parts)), seed)


@pytest.mark.parametrize("brought", some(range(6), 2))
def test_a_worker_that_is_killed_while_columns_come_here_changes_no_byte(brought: int, workers_to_kill: Any) -> None:
    frame = long_table()
    source: Any = tw.source(dd.from_pandas(frame, npartitions=6))
    workers = workers_to_kill.run(os.getpid)
    victim = workers[random.Random(brought).choice(sorted(workers))]
    each_table = source.each_table

    def kills(*asked: Any) -> Any:
        for number, answer in enumerate(each_table(*asked)):
            if number == brought:
                os.kill(victim, signal.SIGKILL)
            yield answer

    source.each_table = kills
    model = tw.GradientBoostingClassifier(n_estimators=5)
    expected = tw.GradientBoostingClassifier(n_estimators=5).fit(frame.drop(columns="y"), frame["y"])
    assert model.fit(source, "y")._tw_bytes() == expected._tw_bytes()
