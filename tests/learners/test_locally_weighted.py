"""Locally weighted regression: the worked number, mixed tables, files, and what is said to wrong input."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError, ModelFileError
from treewright.save.persist import restore_into

SINE = np.linspace(0, 1, 11)[:, None]
WAVE = np.sin(2 * np.pi * SINE[:, 0])


@pytest.mark.parametrize("degree", [0, 1])
def test_the_worked_number_of_the_sine(degree: int) -> None:
    model = tw.LocallyWeightedRegression(bandwidth=0.1, degree=degree).fit(SINE, WAVE)
    assert model.predict([[0.25]])[0] == pytest.approx(0.8221, abs=5e-5)


@pytest.mark.parametrize("kernel", ["gaussian", "tricube", "epanechnikov"])
def test_a_straight_line_is_found_whatever_the_bandwidth(kernel: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = 4 + X @ [1.0, -2.0, 3.0]
    for bandwidth in (0.8, 3.0):
        model = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=bandwidth).fit(X, y)
        assert model.predict(X) == pytest.approx(y, abs=1e-4)


@pytest.mark.parametrize("kernel", ["gaussian", "tricube", "epanechnikov"])
def test_mixed_tables_with_holes_are_answered(kernel: str) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    numbers = pd.Series(np.arange(len(y)) % 7, dtype=float)
    model = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=0.8).fit(X, numbers)
    assert np.isfinite(model.predict(X)).all()


def test_a_smaller_error_than_a_plain_mean_on_rows_not_seen() -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.LocallyWeightedRegression().fit(X[::2], y[::2])
    errors = model.predict(X[1::2]) - y[1::2]
    assert np.sqrt(np.mean(errors**2)) < 0.5 * y.std()
    assert model.loo_errors_.min() == pytest.approx(model.loo_errors_[list(model.bandwidths_).index(model.bandwidth_)])


def test_without_a_neighbour_the_nearest_row_answers_or_it_is_said() -> None:
    settings: dict[str, Any] = {"kernel": "tricube", "bandwidth": 0.05, "metric": "euclidean"}
    X, y = np.array([[0.0], [1.0]]), [3.0, 5.0]
    assert tw.LocallyWeightedRegression(**settings).fit(X, y).predict([[0.4], [9.0]]).tolist() == [3.0, 5.0]
    with pytest.raises(DataError, match="Row 2 has no neighbour within its bandwidth"):
        tw.LocallyWeightedRegression(**settings, empty="refuse").fit(X, y).predict([[0.0], [0.4]])


def test_singular_places_are_answered() -> None:
    X = np.array([[0.0, 1.0]] * 5 + [[1.0, 2.0]])
    y = np.array([1.0, 2, 3, 4, 5, 9])
    for kernel in ("gaussian", "tricube"):
        model = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=0.3, metric="euclidean").fit(X, y)
        assert model.predict([[0.0, 1.0]])[0] == pytest.approx(3.0, abs=0.1)


def test_far_from_all_rows_nothing_is_lost() -> None:
    model = tw.LocallyWeightedRegression(bandwidth=0.05).fit(SINE, WAVE)
    assert np.isfinite(model.predict([[50.0], [-1e6]])).all()


def test_a_weight_counts_as_so_many_rows() -> None:
    doubled = np.vstack([SINE, SINE[3:5]]), np.concatenate([WAVE, WAVE[3:5]])
    weights = np.ones(11)
    weights[3:5] = 2
    for settings in ({}, {"kernel": "tricube", "span": 0.6}):
        one = tw.LocallyWeightedRegression(**settings).fit(SINE, WAVE, weights)
        two = tw.LocallyWeightedRegression(**settings).fit(*doubled)
        assert one.predict(SINE + 0.03) == pytest.approx(two.predict(SINE + 0.03), abs=1e-7)


@pytest.mark.parametrize("settings", [{}, {"kernel": "tricube", "span": 0.4}, {"bandwidth": 0.3, "degree": 0}])
def test_a_model_file_and_a_pickle_answer_as_the_model(settings: dict[str, Any], tmp_path: Path) -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.LocallyWeightedRegression(**settings).fit(X[:100], y[:100])
    tw.save(model, tmp_path / "m.tw")
    for again in (tw.load(tmp_path / "m.tw"), pickle.loads(pickle.dumps(model))):
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert again.fingerprint() == model.fingerprint()
        assert str(again) == str(model)


@pytest.mark.parametrize(
    ("name", "wrong"), [("fit_target_", np.zeros(3)), ("bandwidth_", -1.0), ("loo_errors_", np.zeros(3))]
)
def test_a_file_that_cannot_be_right_is_refused(name: str, wrong: Any) -> None:
    model = tw.LocallyWeightedRegression().fit(SINE, WAVE)
    setattr(model, name, wrong)
    header, arrays = model._tw_state()
    with pytest.raises(ModelFileError, match="damaged"):
        restore_into(tw.LocallyWeightedRegression(), header, arrays, "it")


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({"bandwidth": 0.0}, SINE, "'bandwidth' parameter"),
        ({"bandwidth": -1.0}, SINE, "'bandwidth' parameter"),
        ({"span": 1.5}, SINE, "'span' parameter"),
        ({"kernel": "box"}, SINE, "'kernel' parameter"),
        ({}, np.zeros((11, 1)), "at the same place"),
        ({"metric": "euclidean"}, np.where(SINE > 0.5, np.nan, SINE), "Row 7 has no value"),
    ],
)
def test_wrong_input_is_answered_with_a_sentence(settings: dict[str, Any], X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.LocallyWeightedRegression(**settings).fit(X, WAVE)


def test_one_row_needs_a_bandwidth() -> None:
    with pytest.raises(DataError, match="n_samples = 1"):
        tw.LocallyWeightedRegression().fit([[1.0]], [2.0])
    assert tw.LocallyWeightedRegression(bandwidth=1.0).fit([[1.0]], [2.0]).predict([[5.0]]).tolist() == [2.0]


def test_numbers_that_no_square_can_hold_are_refused() -> None:
    for X, y in (([[1e300], [-1e300]], [1.0, 2.0]), ([[1.0], [2.0]], [1e300, -1e300])):
        with pytest.raises(DataError, match="too far apart to measure"):
            tw.LocallyWeightedRegression(bandwidth=1.0).fit(X, y)


def test_many_rows_at_once_are_answered_as_one_by_one() -> None:
    # Near most rows some columns are constant: what rounding leaves of their squares must not pass for a slope.
    X, y = tw.datasets.load_boston(return_X_y=True)
    model = tw.LocallyWeightedRegression(kernel="tricube", bandwidth=1.0, span=0.3).fit(X, y)
    alone = [float(model.predict(X.iloc[[row]])[0]) for row in range(0, len(X), 5)]
    assert model.predict(X)[::5] == pytest.approx(alone, rel=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "tricube"])
def test_fewer_rows_than_columns_are_fitted_by_the_directions_of_the_rows(kernel: str) -> None:
    rng = np.random.default_rng(0)
    narrow = rng.normal(size=(30, 4)).round(2)
    y = narrow[:, 0] - narrow[:, 1]
    model = tw.LocallyWeightedRegression(kernel=kernel, bandwidth=9.0)
    # Columns of nothing but zeros tell nothing more.
    wide = np.hstack([narrow, np.zeros((30, 2000))])
    alike = model.fit(narrow, y).predict(narrow[:5])
    assert model.fit(wide, y).predict(wide[:5]) == pytest.approx(alike, abs=1e-3)
    noise = rng.normal(size=(30, 3000)).round(2)
    assert np.isfinite(tw.LocallyWeightedRegression(kernel=kernel).fit(noise, y).predict(noise[:3])).all()
