"""What would need more memory than there is: a sentence before it starts, and where it happens all the same."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import machine
from treewright.errors import DataError, NotEnoughMemoryError
from treewright.learners.base import learner
from treewright.learners.registry import LEARNERS

DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(60, 3)).round(2)
LEVELS = pd.DataFrame({name: DRAW.choice(["a", "b", "c"], 60) for name in ("p", "q")})
CLASSES = np.where(X[:, 0] > 0, "yes", "no")
EVERY = sorted({kind for record in LEARNERS.values() for kind in (record.classifier, record.regressor) if kind})


# The models of this test refuse these before any row is looked at.
REFUSED_BEFORE = ("predict_quantiles", "cost_complexity_pruning_path", "pruned", "predict_interval", "predict_set")


def fitted(name: str) -> Any:
    model = getattr(tw, name)()
    table = LEVELS if name.startswith("ID3") else X
    return model.fit(table, CLASSES if model._predicts_classes else X[:, 0] ** 2 + 1), table


def arguments(method: Callable[..., Any], table: Any, target: Any) -> dict[str, Any]:
    """What a method that takes rows has to be given beside them."""
    given = {
        "y": target,
        "row": [None] * table.shape[1],
        "node_id": 0,
        "node": 0,
        "column": "x0",
        "pruner": tw.ReducedError(),
    }
    return {"X": table} | {name: given[name] for name in inspect.signature(method).parameters if name in given}


@pytest.mark.parametrize("name", EVERY)
def test_every_door_that_rows_go_through_tells_of_memory_that_ran_out(name: str, monkeypatch: Any) -> None:
    model, table = fitted(name)
    target = CLASSES if model._predicts_classes else X[:, 0] ** 2 + 1

    def ran_out(*_: Any, **__: Any) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(type(model), "_table", ran_out)
    monkeypatch.setattr(type(model), "_rows", ran_out)
    own = [door for door in dir(type(model)) if not door.startswith("_")]
    old = {"honest", "prices_", "prune", *model._renamed}
    methods = {door: getattr(model, door) for door in own if door not in old and hasattr(model, door)}
    doors = [
        d for d, method in methods.items() if inspect.ismethod(method) and "X" in inspect.signature(method).parameters
    ]
    assert {"fit"} < set(doors)
    asked = 0
    for door in doors:
        method = getattr(model, door)
        if inspect.isgeneratorfunction(inspect.unwrap(method)):
            continue
        with pytest.raises(DataError) as told:
            method(**arguments(method, table, target))
        asked += isinstance(told.value, NotEnoughMemoryError)
        if door not in REFUSED_BEFORE:
            assert "ran out of memory" in str(told.value), door
            assert "std::bad_alloc" not in str(told.value)
    assert asked >= 2


def no_room(monkeypatch: Any, n_bytes: int = 10**6) -> None:
    monkeypatch.setattr(machine, "free_memory", lambda: n_bytes)


LARGE = DRAW.normal(size=(60_000, 30))
# They take levels, look at the matrix while they learn, or have little in memory beside the table.
FRUGAL = ("ID3", "Locally", "NaiveBayes", "Logistic", "Linear", "Regularized")


@pytest.mark.parametrize("name", [n for n in EVERY if not n.startswith(FRUGAL)])
def test_a_fit_that_would_need_more_than_there_is_is_refused_before_it_starts(name: str, monkeypatch: Any) -> None:
    no_room(monkeypatch, 10**5)
    model = getattr(tw, name)()
    monkeypatch.setattr(type(model), "_learn", lambda *_: pytest.fail("it began to learn"))
    target = LARGE[:, 0] > 0 if model._predicts_classes else LARGE[:, 0]
    with pytest.raises(NotEnoughMemoryError, match=r"would take about .* \(60,000 rows.*are free\. ") as refused:
        model.fit(LARGE, target)
    assert name in str(refused.value)
    assert not hasattr(model, "n_features_in_")


def test_many_columns_of_locally_weighted_regression_are_refused_with_what_to_do(monkeypatch: Any) -> None:
    wide = DRAW.normal(size=(310, 300))
    model = tw.LocallyWeightedRegression(bandwidth=5.0).fit(wide, wide[:, 0])
    constant = tw.LocallyWeightedRegression(bandwidth=5.0, degree=0).fit(wide, wide[:, 0])
    no_room(monkeypatch, 10**7)
    with pytest.raises(NotEnoughMemoryError, match=r"92 rows to answer × 300 columns × 300 columns.*degree=0"):
        model.predict(wide)
    assert np.isfinite(constant.predict(wide)).all()


def test_a_billion_trees_are_refused_in_a_sentence() -> None:
    for model in (
        tw.RandomForestClassifier(10**9),
        tw.ExtraTreesClassifier(10**9),
        tw.GradientBoostingClassifier(n_estimators=10**9),
        tw.BaggingTreesClassifier(n_estimators=10**9),
        tw.AdaBoostClassifier(n_estimators=10**9),
    ):
        with pytest.raises(NotEnoughMemoryError, match=r"1,000,000,000 trees.*n_estimators"):
            model.fit(X, CLASSES)


def test_shares_of_many_classes_for_many_rows_are_refused(monkeypatch: Any) -> None:
    classes = np.arange(60) // 2
    models = [
        tw.DecisionTreeClassifier(),
        tw.RandomForestClassifier(3),
        tw.LogisticRegression(),
        tw.KNeighborsClassifier(1),
        tw.BaggingTreesClassifier(n_estimators=2),
        tw.AdaBoostClassifier(n_estimators=2),
    ]
    rows = np.zeros((40_000, 3))
    for model in models:
        model.fit(X, classes)
    no_room(monkeypatch)
    for model in models:
        with pytest.raises(NotEnoughMemoryError, match=r"40,000 rows × 30 (classes|answers)"):
            model.predict_proba(rows)


def test_explaining_many_rows_is_refused(monkeypatch: Any) -> None:
    model = tw.DecisionTreeClassifier().fit(LARGE[:500], LARGE[:500, 0] > 0)
    no_room(monkeypatch)
    with pytest.raises(NotEnoughMemoryError, match=r"60,000 rows × 30 columns × 2 answers.*fewer rows at a time"):
        model.shap_values(LARGE)


def test_a_column_of_many_levels_makes_no_matrix_that_is_too_wide(monkeypatch: Any) -> None:
    table = pd.DataFrame({"id": [f"n{i}" for i in range(3000)]})
    no_room(monkeypatch)
    for model in (
        tw.LinearRegression(),
        tw.RegularizedRegression(alpha=1.0),
        tw.LogisticRegression(),
        tw.Perceptron(),
        tw.MLPRegressor(max_iter=1),
    ):
        target = np.arange(3000) % 2 if model._predicts_classes else np.arange(3000.0)
        with pytest.raises(NotEnoughMemoryError, match=r"(3,000 rows|2,999 columns|weights)\)?.*use a tree"):
            model.fit(table, target)


def test_the_refusal_is_an_error_of_the_table_and_one_of_memory() -> None:
    assert issubclass(NotEnoughMemoryError, DataError)
    assert issubclass(NotEnoughMemoryError, MemoryError)


def test_small_fits_do_not_ask_the_machine(monkeypatch: Any) -> None:
    monkeypatch.setattr(machine, "free_memory", lambda: pytest.fail("it asked"))
    tw.DecisionTreeClassifier().fit(X, CLASSES).predict_proba(X)


WITH_A_LIMIT = """
import resource, sys
import numpy as np, treewright as tw
from treewright.errors import NotEnoughMemoryError
from treewright.machine import free_memory
X = np.random.default_rng(0).normal(size=(700, 600))
tw.LocallyWeightedRegression(bandwidth=1.0).fit(X[:, :2], X[:, 0]).predict(X[:5, :2])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300_000_000,) * 2)
assert free_memory() <= 300_000_000
try:
    tw.LocallyWeightedRegression(bandwidth=50.0).fit(X, X[:, 0]).predict(X)
except NotEnoughMemoryError as told:
    print(told)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process is that of Linux")
def test_a_limit_of_the_process_is_known() -> None:
    done = subprocess.run([sys.executable, "-c", WITH_A_LIMIT], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("LocallyWeightedRegression.predict would take about ")
    assert "products of two columns" in done.stdout


def test_the_machinery_of_doors_leaves_methods_what_they_were() -> None:
    assert str(inspect.signature(tw.DecisionTreeClassifier.fit)).startswith("(self, X: ")
    assert tw.DecisionTreeClassifier.predict.__doc__.startswith("Give the answer of each row's leaf")
    assert learner.Learner.fit.__wrapped__.__name__ == "fit"
