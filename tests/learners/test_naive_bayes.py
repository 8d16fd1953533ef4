"""Naive Bayes: the worked numbers of the lectures, rows in parts, files, and what is said to wrong input."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError, ModelFileError
from treewright.save.persist import restore_into

ASKED = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


@pytest.mark.parametrize(("alpha", "changed", "no"), [(0, {}, 0.7954), (1, {}, 0.7201), (1, {"Outlook": None}, 0.5626)])
def test_the_tennis_example_gives_the_worked_numbers(alpha: float, changed: dict[str, Any], no: float) -> None:
    X, y = tw.datasets.load_tennis(return_X_y=True)
    model = tw.NaiveBayesClassifier(alpha=alpha).fit(X, y)
    assert model.classes_.tolist() == ["No", "Yes"]
    assert model.predict_proba(pd.DataFrame([{**ASKED, **changed}]))[0, 0] == pytest.approx(no, abs=5e-5)


def test_numbers_and_levels_together_give_the_printed_percentage() -> None:
    X, y = tw.datasets.load_weather_numeric(return_X_y=True)
    model = tw.NaiveBayesClassifier(alpha=0).fit(X, y)
    row = pd.DataFrame({"outlook": ["sunny"], "temperature": [66], "humidity": [90], "windy": [True]})
    assert model.predict_proba(row)[0, 1] == pytest.approx(0.2079, abs=5e-5)


def test_levels_that_come_later_are_learnt() -> None:
    first, later = pd.DataFrame({"job": ["cook", "king"]}), pd.DataFrame({"job": ["smith", "smith", "cook"]})
    parts = tw.NaiveBayesClassifier().partial_fit(first, [0, 1]).partial_fit(later, [0, 0, 1])
    whole = tw.NaiveBayesClassifier().fit(pd.concat([first, later], ignore_index=True), [0, 1, 0, 0, 1])
    assert parts.schema_.columns[0].levels == ("cook", "king", "smith")
    asked = pd.DataFrame({"job": ["cook", "king", "smith", None]})
    assert parts.predict_proba(asked) == pytest.approx(whole.predict_proba(asked))


def test_a_class_that_is_not_there_yet_is_impossible_so_far() -> None:
    model = tw.NaiveBayesClassifier().partial_fit([[1.0], [2.0]], ["a", "a"], classes=["a", "b"])
    assert model.predict_proba([[1.5]]).tolist() == [[1.0, 0.0]]
    model.partial_fit([[5.0], [6.0]], ["b", "b"])
    assert model.predict([[1.0], [6.0]]).tolist() == ["a", "b"]


def test_a_row_that_no_class_can_have_is_answered_by_the_shares() -> None:
    X = pd.DataFrame({"p": ["x", "x", "y"], "q": ["u", "u", "v"]})
    model = tw.NaiveBayesClassifier(alpha=0).fit(X, ["a", "a", "b"])
    odd = pd.DataFrame({"p": ["x"], "q": ["v"]})
    assert model.predict_proba(odd)[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert model.predict(odd).tolist() == ["a"]


def test_numbers_far_outside_are_answered() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    for numeric in ("gaussian", "kernel"):
        model = tw.NaiveBayesClassifier(numeric=numeric).fit(X, y)
        assert np.isfinite(model.predict_proba(X.iloc[:1] * 1e300)).all()
        assert np.isfinite(model.predict_proba(X.iloc[:1] * -1e9)).all()


def test_priors_are_taken_as_given() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    asked = pd.DataFrame([[None] * 4], columns=X.columns, dtype=float)
    model = tw.NaiveBayesClassifier(priors=[0.5, 0.2, 0.3]).fit(X, y)
    assert model.predict_proba(asked)[0].tolist() == pytest.approx([0.5, 0.2, 0.3])
    named = dict(zip(model.classes_.tolist(), [0.5, 0.2, 0.3], strict=True))
    assert tw.NaiveBayesClassifier(priors=named).fit(X, y).class_prior_.tolist() == pytest.approx([0.5, 0.2, 0.3])


def test_a_column_with_one_value_in_a_class_forbids_nothing() -> None:
    X = pd.DataFrame({"a": [1.0, 1, 1, 1, 2, 3], "b": [0.0, 1, 0, 1, 5, 6]})
    model = tw.NaiveBayesClassifier().fit(X, [0, 0, 0, 0, 1, 1])
    assert model.var_[0, 0] == pytest.approx((1 / 6) ** 2)  # a sixth of the mean gap
    assert tw.NaiveBayesClassifier(min_sd="range").fit(X, [0, 0, 0, 0, 1, 1]).var_[0, 0] == pytest.approx(4e-18)


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
def test_a_model_file_and_a_pickle_answer_as_the_model(numeric: str, tmp_path: Path) -> None:
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    model = tw.NaiveBayesClassifier(numeric=numeric).fit(X, y)
    tw.save(model, tmp_path / "m.tw")
    for again in (tw.load(tmp_path / "m.tw"), pickle.loads(pickle.dumps(model))):
        assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()
        assert again.fingerprint() == model.fingerprint()
        assert str(again) == str(model)
        again.partial_fit(X, y)
        assert again.class_count_.tolist() == (2 * model.class_count_).tolist()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("mean_", np.zeros((9, 9))),
        ("squares_", np.full((3, 4), -1.0)),
        ("class_count_", np.zeros(3)),
        ("lowest_", np.full(4, np.inf)),
        ("kernel_start_", np.zeros(13, dtype=np.int64)),
        ("kernel_weights_", np.zeros(1)),
    ],
)
def test_a_file_that_cannot_be_right_is_refused(name: str, wrong: Any) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.NaiveBayesClassifier(numeric="kernel").fit(X, y)
    setattr(model, name, wrong)
    header, arrays = model._tw_state()
    with pytest.raises(ModelFileError, match="damaged"):
        restore_into(tw.NaiveBayesClassifier(), header, arrays, "it")


def test_wrong_input_is_answered_with_a_sentence() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    for priors, message in (([0.5, 0.5], "has 2 numbers, but there are 3 classes"), ([0.5, 0.6, 0.7], "1 together")):
        with pytest.raises(DataError, match=message):
            tw.NaiveBayesClassifier(priors=priors).fit(X, y)
    with pytest.raises(DataError, match="no probability of the class"):
        tw.NaiveBayesClassifier(priors={"setosa": 1.0}).fit(X, y)
    with pytest.raises(DataError, match="must be numbers"):
        tw.NaiveBayesClassifier(priors=["a", "b", "c"]).fit(X, y)
    with pytest.raises(DataError, match="Row 51 has a class that is not among"):
        tw.NaiveBayesClassifier().partial_fit(X, y, classes=y[:50].unique())
    gaussian = tw.NaiveBayesClassifier().partial_fit(X, y)
    with pytest.raises(DataError, match="before the first call"):
        gaussian.set_params(numeric="kernel").partial_fit(X, y)
    with pytest.raises(ValueError, match="features"):
        tw.NaiveBayesClassifier().partial_fit(X.to_numpy(), y).partial_fit(X.to_numpy()[:, :2], y)
    with pytest.raises(DataError, match="infinity"):
        tw.NaiveBayesClassifier().fit(X.assign(sepallength=np.inf), y)


def test_a_refused_part_leaves_the_model_as_it_was() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.NaiveBayesClassifier().partial_fit(X, y)
    before = model.fingerprint()
    with pytest.raises(DataError):
        model.partial_fit(X, ["new"] * len(y))
    assert model.fingerprint() == before


def test_the_printed_model_has_a_line_a_column_or_level() -> None:
    X, y = tw.datasets.load_weather_numeric(return_X_y=True)
    text = str(tw.NaiveBayesClassifier().fit(X, y))
    assert "outlook = sunny" in text
    assert "74.6 ± 7.89" in text
    assert str(tw.NaiveBayesClassifier()) == "NaiveBayesClassifier()"


def test_numbers_that_no_variance_can_hold_are_refused() -> None:
    with pytest.raises(DataError, match="column 'x0' are too far apart to measure"):
        tw.NaiveBayesClassifier().fit([[1e300], [-1e300], [1.0], [2.0]], [0, 0, 1, 1])


def test_means_and_squares_are_those_of_exact_arithmetic() -> None:
    rng = np.random.default_rng(4)
    n = 3000
    columns = [rng.normal(size=n), 1e9 + 1e-3 * rng.normal(size=n), np.exp(9 * rng.normal(size=n)), np.full(n, 0.1)]
    columns.append(np.where(rng.random(n) < 0.5, 5 + 1e-9 * rng.random(n), np.nan))
    X, y, w = np.column_stack(columns), rng.integers(0, 3, n), rng.integers(1, 9, n) / 8
    for weights in (None, w):
        model = tw.NaiveBayesClassifier().fit(X, y, weights)
        for k in range(3):
            for j, column in enumerate(X.T):
                rows = np.flatnonzero((y == k) & ~np.isnan(column))
                pairs = [(Fraction(1 if weights is None else weights[i]), Fraction(column[i])) for i in rows]
                total = sum(weight for weight, _ in pairs)
                mean = sum(weight * x for weight, x in pairs) / total
                squares = sum(weight * (x - mean) ** 2 for weight, x in pairs)
                assert model.mean_[k, j] == pytest.approx(float(mean), rel=2e-16)
                assert model.squares_[k, j] == pytest.approx(float(squares), rel=1e-9, abs=1e-30)


def test_neither_order_nor_zeros_with_a_sign_change_a_bit() -> None:
    rng = np.random.default_rng(6)
    X = np.column_stack([rng.normal(size=400), rng.choice([0.0, -0.0, 1.0], 400), rng.choice([np.nan, 0.1], 400)])
    y, w, order = rng.integers(0, 3, 400), rng.random(400), rng.permutation(400)
    for weights in (None, w):
        first = tw.NaiveBayesClassifier().fit(X, y, weights)
        other = tw.NaiveBayesClassifier().fit(X[order], y[order], None if weights is None else weights[order])
        assert first._tw_bytes() == other._tw_bytes()
