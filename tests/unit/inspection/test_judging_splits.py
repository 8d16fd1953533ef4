"""Candidates of every column, curves, honest leaves and stability say what the rows say."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.inspection.support import wilson_interval

MODELS = [
    tw.DecisionTreeClassifier(max_depth=3),
    tw.DecisionTreeClassifier(max_depth=3, criterion="entropy", missing="surrogates"),
    tw.C45Classifier(),
    tw.CHAIDClassifier(),
    tw.ConditionalTreeClassifier(),
    tw.ObliqueTreeClassifier(max_depth=2),
]


@pytest.fixture(scope="module")
def titanic() -> Any:
    return tw.datasets.load_titanic(return_X_y=True)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_column_that_was_chosen_offers_the_split_that_the_node_has(model: Any, titanic: Any) -> None:
    X, y = titanic
    model.fit(X, y)
    frame = model.candidates(0, X, y)
    assert sorted(frame["column"]) == sorted(X.columns)
    assert frame["gain"].is_monotonic_decreasing
    chosen = frame[frame["is_chosen"]].iloc[0]
    root = model.tree_.root
    assert chosen["test"] == root.test.text
    assert chosen["gain"] == pytest.approx(root.gain)


def test_candidates_of_a_node_are_those_of_its_rows(titanic: Any) -> None:
    X, y = titanic
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    men = X["sex"] == "male"
    alone = tw.DecisionTreeClassifier(max_depth=3).fit(X[men], y[men])
    here, there = model.candidates(1, X, y), alone.candidates(0, X[men], y[men])
    assert here["gain"].tolist() == pytest.approx(there["gain"].tolist())
    leaf = next(node.id for node in model.tree_.nodes() if node.is_leaf)
    assert not model.candidates(leaf, X, y)["is_chosen"].any()


def test_p_values_come_from_algorithms_that_have_them(titanic: Any) -> None:
    X, y = titanic
    assert tw.ConditionalTreeClassifier().fit(X, y).candidates(0, X, y)["p_value"].iloc[0] < 1e-50
    assert tw.DecisionTreeClassifier().fit(X, y).candidates(0, X, y)["p_value"].isna().all()


def test_candidates_need_rows_or_a_model_that_kept_them(titanic: Any) -> None:
    X, y = titanic
    model = tw.C45Classifier().fit(X, y)
    with pytest.raises(DataError, match=r"Pass the training rows: model\.candidates\(node, X, y\)"):
        model.candidates(0)
    with pytest.raises(DataError, match="There is no node 999"):
        model.candidates(999, X, y)
    with pytest.raises(DataError, match="The rows need both X and y"):
        model.candidates(0, X)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_the_top_of_the_curve_is_the_best_cut_of_the_column(criterion: str) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(criterion=criterion, max_depth=2).fit(X, y)
    for node in (0, 2):
        offers = model.candidates(node, X, y).set_index("column")
        for column in X.columns:
            curve = model.candidate_curve(node, column, X, y)
            assert curve.attrs["criterion"] == criterion
            assert curve["gain"].max() == pytest.approx(offers.loc[column, "gain"], abs=1e-9)


def test_the_curve_of_numbers_is_the_fall_of_the_variance() -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)
    model = tw.DecisionTreeRegressor(max_depth=1).fit(X, y)
    curve = model.candidate_curve(0, "rm", X, y)
    best = curve.loc[curve["gain"].idxmax()]
    assert best["threshold"] == model.tree_.root.test.threshold
    assert best["gain"] == pytest.approx(model.tree_.root.gain)
    weights = np.arange(len(y)) % 3
    heavy = tw.DecisionTreeRegressor(max_depth=1).fit(X, y, sample_weight=weights)
    offers = heavy.candidates(0, X, y, weights).set_index("column")
    assert heavy.candidate_curve(0, "rm", X, y, weights)["gain"].max() == pytest.approx(offers.loc["rm", "gain"])


def test_levels_have_no_curve(titanic: Any) -> None:
    X, y = titanic
    model = tw.DecisionTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(DataError, match="Column 'sex' is nominal"):
        model.candidate_curve(0, "sex", X, y)
    with pytest.raises(DataError, match="Did you mean 'age'"):
        model.candidate_curve(0, "agee", X, y)
    assert len(model.candidate_curve(0, "age", X, y)) == X["age"].nunique() - 1


def test_read_holdout_leaves_count_the_held_out_rows(titanic: Any) -> None:
    X, y = titanic
    train, held = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    model = tw.DecisionTreeClassifier(max_depth=4).fit(X[train], y[train])
    found = model.holdout_leaves(X[held], y[held])
    ends = model.apply(X[held])
    assert sum(leaf.n for leaf in found) == held.sum()
    for leaf in found:
        here = y[held][ends == leaf.node]
        if len(here):
            hits = int((here == leaf.answer).sum())
            assert (leaf.found, leaf.low, leaf.high) == pytest.approx(
                (hits / len(here), *wilson_interval(hits, len(here)))
            )
            assert leaf.verdict == (
                "too good" if leaf.trained > leaf.high else "better" if leaf.trained < leaf.low else "fits"
            )
    right = int((model.predict(X[held]) == y[held]).sum())
    assert found.summary.startswith(f"Held out: {right} of {held.sum()} rows right")
    json.dumps(found.to_dict(), default=str)


def test_honest_numbers_have_the_interval_of_a_mean() -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)
    model = tw.DecisionTreeRegressor(max_depth=2).fit(X[::2], y[::2])
    leaf = model.holdout_leaves(X[1::2], y[1::2])[0]
    here = y[1::2][model.apply(X[1::2]) == leaf.node]
    reach = 1.959963984540054 * here.std() / np.sqrt(len(here))
    assert (leaf.low, leaf.high) == pytest.approx((here.mean() - reach, here.mean() + reach))
    with pytest.raises(DataError, match="X has 506 rows, but y has 3"):
        model.holdout_leaves(X, [1, 2, 3])


def test_a_split_that_is_plain_always_comes_back() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"plain": np.repeat([0.0, 1.0], 50), "noise": rng.normal(size=100)})
    y = np.where(X["plain"] > 0, "a", np.where(rng.random(100) < 0.1, "a", "b"))
    found = tw.DecisionTreeClassifier(max_depth=2).fit(X, y).stability(X, y, replicates=20)
    assert found.share(found[0]) == 1.0
    assert not found.is_lucky(found[0])
    assert found.to_frame()["share_same_cut"].iloc[0] == 1.0


def test_a_split_of_noise_is_marked() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(60, 8)), columns=list("abcdefgh"))
    y = rng.choice(["x", "y"], 60)
    found = tw.DecisionTreeClassifier(max_depth=1).fit(X, y).stability(X, y, replicates=30)
    assert found.is_lucky(found[0])
    assert str(found).endswith("lucky")


def test_the_same_seed_draws_the_same_replicates(titanic: Any) -> None:
    X, y = titanic
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    one, two = (model.stability(X, y, replicates=5, random_state=3).to_frame() for _ in range(2))
    assert one.equals(two)
    with pytest.raises(DataError, match="'replicates' must be a whole number of at least 1"):
        model.stability(X, y, replicates=0)
