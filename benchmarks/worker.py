"""One contestant on one task in this process: `python -m benchmarks.worker '{"contestant": …, "task": {…}}'`.

The last line of its output is the record as JSON. CPU seconds are those of all threads of this process; they are what
counts, since other work on the machine touches them least.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.contestants import Contestant
from benchmarks.data import Data, Table, load, tile
from benchmarks.kept_models import keep, recall
from benchmarks.lines import Task
from benchmarks.reference_programs import ReferenceProgram
from benchmarks.roster import CONTESTANTS

# Short works are repeated until they took so many CPU seconds; the smallest number is the one that counts.
SECONDS, MOST_REPEATS = 4.0, 15
WARM_UP_ROWS = 400
# Calls of a millisecond and more need not be many.
ONE_ROW_CALLS, ONE_ROW_BATCHES, ONE_ROW_SECONDS, FEW_CALLS = 2_000, 7, 0.5, 20


def main() -> None:
    """Read the order from the command line, print the record."""
    warnings.filterwarnings("ignore")
    order = json.loads(sys.argv[1])
    task = Task(**order["task"])
    data = load(task.data)
    contestant = CONTESTANTS[order["contestant"]](task.max_depth, task.min_samples_leaf)
    contestant.n_trees, contestant.max_leaves = task.trees, task.leaves
    _warm_up(contestant, data)
    record = _measure(contestant, task, data)
    if isinstance(contestant, ReferenceProgram):  # it keeps its tree to itself
        record["fit_cpu"] = record["fit_wall"] = [contestant.told_seconds]
    elif not task.explain_rows:  # there the shape of the trees counts, not how good they are
        record |= _quality(contestant, data)
        record |= contestant.size_on_disk()
    print(json.dumps({**record, "test_rows": len(data.y_test)}))


def _measure(contestant: Contestant, task: Task, data: Data) -> dict[str, Any]:
    if task.explain_rows:
        return measure_explain(contestant, task, data)
    if task.predict_rows:
        return measure_predict(contestant, task, data)
    record = measure_fit(contestant, data)
    keep(contestant, task)
    return record


def measure_fit(contestant: Contestant, data: Data) -> dict[str, Any]:
    """Fit the contestant: seconds of every repeat, and the peak of resident memory above what was there before."""
    before = _resident_mib_after_tidying()
    times = [_seconds(lambda: contestant.fit(data.X, data.y))]
    peak = _resident_mib("VmHWM") - before
    while _worth_repeating(times) and not isinstance(contestant, ReferenceProgram):
        contestant.model = None
        times.append(_seconds(lambda: contestant.fit(data.X, data.y)))
    return {**_named("fit", times), "peak_mib": peak, "peak_share": peak / _input_mib(data.X)}


def measure_predict(contestant: Contestant, task: Task, data: Data) -> dict[str, Any]:
    """Predict many rows at once and one row at a time with a fitted tree."""
    if not recall(contestant, task):
        contestant.fit(data.X, data.y)
        keep(contestant, task)
    X = tile(data.X_test, task.predict_rows)
    contestant.predict(X[:1000])
    times: list[tuple[float, float]] = []
    while not times or _worth_repeating(times):
        times.append(_seconds(lambda: contestant.predict(X)))
    return {**_named("predict", times), "predict_one_us": _one_row_microseconds(contestant, np.asarray(X[:300]))}


def measure_explain(contestant: Contestant, task: Task, data: Data) -> dict[str, Any]:
    """Explain many rows at once with a fitted model."""
    contestant.fit(data.X, data.y)
    X = tile(data.X_test, task.explain_rows)
    contestant.explain(X[:10])
    times: list[tuple[float, float]] = []
    while not times or _worth_repeating(times):
        times.append(_seconds(lambda: contestant.explain(X)))
    return _named("explain", times)


def _one_row_microseconds(contestant: Contestant, rows: np.ndarray) -> list[float]:
    prepared = [contestant.one_row(row) for row in rows]
    predict_one = contestant.one_row_predictor()

    def microseconds(n_calls: int) -> float:
        calls = list(itertools.islice(itertools.cycle(prepared), n_calls))
        start = time.process_time()
        for row in calls:
            predict_one(row)
        return (time.process_time() - start) / len(calls) * 1e6

    most = int(ONE_ROW_SECONDS * 1e6 / max(microseconds(FEW_CALLS), 1))
    return [microseconds(min(ONE_ROW_CALLS, max(FEW_CALLS, most))) for _ in range(ONE_ROW_BATCHES)]


def _warm_up(contestant: Contestant, data: Data) -> None:
    # Imports and the start of threads are no part of the price of a tree.
    contestant.fit(data.X[:WARM_UP_ROWS], data.y[:WARM_UP_ROWS])
    if not isinstance(contestant, ReferenceProgram):
        contestant.predict(data.X[:WARM_UP_ROWS])
    contestant.reset()


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _worth_repeating(times: list[tuple[float, float]]) -> bool:
    spent = sum(cpu for _, cpu in times)
    return len(times) < MOST_REPEATS and spent + times[-1][1] < SECONDS


def _named(work: str, times: list[tuple[float, float]]) -> dict[str, list[float]]:
    return {f"{work}_wall": [wall for wall, _ in times], f"{work}_cpu": [cpu for _, cpu in times]}


def _quality(contestant: Contestant, data: Data) -> dict[str, float]:
    answers = np.asarray(contestant.predict(data.X_test), dtype=np.float64)
    if data.is_regression:
        return {"rmse": float(np.sqrt(np.mean((answers.ravel() - data.y_test) ** 2)))}
    if answers.ndim < 2 or answers.shape[1] == 1:
        answers = np.column_stack([1 - answers.ravel(), answers.ravel()])
    accuracy = {"accuracy": float((answers.argmax(axis=1) == data.y_test).mean())}
    if not contestant.is_ensemble:
        return accuracy
    losses = -np.log(np.clip(answers[np.arange(len(answers)), data.y_test], 1e-15, 1))
    return {**accuracy, "log_loss": float(losses.mean()), "log_loss_noise": float(losses.std() / len(losses) ** 0.5)}


def _resident_mib_after_tidying() -> float:
    gc.collect()
    # Memory freed while the table was loaded must not count as resident, or the fit could take it for nothing.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _resident_mib("VmRSS")


def _resident_mib(key: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(key))


def _input_mib(X: Table) -> float:
    size = X.memory_usage(deep=True).sum() if isinstance(X, pd.DataFrame) else X.nbytes
    return float(size / 2**20)


if __name__ == "__main__":
    main()
