"""Multilayer perceptrons: the lecture's numbers, XOR, training, stopping, going on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import neural_network

import treewright as tw
from treewright.learners.neural_network import training
from treewright.learners.neural_network.training import Adam

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]
ODD = [0, 1, 1, 0]
LECTURE = {
    "activation": "sigmoid",
    "loss": "squared_error",
    "solver": "sgd",
    "learning_rate_init": 0.5,
    "momentum": 0.9,
    "nesterovs_momentum": False,
    "initial_weights": 1.0,
    "batch_size": 1,
    "standardize": False,
    "alpha": 0.0,
    "tol": 0.0,
    "n_iter_no_change": 10_000,
}


def wave(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n_rows, 2))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.normal(size=n_rows)


# ---------------------------------------------------------------- the lecture
def test_one_step_of_back_propagation_gives_the_numbers_of_the_worked_example() -> None:
    model = tw.MLPRegressor(
        2,
        activation="sigmoid",
        output_activation="sigmoid",
        solver="sgd",
        momentum=0,
        learning_rate_init=0.5,
        alpha=0,
        batch_size=1,
        max_iter=1,
        shuffle=False,
        standardize=False,
        initial_weights=[([[0.3, -0.2], [0.5, 0.4]], [0.1, -0.1]), ([[0.7], [-0.6]], [0.2])],
    ).fit([[1.0, 0.5]], [0.9])
    # By hand. Sums .65 and -.1, outputs .657010 and .475021; output sum .374895, output .592641.
    # Output delta .592641 · .407359 · .307359 = .074202. Hidden deltas .657010 · .342990 · .7 · .074202 = .011705
    # and .475021 · .524979 · -.6 · .074202 = -.011103.
    assert model.loss_ == pytest.approx(0.5 * 0.307359**2, abs=1e-6)
    np.testing.assert_allclose(model.coefs_[1].ravel(), [0.724376, -0.582376], atol=1e-6)
    np.testing.assert_allclose(model.intercepts_[1], [0.237101], atol=1e-6)
    np.testing.assert_allclose(model.coefs_[0], [[0.305852, -0.205551], [0.502926, 0.397224]], atol=1e-6)
    np.testing.assert_allclose(model.intercepts_[0], [0.105852, -0.105551], atol=1e-6)


def test_no_single_neuron_learns_exclusive_or() -> None:
    for seed in range(10):
        assert tw.MLPClassifier((), **LECTURE, max_iter=500, random_state=seed).fit(XOR, ODD).score(XOR, ODD) < 1


def test_a_hidden_layer_of_four_learns_exclusive_or_from_every_start() -> None:
    models = [tw.MLPClassifier(4, **LECTURE, max_iter=200, random_state=seed).fit(XOR, ODD) for seed in range(20)]
    assert all(model.score(XOR, ODD) == 1 for model in models)
    solved = [int(np.argmax(model.loss_curve_ < 0.02)) for model in models]
    assert 50 < np.median(solved) < 150


def test_a_hidden_layer_of_two_learns_exclusive_or_unless_it_ends_in_a_local_optimum() -> None:
    settings: dict[str, Any] = {**LECTURE, "max_iter": 1000}
    scores = [tw.MLPClassifier(2, **settings, random_state=seed).fit(XOR, ODD).score(XOR, ODD) for seed in range(20)]
    assert [seed for seed, score in enumerate(scores) if score < 1] == [3, 9, 12, 14, 15, 18, 19]


def test_three_hidden_units_find_a_binary_code_for_eight_things() -> None:
    things = np.eye(8)
    model = tw.MLPClassifier(3, **LECTURE, max_iter=3000, random_state=0).fit(things, np.arange(8))
    assert model.score(things, np.arange(8)) == 1
    assert model.predict_proba(things).diagonal().min() > 0.9
    codes = (model.coefs_[0] + model.intercepts_[0] > 0).astype(int)
    assert len({tuple(code) for code in codes.tolist()}) == 8


# ---------------------------------------------------------------- beside scikit-learn
@pytest.mark.parametrize("solver", ["sgd", "adam"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_steps_are_those_of_scikit_learn_from_the_same_start(solver: str, n_classes: int) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, n_classes, 60)
    settings: dict[str, Any] = {
        "hidden_layer_sizes": (5, 4), "activation": "tanh", "solver": solver, "batch_size": 20, "alpha": 0.1,
        "shuffle": False, "learning_rate_init": 0.05, "epsilon": 1e-200, "tol": 0.0, "random_state": 0,
    }  # fmt: skip
    peer = neural_network.MLPClassifier(**settings, max_iter=1, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(X, y)
        start = [(w.copy(), b.copy()) for w, b in zip(peer.coefs_, peer.intercepts_, strict=True)]
        peer.set_params(max_iter=15).fit(X, y)
    ours = tw.MLPClassifier(**settings, max_iter=15, initial_weights=start, standardize=False).fit(X, y)
    for weights, expected in zip(ours.coefs_, peer.coefs_, strict=True):
        np.testing.assert_allclose(weights, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-8)
    np.testing.assert_allclose(ours.loss_curve_, peer.loss_curve_[-15:], rtol=1e-6)


def test_lbfgs_comes_as_far_as_that_of_scikit_learn() -> None:
    X, y = wave(200)
    ours = tw.MLPRegressor((6,), activation="tanh", solver="lbfgs", alpha=0.01, max_iter=300, standardize=False)
    ours.fit(X, y)
    peer = neural_network.MLPRegressor(hidden_layer_sizes=(6,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it could go on
        peer.set_params(activation="tanh", solver="lbfgs", alpha=0.01, max_iter=300, random_state=0).fit(X, y)
    assert ours.loss_ < 1.2 * peer.loss_ + 1e-3
    assert ours.score(X, y) > 0.97


# ---------------------------------------------------------------- choices
def test_a_threshold_is_refused_because_it_has_no_gradient() -> None:
    with pytest.raises(ValueError, match="activation='threshold' has no gradient"):
        tw.MLPClassifier(activation="threshold").fit(XOR, ODD)
    with pytest.raises(ValueError, match="activation='threshold' has no gradient"):
        tw.MLPRegressor(output_activation="threshold").fit(XOR, ODD)


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu", "linear", "logistic", "identity"])
@pytest.mark.parametrize("loss", ["log_loss", "squared_error"])
def test_every_activation_learns_a_plane_with_either_loss(activation: str, loss: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] - X[:, 1] > 0).astype(int)
    model = tw.MLPClassifier(4, activation=activation, loss=loss, learning_rate_init=0.03, max_iter=30).fit(X, y)
    assert model.score(X, y) > 0.95
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("loss", ["log_loss", "squared_error"])
def test_probabilities_of_many_classes_add_up_to_one(loss: str) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.MLPClassifier(6, loss=loss, learning_rate_init=0.02, max_iter=60).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0).all()
    assert model.score(X, y) > 0.94


@pytest.mark.parametrize(
    "settings",
    [
        {"solver": "sgd", "learning_rate": "constant", "learning_rate_init": 0.05},
        {"solver": "sgd", "learning_rate": "adaptive", "learning_rate_init": 0.1},
        {"solver": "sgd", "learning_rate": "invscaling", "learning_rate_init": 0.3, "power_t": 0.2},
        {"solver": "sgd", "momentum": 0.0, "learning_rate_init": 0.2},
        {"solver": "sgd", "nesterovs_momentum": False, "learning_rate_init": 0.05},
        {"solver": "adam", "learning_rate_init": 0.02},
        {"solver": "adam", "learning_rate_init": 0.02, "precision": "single"},
        {"solver": "adam", "learning_rate_init": 0.02, "early_stopping": True},
        {"solver": "adam", "learning_rate_init": 0.05, "batch_size": 10_000, "max_iter": 400},
        {"solver": "lbfgs"},
    ],
    ids=lambda settings: " ".join(str(value) for value in settings.values()),
)
def test_every_way_down_learns_a_wave(settings: dict[str, Any]) -> None:
    X, y = wave(600)
    X_new, y_new = wave(400, seed=1)
    model = tw.MLPRegressor(**{"hidden_layer_sizes": 20, "activation": "tanh", "max_iter": 150, **settings}).fit(X, y)
    assert model.score(X_new, y_new) > 0.9


def test_adaptive_rates_go_on_after_the_loss_stops_falling() -> None:
    X, y = wave(100)
    settings = {"solver": "sgd", "learning_rate_init": 0.1, "tol": 1e-3, "n_iter_no_change": 2, "max_iter": 400}
    constant = tw.MLPRegressor(5, **settings).fit(X, y)
    adaptive = tw.MLPRegressor(5, **settings, learning_rate="adaptive").fit(X, y)
    assert constant.n_iter_ < adaptive.n_iter_ < 400
    np.testing.assert_array_equal(adaptive.loss_curve_[: constant.n_iter_], constant.loss_curve_)


def test_a_higher_price_of_weights_gives_smaller_weights() -> None:
    X, y = wave(200)
    sizes = [
        np.square(tw.MLPRegressor(5, alpha=alpha, solver="lbfgs").fit(X, y).coefs_[0]).sum() for alpha in (0, 1, 100)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_the_scale_of_columns_and_target_does_not_change_what_is_learnt() -> None:
    X, y = wave(200)
    plain = tw.MLPRegressor(8, max_iter=20).fit(X, y)
    scaled = tw.MLPRegressor(8, max_iter=20, shuffle=False).fit(X * [1000, 0.001] + [5e4, 3], y * 1e6)
    same_order = tw.MLPRegressor(8, max_iter=20, shuffle=False).fit(X, y)
    np.testing.assert_allclose(
        scaled.predict(X * [1000, 0.001] + [5e4, 3]) / 1e6, same_order.predict(X), rtol=1e-6, atol=1e-9
    )
    assert plain.loss_ == pytest.approx(same_order.loss_, rel=0.5)


def test_single_precision_gives_about_the_same_answers() -> None:
    X, y = wave(300)
    double = tw.MLPRegressor(10, max_iter=10).fit(X, y)
    single = tw.MLPRegressor(10, max_iter=10, precision="single").fit(X, y)
    assert single.all_weights_.dtype == np.float32
    np.testing.assert_allclose(single.predict(X), double.predict(X), atol=1e-3)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_the_core_and_blas_train_alike(precision: str, solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    settings: dict[str, Any] = {"solver": solver, "precision": precision, "batch_size": 13, "learning_rate_init": 0.01}
    model = tw.MLPClassifier((9, 5), **settings, max_iter=10)
    by_core = model.fit(X, y, np.linspace(1, 2, 150)).all_weights_.copy()
    monkeypatch.setattr(training, "core_can_train", lambda *_: False)
    by_blas = model.fit(X, y, np.linspace(1, 2, 150)).all_weights_
    assert np.abs(by_core - by_blas).max() < (1e-10 if precision == "double" else 1e-3)
    assert not np.array_equal(by_core, by_blas)  # or one of them was not asked


def test_units_that_never_fire_do_not_slow_training_down() -> None:
    """Their momentum fades; as denormal numbers it would make every step some ten times as slow."""
    way = Adam(0.001, 0.9, 0.999, 1e-8)
    numbers = np.zeros(4)
    way.step(numbers, np.ones(4))
    for _ in range(9000):
        way.step(numbers, np.zeros(4))
    mean, _ = way.memory(numbers)
    assert (mean == 0).all()


# ---------------------------------------------------------------- stopping
def test_early_stopping_keeps_the_weights_that_judged_best() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 10)), rng.integers(0, 2, 120)  # nothing to learn but noise
    settings: dict[str, Any] = {"hidden_layer_sizes": 50, "learning_rate_init": 0.02, "early_stopping": True}
    model = tw.MLPClassifier(**settings, max_iter=60).fit(X, y)
    curve = model.validation_loss_curve_
    best = int(curve.argmin()) + 1
    assert best < len(curve) < 60
    assert model.best_loss_ == curve.min()
    up_to_best = tw.MLPClassifier(**settings, max_iter=best).fit(X, y)
    np.testing.assert_array_equal(model.all_weights_, up_to_best.all_weights_)


def test_training_ends_when_the_loss_stops_falling() -> None:
    X, y = wave(100)
    model = tw.MLPRegressor(5, max_iter=500, tol=0.01, n_iter_no_change=3).fit(X, y)
    assert model.n_iter_ < 500
    assert "stopped falling" in str(model)
    assert "still falling" in str(tw.MLPRegressor(5, max_iter=2).fit(X, y))


def test_steps_that_are_too_long_are_answered_with_a_sentence() -> None:
    X, y = wave(200)
    for settings in ({"solver": "sgd", "activation": "linear"}, {"solver": "sgd"}, {"activation": "linear"}):
        rate = 1e3 if "solver" in settings else 1e160
        with pytest.raises(ValueError, match=r"Training diverged in epoch \d+.* Lower learning_rate_init"):
            tw.MLPRegressor(5, **settings, learning_rate_init=rate, batch_size=10).fit(X, y)


def test_numbers_of_any_size_are_learnt_without_overflow() -> None:
    X = np.array([[1e300, 1e-300], [-1e300, 0.0], [5e299, 3e-300], [0.0, 1e-301]])
    model = tw.MLPRegressor(3, solver="lbfgs").fit(X, [1e200, 0.0, 2e200, 3e200])
    assert np.isfinite(model.predict(X)).all()


def test_holding_out_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="holds out none"):
        tw.MLPClassifier(early_stopping=True).fit(XOR, ["a", "b", "c", "d"])


# ---------------------------------------------------------------- going on
def test_rows_may_come_in_parts() -> None:
    X, y = wave(400)
    model = tw.MLPRegressor(20, learning_rate_init=0.02, activation="tanh")
    for epoch in range(60):
        part = slice(epoch % 4 * 100, epoch % 4 * 100 + 100)
        model.partial_fit(X[part], y[part])
    assert model.n_iter_ == len(model.loss_curve_) == 60
    assert model.score(X, y) > 0.85


def test_the_first_part_decides_the_columns_and_classes() -> None:
    frame = pd.DataFrame({"job": ["cook", "smith", "cook"], "age": [20, 30, 40]})
    model = tw.MLPClassifier(3).partial_fit(frame, ["a", "b", "a"], classes=["c", "a", "b"])
    model.partial_fit(frame.assign(job="king"), ["c", "c", "a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.input_names_ == ("job = smith", "age")
    with pytest.raises(ValueError, match="Row 2 has a class that was not in classes"):
        model.partial_fit(frame, ["a", "z", "b"])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        tw.MLPClassifier().partial_fit(frame, ["a", "b", "a"])
    with pytest.raises(ValueError, match="y holds the class 'b', which is not in classes"):
        tw.MLPClassifier().partial_fit(frame, ["a", "b", "a"], classes=["a", "c"])


def test_a_warm_start_goes_on_from_the_weights_that_are_there() -> None:
    X, y = wave(100)
    model = tw.MLPRegressor(5, max_iter=5, warm_start=True).fit(X, y)
    first = model.loss_
    model.fit(X, y)
    assert model.n_iter_ == 10
    assert model.loss_ < first
    with pytest.raises(ValueError, match="other columns, levels or classes"):
        model.fit(X[:, :1], y)
    with pytest.raises(ValueError, match="hidden_layer_sizes asks for others"):
        model.set_params(hidden_layer_sizes=7).fit(X, y)


# ---------------------------------------------------------------- starts and sizes
def test_wrong_sizes_and_starts_are_answered_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"hidden_layer_sizes=\[3, 0\] is no list of sizes"):
        tw.MLPClassifier([3, 0]).fit(XOR, ODD)
    with pytest.raises(ValueError, match=r"one pair for each layer.*\(2 × 2, 2\), \(2 × 1, 1\)"):
        tw.MLPClassifier(2, initial_weights=[([[1, 2]], [3])]).fit(XOR, ODD)
    with pytest.raises(ValueError, match="not finite"):
        tw.MLPClassifier((), initial_weights=[([[1], [np.nan]], [3])]).fit(XOR, ODD)


def test_the_same_seed_gives_the_same_model_and_another_one_another() -> None:
    X, y = wave(100)
    prints = [tw.MLPRegressor(4, max_iter=3, random_state=seed).fit(X, y).fingerprint() for seed in (1, 1, 2)]
    assert prints[0] == prints[1] != prints[2]


def test_one_class_and_one_row_are_learnt() -> None:
    assert tw.MLPClassifier(3).fit([[1.0]], ["a"]).predict([[5.0]]).tolist() == ["a"]
    assert tw.MLPClassifier(3, loss="squared_error").fit([[1.0]], ["a"]).predict_proba([[5.0]]).tolist() == [[1.0]]
    assert tw.MLPRegressor(3, solver="lbfgs").fit([[1.0]], [7.0]).predict([[1.0]])[0] == pytest.approx(7.0, abs=0.01)


def test_a_progress_bar_tells_epochs_and_loss(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = wave(50)
    tw.MLPRegressor(3, max_iter=7, verbose=1, tol=0, n_iter_no_change=100).fit(X, y)
    shown = capfd.readouterr().err
    assert "MLPRegressor" in shown
    assert "7/7" in shown
    assert "loss 0." in shown
