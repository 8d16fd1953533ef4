"""The networks do what the plain loops of the oracle do, step by step."""

from __future__ import annotations

import itertools
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from oracle import network as oracle
from treewright.learners.neural_network import training

LEVELS = ["cook", "king", "smith"]


@st.composite
def learning_tasks(draw: st.DrawFn) -> dict[str, Any]:
    """A small table of numbers and levels with holes, a target, weights, and a network to train."""
    n_rows = draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.sampled_from([None, None, 1, 2, 3]))
    frame = pd.DataFrame({"a": rng.normal(size=n_rows).round(2), "b": rng.integers(0, 3, n_rows).astype(float)})
    if draw(st.booleans()):
        frame["job"] = rng.choice([*LEVELS, None], n_rows)
    if draw(st.booleans()):
        frame.loc[rng.random(n_rows) < 0.3, "a"] = np.nan
    y = rng.normal(size=n_rows) if n_classes is None else rng.integers(0, n_classes, n_rows)
    weights = rng.integers(1, 4, n_rows).astype(float) if draw(st.booleans()) else None
    return {
        "frame": frame,
        "y": y,
        "weights": weights,
        "hidden": draw(st.sampled_from([(), (2,), (3, 2)])),
        "activation": draw(st.sampled_from(["sigmoid", "tanh", "relu", "linear"])),
        "output": draw(st.sampled_from(["linear", "sigmoid", "tanh"])),
        "loss": draw(st.sampled_from(["log_loss", "squared_error"])),
        "way": draw(st.sampled_from(["plain", "momentum", "nesterov", "adam"])),
        "batch": draw(st.sampled_from([1, 2, 1000])),
        "alpha": draw(st.sampled_from([0.0, 0.5])),
        "epochs": draw(st.integers(1, 3)),
        "seed": draw(st.integers(0, 99)),
    }


def inputs_of(task: dict[str, Any]) -> oracle.Matrix:
    """The inputs in plain words: numbers, 0 and 1 for every level but the first, holes filled with means."""
    frame, n_rows = task["frame"], len(task["frame"])
    weights = [1.0] * n_rows if task["weights"] is None else task["weights"].tolist()
    columns = []
    for name in frame.columns:
        values = [None if value is None or value != value else value for value in frame[name].tolist()]
        if name == "job":
            levels = sorted({value for value in values if value is not None})
            parts = [[None if v is None else float(v == level) for v in values] for level in levels[1:]]
            if not levels:  # a column without any value
                parts = [[0.0] * n_rows]
        else:
            parts = [values]
        for part in parts:
            known = [(v, w) for v, w in zip(part, weights, strict=True) if v is not None]
            mean = sum(v * w for v, w in known) / sum(w for _, w in known) if known else 0.0
            columns.append([mean if v is None else v for v in part])
    return [list(row) for row in zip(*columns, strict=True)]


def start_of(sizes: list[int], seed: int) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(seed)
    pairs = itertools.pairwise(sizes)
    return [((0.4 * rng.normal(size=(n, m))).tolist(), rng.normal(size=m).tolist()) for n, m in pairs]


def estimator_of(task: dict[str, Any], start: list[tuple[Any, Any]]) -> Any:
    settings = {
        "hidden_layer_sizes": task["hidden"],
        "activation": task["activation"],
        "alpha": task["alpha"],
        "batch_size": task["batch"],
        "max_iter": task["epochs"],
        "solver": "adam" if task["way"] == "adam" else "sgd",
        "momentum": 0.0 if task["way"] == "plain" else 0.7,
        "nesterovs_momentum": task["way"] == "nesterov",
        "learning_rate_init": 0.02,
        "initial_weights": start,
        "shuffle": False,
        "standardize": False,
    }
    if task["y"].dtype.kind == "f":
        return tw.MLPRegressor(**settings, output_activation=task["output"])
    return tw.MLPClassifier(**settings, loss=task["loss"])


def oracle_of(
    task: dict[str, Any], start: list[tuple[Any, Any]], n_classes: int
) -> tuple[oracle.Network, oracle.Matrix]:
    weights, biases = [w for w, _ in start], [b for _, b in start]
    if task["y"].dtype.kind == "f":
        targets = [[float(y)] for y in task["y"]]
        return oracle.Network(weights, biases, task["activation"], task["output"], "squared"), targets
    codes = np.unique(task["y"], return_inverse=True)[1]
    targets = [[float(c)] if n_classes == 2 else [float(c == k) for k in range(n_classes)] for c in codes.tolist()]
    if task["loss"] == "squared_error":
        return oracle.Network(weights, biases, task["activation"], "sigmoid", "squared"), targets
    output = "sigmoid" if n_classes == 2 else "softmax"
    return oracle.Network(weights, biases, task["activation"], output, "log"), targets


