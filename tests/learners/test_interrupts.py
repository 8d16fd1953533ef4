"""Ctrl-C during a fit: it stops at once, and the estimator is as it was."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

ROWS, COLUMNS = 1_500_000, 20


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((ROWS, COLUMNS), dtype=np.float32)


@pytest.fixture(scope="module")
def labels() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 2, ROWS)


@pytest.fixture(autouse=True)
def python_handles_interrupts() -> Iterator[None]:
    """Whoever started the tests may have told them to ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def seconds_to_stop(model: Any, X: Any, y: Any, delay: float) -> float:
    """Press Ctrl-C after a delay and measure how long it takes until fit gives up.

    In seconds of the processor: those of the clock tell more about other processes than about this one.
    """
    pressed = [0.0]

    def press() -> None:
        pressed[0] = time.process_time()
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(delay, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fit_until_interrupted(model, X, y)
    return time.process_time() - pressed[0]


def fit_until_interrupted(model: Any, X: Any, y: Any) -> None:
    """Fit again and again, so that the interrupt falls into a fit, however fast it is."""
    while True:
        model.fit(X, y)


def small_model() -> tw.DecisionTreeClassifier:
    return tw.DecisionTreeClassifier().fit(pd.DataFrame({"a": [1, 2], "b": ["p", "q"]}), ["no", "yes"])


@pytest.mark.parametrize("delay", [0.05, 0.3, 0.9], ids=["while it encodes", "early", "while it grows"])
def test_an_interrupted_fit_stops_at_once_and_leaves_no_trace(
    delay: float, numbers: np.ndarray, labels: np.ndarray
) -> None:
    model = small_model()
    before = dict(model.__dict__)
    fingerprint = model.fingerprint()
    # The best of three: another process may hold up any one of them.
    assert any(seconds_to_stop(model, numbers, labels, delay) < 0.5 for _ in range(3))
    assert model.__dict__ == before
    assert model.fingerprint() == fingerprint
    assert model.predict_one([1, "p"]) == "no"


@pytest.mark.parametrize(
    "model",
    [
        tw.BaggingTreesClassifier(n_estimators=50, n_jobs=2),
        tw.BaggingTreesClassifier(n_estimators=50, n_jobs=1, oob_score=True),
        tw.AdaBoostClassifier(n_estimators=500),
    ],
    ids=["bagging", "bagging in one thread", "AdaBoost"],
)
def test_an_interrupted_ensemble_stops_at_once_and_leaves_no_trace(
    model: Any, numbers: np.ndarray, labels: np.ndarray
) -> None:
    model.fit([[1, 2], [3, 4], [5, 5]], ["no", "yes", "no"])
    before = dict(model.__dict__)
    fingerprint = model.fingerprint()
    # The best of three: another process may hold up any one of them.
    assert any(seconds_to_stop(model, numbers, labels, 1.0) < 0.5 for _ in range(3))
    assert model.__dict__ == before
    assert model.fingerprint() == fingerprint


@pytest.mark.parametrize(
    "model",
    [
        tw.RandomForestClassifier(3),
        tw.RandomForestClassifier(3, n_jobs=1, verbose=1),
        tw.RandomForestClassifier(3, oob_score=True),
        tw.RandomForestClassifier(3, splitter="oblique"),
        tw.RandomForestRegressor(3, quantiles=True),
        tw.ExtraTreesClassifier(3),
        tw.GradientBoostingClassifier(n_estimators=3),
        tw.GradientBoostingRegressor(n_estimators=3, early_stopping=False, n_jobs=1),
    ],
    ids=[
        "forest",
        "forest in one thread with a bar",
        "forest with answers out of bag",
        "oblique forest",
        "forest with quantiles",
        "extra trees",
        "boosting",
        "boosting of numbers in one thread",
    ],
)
@pytest.mark.filterwarnings("ignore:.*rows are in the bag of every tree")
def test_an_interrupted_forest_or_booster_stops_at_once_and_leaves_no_trace(
    model: Any, numbers: np.ndarray, labels: np.ndarray
) -> None:
    model.fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 0])
    model.n_estimators = 100
    before, fingerprint = dict(model.__dict__), model.fingerprint()
    rows = slice(0, 200_000)
    # The best of three: another process may hold up any one of them.
    assert any(seconds_to_stop(model, numbers[rows], labels[rows], 0.5) < 0.5 for _ in range(3))
    assert model.__dict__ == before
    assert model.fingerprint() == fingerprint


def test_a_second_fit_works_after_an_interrupt(numbers: np.ndarray, labels: np.ndarray) -> None:
    model = tw.DecisionTreeClassifier(max_depth=2)
    seconds_to_stop(model, numbers, labels, 0.1)
    assert not hasattr(model, "tree_")
    few = slice(0, 1000)
    again = model.fit(numbers[few], labels[few]).fingerprint()
    assert again == tw.DecisionTreeClassifier(max_depth=2).fit(numbers[few], labels[few]).fingerprint()


def test_a_refused_fit_leaves_the_model_as_it_was() -> None:
    model = small_model()
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="row 2 has no target value"):
        model.fit([[1], [2]], [1.0, None])
    assert model.__dict__ == before
