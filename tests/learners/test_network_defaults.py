"""What networks do where nothing is said: settings, averages of networks, robust scales, the way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.learners.base.deduplicate_rows import join_alike
from treewright.learners.base.matrix_model import Target
from treewright.learners.base.scaling import quartiles
from treewright.learners.neural_network.inputs import SquaredLoss, hold_out, smooth_clip
from treewright.learners.neural_network.layers import Layers, activation, initial_weights
from treewright.learners.neural_network.members import member_seeds, side_by_side, widened
from treewright.learners.neural_network.propagation import Blueprint, Propagation
from treewright.learners.neural_network.settings import resolve_settings

SCIKIT_LEARN = {
    "learning_rate": "constant",
    "learning_rate_init": 0.001,
    "max_iter": 200,
    "n_iter_no_change": 10,
    "early_stopping": False,
    "n_models": 1,
}


def bent(n_rows: int = 60, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n_rows).round(3), "b": rng.choice(["u", "v", "w"], n_rows)})
    return X, (X["a"].to_numpy() ** 2 + (X["b"] == "u").to_numpy() + 0.1 * rng.normal(size=n_rows)).round(3)


# ---------------------------------------------------------------- what "auto" stands for
@pytest.mark.parametrize(
    ("given", "n_rows", "n_models", "rate"),
    [
        ({}, 1_000, 4, "cosine"),
        ({}, 15_001, 2, "cosine"),
        ({}, 60_001, 1, "cosine"),
        ({}, 39, 1, "constant"),
        ({"preset": "scikit-learn"}, 1_000, 1, "constant"),
        ({"max_iter": 50}, 1_000, 1, "constant"),
        ({"solver": "sgd"}, 1_000, 1, "constant"),
        ({"shuffle": False}, 1_000, 1, "constant"),
        ({"early_stopping": True}, 1_000, 1, "cosine"),
        ({"max_iter": 50, "n_models": 3, "learning_rate": "cosine"}, 1_000, 3, "cosine"),
    ],
)
def test_settings_follow_from_the_rows_and_from_what_is_given(
    given: dict[str, Any], n_rows: int, n_models: int, rate: str
) -> None:
    found = resolve_settings(tw.MLPClassifier(**given), n_rows)
    assert (found.n_models, found.learning_rate) == (n_models, rate)


def test_the_preset_of_scikit_learn_is_the_default_of_before() -> None:
    X, y = bent()
    preset = tw.MLPRegressor(5, preset="scikit-learn").fit(X, y)
    written_out = tw.MLPRegressor(5, **SCIKIT_LEARN).fit(X, y)
    assert preset.n_iter_ > 10
    assert (preset.all_weights_ == written_out.all_weights_).all()
    assert not hasattr(preset, "n_models_")


# ---------------------------------------------------------------- several networks as one
@pytest.mark.parametrize("sizes", [(3, 1), (3, 4, 1), (2, 5, 3, 2), (4, 3, 3, 3, 1)])
def test_networks_side_by_side_give_the_mean_of_their_sums(sizes: tuple[int, ...]) -> None:
    layers, rows = Layers(sizes), np.random.default_rng(1).normal(size=(20, sizes[0]))
    members = [initial_weights(layers, None, seed) for seed in range(3)]

    def sums(of: Layers, numbers: np.ndarray) -> np.ndarray:
        plan = Blueprint(of, activation("tanh"), SquaredLoss(activation("linear")))
        return np.array(Propagation(plan, numbers).sums(rows))

    together = sums(widened(layers, 3), side_by_side(layers, members))
    np.testing.assert_allclose(together, np.mean([sums(layers, each) for each in members], axis=0), rtol=1e-12)


def test_an_average_is_that_of_networks_trained_one_by_one() -> None:
    X, y = bent()
    settings: dict[str, Any] = {"hidden_layer_sizes": (4, 3), "max_iter": 8}
    whole = tw.MLPRegressor(**settings, n_models=3, random_state=5).fit(X, y)
    alone = [tw.MLPRegressor(**settings, random_state=seed).fit(X, y) for seed in member_seeds(5, 3)]
    np.testing.assert_allclose(whole.predict(X), np.mean([each.predict(X) for each in alone], axis=0), rtol=1e-12)
    np.testing.assert_allclose(whole.loss_curve_, np.mean([each.loss_curve_ for each in alone], axis=0), rtol=1e-12)
    assert "4 relu, 3 relu, 1 linear, in each of 3 networks" in str(whole)


def test_each_turn_holds_out_other_rows_and_keeps_the_shares_of_classes() -> None:
    groups = np.repeat([0, 1], [40, 20])
    judges = [hold_out(groups, 0.25, 7, turn)[1] for turn in range(4)]
    assert sorted(np.concatenate(judges)) == list(range(60))
    assert all(np.bincount(groups[judge]).tolist() == [10, 5] for judge in judges)


def test_an_average_goes_on_as_one_network() -> None:
    X, y = bent()
    model = tw.MLPRegressor(3, n_models=2, max_iter=3).fit(X, y)
    before = model.loss_
    for _ in range(5):
        model.partial_fit(X, y)
    assert (model.n_models_, model.n_iter_) == (2, 8)
    assert model.loss_ < before


# ---------------------------------------------------------------- robust scales
def test_a_quartile_is_the_least_value_with_that_share_at_or_below_it() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        values, weights = rng.integers(0, 6, size=(9, 1)).astype(float), rng.integers(1, 4, size=9)
        twice = np.sort(np.repeat(values[:, 0], weights))
        low, middle, high = (twice[int(np.ceil(share * len(twice))) - 1] for share in (0.25, 0.5, 0.75))
        scale = high - low or (twice[-1] - twice[0]) / 2 or 1.0
        assert [float(each[0]) for each in quartiles(values, weights.astype(float))] == [middle, scale]


def test_numbers_far_out_are_drawn_in_and_levels_are_not() -> None:
    X, y = bent()
    X.loc[0, "a"] = 1e300
    model = tw.MLPRegressor(3, standardize="robust", max_iter=3).fit(X, y)
    rows = model._inputs.rows(model._columns(X))
    assert rows[0, 0] == np.abs(rows[:, 0]).max() == 3.0
    assert set(np.unique(rows[:, 1:])) == {0.0, 1.0}
    far = X.iloc[:1]
    assert model.predict(far) == model.predict(far.assign(a=1.7e308))


def test_a_smooth_clip_rises_everywhere_and_keeps_signs() -> None:
    x = np.concatenate([np.linspace(-20, 20, 401), [-1e9, 1e8, 1e9]])
    made = smooth_clip(x)
    near = np.abs(x) <= 1e8
    np.testing.assert_allclose(made[near], x[near] / np.sqrt(1 + (x[near] / 3) ** 2), rtol=1e-15)
    assert (np.diff(made[:401]) > 0).all()
    assert made[-3] == -3.0
    assert made[-2] <= made[-1] == 3.0


# ---------------------------------------------------------------- the laws
@pytest.mark.parametrize("given", [{}, {"standardize": "robust"}])
def test_the_default_learns_the_same_in_every_order_and_from_weights(given: dict[str, Any]) -> None:
    X, y = bent(45)
    model = tw.MLPRegressor(3, **given)
    prints = [model.fit(X, y).fingerprint(), model.fit(X.iloc[::-1], y[::-1]).fingerprint()]
    assert prints[0] == prints[1]
    assert model.n_models_ == 4
    weights = np.where(np.arange(45) % 3 == 0, 2, 1)
    weighed = model.fit(X, y, sample_weight=weights).all_weights_
    twice = model.fit(X.loc[X.index.repeat(weights)], np.repeat(y, weights)).all_weights_
    assert (weighed == twice).all()


def test_the_default_is_kept_in_a_file(tmp_path: Any) -> None:
    X, y = bent(45)
    model = tw.MLPClassifier((3, 2), standardize="robust").fit(X, y > 1)
    tw.save(model, tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert (again.n_models_, again.clip_) == (4, 3.0)
    assert again.fingerprint() == model.fingerprint()


def test_the_weights_of_each_network_are_those_of_its_best_epoch() -> None:
    X, y = bent()
    model = tw.MLPRegressor(20, early_stopping=True, learning_rate_init=0.1, random_state=0).fit(X, y)
    _, judge = hold_out(np.zeros(60, dtype=np.int64), 0.1, 0)
    columns, truth = join_alike(model._columns(X), Target(y, None))
    held_out = 0.5 * np.mean((model._answers(columns)[judge] - truth.values[judge]) ** 2)
    assert held_out == pytest.approx(model.validation_loss_curve_.min(), rel=1e-9)
    assert model.validation_loss_curve_.argmin() < len(model.validation_loss_curve_) - 1
