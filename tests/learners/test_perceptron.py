"""The perceptron: the lecture's rule and bound, neurons, several classes, trace, bad input, files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError, ModelFileError

LINE = ([[1], [2], [4], [5]], list("aabb"))


def clouds(gap: float, n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds of points with a strip of this width between them."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    side = np.where(X[:, 0] + X[:, 1] > 0, 1.0, -1.0)
    return X + side[:, None] * gap / (2 * np.sqrt(2)), np.where(side > 0, "yes", "no")


def test_the_rule_of_the_lecture_step_by_step() -> None:
    model = tw.Perceptron(standardize=False, shuffle=False, keep_trace=True).fit(*LINE)
    steps = model.trace()
    assert steps["row"].tolist() == [0, 2, 0, 1, 2, 0, 1]
    assert steps["pass"].tolist() == [1, 1, 2, 2, 2, 3, 3]
    assert steps[["(intercept)", "x0"]].to_numpy().tolist() == [
        [-1, -1], [0, 3], [-1, 2], [-2, 0], [-1, 4], [-2, 3], [-3, 1],
    ]  # fmt: skip
    assert (model.mistakes_, model.n_iter_, model.loss_curve_.tolist()) == (7, 4, [2, 3, 2, 0])


def test_mistakes_stay_below_the_bound_by_the_widest_margin() -> None:
    """(R / γ)² with the constant 1 among the columns, as in the example of 23 mistakes where 270.9 are allowed."""
    X, y = clouds(0.1, 20)
    model = tw.Perceptron(standardize=False).fit(X, y)
    assert model.separable_
    assert 0 < model.mistakes_ <= model.bound_
    longest = np.sqrt((X**2).sum(axis=1).max() + 1)
    assert model.radius_ == pytest.approx(longest)
    assert model.bound_ == pytest.approx((model.radius_ / model.margins_[0]) ** 2)
    # no direction on a fine grid has a wider margin
    signed = np.column_stack([X, np.ones(len(X))]) * np.where(y == "yes", 1.0, -1.0)[:, None]
    angles = np.linspace(0, np.pi, 200)
    turns = np.linspace(0, 2 * np.pi, 400)
    grid = np.array([[np.cos(t) * np.sin(a), np.sin(t) * np.sin(a), np.cos(a)] for a in angles for t in turns])
    assert (grid @ signed.T).min(axis=1).max() <= model.margins_[0] + 1e-9


def test_the_step_size_changes_the_length_of_the_weights_and_nothing_else() -> None:
    one, tenth = (tw.Perceptron(eta0=eta).fit(*clouds(0.2)) for eta in (1.0, 0.1))
    assert one.mistakes_ == tenth.mistakes_
    np.testing.assert_allclose(one.coef_, 10 * tenth.coef_, rtol=1e-9)


def test_the_pocket_is_no_worse_than_the_last_weights_where_classes_overlap() -> None:
    X, y = tw.datasets.load_kyphosis(return_X_y=True)
    pocket, last = tw.Perceptron().fit(X, y), tw.Perceptron(pocket=False).fit(X, y)
    assert not pocket.separable_
    assert np.isnan(pocket.bound_)
    assert pocket.score(X, y) > max(last.score(X, y), 0.8)


def test_exclusive_or_is_beyond_one_neuron() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    for neuron in ("threshold", "linear", "sigmoid"):
        assert tw.Perceptron(neuron, max_iter=200).fit(X, y).score(X, y) <= 0.75


@pytest.mark.parametrize("neuron", ["threshold", "linear", "sigmoid"])
@pytest.mark.parametrize("average", [False, True])
def test_every_neuron_learns_clouds_that_are_apart(neuron: str, average: bool) -> None:
    X, y = clouds(0.8)
    assert tw.Perceptron(neuron, average=average, tol=1e-6).fit(X, y).score(X, y) == 1.0


def test_the_linear_neuron_ends_at_least_squares() -> None:
    X, y = clouds(0.2, 200)
    model = tw.Perceptron("linear", tol=1e-9, eta0=0.002, max_iter=3000).fit(X, y)
    A, t = np.column_stack([np.ones(len(X)), X]), np.where(y == "yes", 1.0, -1.0)
    wanted = np.linalg.lstsq(A, t, rcond=None)[0]
    np.testing.assert_allclose(np.r_[model.intercept_, model.coef_[0]], wanted, atol=0.02)


@pytest.mark.parametrize("multi_class", ["joint", "one_vs_rest", "auto"])
def test_several_classes_are_learnt(multi_class: str) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.Perceptron(multi_class=multi_class).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.decision_function(X).shape == (150, 3)
    assert model.bounds_.shape == ((3,) if multi_class == "one_vs_rest" else (1,))


def test_joint_neurons_that_separate_have_a_bound_too() -> None:
    X = [[0, 0], [0, 1], [5, 0], [5, 1], [0, 9], [1, 9]]
    model = tw.Perceptron().fit(X, list("aabbcc"))
    assert model.separable_
    assert model.mistakes_ <= model.bound_ < 1000


def test_a_step_that_is_too_large_is_answered_with_a_sentence() -> None:
    with pytest.raises(DataError, match=r"diverged: the mean loss was .* after pass .* Choose eta0="):
        tw.Perceptron("linear", eta0=100.0).fit(*clouds(0.2))


def test_only_the_sigmoid_neuron_has_probabilities() -> None:
    X, y = clouds(0.2)
    shares = tw.Perceptron("sigmoid").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert not hasattr(tw.Perceptron().fit(X, y), "predict_proba")
    with pytest.raises(DataError, match="multi_class='joint' is for neuron='threshold'"):
        tw.Perceptron("linear", multi_class="joint").fit(X, y)


def test_the_same_seed_gives_the_same_model_and_another_seed_another() -> None:
    X, y = tw.datasets.load_heart_c(return_X_y=True)
    one, again, other = (tw.Perceptron(random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert one.fingerprint() == again.fingerprint()
    assert one.coef_.tolist() != other.coef_.tolist()


@pytest.mark.parametrize(
    "settings", [{}, {"neuron": "sigmoid"}, {"keep_trace": True, "max_iter": 5}, {"average": True}]
)
@pytest.mark.parametrize("table", ["heart_c", "iris"])
def test_files_and_pickles_hold_the_whole_model(settings: dict[str, Any], table: str, tmp_path: Path) -> None:
    X, y = getattr(tw.datasets, f"load_{table}")(return_X_y=True)
    model = tw.Perceptron(**settings).fit(X, y)
    tw.save(model, tmp_path / "model.tw")
    for again in (tw.load(tmp_path / "model.tw"), pickle.loads(pickle.dumps(model))):
        assert again.fingerprint() == model.fingerprint()
        assert str(again) == str(model)
        assert again.separable_ == model.separable_
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        if "keep_trace" in settings:
            pd.testing.assert_frame_equal(again.trace(), model.trace())


@pytest.mark.parametrize("name", ["coef_", "intercept_", "spread_", "bounds_"])
def test_a_file_whose_parts_do_not_belong_together_is_refused(name: str) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.Perceptron(multi_class="one_vs_rest").fit(X, y)
    model.__dict__[name] = model.__dict__[name][..., :-1]
    with pytest.raises(ModelFileError, match="damaged"):
        pickle.loads(pickle.dumps(model))


def test_one_row_and_one_class_are_answered() -> None:
    X, y = tw.datasets.load_heart_c(return_X_y=True)
    model = tw.Perceptron().fit(X, y)
    assert [model.predict_one(row) for row in X.head(9).to_dict("records")] == model.predict(X.head(9)).tolist()
    assert tw.Perceptron().fit([[1.0], [2.0]], ["a", "a"]).predict([[5.0]]).tolist() == ["a"]


def test_a_trace_that_was_not_kept_is_told() -> None:
    with pytest.raises(AttributeError, match="Fit with keep_trace=True"):
        tw.Perceptron().fit(*LINE).trace()


def test_a_text_tells_what_the_model_is() -> None:
    text = str(tw.Perceptron().fit(*clouds(0.3)))
    assert "classes   separated" in text
    assert "(R/γ)² by the widest margin" in text
    assert "mean of the last pass" in str(tw.Perceptron("linear").fit(*clouds(0.3)))
    assert str(tw.Perceptron()) == "Perceptron()"


def test_numbers_too_large_for_squares_are_refused() -> None:
    table = pd.DataFrame({"age": [1.0, 2.0, 3.0], "mass": [1e200, -1e200, 3e200]})
    with pytest.raises(DataError, match="Column 'mass' holds numbers that are too large"):
        tw.Perceptron().fit(table, list("aba"))
