"""A hostile file is refused in a time and a memory that its length accounts for."""

from __future__ import annotations

import contextlib
import os
import resource
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from fuzz.attempt import (
    MEMORY,
    MEMORY_A_BYTE,
    SECONDS,
    SECONDS_A_BYTE,
    peak_bytes,
    reset_peak,
    resident_bytes,
)
from fuzz.models import model_bytes
from treewright.errors import ModelFileError
from treewright.save.header import read_header
from treewright.save.model_bytes import to_bytes
from treewright.save.persist import load_bytes
from unit.save.model_pieces import with_header_text

HEADERS: dict[str, bytes] = {
    "many names, the last one twice": b"{" + b",".join(b'"%d":0' % k for k in range(400_000)) + b',"399999":0}',
    "a string without end after brackets": b"[" * 65 + b'"' + b'\\"' * 400_000,
    "brackets in a string": b'["' + b"[" * 4_000_000 + b'", ' + b"[" * 70,
    "lists side by side": b"[" + b"[]," * 500_000 + b"]",
    "short lists in a header that is JSON": b'{"a":[' + b"[]," * 3_000_000 + b"0]}",
    "short objects": b'{"a":[' + b'{"a":0},' * 1_000_000 + b"0]}",
    "an object of many names": b"{" + b",".join(b'"%d":0' % k for k in range(1_000_000)) + b"}",
    "backslashes": b'["' + b"\\" * 4_000_001 + b'"' + b"[" * 70,
}


# What was quadratic would take hours here, and what was exponential would not end: no clock is asked but that of the
# time limit of all tests.
@pytest.mark.parametrize("name", sorted(HEADERS))
def test_a_long_header_is_refused(name: str) -> None:
    with pytest.raises(ModelFileError):
        read_header(HEADERS[name], "m.tw")


def nested_recipes(depth: int) -> dict[str, Any]:
    recipe: dict[str, Any] = {"recipe": "DecisionTreeClassifier", "params": {}}
    for _ in range(depth):
        recipe = {"recipe": "BaggingTreesClassifier", "params": {"estimator": recipe}}
    return recipe


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_recipe_in_a_recipe_is_refused_at_once(wrapped: bool) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    header, arrays = tw.BaggingTreesClassifier(n_estimators=2).fit(X, y)._tw_state()
    inner = nested_recipes(25)
    recipe = {"recipe": "BaggingTreesClassifier", "params": {"estimator": {"list": [inner]} if wrapped else inner}}
    header["params"]["estimator"] = recipe
    with pytest.raises(ModelFileError, match="its recipe holds a recipe"):
        load_bytes(to_bytes(header, arrays))


def test_classes_of_a_type_far_too_wide_take_no_memory() -> None:
    X = [[float(k)] for k in range(3000)]
    header, arrays = tw.DecisionTreeClassifier(max_depth=1).fit(X, [str(k) for k in range(3000)])._tw_state()
    header["classes_dtype"] = "<U262144"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelFileError, match="its classes do not fit their type"):
        load_bytes(to_bytes(header, arrays))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB; it took 2.6 GB


def test_a_wide_type_of_classes_is_not_taken_once_for_every_node() -> None:
    X = [[float(k)] for k in range(64)]
    header, arrays = tw.DecisionTreeClassifier().fit(X, [str(k % 2) for k in range(64)])._tw_state()
    header["classes_dtype"] = "<U262144"  # 2 MB for the two classes, 128 for the nodes
    data = to_bytes(header, arrays)
    tracemalloc.start()
    model = load_bytes(data)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 32 * 2**20 + 16 * len(data)
    assert [model.predict_one({"x0": x}) for x in (0.0, 1.0)] == ["0", "1"]
    assert model.predict(X[:2]).tolist() == ["0", "1"]


def test_classes_of_a_type_wider_than_they_need_come_back() -> None:
    header, arrays = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])._tw_state()
    header["classes_dtype"] = "<U50"
    assert load_bytes(to_bytes(header, arrays)).classes_.tolist() == ["a", "b"]


