"""AdaBoost: its arithmetic by hand, scikit-learn's decisions, and where it stops."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.learners.adaboost.weight_updates import total, update_weights, update_weights_by_errors


def three_of_ten() -> np.ndarray:
    return np.arange(10) < 3


def test_three_wrong_rows_of_ten_by_hand() -> None:
    updated = update_weights(np.full(10, 0.1), three_of_ten(), 2, 1.0, "samme")
    assert updated is not None
    assert round(updated.estimator_weight, 4) == 0.8473
    assert updated.weights.round(4).tolist() == [0.1667] * 3 + [0.0714] * 7
    assert updated.weights[:3].sum() == pytest.approx(1 / 2)  # the tree would now be as good as chance


def test_three_classes_by_hand() -> None:
    updated = update_weights(np.full(10, 0.1), three_of_ten(), 3, 1.0, "samme")
    assert updated is not None
    assert round(updated.estimator_weight, 4) == 1.5404
    assert updated.weights[:3].sum() == pytest.approx(2 / 3)
    m1 = update_weights(np.full(10, 0.1), three_of_ten(), 3, 1.0, "m1")
    assert m1 is not None
    assert round(m1.estimator_weight, 4) == 0.8473


def test_the_learning_rate_scales_the_say() -> None:
    updated = update_weights(np.full(10, 0.1), three_of_ten(), 2, 0.5, "samme")
    assert updated is not None
    assert updated.estimator_weight == pytest.approx(0.5 * math.log(0.7 / 0.3))
    assert updated.weights[0] / updated.weights[9] == pytest.approx(math.exp(updated.estimator_weight))


def test_a_tree_is_kept_only_if_it_is_better_than_chance() -> None:
    half = np.arange(10) < 5
    assert update_weights(np.full(10, 0.1), half, 2, 1.0, "samme") is None
    assert update_weights(np.full(10, 0.1), half, 2, 1.0, "m1") is None
    assert update_weights(np.full(10, 0.1), half, 3, 1.0, "m1") is None
    assert update_weights(np.full(10, 0.1), half, 3, 1.0, "samme") is not None
    assert update_weights(np.full(10, 0.1), np.arange(10) < 7, 3, 1.0, "samme") is None


def test_a_tree_with_a_speck_of_error_has_a_bounded_say() -> None:
    weights = np.append(np.ones(9), 1e-300)
    updated = update_weights(weights, np.arange(10) == 9, 2, 1.0, "samme")
    assert updated is not None
    assert updated.estimator_weight == pytest.approx(math.log((1 - 1e-10) / 1e-10))


def test_sums_of_weights_do_not_depend_on_their_order() -> None:
    weights = np.exp(np.random.default_rng(0).normal(0, 8, 1001))
    sums = {total(np.random.default_rng(seed).permutation(weights)) for seed in range(50)}
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(math.fsum(weights), rel=1e-14)


@pytest.mark.parametrize(("n_classes", "depth", "rate"), [(2, 1, 1.0), (2, 2, 0.5), (3, 1, 1.0), (5, 3, 0.3)])
def test_decisions_are_those_of_scikit_learn(n_classes: int, depth: int, rate: float) -> None:
    X, y = make_classification(600, 8, n_informative=6, n_classes=n_classes, random_state=depth)
    stump = DecisionTreeClassifier(max_depth=depth, random_state=0)
    theirs = AdaBoostClassifier(stump, n_estimators=30, learning_rate=rate).fit(X, y)
    ours = tw.AdaBoostClassifier(tw.DecisionTreeClassifier(max_depth=depth), n_estimators=30, learning_rate=rate)
    ours.fit(X, y)
    assert ours.estimator_weights_ == pytest.approx(theirs.estimator_weights_, rel=1e-9)
    assert ours.estimator_errors_ == pytest.approx(theirs.estimator_errors_, rel=1e-9)
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), rel=1e-9)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), rel=1e-9)
    assert (ours.predict(X) == theirs.predict(X)).all()
    if depth < 3:  # in small nodes two columns may part the rows alike, and scikit-learn takes one at random
        assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_, rel=1e-6, abs=1e-9)
    for mine, other in zip(ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True):
        assert mine == pytest.approx(other, rel=1e-9, abs=1e-12)


def test_stages_end_with_the_whole_model() -> None:
    X, y = make_classification(300, 5, n_classes=3, n_informative=4, n_redundant=0, random_state=0)
    model = tw.AdaBoostClassifier(n_estimators=12).fit(X, y)
    *_, answers = model.staged_predict(X)
    *_, shares = model.staged_predict_proba(X)
    scores = list(model.staged_score(X, y))
    assert (answers == model.predict(X)).all()
    assert (shares == model.predict_proba(X)).all()
    assert len(scores) == 12
    assert scores[-1] == model.score(X, y)


def test_it_stops_after_a_perfect_tree() -> None:
    model = tw.AdaBoostClassifier().fit([[1], [2], [7], [8]], list("aabb"))
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.estimator_weights_.tolist() == [1.0]


def test_without_any_tree_better_than_chance_it_answers_the_prior() -> None:
    model = tw.AdaBoostClassifier().fit([[1], [1], [1], [1]], list("abab"))
    assert [tree.n_nodes for tree in model.trees_] == [1]
    assert model.predict_proba([[1], [5]]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    skewed = tw.AdaBoostClassifier().fit([[1], [1], [1], [1]], list("aaab"))
    assert skewed.predict_proba([[1]]).tolist() == [[0.75, 0.25]]


def test_m1_gives_up_where_samme_goes_on() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 2)), rng.integers(0, 6, 300)
    assert len(tw.AdaBoostClassifier(n_estimators=10).fit(X, y).trees_) == 10
    assert [tree.n_nodes for tree in tw.AdaBoostClassifier(n_estimators=10, algorithm="m1").fit(X, y).trees_] == [1]


@pytest.mark.parametrize(
    "recipe",
    [
        None,
        tw.C45Classifier(),
        tw.CHAIDClassifier(min_samples_split=40, min_samples_leaf=20),
        tw.ConditionalTreeClassifier(),
    ],
    ids=["stump", "C4.5", "CHAID", "ctree"],
)
def test_any_recipe_on_a_table_as_it_is(recipe: Any, tmp_path: Path) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    model = tw.AdaBoostClassifier(recipe, n_estimators=8, n_jobs=2).fit(X, y)
    assert model.score(X, y) > 0.77
    alone = tw.AdaBoostClassifier(recipe, n_estimators=8, n_jobs=1).fit(X, y)
    assert alone.fingerprint() == model.fingerprint()
    tw.save(model, tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw")
    assert again.fingerprint() == model.fingerprint()
    assert (again.decision_function(X) == model.decision_function(X)).all()


def test_the_order_of_the_rows_changes_nothing() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    models = [tw.AdaBoostClassifier(n_estimators=20).fit(X.iloc[i], y.iloc[i]) for i in (np.arange(len(y)), order)]
    assert models[0].fingerprint() == models[1].fingerprint()


def test_no_learning_rate_is_too_large() -> None:
    X, y = make_classification(100, 4, random_state=0)
    model = tw.AdaBoostClassifier(n_estimators=5, learning_rate=1e4).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


# ---------------------------------------------------------------- numbers: AdaBoost.R2


def test_one_row_of_four_that_is_off_by_hand() -> None:
    updated = update_weights_by_errors(np.ones(4), np.array([2.0, 0, 0, 0]), 1.0, "linear")
    assert updated is not None
    assert updated.error == 0.25
    assert updated.estimator_weight == pytest.approx(math.log(3))
    assert updated.weights.tolist() == pytest.approx([2, 2 / 3, 2 / 3, 2 / 3])
    assert update_weights_by_errors(np.ones(2), np.array([1.0, 1.0]), 1.0, "linear") is None  # as good as nothing


class WeightsThatWouldBeDrawn(np.random.RandomState):
    """In place of drawn rows it hands over all of them, and keeps the weights by which they would be drawn."""

    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        self.weights = p
        return np.asarray(a)


class GrownFromWeights(DecisionTreeRegressor):  # type: ignore[misc]
    """scikit-learn's tree, grown from those weights."""

    draws = WeightsThatWouldBeDrawn(0)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        self.random_state = 0
        return super().fit(X, y, sample_weight=self.draws.weights * len(y))


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_errors_says_and_answers_are_those_of_scikit_learn(seed: int, rate: float, loss: str) -> None:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(150, 3)).astype("float32").astype("float64")
    y = X[:, 0] + np.sin(2 * X[:, 1]) + draw.normal(size=150) / 2
    ours = tw.AdaBoostRegressor(tw.DecisionTreeRegressor(max_depth=3), n_estimators=12, learning_rate=rate, loss=loss)
    theirs = AdaBoostRegressor(
        GrownFromWeights(max_depth=3),
        n_estimators=12,
        learning_rate=rate,
        loss=loss,
        random_state=GrownFromWeights.draws,
    )
    ours.fit(X, y)
    theirs.fit(X, y)
    kept = len(ours.trees_)
    assert kept == len(theirs.estimators_)
    assert ours.estimator_errors_ == pytest.approx(theirs.estimator_errors_[:kept])
    assert ours.estimator_weights_ == pytest.approx(theirs.estimator_weights_[:kept])
    # New rows could differ: columns that divide the training rows alike are a tie.
    assert ours.predict(X) == pytest.approx(theirs.predict(X))
    for mine, peer in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert mine == pytest.approx(peer)


