"""Surrogates, priors, costs and exposure as a user meets them: messages, files, threads, and every other parameter."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError

POLICIES = ["learn", "larger", "branch", "stop", "surrogates", "fractional"]


def heart() -> tuple[pd.DataFrame, pd.Series]:
    """A table of numbers and levels with a few holes."""
    return tw.datasets.load_heart_c(return_X_y=True)


def with_holes(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A table that is large enough for several threads to share its work, a fifth of it missing."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"x{i}": rng.normal(size=n_rows).round(2) for i in range(8)})
    X["level"] = pd.Categorical(np.array(list("abcdef"))[(X["x1"].to_numpy() * 2).astype(int) % 6])
    y = (X["x0"] + X["x1"] * X["x2"] + rng.normal(size=n_rows) > 0).to_numpy().astype(int)
    return X.mask(rng.random(X.shape) < 0.2), y


@pytest.mark.parametrize("more", [{}, {"keep_candidates": True}, {"priors": [0.3, 0.7]}, {"costs": [[0, 3], [1, 0]]}])
def test_any_number_of_threads_and_any_order_of_rows_give_the_same_bytes(more: dict[str, Any]) -> None:
    X, y = with_holes(70_000)  # more rows than a block of sorted lists may have
    numbers = {"missing": "surrogates", "min_samples_leaf": 20, **more}
    one = tw.DecisionTreeClassifier(**numbers, n_jobs=1).fit(X, y)
    assert tw.DecisionTreeClassifier(**numbers, n_jobs=8).fit(X, y).fingerprint() == one.fingerprint()
    order = np.random.default_rng(2).permutation(len(y))
    assert tw.DecisionTreeClassifier(**numbers).fit(X.iloc[order], y[order]).fingerprint() == one.fingerprint()


def test_surrogates_are_saved_loaded_and_used(tmp_path: Path) -> None:
    X, y = heart()
    costs = {("<50", ">50_1"): 3.0, (">50_1", "<50"): 2.0}
    model = tw.DecisionTreeClassifier(missing="surrogates", keep_candidates=True, costs=costs, min_samples_leaf=5).fit(
        X, y
    )
    tw.save(model, tmp_path / "heart.tw")
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.4)
    for again in (tw.load(tmp_path / "heart.tw"), pickle.loads(pickle.dumps(model))):
        assert again.fingerprint() == model.fingerprint()
        assert again.get_params()["costs"] == costs
        assert (again.predict(holes) == model.predict(holes)).all()
        assert again.candidates(0).equals(model.candidates(0))
    values = holes.iloc[0].to_dict()
    assert model.predict_one(values) == model.predict(holes.iloc[:1])[0]


def test_a_hole_is_filled_by_what_another_column_knows() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    X = pd.DataFrame({"x": x, "copy": x + rng.normal(scale=0.01, size=400), "noise": rng.normal(size=400)})
    y = np.where(x > 0, "up", "down")
    model = tw.DecisionTreeClassifier(missing="surrogates", max_depth=1).fit(X, y)
    X["x"] = np.nan
    assert (model.predict(X) == y).mean() > 0.98
    plain = tw.DecisionTreeClassifier(missing="larger", max_depth=1).fit(X.assign(x=x), y)
    assert (plain.predict(X) == y).mean() < 0.6


@pytest.mark.parametrize("missing", POLICIES)
def test_priors_and_costs_go_with_every_rule_for_missing_values(missing: str) -> None:
    X, y = heart()
    plain = tw.DecisionTreeClassifier(missing=missing, min_samples_leaf=15).fit(X, y)
    rare = tw.DecisionTreeClassifier(missing=missing, min_samples_leaf=15, priors=[0.9, 0.1]).fit(X, y)
    assert rare.predict_proba(X)[:, 1].mean() < plain.predict_proba(X)[:, 1].mean() - 0.1
    root = rare.tree_.root.counts
    assert root["<50"] / sum(root.values()) == pytest.approx(0.9)
    dear = tw.DecisionTreeClassifier(missing=missing, min_samples_leaf=15, costs=[[0, 1], [8, 0]]).fit(X, y)
    assert (dear.predict(X) == ">50_1").mean() > (plain.predict(X) == ">50_1").mean()


def test_equal_costs_and_the_shares_of_the_table_change_nothing() -> None:
    X, y = heart()
    plain = tw.DecisionTreeClassifier(missing="surrogates", min_samples_leaf=5).fit(X, y)
    for more in ({"costs": [[0, 1], [1, 0]]}, {"priors": [165 / 303, 138 / 303]}):
        same = tw.DecisionTreeClassifier(missing="surrogates", min_samples_leaf=5, **more).fit(X, y)
        assert same.tree_.arrays["column"].tolist() == plain.tree_.arrays["column"].tolist()
        assert same.predict_proba(X) == pytest.approx(plain.predict_proba(X))
        assert same.feature_importances_ == pytest.approx(plain.feature_importances_)


def test_exposure_is_the_same_as_a_weight_on_the_rate() -> None:
    rng = np.random.default_rng(3)
    X, exposure = rng.normal(size=(200, 3)), rng.choice([0.5, 1.0, 2.0], 200)
    events = rng.poisson(np.exp(X[:, 0]) * exposure).astype(float)
    numbers = {"criterion": "poisson", "min_samples_leaf": 10}
    two_columns = tw.DecisionTreeRegressor(**numbers).fit(X, np.column_stack([exposure, events]))
    weighted = tw.DecisionTreeRegressor(**numbers).fit(X, events / exposure, sample_weight=exposure)
    assert (two_columns.predict(X) == weighted.predict(X)).all()


def test_a_tree_pruned_at_a_price_of_errors_stays_one_with_costs() -> None:
    X, y = heart()
    model = tw.DecisionTreeClassifier(missing="surrogates", costs=[[0, 1], [5, 0]]).fit(X, y)
    smaller = model.pruned(tw.CostComplexity(cp=0.05))
    table = model.cp_table()
    kept = table[table["CP"] > 0.05]
    assert smaller.get_n_leaves() == table["nsplit"].iloc[len(kept)] + 1
    assert model.pruned(tw.CostComplexity(cv=5), X, y).cp_table_.cv_risk[-1] == pytest.approx(1, abs=0.5)


WRONG = [
    ({"priors": [0.5, 0.6]}, "must add up to 1. They add up to 1.1"),
    ({"priors": [0.2, 0.3, 0.5]}, "priors are 3 numbers, but y has 2 classes"),
    ({"priors": [0.0, 1.0]}, "shares above 0"),
    ({"priors": {"no": 0.5, "yess": 0.5}}, "a class 'yess' that y does not have.*yes"),
    ({"priors": {"no": 1.0}}, "leave out the class 'yes'"),
    ({"priors": [0.5, 0.5], "class_weight": "balanced"}, "class_weight or priors, not both"),
    ({"costs": [[0, 1, 2], [1, 0, 2]]}, "2 x 3 numbers, but y has 2 classes"),
    ({"costs": [[0, 1], [1, 1]]}, "right answers, on the diagonal, must be 0"),
    ({"costs": [[0, -1], [1, 0]]}, "finite numbers of 0 or more"),
    ({"costs": [[0, 0], [1, 0]]}, "No answer costs anything where 'no' is true"),
    ({"costs": {("no", "maybe"): 2}}, "a class 'maybe' that y does not have"),
    ({"costs": {"no": 2}}, "a pair \\(truth, answer\\)"),
    ({"costs": [["a", "b"], ["c", "d"]]}, "costs must be numbers"),
]


@pytest.mark.parametrize(("parameters", "words"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_priors_and_costs_are_refused_with_a_sentence(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        tw.DecisionTreeClassifier(**parameters).fit([[1], [2], [3]], ["no", "yes", "no"])


def test_wrong_exposures_and_folds_are_refused_with_a_sentence() -> None:
    X, y = [[1.0], [2.0], [3.0]], [[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]]
    with pytest.raises(DataError, match=r"Row 2 has an exposure of 0\.0"):
        tw.DecisionTreeRegressor(criterion="poisson").fit(X, y)
    with pytest.raises(DataError, match="belongs to criterion='poisson'"):
        tw.DecisionTreeRegressor(shrink=1.0).fit(X, [1, 2, 3])
    model = tw.DecisionTreeRegressor().fit(X, [1, 2, 3])
    with pytest.raises(DataError, match="one whole number for each of the 3 rows"):
        model.cp_table(X, [1, 2, 3], cv=[0, 1])
    with pytest.raises(DataError, match="All rows are in one fold"):
        model.cp_table(X, [1, 2, 3], cv=[1, 1, 1])
    with pytest.raises(DataError, match="keep_candidates=True"):
        model.candidates(0)
    with pytest.raises(DataError, match="There is no node 99"):
        tw.DecisionTreeRegressor(keep_candidates=True).fit(X, [1, 2, 3]).candidates(99)
