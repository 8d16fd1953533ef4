"""What boosting promises whatever the data: the same bytes on any number of threads, constraints that always hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from thorough import examples
from treewright.errors import DataError

LOSSES = ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma"]


def large_table(n_rows: int = 20_000) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers with ties and holes, few levels, and a column of 700 levels."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=n_rows).astype("float32") for i in range(7)})
    frame["x0"] = frame["x0"].round(1)
    frame.loc[rng.random(n_rows) < 0.1, "x1"] = np.nan
    codes, many = rng.integers(0, 5, n_rows), rng.integers(0, 700, n_rows)
    frame["few"] = pd.Categorical.from_codes(codes, list("vwxyz"))
    frame["many"] = pd.Categorical.from_codes(many, [f"L{i}" for i in range(700)])
    effect = rng.normal(size=700)
    y = frame["x0"] + np.nan_to_num(frame["x1"]) * (codes == 2) + effect[many] + rng.normal(size=n_rows)
    return frame, y.to_numpy()


def fitted_bytes(model: Any, X: pd.DataFrame, y: np.ndarray, weight: np.ndarray | None, threads: int) -> bytes:
    return model.set_params(n_jobs=threads).fit(X, y, weight)._tw_bytes()


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"loss": "absolute_error", "growth": "level", "max_depth": 4},
        {"loss": "huber", "subsample": 0.5, "max_features": 0.5},
        {"monotonic_cst": {"x0": 1, "x2": -1}, "early_stopping": True},
        {"max_bins": None, "max_leaf_nodes": 6},
        {"weights": "whole"},
        {"weights": "any"},
    ],
    ids=lambda more: "-".join(map(str, more.values())) or "plain",
)
def test_the_model_is_the_same_on_any_number_of_threads(more: dict[str, Any]) -> None:
    X, y = large_table()
    more = dict(more)
    weights = {"whole": np.arange(len(y)) % 3, "any": 0.1 + np.arange(len(y)) % 7 / 3, None: None}
    weight = weights[more.pop("weights", None)]
    model = tw.GradientBoostingRegressor(n_estimators=4, **more)
    alone = fitted_bytes(model, X, y, weight, 1)
    assert all(fitted_bytes(model, X, y, weight, threads) == alone for threads in (2, 3, 8))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_classes_too_are_the_same_on_any_number_of_threads(n_classes: int) -> None:
    X, y = large_table()
    classes = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    model = tw.GradientBoostingClassifier(n_estimators=3, subsample=0.8, early_stopping=True)
    alone = fitted_bytes(model, X, classes, None, 1)
    assert all(fitted_bytes(model, X, classes, None, threads) == alone for threads in (2, 3, 8))


def random_rows(seed: int, n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"up": rng.normal(size=n_rows).round(1), "down": rng.normal(size=n_rows), "free": rng.normal(size=n_rows)}
    )
    X["kind"] = pd.Categorical.from_codes(rng.integers(0, 4, n_rows), list("abcd"))
    X.loc[rng.random(n_rows) < 0.1, "free"] = np.nan
    slope = rng.normal(size=3) * 2
    y = X["up"] * slope[0] + X["down"] * slope[1] + np.sin(3 * X["up"]) + np.nan_to_num(X["free"]) * slope[2]
    return X, (y + rng.normal(size=n_rows)).to_numpy()


def assert_monotone(scores: Any, X: pd.DataFrame) -> None:
    """Each row keeps its other values while one column goes up its whole range."""
    for column, way in (("up", 1), ("down", -1)):
        grid = np.unique(np.concatenate([X[column], [-9.0, 9.0]]))[:: max(1, len(X) // 40)]
        answers = np.array([scores(X.assign(**{column: value})) for value in grid])
        assert (np.diff(answers, axis=0) * way >= -1e-9).all()


@settings(max_examples=examples(8), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), growth=st.sampled_from(["leaf", "level"]), rate=st.sampled_from([0.1, 1.0]))
@pytest.mark.parametrize("loss", LOSSES)
def test_monotone_columns_are_monotone_for_every_row(loss: str, seed: int, growth: str, rate: float) -> None:
    X, y = random_rows(seed, 120)
    y = np.exp(y / 2) if loss in ("poisson", "gamma") else y
    model = tw.GradientBoostingRegressor(
        loss=loss, n_estimators=6, growth=growth, learning_rate=rate, min_samples_leaf=2,
        max_depth=4 if growth == "level" else None, monotonic_cst={"up": 1, "down": -1},
    ).fit(X, y)  # fmt: skip
    assert_monotone(model.predict, X)


@settings(max_examples=examples(8), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), growth=st.sampled_from(["leaf", "level"]), subsample=st.sampled_from([1.0, 0.5]))
@pytest.mark.parametrize("own_loss", [False, True])
def test_monotone_columns_are_monotone_for_classes(own_loss: bool, seed: int, growth: str, subsample: float) -> None:
    def logistic(y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        p = 1 / (1 + np.exp(-raw))
        return p - y, p * (1 - p)

    X, y = random_rows(seed, 150)
    model = tw.GradientBoostingClassifier(
        loss=logistic if own_loss else "log_loss", n_estimators=6, learning_rate=0.5, growth=growth,
        subsample=subsample, min_samples_leaf=2, monotonic_cst={"up": 1, "down": -1}, l2_regularization=0.1,
    ).fit(X, y > np.median(y))  # fmt: skip
    assert_monotone(model.decision_function, X)


def paths(tree: Any) -> list[set[int]]:
    """The columns asked on the way to each leaf."""
    a, asked, found = tree.arrays, {0: set()}, []
    for i in range(len(a["n_children"])):
        for child in range(a["n_children"][i]):
            asked[tree.core.children[tree.core.children_start[i] + child]] = asked[i] | {int(a["column"][i])}
        if a["n_children"][i] == 0:
            found.append(asked[i])
    return found


@pytest.mark.parametrize(
    ("groups", "allowed"),
    [
        ([["up", "kind"]], [{0, 3}, {1, 2}]),
        ([[0, 1], [1, 2]], [{0, 1}, {1, 2}, {3}]),
        ("no_interactions", [{0}, {1}, {2}, {3}]),
        ("pairwise", [{a, b} for a in range(4) for b in range(4)]),
    ],
)
def test_only_columns_of_one_group_meet_on_a_path(groups: Any, allowed: list[set[int]]) -> None:
    X, y = random_rows(1, 400)
    model = tw.GradientBoostingRegressor(n_estimators=20, min_samples_leaf=3, interaction_cst=groups).fit(X, y)
    met = [columns for tree in model.trees_ for columns in paths(tree)]
    assert all(any(columns <= group for group in allowed) for columns in met)
    assert max(map(len, met)) == max(map(len, allowed))


@pytest.mark.parametrize(
    ("parameter", "given_value", "says"),
    [
        ("monotonic_cst", {"upp": 1}, "Did you mean 'up'"),
        ("monotonic_cst", {"up": 2}, "Use 1"),
        ("monotonic_cst", [1, 0], "2 numbers for 4 columns"),
        ("monotonic_cst", {"kind": 1}, "nominal"),
        ("interaction_cst", [["up", "nowhere"]], "nowhere"),
        ("interaction_cst", ["up"], "no group of columns"),
        ("interaction_cst", [[7]], "no column"),
    ],
)
def test_a_constraint_that_cannot_be_met_is_refused_with_the_cure(parameter: str, given_value: Any, says: str) -> None:
    X, y = random_rows(1, 40)
    with pytest.raises(ValueError, match=says):
        tw.GradientBoostingRegressor(**{parameter: given_value}).fit(X, y)


def test_three_classes_have_no_single_score_to_be_monotone() -> None:
    X, y = random_rows(1, 60)
    with pytest.raises(ValueError, match="three classes"):
        tw.GradientBoostingClassifier(monotonic_cst={"up": 1}).fit(X, np.digitize(y, [-1, 1]))


def test_many_levels_that_mean_nothing_do_no_harm() -> None:
    rng = np.random.default_rng(0)
    rows, levels = 12_000, 2_000
    X = pd.DataFrame({"x": rng.normal(size=2 * rows), "id": rng.integers(0, levels, 2 * rows)})
    X["id"] = pd.Categorical.from_codes(X["id"], [f"L{i}" for i in range(levels)])
    y = rng.random(2 * rows) < 1 / (1 + np.exp(-X["x"].to_numpy()))
    model = tw.GradientBoostingClassifier(n_estimators=40)
    with_id = model.fit(X[:rows], y[:rows]).predict_proba(X[rows:])
    without = model.fit(X[["x"]][:rows], y[:rows]).predict_proba(X[["x"]][rows:])
    losses = [-np.mean(np.log(np.where(y[rows:], p[:, 1], p[:, 0]))) for p in (with_id, without)]
    assert losses[0] < losses[1] + 0.006  # as much as one more column of noise


def test_many_levels_that_mean_something_are_learnt() -> None:
    rng = np.random.default_rng(0)
    rows, levels = 20_000, 1_000
    effect = rng.normal(size=levels)
    codes = rng.integers(0, levels, 2 * rows)
    X = pd.DataFrame({"id": pd.Categorical.from_codes(codes, [f"L{i}" for i in range(levels)])})
    y = effect[codes] + rng.normal(size=2 * rows)
    model = tw.GradientBoostingRegressor(n_estimators=60).fit(X[:rows], y[:rows])
    assert np.corrcoef(model.predict(X[rows:]), effect[codes[rows:]])[0, 1] > 0.96


@pytest.mark.parametrize("rate", [1e30, 1e308])
def test_a_rate_that_brings_gradients_beyond_all_numbers_is_refused_in_a_sentence(rate: float) -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    with pytest.raises(DataError, match=r"grew beyond all numbers with learning_rate=.* Choose a learning_rate of 1"):
        tw.GradientBoostingRegressor(n_estimators=5, learning_rate=rate).fit(X, y)


def test_rounds_after_the_gradients_are_no_numbers_are_forgotten_where_rounds_are_judged() -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    model = tw.GradientBoostingRegressor(n_estimators=50, learning_rate=1e30, early_stopping=True).fit(X, y)
    assert model.n_estimators_ == 1
    assert np.isfinite(model.predict(X)).all()
