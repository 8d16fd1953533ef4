"""Models as estimators of scikit-learn: the same answers, and tools that are made for those take them and agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree

import treewright as tw
from treewright.errors import DataError

BOOSTING = {"n_estimators": 6, "min_samples_leaf": 5, "early_stopping": False}
MODELS: dict[str, tuple[Callable[[], Any], type]] = {
    "tree of classes": (lambda: tw.DecisionTreeClassifier(max_depth=5), DecisionTreeClassifier),
    "smoothed tree": (lambda: tw.DecisionTreeClassifier(max_depth=5, smoothing=1.0), DecisionTreeClassifier),
    "conditional tree": (lambda: tw.ConditionalTreeClassifier(alpha=0.5), DecisionTreeClassifier),
    "forest of classes": (lambda: tw.RandomForestClassifier(6, max_depth=5), RandomForestClassifier),
    "forest of votes": (lambda: tw.RandomForestClassifier(6, voting="vote"), RandomForestClassifier),
    "extra trees": (lambda: tw.ExtraTreesClassifier(6), ExtraTreesClassifier),
    "bagging": (lambda: tw.BaggingTreesClassifier(n_estimators=4), RandomForestClassifier),
    "boosting of classes": (lambda: tw.GradientBoostingClassifier(**BOOSTING), HistGradientBoostingClassifier),
    "tree of numbers": (lambda: tw.DecisionTreeRegressor(max_depth=5), DecisionTreeRegressor),
    "forest of numbers": (lambda: tw.RandomForestRegressor(6), RandomForestRegressor),
    "boosting of numbers": (lambda: tw.GradientBoostingRegressor(**BOOSTING), HistGradientBoostingRegressor),
    "boosting of rates": (
        lambda: tw.GradientBoostingRegressor(loss="gamma", **BOOSTING),
        HistGradientBoostingRegressor,
    ),
}
FORESTS = [name for name in MODELS if name.startswith(("forest", "extra", "boosting", "bagging"))]


def table(seed: int, holes: float = 0.1, rows: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 4)).round(2), columns=list("abcd"))
    score = np.exp((frame["a"] + frame["b"] * frame["c"] + rng.normal(scale=0.3, size=rows)) / 3).to_numpy()
    return frame.where(rng.random(frame.shape) >= holes), score


def fitted(name: str, frame: Any, score: np.ndarray) -> Any:
    model = MODELS[name][0]()
    names = np.array(["low", "middle", "high"])[np.digitize(score, [0.9, 1.3])]
    return model.fit(frame, names if hasattr(model, "predict_proba") else score)


def answers(model: Any, rows: Any) -> np.ndarray:
    return np.asarray(model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows))


@pytest.mark.parametrize("name", MODELS)
def test_the_estimator_is_scikit_learns_own_and_answers_every_row_as_the_model(name: str) -> None:
    frame, score = table(1)
    new, _ = table(2)
    model = fitted(name, frame, score)
    theirs = tw.to_sklearn(model, pd.concat([frame, new]))
    assert type(theirs) is MODELS[name][1]
    assert theirs.feature_names_in_.tolist() == list("abcd")
    for rows in (frame, new):
        if name == "boosting of rates":  # powers of e: numpy's, and those of the core
            np.testing.assert_array_max_ulp(theirs.predict(rows), model.predict(rows), 2)
        else:
            assert theirs.predict(rows).tolist() == model.predict(rows).tolist()
        np.testing.assert_allclose(answers(theirs, rows), answers(model, rows), rtol=4e-16)
    if "boosting" not in name:
        leaves = np.reshape(model.apply(new) if hasattr(model, "apply") else theirs.apply(new), (len(new), -1))
        assert np.reshape(theirs.apply(new), (len(new), -1)).tolist() == leaves.tolist()


def test_rows_of_float32_go_the_same_way_and_doubles_do_where_rows_are_given() -> None:
    frame, score = table(3, holes=0.0)
    model = fitted("conditional tree", frame, score)  # its cuts are values of the table
    single = frame.astype(np.float32).astype(np.float64)
    assert tw.to_sklearn(model).predict(single).tolist() == model.predict(single).tolist()
    assert tw.to_sklearn(model).predict(frame).tolist() != model.predict(frame).tolist()
    assert tw.to_sklearn(model, frame).predict(frame).tolist() == model.predict(frame).tolist()


def test_among_equal_shares_the_class_of_the_model_is_answered() -> None:
    X, y = [[0], [1], [1], [2], [2], [2]], ["b", "a", "b", "b", "b", "b"]
    model = tw.DecisionTreeClassifier().fit(X, y)
    assert model.predict_proba([[1]]).tolist() == [[0.5, 0.5]]
    assert model.predict([[1]]).tolist() == tw.to_sklearn(model).predict([[1]]).tolist() == ["b"]


@pytest.mark.parametrize("name", ["tree of classes", "tree of numbers"])
def test_the_arrays_of_our_own_tree_are_those_of_the_estimator(name: str) -> None:
    model = fitted(name, *table(4))
    theirs = tw.to_sklearn(model).tree_
    for array in ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples"):
        assert np.array_equal(getattr(model.tree_, array), getattr(theirs, array)), array
    np.testing.assert_allclose(model.tree_.value, theirs.value, rtol=3e-16)  # a class may be put ahead by one unit
    assert np.array_equal(model.tree_.weighted_n_node_samples, theirs.weighted_n_node_samples)
    assert (model.tree_.max_depth, model.tree_.n_leaves) == (theirs.max_depth, theirs.n_leaves)


def test_scikit_learn_prints_and_draws_it() -> None:
    model = fitted("tree of classes", *table(5))
    theirs = tw.to_sklearn(model)
    text = export_text(theirs, decimals=17, max_depth=99)
    cuts = {float(line.split("<=")[1]) for line in text.splitlines() if "<=" in line}
    assert cuts == {cut for cut in model.tree_.threshold.tolist() if cut != -2}
    assert text.count("class:") == model.tree_.n_leaves
    from matplotlib import pyplot as plt

    drawn = plot_tree(theirs, ax=plt.figure().gca())
    plt.close("all")
    assert sum("value = " in box.get_text() for box in drawn) == model.tree_.n_nodes


@pytest.mark.filterwarnings("ignore")  # what dtreeviz, shap and numba warn of among themselves
def test_dtreeviz_takes_it() -> None:
    import dtreeviz

    frame, score = table(6, holes=0.0)
    model = fitted("tree of numbers", frame, score)
    seen = dtreeviz.model(tw.to_sklearn(model), frame, pd.Series(score), list("abcd"), "score")
    assert len(seen.shadow_tree.leaves) == model.tree_.n_leaves
    row = frame.iloc[7].to_numpy()
    ends = seen.shadow_tree.predict_path(row)[-1].id
    assert ends == model.apply(frame.iloc[[7]])[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in MODELS if name != "boosting of rates"])
def test_shap_takes_it_and_explains_as_we_do(name: str) -> None:
    import shap

    frame, score = table(7, holes=0.0)
    model, rows = fitted(name, frame, score), frame.head(40)
    theirs = tw.to_sklearn(model, frame)
    if name == "boosting of classes":  # a node counts there for its rows, with us for its weight: given rows tell both
        background = frame.tail(50)
        found = shap.TreeExplainer(theirs, background).shap_values(rows)
        ours, digits = model.shap_values(rows, background=background), 1e-6  # shap adds these up in float32
    else:
        found, ours, digits = shap.TreeExplainer(theirs).shap_values(rows), model.shap_values(rows), 1e-9
    np.testing.assert_allclose(found, ours, rtol=0, atol=digits * np.abs(ours).max())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FORESTS)
def test_treelite_takes_it_and_agrees(name: str) -> None:
    import treelite.sklearn

    frame, score = table(8)
    model = fitted(name, frame, score)
    rows = frame.astype(np.float32).to_numpy(dtype=np.float64)
    found = treelite.gtil.predict(treelite.sklearn.import_model(tw.to_sklearn(model)), rows)
    expected = answers(model, pd.DataFrame(rows, columns=list("abcd"))).reshape(len(rows), -1)
    np.testing.assert_allclose(found.reshape(len(rows), -1), expected, rtol=1e-6)  # its softmax is one of float32


LEVELS = pd.DataFrame({"a": [1.0, 2, 3, 4] * 10, "b": list("uvwx") * 10})


@pytest.mark.parametrize(
    ("model", "rows", "words"),
    [
        (tw.DecisionTreeClassifier(), LEVELS, "column 'b' of this DecisionTreeClassifier holds levels"),
        (tw.C45Classifier(), None, "goes down every branch in part"),
        (tw.DecisionTreeClassifier(missing="surrogates"), None, "its nodes have surrogates"),
        (tw.DecisionTreeClassifier(missing="branch"), None, "a branch of their own|more than two branches"),
        (tw.ObliqueTreeClassifier(), None, "weighted sums"),
        (tw.AdaBoostClassifier(n_estimators=3), None, "no estimator that adds up trees as AdaBoostClassifier"),
        (tw.DecisionTreeClassifier(costs={("high", "low"): 9.0}, max_depth=2), None, "another class than the most"),
        (tw.KNeighborsClassifier(), None, "KNeighborsClassifier cannot be exported"),
    ],
)
def test_what_scikit_learn_cannot_say_is_refused_by_name(model: Any, rows: Any, words: str) -> None:
    frame, score = table(9, holes=0.0 if isinstance(model, tw.KNeighborsClassifier) else 0.2)
    names = np.array(["low", "high"])[(score > 1).astype(int)]
    X, y = (frame, names) if rows is None else (rows, list("ppqq") * 10)
    model.fit(X, y)
    with pytest.raises(DataError, match=words):
        tw.to_sklearn(model)


def test_rows_that_float32_cannot_tell_apart_are_refused() -> None:
    X = np.array([[1.0], [1.0 + 1e-9], [2.0]])
    model = tw.DecisionTreeRegressor().fit(X, [1, 5, 5])
    with pytest.raises(DataError, match="float32, which cannot tell apart"):
        tw.to_sklearn(model, X)


def test_a_model_that_refuses_missing_values_is_proven_on_rows_that_have_all(tmp_path: Any) -> None:
    frame, score = table(10, holes=0.0)
    model = tw.DecisionTreeRegressor(max_depth=3, missing="refuse").fit(frame, score)
    assert tw.to_sklearn(model, frame).predict(frame).tolist() == model.predict(frame).tolist()
    assert model.export(tmp_path / "m.py").proven
