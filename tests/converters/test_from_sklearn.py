"""Models of scikit-learn that were brought in answer as scikit-learn does, at the cuts and beside them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, tree
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import treewright as tw
from converters.rows_at_cuts import rows_at_cuts, training_table
from oracle.sklearn_trees import histogram_leaf_of, leaf_of
from thorough import some
from treewright.errors import DataError

TREES = ["DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"]
FORESTS = ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"]
WAYS: dict[str, list[dict[str, Any]]] = {
    **{name: [{}, {"max_leaf_nodes": 9}, {"max_depth": 3, "weighted": True}] for name in TREES},
    **{name: [{"n_estimators": 5}, {"n_estimators": 4, "max_leaf_nodes": 12, "weighted": True}] for name in FORESTS},
    "GradientBoostingClassifier": [{"n_estimators": 5}, {"n_estimators": 6, "loss": "exponential"},
                                   {"n_estimators": 4, "subsample": 0.7, "weighted": True}],
    "GradientBoostingRegressor": [{"n_estimators": 5, "loss": loss}
                                  for loss in ("squared_error", "absolute_error", "huber", "quantile")],
    "HistGradientBoostingClassifier": [{"max_iter": 5, "min_samples_leaf": 5}, {"max_iter": 4, "max_leaf_nodes": 4}],
    "HistGradientBoostingRegressor": [{"max_iter": 5, "loss": loss, **({"quantile": 0.3} if loss == "quantile" else {})}
                                      for loss in ("squared_error", "absolute_error", "gamma", "poisson", "quantile")],
}  # fmt: skip
CONFIGURATIONS = [
    (name, how, classes, seed)
    for seed in range(3)
    for name, hows in WAYS.items()
    for how, classes in product(hows, (2, 3) if name.endswith("Classifier") else (0,))
    if not (how.get("loss") == "exponential" and classes == 3)
]


def trained(name: str, how: dict[str, Any], classes: int, seed: int) -> tuple[Any, np.ndarray]:
    can_miss = not name.startswith("Gradient")
    X, score = training_table(seed, holes=0.1 if can_miss else 0.0)
    y = score - score.min() + 0.5
    if classes:
        y = np.array(["no", "perhaps", "yes"])[np.digitize(score, np.quantile(score, [0.4, 0.7][: classes - 1]))]
    options = {key: value for key, value in how.items() if key != "weighted"}
    kind = getattr(tree if name in TREES else ensemble, name)
    weights = np.random.default_rng(seed).random(len(X)) if how.get("weighted") else None
    return kind(random_state=seed, **options).fit(X, y, weights), X


def members(model: Any) -> list[Any]:
    return [model] if hasattr(model, "tree_") else list(np.ravel(model.estimators_))


def cuts_of(model: Any) -> set[tuple[int, float]]:
    if hasattr(model, "_predictors"):
        trees = [one.nodes[~one.nodes["is_leaf"].astype(bool)] for of_round in model._predictors for one in of_round]
        return {(int(n["feature_idx"]), float(n["num_threshold"])) for nodes in trees for n in nodes}
    return {
        (int(column), float(cut))
        for one in members(model)
        for column, cut in zip(one.tree_.feature, one.tree_.threshold, strict=True)
        if column >= 0
    }


def assert_same_answers(theirs: Any, ours: Any, rows: Any, weighted: bool) -> None:
    expected, got = theirs.predict(rows), ours.predict(rows)
    if not hasattr(theirs, "predict_proba"):
        if getattr(theirs, "loss", "") in ("gamma", "poisson"):  # the exponential functions of two libraries
            np.testing.assert_array_max_ulp(got, expected, 2)
        else:
            assert (got == expected).all()
        return
    assert (got == expected).all()
    expected, got = theirs.predict_proba(rows), ours.predict_proba(rows)
    if hasattr(theirs, "loss"):
        np.testing.assert_array_max_ulp(got, expected, 2)
    elif weighted:  # scikit-learn's shares then add up to 1 but for their last digits, ours exactly
        np.testing.assert_allclose(got, expected, rtol=1e-14, atol=0)
    else:
        assert (got == expected).all()
    if hasattr(theirs, "decision_function") and getattr(theirs, "loss", "") != "exponential":
        np.testing.assert_array_equal(ours.decision_function(rows), theirs.decision_function(rows))


@pytest.mark.parametrize("configuration", some(CONFIGURATIONS, 34), ids=str)
def test_every_row_is_answered_as_by_scikit_learn(configuration):
    theirs, X = trained(*configuration)
    ours = tw.from_sklearn(theirs)
    rows = rows_at_cuts(X, cuts_of(theirs), configuration[3], missing=not configuration[0].startswith("Gradient"))
    assert_same_answers(theirs, ours, rows, "weighted" in configuration[1])
    assert [ours.predict_one(row.tolist()) for row in rows[:50]] == ours.predict(rows[:50]).tolist()


@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "RandomForestRegressor", "GradientBoostingRegressor"])
def test_the_slow_walk_and_scikit_learn_and_ours_end_in_the_same_leaves(name):
    theirs, X = trained(name, WAYS[name][0], 2 if name.endswith("Classifier") else 0, 7)
    rows = rows_at_cuts(X, cuts_of(theirs), 7, most=400, missing=not name.startswith("Gradient"))
    walked = [[leaf_of(one.tree_, row) for one in members(theirs)] for row in rows]
    assert (np.array(walked) == np.reshape(theirs.apply(rows), (len(rows), -1))).all()
    ours = np.reshape(tw.from_sklearn(theirs).apply(rows), (len(rows), -1))
    for theirs_of_tree, ours_of_tree in zip(np.array(walked).T, ours.T, strict=True):  # numbered in another order
        pairs = {*zip(theirs_of_tree.tolist(), ours_of_tree.tolist(), strict=True)}
        assert len(pairs) == len({*theirs_of_tree.tolist()}) == len({*ours_of_tree.tolist()})


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("seed", some(range(6), 2))
def test_categories_of_the_histogram_booster_are_levels(seed, coded):
    rng = np.random.default_rng(seed)
    X, score = training_table(seed)
    names = np.array(["red", "green", "blue", "it's", "Ünïcode"])
    codes = rng.integers(0, 5, len(X))
    score = score + np.array([0, 2, -1, 3, 1])[codes]
    frame = pd.DataFrame({"a": X[:, 0], "colour": codes.astype(float) if coded else names[codes], "b": X[:, 1]})
    frame.loc[rng.random(len(X)) < 0.1, "colour"] = np.nan
    frame["colour"] = frame["colour"] if coded else frame["colour"].astype("category")
    how: Any = {"categorical_features": ["colour"]} if coded else {}
    theirs = ensemble.HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=5, **how).fit(frame, score)
    ours = tw.from_sklearn(theirs)
    assert ours.is_categorical_.tolist() == [False, True, False]
    assert (ours.predict(frame) == theirs.predict(frame)).all()
    seen = theirs._preprocessor.transform(frame)
    for of_round in theirs._predictors[:2]:
        walked = [of_round[0].nodes[histogram_leaf_of(of_round[0], row)]["value"] for row in seen]
        assert (of_round[0].nodes["value"][[histogram_leaf_of(of_round[0], row) for row in seen]] == walked).all()
    strange = frame.iloc[:40].assign(colour=17.0 if coded else pd.Categorical(["violet"] * 40))
    assert (ours.predict(strange) == theirs.predict(strange)).all()


def test_a_model_that_came_in_does_what_every_model_does(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    theirs = ensemble.GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, y)
    ours = tw.from_sklearn(theirs)
    tw.save(ours, tmp_path / "iris.tw")
    again = tw.load(tmp_path / "iris.tw")
    assert again.fingerprint() == ours.fingerprint()
    assert (again.predict_proba(X) == ours.predict_proba(X)).all()
    values = ours.shap_values(X.iloc[:5])
    total = np.asarray(values).sum(axis=1) + ours.expected_value
    np.testing.assert_allclose(total, theirs.decision_function(X.iloc[:5]), atol=1e-9)
    assert "petal" in str(ours.why(X.iloc[0]))
    assert tw.export(ours, tmp_path / "iris.py").proven
    single = tw.from_sklearn(tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))
    assert single.plot().to_svg().startswith("<svg")
    assert len(single.rules()) == single.get_n_leaves()
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.05)


def test_a_single_tree_keeps_counts_impurities_and_importances():
    X, y = load_iris(return_X_y=True)
    theirs = tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    ours = tw.from_sklearn(theirs)
    assert ours.tree_.arrays["n_rows"].tolist() == theirs.tree_.n_node_samples.tolist()
    np.testing.assert_allclose(ours.tree_.arrays["impurity"], theirs.tree_.impurity, atol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


def test_equal_shares_are_answered_by_the_first_class_as_in_scikit_learn():
    X, y = [[0], [0], [1], [1], [1]], ["a", "b", "b", "b", "b"]
    theirs = tree.DecisionTreeClassifier().fit(X, y)
    ours = tw.from_sklearn(theirs)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist() == ["a", "a", "b", "b", "b"]
    assert ours.predict_one([0]) == "a"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LogisticRegression(), "Got LogisticRegression instead"),
        (make_pipeline(tree.DecisionTreeClassifier()), r"pass the tree model inside it, such as pipeline\[-1\]"),
        (ensemble.GradientBoostingClassifier(init=LogisticRegression()), "starts from the answers of another model"),
        (ensemble.AdaBoostClassifier(), "Got AdaBoostClassifier instead"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(model, words):
    with pytest.raises(DataError, match=words):
        tw.from_sklearn(model.fit([[0.0], [1.0], [2.0]], [0, 1, 1]))


def test_several_targets_are_refused():
    with pytest.raises(DataError, match="predicts 2 targets"):
        tw.from_sklearn(tree.DecisionTreeRegressor().fit([[0], [1]], [[0, 1], [1, 0]]))
