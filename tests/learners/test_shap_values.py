"""`shap_values` on tables as they come: odd rows, odd trees, deep trees, any number of threads."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import treewright as tw
from learners.test_deep_trees import chain_arrays, in_a_small_stack
from treewright import _core
from vector_levels import LEVELS, vectors

COLOURS = pd.DataFrame({"colour": ["red", "green", "blue", None] * 30, "size": np.arange(120.0)})
PRICES = [1.0, 5.0, 9.0, 4.0] * 30 + np.arange(120) / 50


def adds_up(model: Any, X: Any, answers: Any) -> None:
    values = model.shap_values(X)
    np.testing.assert_allclose(values.sum(axis=1) + model.expected_value, answers, rtol=0, atol=1e-9)


# ---------------------------------------------------------------- odd rows
@pytest.mark.parametrize("missing", ["learn", "surrogates", "larger", "branch", "fractional"])
def test_a_level_never_seen_is_explained_as_a_missing_value(missing: str) -> None:
    tree = tw.DecisionTreeClassifier if missing == "fractional" else tw.DecisionTreeRegressor
    y = COLOURS["colour"].fillna("none") if missing == "fractional" else PRICES
    model = tree(missing=missing).fit(COLOURS, y)
    strange = pd.DataFrame({"colour": ["purple", None], "size": [10.0, 10.0]})
    values = model.shap_values(strange)
    np.testing.assert_array_equal(values[0], values[1])
    adds_up(model, strange, model.predict_proba(strange) if missing == "fractional" else model.predict(strange))


def test_a_row_without_any_value_that_is_spread_everywhere_has_no_values() -> None:
    model = tw.C45Classifier(min_samples_leaf=1).fit(COLOURS, COLOURS["colour"].fillna("none"))
    nothing = pd.DataFrame({"colour": [None], "size": [np.nan]}).astype({"colour": object})
    np.testing.assert_array_equal(model.shap_values(nothing), np.zeros((1, 2, 4)))


def test_infinite_numbers_are_explained() -> None:
    model = tw.DecisionTreeRegressor().fit(COLOURS, PRICES)
    rows = pd.DataFrame({"colour": ["red", "red"], "size": [np.inf, -np.inf]})
    adds_up(model, rows, model.predict(rows))


def test_no_rows_have_no_values_as_in_predict() -> None:
    model = tw.DecisionTreeRegressor().fit(COLOURS, PRICES)
    assert model.shap_values(COLOURS.iloc[:0]).shape == (0, 2)


def test_other_columns_are_refused_as_in_predict() -> None:
    model = tw.DecisionTreeRegressor().fit(COLOURS, PRICES)
    with pytest.raises(ValueError, match="feature names"):
        model.shap_values(COLOURS.rename(columns={"size": "width"}))


def test_a_model_that_is_not_fitted_says_so() -> None:
    with pytest.raises(NotFittedError):
        tw.RandomForestClassifier().shap_values([[1.0]])
    with pytest.raises(NotFittedError):
        tw.RandomForestClassifier().expected_value  # noqa: B018


# ---------------------------------------------------------------- odd trees
def test_a_tree_of_one_node_moves_nothing() -> None:
    model = tw.DecisionTreeRegressor(max_depth=None).fit([[1.0], [1.0]], [3.0, 5.0])
    np.testing.assert_array_equal(model.shap_values([[7.0], [np.nan]]), [[0.0], [0.0]])
    assert model.expected_value == 4.0


def test_one_class_has_probability_one_and_no_column_moves_it() -> None:
    model = tw.RandomForestClassifier(3).fit([[1.0], [2.0]], ["a", "a"])
    assert model.shap_values([[1.0]]).tolist() == [[[0.0]]]
    assert model.expected_value.tolist() == [1.0]


def test_branches_without_weight_count_for_nothing_until_a_row_takes_them() -> None:
    arrays = dict(tw.DecisionTreeRegressor().fit([[1.0], [2.0]], [0.0, 10.0]).tree_.core.arrays())
    arrays["weight"] = np.array([2.0, 2.0, 0.0])
    tree = _core.Tree(arrays, 1, 0)
    explained = _core.Explained([(tree, np.array([[0.0], [0.0], [10.0]]), 0, 1.0)], 1, 1)
    assert explained.expected().tolist() == [0.0]
    assert explained.shap_values(np.array([[1.0], [2.0]]), 1).ravel().tolist() == [0.0, 10.0]


def test_votes_of_rows_in_several_leaves_are_refused_in_a_sentence() -> None:
    model = tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=3).fit(COLOURS, COLOURS["size"] > 50)
    with pytest.raises(ValueError, match="spread a row with a missing value over several leaves"):
        model.shap_values(COLOURS)


def test_sums_without_end_below_each_other_are_refused_in_a_sentence() -> None:
    arrays = chain_arrays(5000)
    n = len(arrays["n_children"])
    inner = arrays["n_children"] > 0
    arrays["kind"] = np.where(inner, 3, 0).astype(np.uint8)
    arrays["level_start"], arrays["level"] = np.zeros(n + 1, np.int64), np.zeros(0, np.uint32)
    arrays["level_branch"] = np.zeros(0, np.uint16)
    arrays["term_start"] = np.concatenate([[0], np.cumsum(inner)])
    for name, number in {"column": 0, "level": 0, "weight": 1, "filler": 0, "share": 1}.items():
        arrays[f"term_{name}"] = np.full(inner.sum(), number, dtype=np.float64)
    tree = _core.Tree(arrays, 1, 2)
    explained = _core.Explained([(tree, np.zeros((n, 2)), 0, 1.0)], 1, 2)
    with pytest.raises(ValueError, match="tests 5000 different sums of columns; SHAP values are given for up to 4096"):
        explained.shap_values(np.zeros((1, 1)), 1)


# ---------------------------------------------------------------- deep trees
def test_a_chain_of_100_000_nodes_is_explained_without_recursion() -> None:
    arrays = chain_arrays(100_000)
    tree = _core.Tree(arrays, 1, 2)
    answers = _core.class_shares(tree, np.arange(tree.n_nodes, dtype=np.int32), 1)
    explained = _core.Explained([(tree, answers, 0, 1.0)], 1, 2)
    rows = np.array([[0.0], [5.0], [99_999.5], [np.nan]])
    values = in_a_small_stack(lambda: explained.shap_values(rows, 1))
    leaves = _core.find_leaves_of_matrix(tree, rows, 1)
    np.testing.assert_allclose(values[:, 0] + explained.expected(), answers[leaves], rtol=0, atol=1e-9)


def test_many_columns_on_one_path_are_exact() -> None:
    draw = np.random.default_rng(3)
    X = draw.integers(0, 2, size=(3000, 60)).astype(float)
    y = np.argmax(np.column_stack([X, np.ones(len(X))]), axis=1).astype(float)  # the first 1 tells: a chain of columns
    model = tw.DecisionTreeRegressor().fit(X, y)
    assert model.get_depth() >= 8
    adds_up(model, X[:50], model.predict(X[:50]))
    twice = tw.DecisionTreeRegressor().fit(X[:, ::-1], y)  # the same tree, its columns named from the other end
    np.testing.assert_allclose(twice.shap_values(X[:50, ::-1])[:, ::-1], model.shap_values(X[:50]), atol=1e-12)


# ---------------------------------------------------------------- a background
def test_values_against_a_background_add_up_to_the_answer_less_its_mean_answer() -> None:
    X, y = tw.datasets.load_car(return_X_y=True)
    for model in (tw.GradientBoostingClassifier(n_estimators=5), tw.RandomForestClassifier(5)):
        model.fit(X, y)
        answers = model.decision_function if hasattr(model, "decision_function") else model.predict_proba
        values = model.shap_values(X, background=X[::20])
        mean = answers(X[::20]).mean(axis=0)
        np.testing.assert_allclose(values.sum(axis=1) + mean, answers(X), rtol=0, atol=1e-9)
        model.n_jobs = 3
        assert model.shap_values(X, background=X[::20]).tobytes() == values.tobytes()


def test_a_chain_of_100_000_nodes_is_explained_against_a_background() -> None:
    tree = _core.Tree(chain_arrays(100_000), 1, 2)
    answers = _core.class_shares(tree, np.arange(tree.n_nodes, dtype=np.int32), 1)
    explained = _core.Explained([(tree, answers, 0, 1.0)], 1, 2)
    rows, others = np.array([[0.0], [5.0], [np.nan]]), np.array([[3.0], [90_000.0]])
    values = in_a_small_stack(lambda: explained.background_values(rows, others, 1))
    ends = [answers[_core.find_leaves_of_matrix(tree, table, 1)] for table in (rows, others)]
    np.testing.assert_allclose(values[:, 0], ends[0] - ends[1].mean(axis=0), rtol=0, atol=1e-9)


@pytest.mark.parametrize("missing", ["surrogates", "fractional"])
def test_what_a_background_cannot_tell_is_refused_in_a_sentence(missing: str) -> None:
    table = COLOURS.assign(twin=-COLOURS["size"])
    model = tw.DecisionTreeClassifier(missing=missing).fit(table, table["size"] // 7)
    assert model.shap_values(table, background=table).shape == (120, 3, 18)
    with pytest.raises(ValueError, match="every test to be told by its own column"):
        model.shap_values(pd.DataFrame({"colour": [None], "size": [np.nan], "twin": [1.0]}), background=table)
    with pytest.raises(ValueError, match="the table has no rows"):
        model.shap_values(table, background=table[:0])


def test_a_path_of_more_columns_than_a_word_has_bits_is_refused_against_a_background_only() -> None:
    arrays = chain_arrays(70)  # every test of the chain asks another column
    arrays["column"] = np.where(arrays["column"] < 0, -1, np.arange(141) // 2).astype(np.int32)
    arrays["threshold"] = np.where(arrays["column"] < 0, np.nan, 0.5)
    tree = _core.Tree(arrays, 70, 2)
    answers = _core.class_shares(tree, np.arange(tree.n_nodes, dtype=np.int32), 1)
    explained = _core.Explained([(tree, answers, 0, 1.0)], 70, 2)
    rows = np.random.default_rng(0).integers(0, 2, size=(9, 70)).astype(float)
    ends = answers[_core.find_leaves_of_matrix(tree, rows, 1)]
    np.testing.assert_allclose(explained.shap_values(rows, 1).sum(axis=1) + explained.expected(), ends, atol=1e-9)
    with pytest.raises(ValueError, match="more than 64 columns"):
        explained.background_values(rows, rows, 1)


# ---------------------------------------------------------------- threads and vectors
@pytest.fixture(scope="module")
def booster() -> tw.GradientBoostingClassifier:
    X, y = tw.datasets.load_car(return_X_y=True)
    return tw.GradientBoostingClassifier(n_estimators=10).fit(X, y)


def test_any_number_of_threads_gives_the_same_bytes(booster: Any) -> None:
    X, _ = tw.datasets.load_car(return_X_y=True)
    found = []
    for threads in (1, 2, 5):
        booster.n_jobs = threads
        found.append(booster.shap_values(X).tobytes())
    assert found[0] == found[1] == found[2]
    booster.n_jobs = None


def test_every_level_of_vectors_gives_the_same_bytes(booster: Any) -> None:
    X, _ = tw.datasets.load_car(return_X_y=True)
    found = set()
    for level in LEVELS:
        with vectors(level):
            found.add(booster.shap_values(X).tobytes())
    assert len(found) == 1


def test_a_row_is_explained_alike_alone_and_among_others(booster: Any) -> None:
    X, _ = tw.datasets.load_car(return_X_y=True)
    together = booster.shap_values(X)
    for row in (0, 31, 32, 1000):
        np.testing.assert_array_equal(booster.shap_values(X.iloc[[row]])[0], together[row])


def test_long_and_wide_tables_are_explained_as_their_parts() -> None:
    X = np.random.default_rng(1).normal(size=(9000, 4)).astype(np.float32)
    model = tw.GradientBoostingRegressor(n_estimators=3).fit(X, X[:, 0] * X[:, 1])
    whole = model.shap_values(X)
    np.testing.assert_array_equal(whole[8180:8200], model.shap_values(X[8180:8200]))
    wide = np.random.default_rng(2).integers(0, 2, size=(300, 900))
    labels = np.arange(300) % 150  # 900 columns × 150 classes: 31 rows at once, rounded up to a block
    tree = tw.DecisionTreeClassifier(max_depth=4).fit(wide, labels)
    np.testing.assert_array_equal(tree.shap_values(wide)[30:36], tree.shap_values(wide[30:36]))


def test_models_from_files_are_explained_alike(booster: Any, tmp_path: Any) -> None:
    X, _ = tw.datasets.load_car(return_X_y=True)
    tw.save(booster, tmp_path / "model.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "model.tw").shap_values(X), booster.shap_values(X))


def test_ctrl_c_stops_at_once() -> None:
    X = np.random.default_rng(0).normal(size=(20_000, 20))
    model = tw.RandomForestRegressor(30, n_jobs=1).fit(X[:4000], X[:4000, 0] * X[:4000, 1])
    pressed = [0.0]

    def press() -> None:
        pressed[0] = time.process_time()
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.2, press).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            explain_without_end(model, X)
        assert time.process_time() - pressed[0] < 1
    finally:
        signal.signal(signal.SIGINT, before)


def explain_without_end(model: Any, X: Any) -> None:
    while True:
        model.shap_values(X)
