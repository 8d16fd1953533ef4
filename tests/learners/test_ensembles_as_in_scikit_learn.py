"""What scikit-learn's ensembles and neighbours offer beside the answers: samples, decisions, scores of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import neighbors as peers
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error

import treewright as tw
from treewright.errors import DataError

ENSEMBLES = [
    tw.RandomForestClassifier(7, random_state=2),
    tw.RandomForestClassifier(5, max_samples=0.3, bootstrap=False),
    tw.ExtraTreesClassifier(3, bootstrap=True),
    tw.RandomForestClassifier(3, splitter="oblique"),
    tw.BaggingTreesClassifier(n_estimators=6),
    tw.BaggingTreesClassifier(n_estimators=6, bootstrap=False, max_samples=0.5),
]


def halves() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(120, 3))
    return X, np.where(X[:, 0] + draw.normal(size=120) > 0, "yes", "no")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", ENSEMBLES, ids=lambda model: str(model)[:40])
def test_the_rows_of_each_tree_are_those_that_it_did_not_answer_out_of_bag(model: Any, weighted: bool) -> None:
    X, y = halves()
    weights = np.random.default_rng(1).integers(0, 3, len(y)) if weighted else None
    with pytest.warns(UserWarning, match="out-of-bag"):  # so few trees leave gaps
        fitted = model.set_params(oob_score=True).fit(X, y, weights)
    samples = fitted.estimators_samples_
    assert len(samples) == model.n_estimators
    drawn = np.array([np.bincount(rows, minlength=len(y)) for rows in samples])
    assert not weighted or not drawn[:, weights == 0].any()
    # A row has an answer out of bag just where some tree did not draw it.
    counts = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    unseen = (drawn == 0).any(axis=0)
    assert np.array_equal(unseen[counts], ~np.isnan(fitted.oob_decision_function_[counts, 0]))


def test_trees_grown_from_the_drawn_rows_are_the_trees_of_the_ensemble() -> None:
    X, y = halves()
    model = tw.BaggingTreesClassifier(n_estimators=4).fit(X, y)
    for rows, tree in zip(model.estimators_samples_, model.trees_, strict=True):
        assert str(tw.DecisionTreeClassifier().fit(X, y, np.bincount(rows, minlength=len(y))).tree_) == str(tree)
    X = X[:, :1]  # of several columns that are level a forest draws one
    forest = tw.RandomForestClassifier(4, max_features=None).fit(X, y)
    for rows, tree in zip(forest.estimators_samples_, forest.trees_, strict=True):
        counts = np.bincount(rows, minlength=len(y))
        alone = tw.RandomForestClassifier(1, max_features=None, bootstrap=False).fit(X, y, counts)
        assert str(alone.trees_[0]) == str(tree)


def test_whole_groups_are_drawn() -> None:
    X, y = halves()
    groups = np.arange(120) // 10
    model = tw.RandomForestClassifier(5).fit(X, y, groups=groups)
    for rows in model.estimators_samples_:
        counts = np.bincount(rows, minlength=120).reshape(12, 10)
        assert (counts == counts[:, :1]).all()
        assert counts.sum() == 120


def test_a_model_file_does_not_know_which_rows_were_drawn(tmp_path: Any) -> None:
    X, y = halves()
    tw.save(tw.RandomForestClassifier(2).fit(X, y), tmp_path / "forest.tw")
    with pytest.raises(AttributeError, match="Fit the model again"):
        tw.load(tmp_path / "forest.tw").estimators_samples_  # noqa: B018


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.BaggingTreesClassifier])
def test_a_function_scores_the_answers_out_of_bag(kind: Any, tmp_path: Any) -> None:
    X, y = halves()
    model = kind(n_estimators=60, oob_score=balanced_accuracy_score).fit(X, y)
    answers = model.classes_[model.oob_decision_function_.argmax(axis=1)]
    assert model.oob_score_ == pytest.approx(balanced_accuracy_score(y, answers))
    plain = kind(n_estimators=60, oob_score=True).fit(X, y)
    assert kind(n_estimators=60, oob_score=accuracy_score).fit(X, y).oob_score_ == pytest.approx(plain.oob_score_)
    tw.save(model, tmp_path / "model.tw")
    loaded = tw.load(tmp_path / "model.tw")
    assert loaded.oob_score is None
    assert loaded.oob_score_ == model.oob_score_


@pytest.mark.parametrize("kind", [tw.ExtraTreesRegressor, tw.RandomForestRegressor, tw.BaggingTreesRegressor])
def test_a_function_scores_numbers_out_of_bag(kind: Any) -> None:
    X, _ = halves()
    y = X[:, 0] * 3
    model = kind(n_estimators=60, bootstrap=True, oob_score=mean_absolute_error).fit(X, y)
    assert model.oob_score_ == pytest.approx(mean_absolute_error(y, model.oob_prediction_))


def test_the_decisions_of_bagging_follow_its_shares() -> None:
    X, y = halves()
    model = tw.BaggingTreesClassifier(n_estimators=9).fit(X, y)
    shares = model.predict_proba(X)
    assert np.array_equal(model.decision_function(X), shares[:, 1] - shares[:, 0])
    assert np.array_equal(model.classes_[(model.decision_function(X) > 0).astype(int)], model.predict(X))
    iris, species = tw.datasets.load_iris(return_X_y=True)
    many = tw.BaggingTreesClassifier(n_estimators=9).fit(iris, species)
    assert np.array_equal(many.decision_function(iris), many.predict_proba(iris))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_last_stage_of_boosted_decisions_is_the_decision(n_classes: int) -> None:
    X, _ = halves()
    y = np.searchsorted([-0.5, 0.5][: n_classes - 1], X[:, 0])
    model = tw.GradientBoostingClassifier(n_estimators=5).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == model.n_iter_ == 5
    assert np.array_equal(stages[-1], model.decision_function(X))
    for stage, answers in zip(stages, model.staged_predict(X), strict=True):
        found = (stage > 0).astype(int) if n_classes == 2 else stage.argmax(axis=1)
        assert np.array_equal(found, answers)


@pytest.mark.parametrize(
    ("asked", "theirs"),
    [
        ({"metric": "minkowski", "p": 1}, {"metric": "minkowski", "p": 1}),
        ({"metric": "minkowski"}, {"metric": "minkowski"}),
        ({"metric": "minkowski", "p": 3.5}, {"metric": "minkowski", "p": 3.5}),
        ({"metric": "minkowski", "metric_params": {"p": 4}}, {"metric": "minkowski", "p": 4}),
        (
            {"metric": "minkowski", "p": 3, "metric_params": {"w": [2.0, 1.0, 0.5]}},
            {"metric": "minkowski", "p": 3, "metric_params": {"w": [2.0, 1.0, 0.5]}},
        ),
        ({"metric": "chebyshev"}, {"metric": "chebyshev"}),
        ({"metric": "infinity", "leaf_size": 5}, {"metric": "infinity", "leaf_size": 5}),
        (
            {"metric": "seuclidean", "metric_params": {"V": [1.0, 2.0, 3.0]}},
            {"metric": "seuclidean", "metric_params": {"V": [1.0, 2.0, 3.0]}},
        ),
        (
            {"metric": "standardised", "metric_params": {"V": [4.0, 1.0, 0.25]}},
            {"metric": "seuclidean", "metric_params": {"V": [4.0, 1.0, 0.25]}},
        ),
        (
            {"metric": "mahalanobis", "metric_params": {"VI": [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]]}},
            {
                "metric": "mahalanobis",
                "algorithm": "brute",
                "metric_params": {"VI": np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]])},
            },
        ),
    ],
)
@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
def test_distances_are_those_of_scikit_learn(algorithm: str, asked: dict[str, Any], theirs: dict[str, Any]) -> None:
    X, y = halves()
    one = tw.KNeighborsClassifier(n_neighbors=4, algorithm=algorithm, **asked).fit(X, y)
    other = peers.KNeighborsClassifier(n_neighbors=4, **theirs).fit(X, y)
    new = np.random.default_rng(9).normal(size=(30, 3))
    for mine, peer in zip(one.kneighbors(new), other.kneighbors(new), strict=True):
        assert mine == pytest.approx(peer)
    for mode in ("connectivity", "distance"):
        assert one.kneighbors_graph(new, mode=mode).toarray() == pytest.approx(
            other.kneighbors_graph(new, mode=mode).toarray()
        )
    assert one.kneighbors_graph(n_neighbors=2).toarray() == pytest.approx(
        other.kneighbors_graph(n_neighbors=2).toarray()
    )


def test_a_graph_numbers_rows_as_fit_was_given_them() -> None:
    model = tw.KNeighborsRegressor(n_neighbors=1, metric="euclidean").fit([[1], [2], [9]], [1, 2, 3], [0, 1, 1])
    assert model.kneighbors_graph([[1]]).toarray().tolist() == [[0.0, 1.0, 0.0]]
    with pytest.raises(DataError, match="mode"):
        model.kneighbors_graph([[1]], mode="weights")


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"metric": "heom", "metric_params": {"p": 3}}, "takes none"),
        ({"metric": "minkowski", "metric_params": {"q": 3}}, "'q'"),
        ({"metric": "minkowski", "metric_params": {"p": 0.5}}, "1 or more"),
        ({"metric": "minkowski", "metric_params": {"w": [1, 1, 1]}, "factors": [1, 1, 1]}, "one of them"),
        ({"metric": "mahalanobis", "metric_params": {"V": [[1.0]]}}, "shape"),
        ({"metric": "mahalanobis", "metric_params": {"V": -np.eye(3)}}, "no covariance"),
        ({"metric": "standardised", "metric_params": {"V": [0, 1, 1]}}, "one variance above 0"),
    ],
)
def test_wrong_parameters_of_a_metric_are_refused(asked: dict[str, Any], word: str) -> None:
    X, y = halves()
    with pytest.raises(DataError, match=word):
        tw.KNeighborsClassifier(**asked).fit(X, y)


def test_the_size_of_leaves_is_no_part_of_a_model() -> None:
    X, y = halves()
    models = [tw.KNeighborsClassifier(leaf_size=size).fit(X, y) for size in (5, 30)]
    assert models[0].fingerprint() == models[1].fingerprint()


def test_a_metric_with_parameters_is_saved_with_them(tmp_path: Any) -> None:
    X, y = halves()
    model = tw.KNeighborsClassifier(metric="mahalanobis", metric_params={"V": np.diag([1.0, 2.0, 3.0])}).fit(X, y)
    tw.save(model, tmp_path / "near.tw")
    loaded = tw.load(tmp_path / "near.tw")
    assert np.array_equal(loaded.kneighbors(X)[0], model.kneighbors(X)[0])
    assert loaded.fingerprint() == model.fingerprint()


def test_boosting_takes_the_names_of_scikit_learns_histogram_booster() -> None:
    X, _ = _numbers()
    y = np.isin(X[:, 1].round() % 4, [1, 2]) * 3.0
    coded = np.column_stack([X[:, 0], X[:, 1].round() % 4])
    ours = tw.GradientBoostingRegressor(n_estimators=5, column_kinds={"x1": "nominal"}).fit(coded, y)
    for said in ([1], [False, True], ["x1"]):
        named = tw.GradientBoostingRegressor(max_iter=5, categorical_features=said).fit(coded, y)
        assert np.array_equal(named.predict(coded), ours.predict(coded))
    assert ours.set_params(max_iter=7).get_params()["n_estimators"] == 7
    assert tw.GradientBoostingRegressor(loss="quantile", quantile=0.3).alpha == 0.3
    with pytest.raises(ValueError, match="categorical_features has 1 truth values for 2 columns"):
        tw.GradientBoostingRegressor(categorical_features=[True]).fit(coded, y)
    with pytest.raises(TypeError, match="no parameter 'max_iter'"):
        tw.GradientBoostingRegressor(n_estimators=3, max_iter=3)


def test_early_stopping_by_itself_looks_at_the_number_of_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, size=(10_001, 2)).astype(float)
    model = tw.GradientBoostingRegressor(n_estimators=2, early_stopping="auto")
    assert model.fit(X, X[:, 0]).do_early_stopping_
    assert not model.fit(X[:10_000], X[:10_000, 0]).do_early_stopping_
    assert model.fit(X[:99], X[:99, 0], X_val=X[:50], y_val=X[:50, 0]).do_early_stopping_


def _numbers() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 40, size=(200, 2)).astype(float)
    return X, X[:, 0]


def test_the_columns_of_bagged_trees_are_told_and_may_be_drawn_twice() -> None:
    X, y = halves()
    model = tw.BaggingTreesClassifier(n_estimators=12, max_features=2, random_state=4).fit(X, y)
    for tree, columns in zip(model.trees_, model.estimators_features_, strict=True):
        assert len(columns) == 2
        assert set(tree.arrays["column"].tolist()) - {-1} <= set(columns.tolist())
    again = tw.BaggingTreesClassifier(n_estimators=12, bootstrap_features=True, random_state=4).fit(X, y)
    assert {len(columns) for columns in again.estimators_features_} == {1, 2, 3}
    for tree, columns in zip(again.trees_, again.estimators_features_, strict=True):
        assert set(tree.arrays["column"].tolist()) - {-1} <= set(columns.tolist())


def test_boosting_tells_its_columns_and_its_trees_by_round_and_class() -> None:
    X, _ = halves()
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = tw.GradientBoostingClassifier(max_iter=4, max_features=2).fit(X, y)
    assert (model.max_iter, model.max_features_, model.is_categorical_) == (4, 2, None)
    assert model.estimators_[2, 1].fingerprint() == model.estimators_[7].fingerprint()
    coded = tw.GradientBoostingRegressor(categorical_features=[0]).fit(y[:, None].repeat(2, axis=1), X[:, 0])
    assert coded.is_categorical_.tolist() == [True, False]
