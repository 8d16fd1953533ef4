"""Rounds of boosting that the workers of a Dask cluster share: the bytes of a fit in memory, whoever has which rows."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed

import treewright as tw
from thorough import some
from treewright.learners.boosting import fit_source
from treewright.sources import dask_rounds
from treewright.sources.shared_rounds import LEAST_ROWS

N = LEAST_ROWS + 1


def table(n: int = N, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng([21, seed])
    long = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "double": long,
            "holes": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "whole": rng.integers(-500, 500, n),
            "few": rng.integers(0, 9, n),
            "level": rng.choice([*"abcdefg", None], n),
            "truth": rng.random(n) < 0.4,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
        }
    )
    noise = rng.normal(size=n)
    frame["number"] = np.round(3 * long + frame["few"] * frame["truth"] + noise, 3)
    frame["two"] = np.where(long + frame["few"] / 4 + noise > 1, "yes", "no")
    frame["many"] = np.array(list("pqrs"), dtype=object)[np.clip((long + noise + 2).astype(int), 0, 3)]
    frame["count"] = rng.poisson(np.exp(long / 2), n)
    frame["whole weight"], frame["weight"] = rng.integers(0, 4, n), rng.random(n)
    return frame


TARGETS = ("number", "two", "many", "count")
WEIGHTS = ("whole weight", "weight")


def in_parts(frame: pd.DataFrame, n_parts: int, seed: int = 0) -> Any:
    """A frame in partitions of very different lengths, whose rows are in any order."""
    rng = np.random.default_rng([22, seed])
    ends = np.sort(rng.integers(0, len(frame), n_parts - 1))
    parts = np.split(rng.permutation(len(frame)), ends)
    return dd.from_delayed([delayed(frame.iloc[rows]) for rows in parts], meta=frame.iloc[:0], verify_meta=False)


def booster(target: str, **settings: Any) -> Any:
    if target in ("two", "many"):
        return tw.GradientBoostingClassifier(**{"n_estimators": 3, **settings})
    loss = "poisson" if target == "count" else "squared_error"
    return tw.GradientBoostingRegressor(**{"n_estimators": 3, "loss": loss, **settings})


def in_memory(model: Any, frame: pd.DataFrame, target: str, weight: str | None = None) -> bytes:
    features = frame.drop(columns=[*TARGETS, *WEIGHTS])
    return bytes(model.fit(features, frame[target], None if weight is None else frame[weight])._tw_bytes())


def columns_for(frame: pd.DataFrame, target: str, weight: str | None = None) -> pd.DataFrame:
    return frame.drop(columns=[name for name in (*TARGETS, *WEIGHTS) if name not in (target, weight)])


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """How far the fits are that were shared among workers."""
    found: list[Any] = []
    boost = fit_source.boost_over_workers

    def spied(*asked: Any) -> Any:
        found.append(asked[-1])
        return boost(*asked)

    monkeypatch.setattr(fit_source, "boost_over_workers", spied)
    return found


CLUSTERS = [(2, 3), (4, 17), (1, 1), (1, 3), (1, 17), (2, 1), (2, 17), (4, 1), (4, 3)]  # workers and partitions


@pytest.mark.parametrize("workers_and_parts", some(CLUSTERS, 1))
def test_shared_rounds_have_the_bytes_of_the_rows_in_memory(
    workers_and_parts: tuple[int, int], dask_cluster: Callable[[int], Any], shared: list[Any]
) -> None:
    n_workers, n_parts = workers_and_parts
    frame = table()
    with dask_cluster(n_workers).as_current():
        for seed, target in enumerate(TARGETS):
            weight = (None, *WEIGHTS)[seed % 3] if target in ("number", "count") else None
            source = tw.source(in_parts(columns_for(frame, target, weight), n_parts, seed))
            found = booster(target).fit(source, target, weight)._tw_bytes()
            assert found == in_memory(booster(target), frame, target, weight), target
    assert len(shared) == len(TARGETS)


SETTINGS: list[dict[str, Any]] = [
    {"max_bins": 20, "growth": "level", "max_depth": 4, "l2_regularization": 1.0},
    {"max_features": 0.5, "max_features_per_tree": 0.7, "random_state": 3, "interaction_cst": "pairwise"},
    {"min_samples_leaf": 0.1, "monotonic_cst": {"double": 1}},
    {"min_samples_leaf": 1, "max_leaf_nodes": None, "max_depth": 9, "n_estimators": 1},
]


@pytest.mark.parametrize("settings", some(SETTINGS, 1))
def test_settings_that_are_shared(settings: dict[str, Any], two_workers: Any, shared: list[Any]) -> None:
    frame = table(seed=1)
    for target in ("number", "two"):
        source = tw.source(in_parts(columns_for(frame, target), 5))
        found = booster(target, **settings).fit(source, target)._tw_bytes()
        assert found == in_memory(booster(target, **settings), frame, target)
    assert len(shared) == 2


def test_what_is_not_shared_is_gathered(two_workers: Any, shared: list[Any]) -> None:
    frame = table()
    source = tw.source(in_parts(columns_for(frame, "number"), 2))
    for settings in (
        {"subsample": 0.5},
        {"loss": "absolute_error"},
        {"early_stopping": True},
        {"max_bins": None},
        {"n_models": 2},
        {"init": "zero"},
    ):
        model = booster("number", **{"n_estimators": 1, **settings})
        training = fit_source.rows_of_workers(model, source, fit_source.first_look(model, source, "number", None))
        assert training is None, settings
    short = tw.source(in_parts(columns_for(frame, "number")[:LEAST_ROWS], 2))
    assert booster("number").fit(short, "number")._tw_bytes() == in_memory(
        booster("number"), frame[:LEAST_ROWS], "number"
    )
    assert shared == []


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("moment", some(range(20), 1))
def test_a_worker_that_is_killed_in_the_middle_changes_no_byte(
    moment: int, workers_to_kill: Any, shared: list[Any]
) -> None:
    frame, settings = table(), {"n_estimators": 300}
    source = tw.source(in_parts(columns_for(frame, "number"), 6))
    workers = workers_to_kill.run(os.getpid)
    victim = workers[random.Random(moment).choice(sorted(workers))]
    expected = in_memory(booster("number", **settings), frame, "number")

    def kill() -> None:
        wait_for_rounds(shared)
        time.sleep(random.Random(moment).random() / 10)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        assert booster("number", **settings).fit(source, "number")._tw_bytes() == expected
    finally:
        killer.join()
    assert len(shared) == 1


def wait_for_rounds(shared: list[Any]) -> None:
    """Wait until a fit has some rounds behind it."""
    end = time.monotonic() + 120
    while not (shared and shared[0].done) and time.monotonic() < end:
        time.sleep(0.01)


def test_an_interrupt_stops_the_workers_too(two_workers: Any, shared: list[Any]) -> None:
    source = tw.source(in_parts(columns_for(table(), "number"), 4))
    model = booster("number", n_estimators=100_000)

    def press() -> None:
        wait_for_rounds(shared)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    threading.Thread(target=press).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(source, "number")
    finally:
        signal.signal(signal.SIGINT, before)
    end = time.monotonic() + 60
    while any(two_workers.run(_fits_running).values()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(two_workers.run(_fits_running).values())
    assert "trees_" not in model.__dict__


def _fits_running() -> int:
    return len(dask_rounds._running) + len(dask_rounds._doors)


def test_answers_that_grow_beyond_all_numbers_are_the_sentence_of_memory(two_workers: Any) -> None:
    frame = table()
    model = booster("count", learning_rate=1e300, n_estimators=20)
    with pytest.raises(tw.errors.DataError, match="grew beyond all numbers"):
        in_memory(model, frame, "count")
    with pytest.raises(tw.errors.DataError, match="grew beyond all numbers"):
        model.fit(tw.source(in_parts(columns_for(frame, "count"), 3)), "count")


def test_two_fits_at_the_same_time_do_not_wait_for_each_other_for_ever(two_workers: Any) -> None:
    frame, found = table(), {}
    source_of = {target: tw.source(in_parts(columns_for(frame, target), 4)) for target in ("number", "two")}

    def fit(target: str) -> None:
        with two_workers.as_current():
            found[target] = booster(target).fit(source_of[target], target)._tw_bytes()

    threads = [threading.Thread(target=fit, args=(target,)) for target in source_of]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert found == {target: in_memory(booster(target), frame, target) for target in source_of}