def test_boosted_numbers_are_saved_asked_row_by_row_and_do_not_hang_on_the_order_of_rows(tmp_path: Path) -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.AdaBoostRegressor(n_estimators=15).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    again = tw.AdaBoostRegressor(n_estimators=15).fit(X.iloc[order], y.iloc[order])
    assert model.fingerprint() == again.fingerprint()
    tw.save(model, tmp_path / "boosted.tw")
    loaded = tw.load(tmp_path / "boosted.tw")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert [model.predict_one(row) for row in X.head(5).to_dict("records")] == model.predict(X.head(5)).tolist()
    *_, last = model.staged_score(X, y)
    assert last == pytest.approx(model.score(X, y))


def test_boosted_numbers_end_with_a_perfect_tree_and_keep_one_that_is_poor() -> None:
    perfect = tw.AdaBoostRegressor().fit([[1], [2], [7], [8]], [10, 10, 20, 20])
    assert perfect.estimator_errors_.tolist() == [0.0]
    poor = tw.AdaBoostRegressor().fit([[1], [1]], [0, 1])  # nothing to tell them apart by
    assert len(poor.trees_) == 1
    assert poor.predict([[1]]).tolist() == [0.5]


def test_a_median_has_no_shap_values_and_is_explained_without_them() -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.AdaBoostRegressor(n_estimators=5).fit(X, y)
    with pytest.raises(AttributeError, match="median"):
        model.shap_values(X)
    assert str(model.why(X.iloc[0]))


@pytest.mark.parametrize("recipe", [tw.ModelTreeRegressor(), tw.ConditionalTreeRegressor(), tw.CHAIDRegressor()])
def test_any_tree_for_numbers_is_boosted(recipe: Any) -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.AdaBoostRegressor(recipe, n_estimators=5).fit(X, y)
    assert type(model.estimators_[0]) is type(recipe)
    assert model.score(X, y) > 0.7
