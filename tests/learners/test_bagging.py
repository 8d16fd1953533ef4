"""Bagging: the same model whatever the threads, the order of rows and the way weights are written; any recipe."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeRegressor

import treewright as tw
from treewright.errors import DataError
from treewright.learners.ensemble.bootstrap import draw_bootstraps

RECIPES: dict[str, Any] = {
    "CART": tw.DecisionTreeClassifier(),
    "surrogates": tw.DecisionTreeClassifier(missing="surrogates", max_depth=4),
    "priors and costs": tw.DecisionTreeClassifier(
        priors={"no": 0.5, "yes": 0.5}, costs={("yes", "no"): 3}, max_depth=4
    ),
    "cross-validated pruning": tw.DecisionTreeClassifier(prune="cost_complexity_cv", max_depth=4),
    "held-out pruning": tw.DecisionTreeClassifier(prune=tw.ReducedError(share=0.3), max_depth=4),
    "C4.5": tw.C45Classifier(laplace=True),
    "C4.5 with kept rows": tw.C45Classifier(reduced_error=True),
    "CHAID": tw.CHAIDClassifier(min_samples_split=40, min_samples_leaf=20),
    "ctree": tw.ConditionalTreeClassifier(),
    "permutations": tw.ConditionalTreeClassifier(test="monte_carlo", n_permutations=50, max_depth=2),
    "oblique": tw.ObliqueTreeClassifier(),
}
NUMBER_RECIPES: dict[str, Any] = {
    "CART": tw.DecisionTreeRegressor(),
    "median": tw.DecisionTreeRegressor(criterion="absolute_error", max_depth=4),
    "CHAID": tw.CHAIDRegressor(min_samples_split=20, min_samples_leaf=10),
    "ctree": tw.ConditionalTreeRegressor(),
    "oblique": tw.ObliqueTreeRegressor(),
    "model tree": tw.ModelTreeRegressor(),
}


def titanic() -> tuple[pd.DataFrame, pd.Series]:
    """A table with levels and holes."""
    return tw.datasets.load_titanic(return_X_y=True)


def numbers(n_rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n_rows, 4)).round(1)
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n_rows) > 1).astype(int)


@pytest.mark.parametrize("name", list(RECIPES))
def test_every_recipe_can_be_bagged_and_comes_back_from_a_file(name: str, tmp_path: Path) -> None:
    X, y = titanic()
    model = tw.BaggingTreesClassifier(RECIPES[name], n_estimators=5, oob_score=True, random_state=3)
    with pytest.warns(UserWarning, match="in the bag of every tree"):
        model.fit(X, y)
    tw.save(model, tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw")
    assert again.fingerprint() == model.fingerprint()
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.oob_score_ == model.oob_score_ > 0.7
    assert [str(tree) for tree in again.trees_] == [str(tree) for tree in model.trees_]
    assert repr(again.estimator) == repr(model.estimator)


@pytest.mark.parametrize("name", list(NUMBER_RECIPES))
def test_every_recipe_for_numbers_can_be_bagged(name: str, tmp_path: Path) -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.BaggingTreesRegressor(NUMBER_RECIPES[name], n_estimators=30, oob_score=True).fit(X, y)
    assert 0.7 < model.oob_score_ < 1
    mean = np.mean([member.predict(X) for member in model.estimators_], axis=0)
    assert model.predict(X) == pytest.approx(mean)
    tw.save(model, tmp_path / "m.tw")
    assert (tw.load(tmp_path / "m.tw").predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("name", list(RECIPES))
def test_the_number_of_threads_changes_nothing(name: str) -> None:
    X, y = titanic()
    made = [
        tw.BaggingTreesClassifier(RECIPES[name], n_estimators=7, n_jobs=threads, random_state=1).fit(X, y)
        for threads in (1, 2, 3, 8)
    ]
    assert len({model.fingerprint() for model in made}) == 1


def test_the_order_of_the_rows_changes_nothing() -> None:
    X, y = titanic()
    order = np.random.default_rng(0).permutation(len(y))
    model, shuffled = (
        tw.BaggingTreesClassifier(n_estimators=5).fit(X.iloc[rows], y.iloc[rows]) for rows in (np.arange(len(y)), order)
    )
    assert model.fingerprint() == shuffled.fingerprint()


def test_a_weight_of_three_is_a_row_three_times_and_a_weight_of_zero_none() -> None:
    X, y = titanic()
    times = np.random.default_rng(0).integers(0, 4, len(y))
    often = np.repeat(np.arange(len(y)), times)
    weighted = tw.BaggingTreesClassifier(n_estimators=5).fit(X, y, sample_weight=times)
    repeated = tw.BaggingTreesClassifier(n_estimators=5).fit(X.iloc[often], y.iloc[often])
    assert (weighted.predict_proba(X) == repeated.predict_proba(X)).all()


def test_a_seed_chooses_the_rows() -> None:
    X, y = numbers()
    prints = {tw.BaggingTreesClassifier(n_estimators=3, random_state=seed).fit(X, y).fingerprint() for seed in range(5)}
    assert len(prints) == 5
    plain = tw.BaggingTreesClassifier(n_estimators=3).fit(X, y)
    zero = tw.BaggingTreesClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert (plain.predict_proba(X) == zero.predict_proba(X)).all()


def bags_of(n_rows: int, weights: np.ndarray | None, max_samples: Any = 1.0, replaces: bool = True) -> Any:
    X = np.arange(float(n_rows)).reshape(-1, 1)
    recipe = tw.DecisionTreeRegressor()
    from treewright.table.frame import open_frame

    return draw_bootstraps(recipe._encode(open_frame(X), X[:, 0], None), weights, max_samples, replaces, seed=5)


def test_a_row_is_out_of_a_bag_as_often_as_chance_says() -> None:
    bags = bags_of(1000, None)
    out = np.mean([bags.weights_of(tree) == 0 for tree in range(200)])
    assert out == pytest.approx((1 - 1 / 1000) ** 1000, abs=0.003)
    assert all(bags.weights_of(tree).sum() == 1000 for tree in range(20))


def test_without_replacement_no_row_is_drawn_twice() -> None:
    bags = bags_of(100, None, 0.63, replaces=False)
    drawn = [bags.weights_of(tree) for tree in range(50)]
    assert all(sorted(weights.tolist()) == [0.0] * 37 + [1.0] * 63 for weights in drawn)
    assert len({tuple(weights) for weights in drawn}) == 50
    assert np.mean(drawn, axis=0).min() > 0.3


def test_weights_that_are_no_counts_stay_with_their_rows() -> None:
    weights = np.random.default_rng(0).random(300) + 0.1
    drawn = bags_of(300, weights).weights_of(0)
    counts = drawn / weights
    assert counts == pytest.approx(np.round(counts))
    assert counts.sum() == pytest.approx(300)


def test_huge_whole_weights_are_not_counted_out() -> None:
    weights = np.array([1e12, 2e12, 0.0, 5.0])
    drawn = bags_of(4, weights).weights_of(0)
    assert (drawn / np.where(weights > 0, weights, 1)).sum() == pytest.approx(3)


def test_more_trees_can_be_added_later() -> None:
    X, y = titanic()
    model = tw.BaggingTreesClassifier(n_estimators=4, warm_start=True, oob_score=True)
    with pytest.warns(UserWarning, match="every tree"):
        model.fit(X, y)
    model.set_params(n_estimators=15)
    with pytest.warns(UserWarning, match="every tree"):
        model.fit(X, y)
    with pytest.warns(UserWarning, match="every tree"):
        at_once = tw.BaggingTreesClassifier(n_estimators=15, warm_start=True, oob_score=True).fit(X, y)
    assert model.fingerprint() == at_once.fingerprint()
    with pytest.raises(DataError, match="less than the 15 trees that are there"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(DataError, match="has other columns, levels or classes"):
        model.set_params(n_estimators=20).fit(X.drop(columns="age"), y)
    assert len(model.trees_) == 15


def test_votes_are_counted_and_shares_are_averaged() -> None:
    X, y = numbers()
    recipe = tw.DecisionTreeClassifier(max_depth=2)
    votes = tw.BaggingTreesClassifier(recipe, n_estimators=9, voting="vote").fit(X, y)
    shares = clone(votes).set_params(voting="mean").fit(X, y)
    counted = np.mean([member.predict(X) for member in votes.estimators_], axis=0)
    assert votes.predict_proba(X)[:, 1] == pytest.approx(counted)
    averaged = np.mean([member.predict_proba(X) for member in votes.estimators_], axis=0)
    assert shares.predict_proba(X) == pytest.approx(averaged)


def test_importance_is_the_mean_of_the_trees() -> None:
    X, y = numbers()
    model = tw.BaggingTreesClassifier(tw.ObliqueTreeClassifier(), n_estimators=9).fit(X, y)
    mean = np.mean([member.feature_importances_ for member in model.estimators_], axis=0)
    assert model.feature_importances_ == pytest.approx(mean / mean.sum())


def test_class_weights_of_the_recipe_count_in_every_bag() -> None:
    X, y = numbers()
    model = tw.BaggingTreesClassifier(tw.DecisionTreeClassifier(class_weight={1: 10.0}, max_depth=2), n_estimators=9)
    assert (model.fit(X, y).predict(X) == 1).mean() > 0.8


def test_counts_with_an_exposure_can_be_bagged() -> None:
    rng = np.random.default_rng(0)
    X, exposure = rng.random((400, 2)), rng.random(400) + 0.5
    events = rng.poisson(exposure * np.where(X[:, 0] > 0.5, 4, 1))
    recipe = tw.DecisionTreeRegressor(criterion="poisson", min_samples_leaf=50)
    model = tw.BaggingTreesRegressor(recipe, n_estimators=10).fit(X, np.column_stack([exposure, events]))
    assert model.predict([[0.9, 0.5], [0.1, 0.5]]) == pytest.approx([4, 1], rel=0.3)


@pytest.mark.parametrize("model", [tw.BaggingTreesClassifier(n_estimators=3), tw.AdaBoostClassifier(n_estimators=3)])
def test_one_row_and_one_class_are_enough(model: Any) -> None:
    assert clone(model).fit([[1.0]], ["a"]).predict_proba([[2.0], [np.nan]]).tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize("wrong", [tw.DecisionTreeRegressor(), DecisionTreeRegressor(), "cart", tw.C45Classifier])
def test_what_does_not_predict_classes_is_refused(wrong: Any) -> None:
    for model in (tw.BaggingTreesClassifier(wrong), tw.AdaBoostClassifier(wrong)):
        with pytest.raises(DataError, match=r"predicts classes: a tree of treewright such as tw.C45Classifier\(\)"):
            model.fit([[1], [2]], ["a", "b"])


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="max_samples is 9, but there are only 2 rows"):
        tw.BaggingTreesClassifier(max_samples=9).fit([[1], [2]], ["a", "b"])
    with pytest.raises(ValueError, match="max_depth"):
        tw.BaggingTreesClassifier(tw.DecisionTreeClassifier(max_depth=0)).fit([[1], [2]], ["a", "b"])
    with pytest.raises(DataError, match="Every sample_weight is zero"):
        tw.BaggingTreesClassifier().fit([[1], [2]], ["a", "b"], [0, 0])


def test_kinds_of_columns_reach_the_trees() -> None:
    X, y = pd.DataFrame({"zip": [1, 2, 3, 4] * 10}), [0, 1, 0, 1] * 10
    model = tw.BaggingTreesClassifier(n_estimators=2, column_kinds={"zip": "nominal"}).fit(X, y)
    assert model.trees_[0].schema.columns[0].kind == "nominal"
    assert model.trees_[0].n_nodes == 3


def test_a_recipe_that_refuses_holes_refuses_them_in_new_rows_too() -> None:
    recipe = tw.ID3Classifier()
    X, y = tw.datasets.load_tennis(return_X_y=True)
    model = tw.BaggingTreesClassifier(recipe, n_estimators=3).fit(X, y)
    assert len(model.predict(X)) == len(y)
    with pytest.raises(DataError, match="has no value"):
        model.predict(X.mask(X["Wind"] == "Weak"))


def test_a_pickle_has_everything_that_was_learnt() -> None:
    X, y = numbers()
    model = tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=40, oob_score=True, n_jobs=1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.oob_decision_function_, model.oob_decision_function_)
    assert again.fingerprint() == model.fingerprint()
    assert again.get_params()["estimator__confidence"] == 0.25
    assert again.n_jobs == 1


@pytest.mark.parametrize(
    "model",
    [
        tw.BaggingTreesClassifier(n_estimators=5),
        tw.BaggingTreesClassifier(n_estimators=5, voting="vote"),
        tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=5),
        tw.BaggingTreesClassifier(tw.C45Classifier(laplace=True), n_estimators=5),
        tw.AdaBoostClassifier(n_estimators=9),
    ],
)
def test_one_row_is_answered_as_many_are(model: Any) -> None:
    X, y = titanic()
    fitted = clone(model).fit(X, y)
    some = X.iloc[:60]
    many = fitted.predict(some).tolist()
    assert [fitted.predict_one(row.to_dict()) for _, row in some.iterrows()] == many
    assert [fitted.predict_one(list(row)) for row in some.itertuples(index=False)] == many


def test_one_row_of_numbers_is_answered_as_many_are() -> None:
    X, y = tw.datasets.load_airquality(return_X_y=True)
    for recipe in (None, tw.ModelTreeRegressor()):
        model = tw.BaggingTreesRegressor(recipe, n_estimators=5).fit(X, y)
        ones = [model.predict_one(row.to_dict()) for _, row in X.iterrows()]
        assert ones == pytest.approx(model.predict(X).tolist())


def test_an_ensemble_tells_what_it_is() -> None:
    X, y = titanic()
    model = tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=40, oob_score=True).fit(X, y)
    first, *_, score, columns = str(model).splitlines()
    assert first == "BaggingTreesClassifier of 40 trees for 'survived'"
    assert "out of bag" in score
    assert "sex" in columns


def test_a_bar_shows_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = numbers()
    tw.BaggingTreesClassifier(n_estimators=5, verbose=1).fit(X, y)
    tw.AdaBoostClassifier(n_estimators=5, verbose=1).fit(X, y)
    shown = capsys.readouterr()
    assert "5/5" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("name", list(RECIPES))
def test_each_tree_may_see_some_of_the_columns_only(name: str) -> None:
    X, y = titanic()
    model = tw.BaggingTreesClassifier(RECIPES[name], n_estimators=6, max_features=2, random_state=1).fit(X, y)
    asked = [set(tree.arrays["column"].tolist()) - {-1} for tree in model.trees_]
    assert all(len(columns) <= 2 for columns in asked)
    assert len(set().union(*asked)) == 3
    assert [tree.schema.names for tree in model.trees_] == [model.trees_[0].schema.names] * 6
    assert model.score(X, y) > 0.6


def test_a_tree_of_some_columns_is_the_tree_that_they_alone_would_give() -> None:
    X, y = titanic()
    names = list(X.columns)
    model = tw.BaggingTreesClassifier(n_estimators=5, max_features=0.7, bootstrap=False, random_state=2).fit(X, y)
    for tree in model.trees_:
        used = sorted(set(tree.arrays["column"].tolist()) - {-1})
        alone = tw.DecisionTreeClassifier().fit(X[[names[column] for column in used]], y)
        assert tree.to_text() == alone.tree_.to_text()


def test_model_trees_keep_their_columns_in_equations() -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.BaggingTreesRegressor(tw.ModelTreeRegressor(), n_estimators=20, max_features=0.5, oob_score=True)
    assert model.fit(X, y).oob_score_ > 0.75
    with pytest.raises(DataError, match="max_features is 99, but the table has only"):
        model.set_params(max_features=99).fit(X, y)


def test_bagged_cart_is_a_forest_that_looks_at_all_columns() -> None:
    X, y = titanic()
    bagged = tw.BaggingTreesClassifier(n_estimators=4, random_state=3).fit(X, y)
    forest = tw.RandomForestClassifier(n_estimators=4, max_features=None, random_state=3).fit(X, y)
    assert [tree.to_text(digits=12) for tree in bagged.trees_] == [tree.to_text(digits=12) for tree in forest.trees_]
    assert bagged.predict_proba(X) == pytest.approx(forest.predict_proba(X), abs=1e-12)


@pytest.mark.parametrize("ending", ["tw", "json"])
def test_trees_with_surrogates_by_levels_come_back_from_a_file_with_the_same_bytes(ending, tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(size=200)
    X = pd.DataFrame({"size": size, "word": np.where(size > 0, "large", "small"), "near": size + rng.normal(size=200)})
    X, y = X.mask(rng.random(X.shape) < 0.2), size + rng.normal(scale=0.3, size=200) > 0
    recipe = tw.DecisionTreeClassifier(max_depth=4, missing="surrogates")
    model = tw.BaggingTreesClassifier(recipe, n_estimators=3, random_state=0).fit(X, y)
    assert any({"surrogate_start", "surrogate_level_start"} < tree.arrays.keys() for tree in model.trees_)
    model.export(tmp_path / f"m.{ending}")
    assert tw.load(tmp_path / f"m.{ending}").fingerprint() == model.fingerprint()
