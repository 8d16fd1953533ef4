"""Weights, targets and columns from 5e-324 to 1e308, for every learner: the right answer, or a sentence.

Only the ratios of weights count, so a constant weight of any size is the weight of none. A target times a power of two
has answers times that power, as far as the learner takes it; what it does not take is refused. Every model that is
learnt answers with numbers, and comes back from its file as it was.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from properties.same_bytes import made, settings_of
from thorough import THOROUGH, some
from treewright.errors import DataError
from treewright.learners.registry import LEARNERS
from treewright.table.target import encode_weights

ALL_SIZES = [5e-324, 1e-310, 1e-160, 1e-30, 1e30, 3e38, 1e155, 1e160, 1e300, 1e308]
SIZES = ALL_SIZES if THOROUGH else [5e-324, 1e-160, 3e38, 1e300]
TASKS = [(name, task) for name, record in LEARNERS.items() for task in record.classes]
REGRESSORS = [name for name, task in TASKS if task == "regression"]
MEANS_OF_TARGETS = ["cart", "chaid", "ctree", "oblique", "forest", "extra_trees", "knn", "bagging"]  # stay in its range
DRAWN_BY_CONTENT = ["forest", "bagging", "regularized", "mlp"]  # rows, folds or orders
SECONDS = 30.0  # of the processor
N = 60


class NoEndError(Exception):
    """A fit took longer than any of these should."""


@pytest.fixture(autouse=True)
def no_fit_is_without_end() -> Iterator[None]:
    def give_up(*_: Any) -> None:
        raise NoEndError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(-20, 20, (N, 3)).astype(float)
    X[:, 2] = rng.normal(size=N).round(2)
    classes = (X[:, 0] + X[:, 1] + rng.integers(-9, 9, N) > 0).astype(int)
    return X, classes, (X[:, 0] * 2 + X[:, 1] + rng.normal(size=N)).round(1)


X, CLASSES, VALUES = table()
CONSTANT = {size: np.full(N, size) for size in ALL_SIZES}
MIXED = {size: np.where(np.arange(N) % 7 == 0, size, 1.0) for size in ALL_SIZES}


def learner(name: str, task: str) -> Any:
    kind = LEARNERS[name].load(task)
    few = {"n_estimators": 5, "max_iter": 50 if name == "mlp" else 1000, "cv": 3, "alphas": 8}
    return kind(**{key: value for key, value in few.items() if key in kind().get_params(deep=False)})


def fit(name: str, task: str, X: Any, y: Any, weights: Any, tmp_path: Path) -> Any:
    """Fit, look at the answers, save and load; None where it is refused with a sentence."""
    return fit_model(learner(name, task), name, task, (X, y, weights), tmp_path)


def fit_model(model: Any, name: str, task: str, rows: tuple[Any, Any, Any], tmp_path: Path) -> Any:
    X, y, weights = rows
    try:
        model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)
    except DataError as refusal:
        said = str(refusal)
    else:
        return _checked(name, task, model, X, y, tmp_path)
    assert is_sentence(said)
    return None


def _checked(name: str, task: str, model: Any, X: Any, y: Any, tmp_path: Path) -> Any:
    found = model.predict(X)
    if task == "classification" and hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-9)
    if task == "regression":
        assert np.isfinite(found).all()
        if name in MEANS_OF_TARGETS:
            reach = np.abs(y).max() * 1e-9
            assert (found >= y.min() - reach).all()
            assert (found <= y.max() + reach).all()
    tw.save(model, tmp_path / "model.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "model.tw").predict(X), found)
    assert str(model)
    return model


def is_sentence(text: str) -> bool:
    return text.endswith(".") and len(text.split()) > 5


def target_for(task: str) -> np.ndarray:
    return CLASSES if task == "classification" else VALUES


@pytest.mark.filterwarnings("ignore")  # of convergence
@pytest.mark.parametrize("kind", ["constant", "mixed"])
@pytest.mark.parametrize(("name", "task"), TASKS)
def test_weights_of_every_size_are_learnt_from_or_refused(name: str, task: str, kind: str, tmp_path: Path) -> None:
    for size in SIZES:
        weights = (CONSTANT if kind == "constant" else MIXED)[size]
        fit(name, task, X, target_for(task), weights, tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("size", some([2.0**-1074, 2.0**1000, 2.0**-1000, 2.0**600], 2))
@pytest.mark.parametrize(("name", "task"), TASKS)
def test_one_weight_for_all_rows_is_as_good_as_none_whatever_its_size(name: str, task: str, size: float) -> None:
    y = target_for(task)
    ours, plain = learner(name, task).fit(X, y, np.full(N, size)), learner(name, task).fit(X, y, np.ones(N))
    assert np.array_equal(ours.predict(X), plain.predict(X))
    assert ours.fingerprint() == plain.fingerprint()


def test_ordinary_weights_are_left_as_they_are() -> None:
    weights = np.random.default_rng(1).uniform(0.01, 100, N)
    for ordinary in (weights, weights * 2.0**90, weights * 2.0**-90):
        assert np.array_equal(encode_weights(ordinary, N), ordinary)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REGRESSORS)
def test_targets_of_every_size_are_learnt_or_refused(name: str, tmp_path: Path) -> None:
    scaled = VALUES / np.abs(VALUES).max()
    for size in SIZES:
        fit(name, "regression", X, scaled * size, None, tmp_path)
        few = np.where(np.arange(N) % 7 == 0, np.copysign(size, VALUES), VALUES)
        fit(name, "regression", X, few, None, tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exponent", some([-950, 390, -390, -90, 90, 950], 2))
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_target_times_a_power_of_two_has_answers_times_that_power(name: str, exponent: int) -> None:
    plain = learner(name, "regression").fit(X, VALUES).predict(X)
    model, y = learner(name, "regression"), np.ldexp(VALUES, exponent)
    limit = 1000 if name in ("bagging", "adaboost") else model._target_exponent
    if abs(exponent) + 8 > limit:
        with pytest.raises(DataError, match=r"target by a constant, such as 1e.*, and train again|too far apart"):
            model.fit(X, y)
        return
    found = np.ldexp(model.fit(X, y).predict(X), -exponent)
    if name in DRAWN_BY_CONTENT:  # another target, other draws: nearly the same answers
        assert np.corrcoef(found, plain)[0, 1] > 0.98
    else:
        np.testing.assert_allclose(found, plain, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "task"), TASKS)
def test_columns_of_every_size_are_learnt_from_or_refused(name: str, task: str, tmp_path: Path) -> None:
    for size in SIZES:
        for column in (X[:, 0] / 20 * size, np.where(np.arange(N) % 7 == 0, np.copysign(size, X[:, 0]), X[:, 0])):
            fit(name, task, np.column_stack([column, X[:, 1:]]), target_for(task), None, tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "sizes", some([(1e30, 1e100), (1e-30, 1e-100), (1e300, 1e30), (1e29, 1e29), (1e-320, 1e100)], 2)
)
@pytest.mark.parametrize("name", REGRESSORS)
def test_extreme_weights_and_targets_together_are_learnt_from_or_refused(
    name: str, sizes: tuple[float, float], tmp_path: Path
) -> None:
    weight, target = sizes
    fit(name, "regression", X, VALUES * target, np.where(VALUES > 0, weight, weight / 4), tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REGRESSORS)
def test_every_option_learns_targets_of_every_size_or_refuses_them(name: str, tmp_path: Path) -> None:
    estimator = LEARNERS[name].load("regression").__name__
    scaled = VALUES / np.abs(VALUES).max()
    for settings in settings_of(estimator):
        for size in ALL_SIZES if THOROUGH else [5e-324, 1e160]:
            fit_model(made(estimator, settings), name, "regression", (X, scaled * size, None), tmp_path)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_every_criterion_of_cart_stores_a_tree_that_can_be_loaded(criterion: str, tmp_path: Path) -> None:
    for size in ALL_SIZES:
        for weights in (None, MIXED[size] if size < 1e307 else None):
            y, model = np.abs(VALUES) / np.abs(VALUES).max() * size, tw.DecisionTreeRegressor(criterion=criterion)
            model.fit(X, y, sample_weight=weights)
            tw.save(model, tmp_path / "model.tw")
            np.testing.assert_array_equal(tw.load(tmp_path / "model.tw").predict(X), model.predict(X))


def test_a_rare_weight_is_never_so_small_that_its_row_is_forgotten() -> None:
    weights = np.where(np.arange(N) == 7, 5e-324, 1e300)
    model = tw.DecisionTreeClassifier().fit(X, np.where(np.arange(N) == 7, "seen", "plain"), sample_weight=weights)
    assert model.classes_.tolist() == ["plain", "seen"]
    assert model.predict(X[7:8]).tolist() == ["seen"]
