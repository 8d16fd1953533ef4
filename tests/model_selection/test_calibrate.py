"""`tw.calibrate`: corrected probabilities for every classifier; answers, files and laws stay as they are."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

import treewright as tw
from treewright.errors import DataError, ModelFileError
from treewright.learners.registry import LEARNERS, learners_for
from treewright.model_selection.calibration_effect import calibration_error
from treewright.model_selection.calibration_fit import JudgedRows, learn_calibration
from treewright.model_selection.measures import log_loss
from treewright.save import from_bytes, to_bytes
from treewright.save.persist import load_bytes

_QUICK: dict[str, Any] = {"n_estimators": 5, "max_iter": 20, "hidden_layer_sizes": (4,)}
_METHODS = ("sigmoid", "temperature", "isotonic")


def _table(seed: int, n: int, n_classes: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    draw = np.random.default_rng(seed)
    X = pd.DataFrame({"a": draw.normal(size=n).round(1), "b": draw.normal(size=n).round(1)})
    X["job"] = np.array(["cook", "clerk", "smith"])[draw.integers(0, 3, n)]
    score = 2 * X["a"].to_numpy() + np.where(X["job"] == "cook", 2.0, 0.0) + 2 * draw.logistic(size=n)
    return X, np.array(["low", "middle", "top"])[np.digitize(score, [0.0, 2.0][: n_classes - 1])]


def _judged(seed: int, n: int, n_classes: int, sureness: float) -> tuple[np.ndarray, np.ndarray]:
    """True probabilities made too sure or too timid, and classes drawn from the true ones."""
    draw = np.random.default_rng(seed)
    true = draw.dirichlet(np.ones(n_classes), size=n)
    codes = (true.cumsum(axis=1) > draw.random((n, 1))).argmax(axis=1)
    given = true**sureness
    return given / given.sum(axis=1, keepdims=True), codes


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("sureness", [0.5, 3.0])
def test_the_temperature_is_found_by_which_the_probabilities_were_made(n_classes: int, sureness: float) -> None:
    shares, codes = _judged(0, 6000, n_classes, sureness)
    learnt = learn_calibration(JudgedRows.counted(shares, codes, None), "temperature")
    assert 1 / learnt.slope == pytest.approx(sureness, rel=0.15)
    assert calibration_error(learnt.apply(shares), codes) < 0.03 < calibration_error(shares, codes)


@pytest.mark.parametrize("seed", range(5))
def test_slope_and_biases_have_the_least_loss_that_a_general_search_finds(seed: int) -> None:
    shares, codes = _judged(seed, 300, 3, 2.0)
    rows = JudgedRows.counted(shares, codes, None)
    learnt = learn_calibration(rows, "sigmoid")
    kept = 1 / (rows.weights.sum() + 2)
    targets = (1 - kept) * np.eye(3)[rows.codes] + kept * rows.prior
    logs = np.log(np.maximum((1 - learnt.mix) * rows.shares + learnt.mix * rows.prior, 1e-12))

    def loss(numbers: np.ndarray) -> float:
        scores = numbers[0] * logs + numbers[1:]
        scores = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return float(-(rows.weights[:, None] * targets * scores).sum() + numbers[1:] @ numbers[1:] / 2)

    found = minimize(loss, np.array([1.0, 0.0, 0.0, 0.0]), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose([learnt.slope, *learnt.bias], found.x, atol=2e-4)


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_pools_are_those_of_scikit_learn_but_for_the_one_row_more(seed: int) -> None:
    shares, codes = _judged(seed, 3000, 2, 2.0)
    shares = shares.round(2)
    shares[:, 0] = 1 - shares[:, 1]
    learnt = learn_calibration(JudgedRows.counted(shares, codes, None), "isotonic")
    theirs = IsotonicRegression(out_of_bounds="clip").fit(shares[:, 1], codes)
    np.testing.assert_allclose(learnt.apply(shares)[:, 1], theirs.predict(shares[:, 1]), atol=0.06)
    assert (np.diff(learnt.apply(np.column_stack([np.linspace(1, 0, 50), np.linspace(0, 1, 50)]))[:, 1]) >= 0).all()


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.parametrize("name", learners_for("classification"))
def test_every_classifier_is_calibrated_saves_loads_and_answers_as_before(name: str, method: str) -> None:
    X, y = _table(3, 90)
    X = X[["job"]] if name == "id3" else X
    model = LEARNERS[name].load("classification")()
    known = model.get_params(deep=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a solver that stops early
        model = model.set_params(**{key: value for key, value in _QUICK.items() if key in known}).fit(X, y)
        better = tw.calibrate(model, X, y, method=method, cv=3)
    shares = better.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares > 0).all() or method == "isotonic"
    assert better.predict(X).tolist() == model.predict(X).tolist()
    assert str(better) == str(model)
    assert np.array_equal(np.concatenate([better.predict_proba(X[i : i + 1]) for i in range(5)]), shares[:5])
    for again in (load_bytes(better._tw_bytes()), pickle.loads(pickle.dumps(better))):
        assert np.array_equal(again.predict_proba(X), shares)
        assert again.fingerprint() == better.fingerprint() != model.fingerprint()
    assert "calibration_" not in model.__dict__


@pytest.mark.parametrize(("learner", "bound"), [("cart", 0.5), ("forest", 0.95), ("adaboost", 0.95)])
def test_log_loss_on_new_rows_falls_where_probabilities_are_too_sure_or_too_timid(learner: str, bound: float) -> None:
    ratios = []
    for name in ("titanic", "credit_g", "heart_c"):
        X, y = getattr(tw.datasets, f"load_{name}")(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(y)) % 3
        as_before = {"preset": "scikit-learn"} if learner == "forest" else {}  # its own default needs no correction
        model = LEARNERS[learner].load("classification")(**as_before).fit(X[order > 0], y[order > 0])
        better = tw.calibrate(model, X[order > 0], y[order > 0])
        ratios.append(
            log_loss(y[order == 0], better.predict_proba(X[order == 0]), model.classes_)
            / log_loss(y[order == 0], model.predict_proba(X[order == 0]), model.classes_)
        )
    assert np.exp(np.mean(np.log(ratios))) < bound


@pytest.mark.parametrize("cv", [4, "prefit", "out_of_bag"])
def test_neither_the_order_of_rows_nor_the_form_of_weights_changes_a_calibration(cv: Any) -> None:
    X, y = _table(5, 90)
    new_X, new_y = (X, y) if cv != "prefit" else _table(6, 90)
    fit = {"random_state": 0, "n_estimators": 40, "oob_score": True}
    model = tw.RandomForestClassifier(**fit).fit(X, y) if cv != 4 else tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    one = tw.calibrate(model, new_X, new_y, cv=cv)
    if cv != "out_of_bag":  # whose rows are those of the training, as they stand there
        order = np.random.default_rng(1).permutation(90)
        other = tw.calibrate(model, new_X.iloc[order], new_y[order], cv=cv)
        assert one._tw_bytes() == other._tw_bytes()
        weights = np.random.default_rng(2).integers(1, 4, 90)
        rows = np.repeat(np.arange(90), weights)
        counted = tw.calibrate(model, new_X, new_y, cv=cv, sample_weight=weights.astype(float))
        assert counted._tw_bytes() == tw.calibrate(model, new_X.iloc[rows], new_y[rows], cv=cv)._tw_bytes()
    assert np.isfinite(one.calibration_.effect).all()


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_rows_that_differ_only_in_their_weight_may_stand_in_any_order(method: str) -> None:
    X, y = _table(5, 45)
    X, y, weights = pd.concat([X, X]), np.tile(y, 2), np.random.default_rng(3).choice([0.1, 0.3, 0.7, 1.1], 90)
    found = set()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(90)
        parts = X.iloc[order], y[order]
        model = tw.DecisionTreeClassifier(max_depth=3).fit(*parts, weights[order])
        found.add(tw.calibrate(model, *parts, method=method, cv=3, sample_weight=weights[order])._tw_bytes())
    assert len(found) == 1


def test_a_neuron_without_probabilities_gets_some() -> None:
    X, y = _table(1, 200, 2)
    model = tw.Perceptron().fit(X, y)
    assert not hasattr(model, "predict_proba")
    better = tw.calibrate(model, X, y)
    assert 0.3 < log_loss(y, better.predict_proba(X), better.classes_) < 0.69


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "platt"}, "There is no method 'platt'"),
        ({"cv": "prefit"}, "takes a fitted model"),
        ({"y": ["low"] * 90}, "All rows are of one class"),
        ({"model": tw.LinearRegression(), "y": np.arange(90.0)}, "predicts numbers"),
        ({"model": "forest"}, "takes a model of treewright"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_with_a_sentence(change: dict[str, Any], message: str) -> None:
    X, y = _table(0, 90)
    asked = {"model": tw.NaiveBayesClassifier(), "X": X, "y": y, **change}
    with pytest.raises(DataError, match=message):
        tw.calibrate(asked.pop("model"), asked.pop("X"), asked.pop("y"), **asked)


def test_a_calibrated_model_is_exported_with_its_correction(tmp_path: Path) -> None:
    X, y = _table(0, 90)
    model = tw.calibrate(tw.RandomForestClassifier(3), X, y)
    assert tw.export(model, tmp_path / "model.py").proven
    with pytest.raises(DataError, match="has no rule for a correction of probabilities"):
        tw.export(model, tmp_path / "model.pmml")


def test_rows_of_a_class_that_the_model_does_not_know_are_refused() -> None:
    X, y = _table(0, 90)
    model = tw.NaiveBayesClassifier().fit(X[y != "top"], y[y != "top"])
    with pytest.raises(DataError, match="of class 'top', which the model does not know"):
        tw.calibrate(model, X, y, cv="prefit")


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("sigmoid", lambda h, a: h["calibration"].update(method="guess"), "no method"),
        ("sigmoid", lambda h, a: h["calibration"].update(slope=-1.0), "no number that it can be"),
        ("sigmoid", lambda h, a: h["calibration"].update(mix=2.0), "a slope or a mix that none can have"),
        ("sigmoid", lambda h, a: a.update({"calibration:bias": np.zeros(7)}), "has the shape"),
        ("sigmoid", lambda h, a: a.update({"calibration:more": np.zeros(7)}), "an array that none has"),
        ("sigmoid", lambda h, a: a.pop("calibration:prior"), "is not there"),
        ("isotonic", lambda h, a: a.update({"calibration:answer": a["calibration:answer"][::-1]}), "falls"),
        ("isotonic", lambda h, a: a.update({"calibration:start": a["calibration:start"][:-1]}), "for each class"),
        ("isotonic", lambda h, a: a["calibration:start"].__setitem__(1, 0), "without a point"),
        ("isotonic", lambda h, a: h.pop("calibration"), "does not carry"),
    ],
)
def test_a_damaged_calibration_is_refused(method: str, change: Any, message: str) -> None:
    X, y = _table(0, 90)
    header, arrays = from_bytes(tw.calibrate(tw.DecisionTreeClassifier(max_depth=2), X, y, method=method)._tw_bytes())
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    with pytest.raises(ModelFileError, match=message):
        load_bytes(to_bytes(header, arrays))
