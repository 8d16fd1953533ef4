"""Ctrl-C while neighbours are looked for: it stops at once, and the estimator is as it was."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import treewright as tw


@pytest.fixture(autouse=True)
def python_handles_interrupts() -> Iterator[None]:
    """Whoever started the tests may have told them to ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def seconds_to_stop(work: Callable[[], Any], delay: float) -> float:
    """Press Ctrl-C after a delay and measure, by the processor, how long the work goes on."""
    pressed = [0.0]

    def press() -> None:
        pressed[0] = time.process_time()
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(delay, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        again_and_again(work)
    return time.process_time() - pressed[0]


def again_and_again(work: Callable[[], Any]) -> None:
    """So that the interrupt falls into the work, however fast it is."""
    while True:
        work()


@pytest.mark.parametrize(
    "model",
    [
        tw.KNeighborsClassifier("cv", n_jobs=1),
        tw.KNeighborsClassifier("cv", n_jobs=2),
        tw.LocallyWeightedRegression(),
    ],
    ids=["neighbours", "neighbours on two threads", "local"],
)
def test_an_interrupted_fit_stops_at_once_and_leaves_no_trace(model: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 12)), rng.integers(0, 2, 40_000)
    model.fit(X[:200], y[:200])
    before, fingerprint = dict(model.__dict__), model.fingerprint()
    # The best of three: another process may hold up any one of them.
    assert any(seconds_to_stop(lambda: model.fit(X, y), 0.4) < 1.0 for _ in range(3))
    assert set(model.__dict__) == set(before)
    assert all(model.__dict__[name] is value for name, value in before.items())
    assert model.fingerprint() == fingerprint


def test_interrupted_questions_stop_at_once() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 12)), rng.integers(0, 2, 40_000)
    for threads in (1, 2):
        model = tw.KNeighborsClassifier(n_jobs=threads).fit(X, y)
        assert any(seconds_to_stop(lambda model=model: model.predict(X), 0.4) < 1.0 for _ in range(3))
