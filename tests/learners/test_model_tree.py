"""What a model tree promises: slopes are found, the same rows give the same bytes, and odd tables do no harm."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from learners.test_deep_trees import in_a_small_stack
from learners.test_interrupts import python_handles_interrupts, seconds_to_stop  # noqa: F401 (a fixture)
from treewright.errors import DataError


def two_slopes(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """y rises with x on one side of a level and falls on the other; some holes, a date, a column of no use."""
    draw = np.random.default_rng(seed)
    x = draw.uniform(0, 10, n)
    side = draw.choice(["left", "right", "middle"], n)
    y = np.where(side == "left", 3 * x, 40 - 2 * x) + 5 * (side == "middle") + draw.normal(size=n) * 0.5
    x[draw.random(n) < 0.05] = np.nan
    frame = pd.DataFrame({"x": x, "side": side, "noise": draw.normal(size=n)})
    frame.loc[draw.random(n) < 0.03, "side"] = None
    frame["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(draw.integers(0, 400, n), unit="D")
    return frame, y


def test_a_line_is_one_leaf_with_its_slope() -> None:
    X = np.arange(30.0)[:, None]
    model = tw.ModelTreeRegressor(clip=False).fit(X, 7 - 0.5 * X[:, 0])
    assert model.get_n_leaves() == 1
    assert model.tree_.root.equation == "7 - 0.5·x0"
    assert model.predict([[-10], [100]]).tolist() == pytest.approx([12, -43])


def test_two_slopes_are_found_with_few_leaves() -> None:
    X, y = two_slopes()
    model = tw.ModelTreeRegressor().fit(X, y)
    plain = tw.DecisionTreeRegressor(prune="cost_complexity_cv").fit(X, y)
    new, truth = two_slopes(seed=1)
    known = new.notna().all(axis=1)
    assert model.get_n_leaves() < plain.get_n_leaves()
    assert model.score(new[known], truth[known]) > max(0.98, plain.score(new[known], truth[known]))


@pytest.mark.parametrize("missing", ["learn", "larger", "branch"])
def test_one_row_is_answered_as_many_are(missing: str) -> None:
    X, y = two_slopes()
    X = X.drop(columns="when")
    model = tw.ModelTreeRegressor(missing=missing).fit(X, y)
    together = model.predict(X)
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    assert [model.predict_one(row) for row in rows] == together.tolist()
    assert [model.predict_one(list(row.values())) for row in rows] == together.tolist()


def test_one_row_with_a_date_is_answered_as_many_are() -> None:
    X, y = two_slopes()
    model = tw.ModelTreeRegressor().fit(X, y + X["when"].dt.day_of_year.to_numpy() / 30)
    assert [model.predict_one(row) for row in X.head(5).to_dict("records")] == model.predict(X.head(5)).tolist()


def test_threads_and_the_order_of_rows_change_nothing() -> None:
    X, y = two_slopes(3000)
    weights = np.random.default_rng(5).choice([0.3, 1.0, 1.7], len(y))
    one = tw.ModelTreeRegressor(n_jobs=1).fit(X, y, weights).fingerprint()
    assert tw.ModelTreeRegressor(n_jobs=8).fit(X, y, weights).fingerprint() == one
    order = np.random.default_rng(7).permutation(len(y))
    assert tw.ModelTreeRegressor().fit(X.iloc[order], y[order], weights[order]).fingerprint() == one


def test_threads_share_large_nodes_without_a_trace() -> None:
    draw = np.random.default_rng(2)
    X = draw.normal(size=(150_000, 4))
    y = X[:, 0] * np.where(X[:, 1] > 0, 3, -1) + draw.normal(size=len(X))
    models = [tw.ModelTreeRegressor(n_jobs=jobs, max_depth=5).fit(X, y) for jobs in (1, 5)]
    assert models[0].fingerprint() == models[1].fingerprint()
    assert models[0].predict(X[:2000]).tolist() == models[1].predict(X[:2000]).tolist()


def test_a_weight_of_two_is_the_row_twice() -> None:
    X, y = two_slopes(200)
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    twice = tw.ModelTreeRegressor()
    by_weight = twice.fit(X, y, weights).predict(X)
    by_rows = twice.fit(X.loc[X.index.repeat(weights)], np.repeat(y, weights)).predict(X)
    assert by_weight.tolist() == by_rows.tolist()


def test_a_weight_of_nought_drops_the_row() -> None:
    X, y = two_slopes(200)
    weights = np.r_[np.ones(150), np.zeros(50)]
    kept = tw.ModelTreeRegressor().fit(X[:150], y[:150]).predict(X)
    assert tw.ModelTreeRegressor().fit(X, y, weights).predict(X).tolist() == kept.tolist()


def test_a_model_is_saved_pickled_and_written_as_json(tmp_path: Path) -> None:
    X, y = two_slopes()
    model = tw.ModelTreeRegressor(smoothing=3).fit(X, y)
    tw.save(model, tmp_path / "m.tw")
    for other in (tw.load(tmp_path / "m.tw"), pickle.loads(pickle.dumps(model))):
        assert other.fingerprint() == model.fingerprint()
        assert other.predict(X).tolist() == model.predict(X).tolist()
        assert other.get_params() == model.get_params()
        assert other.feature_importances_.tolist() == model.feature_importances_.tolist()
    back = type(model.tree_).from_json(model.tree_.to_json())
    assert back.to_dict() == model.tree_.to_dict()
    assert str(back) == str(model)


def test_importance_counts_slopes_as_well_as_tests() -> None:
    X, y = two_slopes()
    line = tw.ModelTreeRegressor().fit(X[["x", "noise"]].dropna(), 2 * X["x"].dropna())
    assert line.get_n_leaves() == 1
    assert line.feature_importances_.tolist() == [1.0, 0.0]
    shares = dict(zip(X.columns, tw.ModelTreeRegressor().fit(X, y).feature_importances_, strict=True))
    assert sum(shares.values()) == pytest.approx(1)
    assert min(shares["x"], shares["side"]) > 10 * max(shares["noise"], shares["when"])


def test_the_text_numbers_leaves_and_lists_their_equations() -> None:
    X, y = two_slopes()
    model = tw.ModelTreeRegressor().fit(X[["x", "side"]], y)
    text = str(model)
    for k in range(1, model.get_n_leaves() + 1):
        assert f"→ equation {k}  (mean " in text
        assert f"\nequation {k}: " in text
    assert "[side is " in text
    assert "equation 1" not in model.tree_.to_text(max_depth=0)
    assert "·" not in model.tree_.to_text(ascii=True)
    assert max(map(len, model.tree_.to_text(width=60).splitlines()[-3:])) <= 60


def test_a_text_with_all_digits_gives_back_the_answer() -> None:
    X = np.linspace(0, 1, 50)[:, None]
    model = tw.ModelTreeRegressor().fit(X, 1 / 3 + X[:, 0] / 7)
    said = model.tree_.to_text(digits=17).splitlines()[-1].removeprefix("equation 1: ")
    assert eval(said.replace("·", "*"), {"x0": 0.3}) == model.predict_one([0.3])


def test_a_missing_number_counts_as_the_mean_and_a_missing_level_adds_nothing() -> None:
    X = pd.DataFrame({"x": np.arange(40.0), "g": ["a", "b"] * 20})
    model = tw.ModelTreeRegressor(max_depth=2, penalty=50.0).fit(X, 2 * X["x"] + 8 * (X["g"] == "b"))
    assert model.get_n_leaves() == 1
    with_mean = model.predict_one({"x": X["x"].mean(), "g": "b"})
    assert model.predict_one({"g": "b"}) == pytest.approx(with_mean)
    halfway = (model.predict_one({"x": 3, "g": "a"}) + model.predict_one({"x": 3, "g": "b"})) / 2
    assert model.predict_one({"x": 3}) == model.predict_one({"x": 3, "g": "never seen"}) == pytest.approx(halfway)


def test_an_equation_has_no_indicator_that_the_path_has_settled() -> None:
    draw = np.random.default_rng(5)
    rank = draw.choice(["assistant", "associate", "full"], 900)
    years = draw.uniform(0, 30, 900).round(1)
    pay = np.where(rank == "full", 90.0 + 2.0 * years, np.where(rank == "associate", 60.0 - years, 40.0))
    X = pd.DataFrame({"rank": rank, "years": years})
    model = tw.ModelTreeRegressor(smoothing=15.0).fit(X, pay + draw.normal(0, 1, 900).round(2))
    tree = model.tree_
    settled = 0
    for leaf in np.flatnonzero(tree.arrays["n_children"] == 0).tolist():
        here = X[model.apply(X) == leaf]
        part = slice(*tree.arrays["equation_start"][leaf : leaf + 2].astype(int))
        if here["rank"].nunique() == 1 and 0 in tree.arrays["equation_column"][part]:
            settled += 1
            assert "[rank is" not in tree.node(leaf).equation
            # The shorter equation says what the model answers.
            equation = tree.node(leaf).equation.replace("·", "*").replace("years", str(here["years"].iloc[0]))
            assert abs(eval(equation) - model.predict(here.head(1))[0]) < 0.1
    assert settled > 0


def test_a_column_of_many_levels_is_tested_but_in_no_equation() -> None:
    draw = np.random.default_rng(3)
    town = draw.integers(0, 80, 2000)
    X = pd.DataFrame({"town": [f"t{k:02d}" for k in town], "x": draw.normal(size=2000)})
    model = tw.ModelTreeRegressor().fit(X, 5.0 * (town % 3) + X["x"])
    arrays = model.tree_.arrays
    assert 0 in arrays["column"]
    assert set(arrays["equation_column"]) == {1.0}


def test_an_equation_has_at_most_max_terms_before_it_is_smoothed() -> None:
    draw = np.random.default_rng(4)
    X = draw.normal(size=(500, 8))
    y = X @ np.arange(1, 9) + draw.normal(size=500) * 0.1
    model = tw.ModelTreeRegressor(max_terms=3, smoothing=0.0).fit(X, y)
    assert np.diff(model.tree_.arrays["equation_start"]).max() <= 3


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]], [5.0]),
        ([[1.0], [1.0], [1.0], [1.0]], [1.0, 2.0, 3.0, 4.0]),
        ([[1.0], [2.0], [3.0], [4.0], [5.0]], [3.0] * 5),
        ([[np.nan], [np.nan], [np.nan], [np.nan]], [1.0, 2.0, 3.0, 4.0]),
        ([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, 8.0], [5.0, 10.0]], [1.0, 2.0, 3.0, 4.0, 5.0]),
        ([[np.inf], [1.0], [2.0], [-np.inf], [4.0], [5.0]], [9.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        ([[1e308], [-1e308], [1e307], [0.0], [5e307], [-5e307]], [1e308, -1e308, 1e307, 0.0, 5e307, -5e307]),
        ([[5e-324], [1e-323], [1.5e-323], [2e-323], [2.5e-323]], [5e-324, 1e-323, 1.5e-323, 2e-323, 2.5e-323]),
        ([[1e16], [1e16 + 2], [1e16 + 4], [1e16 + 6], [1e16 + 8]], [0.0, 1.0, 2.0, 3.0, 4.0]),
    ],
)
@pytest.mark.parametrize("clip", [True, False])
def test_odd_tables_give_finite_answers(X: Any, y: Any, clip: bool) -> None:
    model = tw.ModelTreeRegressor(clip=clip).fit(X, y)
    answers = model.predict(X)
    assert np.isfinite(answers).all()
    assert np.isfinite(model.feature_importances_).all()
    assert [model.predict_one(row) for row in X] == answers.tolist()
    if clip:
        assert (answers >= min(y)).all()
        assert (answers <= max(y)).all()


def test_pruning_afterwards_is_refused_with_a_sentence() -> None:
    model = tw.ModelTreeRegressor().fit([[1], [2], [3], [4]], [1, 2, 3, 4])
    with pytest.raises(DataError, match="prunes itself while it is trained"):
        model.pruned(tw.CostComplexity(alpha=0.1))
    with pytest.raises(DataError, match="larger penalty"):
        model.cost_complexity_pruning_path([[1], [2]], [1, 2])


@pytest.mark.parametrize(
    "wrong",
    [
        {"penalty": -1},
        {"smoothing": -0.5},
        {"max_terms": 0},
        {"clip": "yes"},
        {"prune": "cost_complexity"},
        {"min_variance_share": 2},
        {"missing": "fractional"},
    ],
)
def test_a_wrong_parameter_is_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"The '{next(iter(wrong))}' parameter of ModelTreeRegressor must be"):
        tw.ModelTreeRegressor(**wrong).fit([[1], [2]], [1, 2])


def test_holes_are_refused_when_asked() -> None:
    with pytest.raises(DataError, match="has missing values"):
        tw.ModelTreeRegressor(missing="refuse").fit([[1], [None]], [1, 2])
    model = tw.ModelTreeRegressor(missing="refuse").fit([[1], [2], [3], [4]], [1, 2, 3, 4])
    with pytest.raises(DataError, match="no known value"):
        model.predict_one([None])


def test_no_warning_is_given_for_a_usual_table() -> None:
    X, y = two_slopes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.ModelTreeRegressor().fit(X, y).predict(X)


def test_a_chain_of_nodes_needs_no_deep_stack(tmp_path: Path) -> None:
    n = 3000
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2 * 1.0
    settings: dict[str, Any] = {"prune": False, "min_samples_leaf": 1, "min_variance_share": 0.0, "n_jobs": 1}

    def whole_way() -> int:
        model = tw.ModelTreeRegressor(**settings).fit(X, y)
        tw.save(model, tmp_path / "chain.tw")
        loaded = tw.load(tmp_path / "chain.tw")
        assert loaded.predict(X[:9]).tolist() == model.predict(X[:9]).tolist()
        assert len(loaded.tree_.to_text().splitlines()) == 2 * n - 1 + 1 + n
        return model.get_depth()

    assert in_a_small_stack(whole_way) > n // 2


@pytest.mark.usefixtures("python_handles_interrupts")
def test_an_interrupt_leaves_a_whole_model() -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(150_000, 30))
    y = np.sin(X[:, :6]).sum(axis=1) + draw.normal(size=len(X))
    model = tw.ModelTreeRegressor(n_jobs=1).fit(X[:50], y[:50])
    assert seconds_to_stop(model, X, y, delay=1.5) < 1
    assert np.isfinite(model.predict(X[:9])).all()


@pytest.mark.parametrize("factor", [1e290, 1e-290])
def test_the_unit_of_the_target_changes_only_the_unit_of_the_answers(factor: float) -> None:
    X, y = two_slopes()
    plain = tw.ModelTreeRegressor().fit(X, y)
    scaled = tw.ModelTreeRegressor().fit(X, y * factor)
    assert scaled.tree_.arrays["n_rows"].tolist() == plain.tree_.arrays["n_rows"].tolist()
    assert (scaled.predict(X) / factor).tolist() == pytest.approx(plain.predict(X).tolist())
