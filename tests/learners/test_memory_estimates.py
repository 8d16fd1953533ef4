"""What a fit says it will have in memory, against what it had: within a factor of two, where it is much."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.learners.base import learner
from treewright.memory import Block

LINUX = sys.platform == "linux" and os.access("/proc/self/clear_refs", os.W_OK)
BESIDE = 4e6  # bytes: what any fit takes, whatever its size

# learner, rows, columns, classes (0: numbers). Trees are kept short: how large they get is not known before.
SHORT = {"max_depth": 4}
CASES: list[tuple[Callable[[], Any], int, int, int]] = [
    (lambda: tw.DecisionTreeClassifier(**SHORT), 400_000, 10, 2),
    (lambda: tw.DecisionTreeClassifier(**SHORT), 100_000, 100, 2),
    (lambda: tw.DecisionTreeClassifier(**SHORT), 100_000, 40, 5),
    (lambda: tw.DecisionTreeRegressor(**SHORT), 300_000, 10, 0),
    (lambda: tw.DecisionTreeRegressor(**SHORT), 100_000, 60, 0),
    (lambda: tw.DecisionTreeRegressor(**SHORT, criterion="absolute_error"), 60_000, 40, 0),
    (lambda: tw.C45Classifier(prune=False), 60_000, 10, 2),
    (lambda: tw.C45Classifier(prune=False), 50_000, 40, 2),
    (lambda: tw.CHAIDClassifier(), 200_000, 10, 2),
    (lambda: tw.CHAIDClassifier(), 50_000, 40, 2),
    (lambda: tw.ConditionalTreeClassifier(), 100_000, 10, 2),
    (lambda: tw.ConditionalTreeRegressor(), 50_000, 40, 0),
    (lambda: tw.ObliqueTreeClassifier(), 60_000, 10, 2),
    (lambda: tw.ObliqueTreeClassifier(), 30_000, 40, 2),
    (lambda: tw.ModelTreeRegressor(), 100_000, 10, 0),
    (lambda: tw.RandomForestClassifier(4, **SHORT), 100_000, 40, 2),
    (lambda: tw.RandomForestClassifier(**SHORT), 60_000, 10, 2),  # 300 trees, judged settings, shrunk classes
    (lambda: tw.RandomForestRegressor(4, **SHORT), 200_000, 10, 0),
    (lambda: tw.ExtraTreesRegressor(4, **SHORT), 200_000, 10, 0),
    (lambda: tw.GradientBoostingClassifier(n_estimators=5), 400_000, 10, 2),
    (lambda: tw.GradientBoostingClassifier(n_estimators=5), 200_000, 10, 5),
    (lambda: tw.GradientBoostingRegressor(n_estimators=5), 100_000, 60, 0),
    (lambda: tw.BaggingTreesClassifier(tw.DecisionTreeClassifier(**SHORT), n_estimators=4), 200_000, 10, 2),
    (lambda: tw.AdaBoostClassifier(n_estimators=4), 200_000, 10, 2),
    (lambda: tw.KNeighborsClassifier(), 40_000, 50, 2),
    (lambda: tw.KNeighborsRegressor(), 300_000, 4, 0),
    (lambda: tw.LocallyWeightedRegression(), 1000, 60, 0),
    (lambda: tw.LocallyWeightedRegression(), 300, 250, 0),
    (lambda: tw.LinearRegression(), 1_000_000, 5, 0),
    (lambda: tw.LinearRegression(), 20_000, 400, 0),
    (lambda: tw.LinearRegression(), 2000, 1500, 0),
    (lambda: tw.LinearRegression(), 500, 3000, 0),
    (lambda: tw.RegularizedRegression(), 200_000, 10, 0),
    (lambda: tw.RegularizedRegression(), 1000, 900, 0),
    (lambda: tw.RegularizedRegression(), 2000, 800, 0),
    (lambda: tw.RegularizedRegression(), 500, 2000, 0),
    (lambda: tw.LogisticRegression(), 1_000_000, 5, 2),
    (lambda: tw.LogisticRegression(), 4000, 1000, 2),
    (lambda: tw.LogisticRegression(), 1000, 2000, 20),
    (lambda: tw.Perceptron(max_iter=2), 400_000, 10, 2),
    (lambda: tw.NaiveBayesClassifier(), 1_000_000, 5, 2),
    (lambda: tw.MLPClassifier(max_iter=1), 200_000, 10, 2),
    (lambda: tw.MLPRegressor(max_iter=1), 30_000, 100, 0),
    (lambda: tw.MLPRegressor(max_iter=1, hidden_layer_sizes=(2000, 1000)), 1000, 10, 0),
    (lambda: tw.Autoencoder(max_iter=1), 200_000, 10, 0),
]


def told(name: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def a_table(n_rows: int, n_columns: int, n_classes: int) -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n_rows, n_columns))
    y = X[:, 0] + draw.normal(size=n_rows)
    if n_classes:
        return X, np.digitize(y, np.quantile(y, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return X, y


def estimate_and_peak(case: int) -> tuple[float, float]:
    """What the fit said, and by how much memory grew: in a new process, since an old one has room to give."""
    asked = f"from learners.test_memory_estimates import CASES, measured; print(*measured(*CASES[{case}]))"
    places = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", asked], env={**os.environ, "PYTHONPATH": places}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    estimate, peak = done.stdout.split()
    return float(estimate), float(peak)


def measured(make: Callable[[], Any], *shape: int) -> tuple[int, int]:
    warnings.simplefilter("ignore")
    said = [0]

    def spy(doing: str, blocks: Sequence[Block], advice: str) -> None:
        said.append(sum(block.n_bytes for block in blocks))

    make().fit(*a_table(60, *shape[1:]))  # what is loaded and asked for once
    learner.refuse_beyond_memory = spy
    X, y = a_table(*shape)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = told("VmRSS")
    make().fit(X, y)
    return max(said), told("VmHWM") - before


@pytest.mark.exhaustive
@pytest.mark.skipif(not LINUX, reason="the peak of a process is read from /proc")
@pytest.mark.parametrize(
    "case", range(len(CASES)), ids=[f"{type(case[0]()).__name__}-{'x'.join(map(str, case[1:]))}" for case in CASES]
)
def test_what_a_fit_says_it_needs_is_what_it_takes_within_a_factor_of_two(case: int) -> None:
    estimate, peak = estimate_and_peak(case)
    assert peak / 2 - BESIDE <= estimate <= 2 * peak + BESIDE
    assert peak > 2 * BESIDE  # else it says nothing