def seconds_and_bytes(data: bytes) -> tuple[float, int]:
    """What loading a file takes in a process of its own, after a first model was loaded."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        reset_peak()
        memory, start = resident_bytes(), time.process_time()
        with contextlib.suppress(ModelFileError):
            load_bytes(data)
        os.write(writer, f"{time.process_time() - start} {peak_bytes() - memory}".encode())
        os._exit(0)
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(reader) as told:
        seconds, memory = told.read().split()
    return float(seconds), int(memory)


def many_columns() -> bytes:
    header, arrays = tw.DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [0.0, 1.0])._tw_state()
    column = header["schema"]["columns"][0]
    header["schema"]["columns"] = [{**column, "name": str(k)} for k in range(30_000)]
    return to_bytes({**header, "n_columns": 30_000}, arrays)


def many_levels(levels: list[Any]) -> bytes:
    table = pd.DataFrame({"x": ["a", "b"]})
    header, arrays = tw.DecisionTreeRegressor(max_depth=1).fit(table, [0.0, 1.0])._tw_state()
    header["schema"]["columns"][0]["levels"] = levels
    return to_bytes(header, arrays)


def many_lone_leaves(model: Any, n: int) -> bytes:
    header, arrays = model.fit([[0.0], [1.0]], [0.0, 0.0])._tw_state()
    learnt = {**header["learnt"], **({"n_estimators_": n} if "n_estimators_" in header["learnt"] else {})}
    tiled = {name: array if name.startswith("learnt_") else np.tile(array, n) for name, array in arrays.items()}
    return to_bytes({**header, "learnt": learnt}, tiled)


def many_rows(model: Any, n: int) -> bytes:
    header, arrays = model.fit(np.arange(100.0).reshape(50, 2) % 7, np.arange(50.0) % 2)._tw_state()
    learnt = {**header["learnt"], "n_samples_fit_": n}
    longer = {name: np.resize(a, (n, *a.shape[1:])) if len(a) == 50 else a for name, a in arrays.items()}
    return to_bytes({**header, "learnt": learnt}, longer)


_BOOST, _BAG = tw.GradientBoostingRegressor(n_estimators=1), tw.BaggingTreesRegressor(n_estimators=1)
LARGE: dict[str, Callable[[], bytes]] = {
    "columns": many_columns,
    "levels": lambda: many_levels([f"{k:05x}" for k in range(200_000)]),
    "levels that are numbers": lambda: many_levels(list(range(200_000))),
    "trees of a booster": lambda: many_lone_leaves(tw.GradientBoostingRegressor(n_estimators=1), 1_000_000),
    "trees of a booster that are few enough": lambda: many_lone_leaves(
        tw.GradientBoostingRegressor(n_estimators=1), 60_000
    ),
    "trees of a bag": lambda: many_lone_leaves(tw.BaggingTreesRegressor(n_estimators=1), 100_000),
    "trees of a bag that are few enough": lambda: many_lone_leaves(tw.BaggingTreesRegressor(n_estimators=1), 15_000),
    "rows of neighbours": lambda: many_rows(tw.KNeighborsRegressor(n_jobs=1), 500_000),
    "rows of local fits": lambda: many_rows(tw.LocallyWeightedRegression(), 500_000),
    "strings": lambda: with_header_text(to_bytes({}, {}), b'{"a":[' + b'"ab",' * 1_000_000 + b"0]}"),
}


@pytest.mark.parametrize("name", sorted(LARGE))
def test_time_and_memory_to_load_are_in_proportion_to_the_length(name: str) -> None:
    data = LARGE[name]()
    for model in ("cart numbers", "boosting numbers", "bagging numbers", "neighbours numbers", "local"):
        load_bytes(model_bytes(model))  # what is loaded when it is first used is no cost of a file
    seconds, memory = seconds_and_bytes(data)
    assert seconds < SECONDS + SECONDS_A_BYTE * len(data)
    assert memory < MEMORY + MEMORY_A_BYTE * len(data)


def test_a_table_of_too_many_arrays_is_refused() -> None:
    with pytest.raises(ModelFileError, match="its table has 2000 arrays"):
        load_bytes(to_bytes({}, {f"a{k}": np.zeros(0) for k in range(2000)}))


def test_brackets_and_colons_in_names_and_levels_are_no_lists() -> None:
    levels = [f"[{k}:{{" for k in range(5_000)]
    assert load_bytes(many_levels(levels)).tree_.schema.columns[0].levels == tuple(levels)
