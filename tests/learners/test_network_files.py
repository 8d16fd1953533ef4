"""Networks to files and back, one row at a time, and what an interrupt leaves."""

from __future__ import annotations

import pickle
import signal
import threading
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.errors import ModelFileError
from treewright.save.model_bytes import from_bytes, to_bytes
from treewright.save.persist import load_bytes

TABLE = pd.DataFrame(
    {
        "age": [20.0, 30, None, 50, 60, 35],
        "job": ["cook", "smith", "cook", None, "king", "king"],
        "ok": [True, False] * 3,
    }
)
CLASSES, NUMBERS = ["a", "b", "a", "c", "c", "b"], [1.5, 2.0, 3.5, 8.0, 7.5, 2.0]
MODELS = [
    (tw.MLPClassifier(3, max_iter=5), CLASSES),
    (
        tw.MLPClassifier(
            (3, 2), max_iter=5, loss="squared_error", missing="flag", early_stopping=True, validation_fraction=0.4
        ),
        CLASSES[:2] * 3,
    ),
    (tw.MLPRegressor(3, max_iter=5, precision="single"), NUMBERS),
    (tw.MLPRegressor((), solver="lbfgs", standardize=False), NUMBERS),
    (tw.MLPRegressor(2, max_iter=3, initial_weights=0.5, output_activation="relu"), NUMBERS),
]


def ids(value: Any) -> str:
    return type(value).__name__ if hasattr(value, "fit") else ""


@pytest.mark.parametrize(("model", "y"), MODELS, ids=ids)
def test_a_network_comes_back_from_a_file_and_a_pickle_as_it_was(model: Any, y: Any, tmp_path: Path) -> None:
    fitted = clone(model).fit(TABLE, y)
    tw.save(fitted, tmp_path / "model.tw")
    joblib.dump(fitted, tmp_path / "model.joblib")
    copies = [
        tw.load(tmp_path / "model.tw"),
        pickle.loads(pickle.dumps(fitted)),
        joblib.load(tmp_path / "model.joblib"),
    ]
    for again in copies:
        assert again.fingerprint() == fitted.fingerprint()
        assert str(again) == str(fitted)
        assert again.predict(TABLE).tolist() == fitted.predict(TABLE).tolist()
        np.testing.assert_array_equal(again.loss_curve_, fitted.loss_curve_)
        assert [w.shape for w in again.coefs_] == [w.shape for w in fitted.coefs_]


@pytest.mark.parametrize(("model", "y"), MODELS, ids=ids)
def test_one_row_is_answered_as_in_a_table(model: Any, y: Any) -> None:
    fitted = clone(model).fit(TABLE, y)
    expected = fitted.predict(TABLE)
    for row, answer in zip(TABLE.to_dict("records"), expected, strict=True):
        told = fitted.predict_one(row)
        assert told == answer if isinstance(answer, str) else told == pytest.approx(answer, rel=1e-5)
    assert fitted.predict_one({"age": 31.0, "job": "never seen"}) is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learnt_all_weights_", np.zeros(3)),
        ("learnt_layer_sizes_", np.array([4, 3, 9])),
        ("learnt_scale_", np.zeros(4)),
        ("learnt_center_", np.zeros(2)),
        ("learnt_fill_", np.full(4, np.nan)),
    ],
)
def test_a_damaged_network_is_refused(name: str, value: Any) -> None:
    fitted = tw.MLPClassifier(3, max_iter=2).fit(TABLE, CLASSES)
    header, arrays = from_bytes(fitted._tw_bytes(), "model")
    assert arrays[name].shape != value.shape or not np.array_equal(arrays[name], value)
    with pytest.raises(ValueError, match="is damaged"):
        load_bytes(to_bytes(header, {**arrays, name: value}))


def test_weights_that_are_no_numbers_are_refused() -> None:
    fitted = tw.MLPRegressor(3, max_iter=2).fit(TABLE, NUMBERS)
    header, arrays = from_bytes(fitted._tw_bytes(), "model")
    broken = arrays["learnt_all_weights_"].copy()
    broken[0] = np.nan
    with pytest.raises(ValueError, match="its all_weights_ has a number that none can be"):
        load_bytes(to_bytes(header, {**arrays, "learnt_all_weights_": broken}))


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_an_interrupted_network_leaves_no_trace(solver: str) -> None:
    before_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        model = tw.MLPRegressor(50, max_iter=10_000, solver=solver, tol=0, n_iter_no_change=10_000)
        model.set_params(max_iter=2).fit([[1.0, 2.0], [2.0, 1.0]], [1.0, 2.0])
        model.set_params(max_iter=10_000)
        before, fingerprint = dict(model.__dict__), model.fingerprint()
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20_000, 10))
        timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, rng.normal(size=20_000))
        assert model.__dict__ == before
        assert model.fingerprint() == fingerprint
    finally:
        signal.signal(signal.SIGINT, before_handler)


def test_answers_do_not_depend_on_how_many_rows_are_asked_or_by_whom() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)), rng.normal(size=3000)
    model = tw.MLPRegressor(10, max_iter=2).fit(X, y)
    whole = model.predict(X)
    np.testing.assert_allclose(np.concatenate([model.predict(X[:7]), model.predict(X[7:])]), whole, rtol=1e-10)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(model.predict(X))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(answers, whole) for answers in found)
    assert len(found) == 4


def test_the_short_way_of_one_row_reads_what_the_long_way_reads() -> None:
    model = tw.MLPRegressor(3, max_iter=5).fit(TABLE, NUMBERS)
    rows: list[Any] = [
        {"age": 30, "job": "cook", "ok": True},
        {"age": np.float32(30.5), "job": None, "ok": None},
        {"job": "never seen"},
        [None, "king", False],
        (41, "smith", True),
        {"age": "35", "job": "smith", "ok": False},
        [np.nan, "cook", np.nan],
    ]
    for row in rows:
        assert model.predict_one(row) == pytest.approx(model._lookup.answer_by_frame(row), rel=1e-12)
    with pytest.raises(ValueError, match="The row has 2 values"):
        model.predict_one([1, 2])
    with pytest.raises(ValueError, match="holds infinity"):
        model.predict_one([np.inf, "cook", True])
    strict = tw.MLPRegressor(3, max_iter=5, missing="refuse").fit(TABLE[["ok"]], NUMBERS)
    with pytest.raises(ValueError, match="has no known value in column 'ok'"):
        strict.predict_one([None])


def test_held_out_rows_that_were_judged_in_no_epoch_are_refused(tmp_path: Path) -> None:
    X = np.arange(40.0).reshape(20, 2)
    model = tw.MLPClassifier((2,), max_iter=3, early_stopping=True, random_state=0).fit(X, ["a", "b"] * 10)
    model.validation_loss_curve_ = np.zeros(0)
    with pytest.raises(ModelFileError, match="judged in no epoch"):
        tw.save(model, tmp_path / "model.tw")