@given(learning_tasks())
def test_every_step_of_the_core_is_that_of_the_plain_loops(task: dict[str, Any]) -> None:
    compare_steps(task)


@given(learning_tasks())
def test_every_step_by_blas_is_that_of_the_plain_loops(task: dict[str, Any]) -> None:
    with patch.object(training, "core_can_train", lambda *_: False):
        compare_steps(task)


def compare_steps(task: dict[str, Any]) -> None:
    rows = inputs_of(task)
    n_classes = 0 if task["y"].dtype.kind == "f" else len(np.unique(task["y"]))
    n_outputs = 1 if n_classes in (0, 2) else n_classes
    start = start_of([len(rows[0]), *task["hidden"], n_outputs], task["seed"])
    model = estimator_of(task, start).fit(task["frame"], task["y"], task["weights"])
    expected, targets = oracle_of(task, [(list(map(list, w)), list(b)) for w, b in start], n_classes)
    size = min(task["batch"], len(rows))
    epoch = [list(range(i, min(i + size, len(rows)))) for i in range(0, len(rows), size)]
    row_weights = [1.0] * len(rows) if task["weights"] is None else task["weights"].tolist()
    kind = {"plain": "momentum"}.get(task["way"], task["way"])
    way = oracle.Way(kind, 0.02, 0.0 if task["way"] == "plain" else 0.7)
    oracle.train(expected, rows, targets, row_weights, epoch * task["epochs"], way, task["alpha"])
    for ours, plain in zip(model.coefs_, expected.weights, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-7, atol=1e-9)
    for ours, plain in zip(model.intercepts_, expected.biases, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-7, atol=1e-9)
    answers = [oracle.forward(expected, row)[-1] for row in rows]
    if n_classes == 0:
        np.testing.assert_allclose(model.predict(task["frame"]), [a[0] for a in answers], rtol=1e-6, atol=1e-8)
    elif n_classes == 2:
        np.testing.assert_allclose(model.predict_proba(task["frame"])[:, 1], [a[0] for a in answers], atol=1e-8)


@given(learning_tasks())
def test_the_loss_of_the_first_epoch_is_that_of_the_plain_loops(task: dict[str, Any]) -> None:
    rows = inputs_of(task)
    n_classes = 0 if task["y"].dtype.kind == "f" else len(np.unique(task["y"]))
    start = start_of([len(rows[0]), *task["hidden"], 1 if n_classes in (0, 2) else n_classes], task["seed"])
    model = estimator_of({**task, "epochs": 1, "way": "plain"}, start).fit(task["frame"], task["y"], task["weights"])
    expected, targets = oracle_of(task, [(list(map(list, w)), list(b)) for w, b in start], n_classes)
    size = min(task["batch"], len(rows))
    epoch = [list(range(i, min(i + size, len(rows)))) for i in range(0, len(rows), size)]
    row_weights = [1.0] * len(rows) if task["weights"] is None else task["weights"].tolist()
    loss = oracle.train(expected, rows, targets, row_weights, epoch, oracle.Way("momentum", 0.02), task["alpha"])
    np.testing.assert_allclose(model.loss_, loss, rtol=1e-7, atol=1e-9)


@given(learning_tasks(), st.integers(0, 2**31))
def test_neither_the_order_of_rows_nor_how_weights_are_written_changes_the_model(
    task: dict[str, Any], seed: int
) -> None:
    frame, y = task["frame"], task["y"]
    weights = np.random.default_rng(seed).integers(1, 3, len(y))
    written_out = np.repeat(np.arange(len(y)), weights)
    shuffled = np.random.default_rng(seed).permutation(written_out)
    kind = tw.MLPRegressor if y.dtype.kind == "f" else tw.MLPClassifier
    model = kind(task["hidden"], batch_size=2, max_iter=2, random_state=seed, missing="flag")
    by_weight = model.fit(frame, y, weights.astype(float)).all_weights_.copy()
    by_rows = model.fit(frame.iloc[shuffled].reset_index(drop=True), y[shuffled]).all_weights_
    np.testing.assert_array_equal(by_weight, by_rows)
