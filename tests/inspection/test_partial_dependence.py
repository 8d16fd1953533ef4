"""`tw.partial_dependence`: every row is asked again with other values of a column, for any model and kind of column."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence as of_scikit_learn

import treewright as tw

DRAW = np.random.default_rng(6)
N = 200
TABLE = pd.DataFrame(
    {
        "colour": pd.Categorical(DRAW.choice(["red", "green", "blue"], N)),
        "size": np.where(DRAW.random(N) < 0.1, np.nan, DRAW.normal(size=N)),
        "grade": pd.Categorical(DRAW.choice(["low", "mid", "high"], N), ["low", "mid", "high"], ordered=True),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(DRAW.integers(0, 9, N), unit="D"),
        "wet": DRAW.random(N) < 0.5,
    }
)
Y = np.where(TABLE["colour"] == "red", 3.0, 0.0) + np.nan_to_num(TABLE["size"]) + TABLE["grade"].cat.codes
MODEL = tw.DecisionTreeRegressor(min_samples_leaf=5).fit(TABLE, Y)


def by_hand(model: Any, X: pd.DataFrame, name: str, value: Any) -> Any:
    other = X.copy()
    other[name] = pd.Series([value] * len(X), dtype=X[name].dtype, index=X.index)
    return other


@pytest.mark.parametrize("name", TABLE.columns)
def test_each_value_is_the_mean_answer_when_every_row_has_it(name: str) -> None:
    found = tw.partial_dependence(MODEL, TABLE, name, grid_points=5)
    (grid,) = found.grids
    assert found.average.shape == (len(grid.values), 1)
    for value, mean in zip(grid.values, found.average[:, 0], strict=True):
        cell = (np.nan if name == "size" else None) if value is None else value
        assert mean == pytest.approx(MODEL.predict(by_hand(MODEL, TABLE, name, cell)).mean())


def test_numbers_are_looked_at_at_their_quantiles_and_missing_values_too() -> None:
    values = tw.partial_dependence(MODEL, TABLE, "size", grid_points=5).grids[0].values
    known = np.sort(TABLE["size"].dropna())
    assert values[0] == known[0]
    assert values[4] == known[-1]
    assert values[2] == known[round((len(known) - 1) / 2)]
    assert values[5] is None
    assert len(values) == 6


def test_few_different_numbers_are_all_looked_at() -> None:
    model = tw.DecisionTreeRegressor().fit([[1], [2], [2], [7]], [1, 2, 2, 3])
    assert tw.partial_dependence(model, [[1], [2], [2], [7]], 0).grids[0].values == (1, 2, 7)


def test_levels_keep_their_order_and_dates_their_face() -> None:
    assert tw.partial_dependence(MODEL, TABLE, "grade").grids[0].values == ("low", "mid", "high")
    assert tw.partial_dependence(MODEL, TABLE, "wet").grids[0].values == (False, True)
    day = tw.partial_dependence(MODEL, TABLE, "day").grids[0].values[0]
    assert day == dt.datetime(2024, 1, 1)


def test_of_many_levels_the_most_frequent_are_looked_at() -> None:
    X = pd.DataFrame({"place": ["b"] * 3 + ["a"] * 2 + ["c"] * 4 + ["d"]})
    model = tw.DecisionTreeRegressor().fit(X, range(10))
    grid = tw.partial_dependence(model, X, "place", max_levels=2).grids[0]
    assert grid.values == ("b", "c")
    np.testing.assert_allclose(grid.shares, [0.3, 0.4])


def test_kinds_that_the_user_chose_count() -> None:
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [1.0, 6.0]])
    model = tw.DecisionTreeRegressor(column_kinds={"x0": "nominal"}).fit(X, [1, 2, 3, 1])
    assert tw.partial_dependence(model, X, "x0", grid_points=2).grids[0].kind == "nominal"


# ---------------------------------------------------------------- other models, other shapes
def test_the_curve_of_a_forest_of_scikit_learn_is_that_of_scikit_learn() -> None:
    X = DRAW.normal(size=(150, 3)).round(1)
    model = RandomForestRegressor(10, random_state=0).fit(X, X[:, 0] * X[:, 1])
    ours = tw.partial_dependence(model, X, 0, grid_points=200)
    theirs = of_scikit_learn(model, X, [0], method="brute", grid_resolution=300, percentiles=(0, 1))
    np.testing.assert_allclose(ours.grids[0].values, theirs["grid_values"][0])
    np.testing.assert_allclose(ours.average[:, 0], theirs["average"][0])


def test_classifiers_answer_with_the_probability_of_every_class() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.RandomForestClassifier(10).fit(X, y)
    found = tw.partial_dependence(model, X, "petalwidth", grid_points=4)
    assert found.average.shape == (4, 3)
    assert found.classes == tuple(model.classes_)
    np.testing.assert_allclose(found.average.sum(axis=1), 1)
    scores = tw.partial_dependence(
        tw.GradientBoostingClassifier(n_estimators=3).fit(X, y), X, "petalwidth", response="decision_function"
    )
    assert scores.average.min() < 0


def test_the_mean_of_the_curves_of_all_rows_is_the_curve() -> None:
    weights = DRAW.integers(0, 3, N)
    found = tw.partial_dependence(MODEL, TABLE, "size", kind="both", sample_weight=weights)
    np.testing.assert_allclose(np.average(found.individual, axis=0, weights=weights), found.average)
    assert found.individual.shape == (N, 21, 1)


def test_two_columns_make_a_table_of_pairs() -> None:
    found = tw.partial_dependence(MODEL, TABLE, ["colour", "grade"])
    assert found.average.shape == (3, 3, 1)
    both = by_hand(MODEL, by_hand(MODEL, TABLE, "colour", "red"), "grade", "mid")
    assert found.average[2, 1, 0] == pytest.approx(MODEL.predict(both).mean())
    frame = found.to_frame()
    assert list(frame.columns) == ["colour", "grade", "answer"]
    assert len(frame) == 9


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "duckdb"])
def test_every_table_gives_the_same_curves(kind: str) -> None:
    import duckdb
    import polars as pl
    import pyarrow as pa

    plain = TABLE.astype({"colour": str, "grade": str})
    model = tw.DecisionTreeRegressor().fit(plain, Y)
    other = {
        "polars": lambda: pl.from_pandas(plain),
        "pyarrow": lambda: pa.Table.from_pandas(plain, preserve_index=False),
        "duckdb": lambda: duckdb.from_df(plain),
    }[kind]()
    for name in ("colour", "size"):
        ours, theirs = (tw.partial_dependence(model, X, name) for X in (plain, other))
        assert ours.grids[0].values[:-1] == theirs.grids[0].values[:-1]
        np.testing.assert_allclose(ours.average, theirs.average)


# ---------------------------------------------------------------- pictures
@pytest.mark.parametrize(
    ("columns", "kind"),
    [("size", "both"), ("colour", "average"), ("colour", "both"), ("day", "average"), (["size", "colour"], "average")],
)
def test_every_kind_of_curve_is_drawn(columns: Any, kind: str, tmp_path: Path) -> None:
    found = tw.partial_dependence(MODEL, TABLE, columns, kind=kind)
    for centred in (False, True):
        found.plot(tmp_path / "picture.png", centred=centred)
        assert (tmp_path / "picture.png").stat().st_size > 5000


def test_a_picture_shows_all_classes_or_the_one_that_is_asked_for() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    found = tw.partial_dependence(tw.DecisionTreeClassifier().fit(X, y), X, "petalwidth")
    assert len(found.plot().axes[0].get_legend().get_texts()) == 3
    assert found.plot(of_class="Iris-setosa").axes[0].get_legend() is None
    with pytest.raises(ValueError, match="no class 'rose'"):
        found.plot(of_class="rose")


def test_the_legend_stands_beside_the_curves_and_inside_the_picture() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    figure = tw.partial_dependence(tw.DecisionTreeClassifier().fit(X, y), X, "petalwidth").plot()
    figure.draw_without_rendering()
    ax = figure.axes[0]
    legend = ax.get_legend().get_window_extent()
    assert legend.x0 >= ax.get_window_extent().x1
    assert legend.x1 <= figure.bbox.x1


# ---------------------------------------------------------------- what is refused
def test_mistakes_are_answered_in_sentences() -> None:
    for columns, more, sentence in [
        ("colours", {}, "Did you mean 'colour'"),
        (["colour", "size", "day"], {}, "one column or for a pair"),
        (["size", "size"], {}, "twice"),
        ("size", {"kind": "mean"}, "average, individual, both"),
        (["size", "colour"], {"kind": "both"}, "needs one column"),
        ("size", {"grid_points": 1}, "at least 2"),
        ("size", {"response": "predict_proba"}, "has no predict_proba"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tw.partial_dependence(MODEL, TABLE, columns, **more)
    with pytest.raises(ValueError, match="no rows"):
        tw.partial_dependence(MODEL, TABLE[:0], "size")
    with pytest.raises(ValueError, match="which have no mean"):
        tw.partial_dependence(tw.DecisionTreeClassifier().fit(TABLE, Y > 1), TABLE, "size", response="predict")


def test_a_column_of_holes_has_one_value_only() -> None:
    X = pd.DataFrame({"hole": [np.nan] * 4, "x": [1.0, 2.0, 3.0, 4.0]})
    model = tw.DecisionTreeRegressor().fit(X, [1, 2, 3, 4])
    found = tw.partial_dependence(model, X, "hole")
    assert found.grids[0].values == (None,)
    assert str(found) == "mean answer by hole\n   hole answer\nmissing    2.5"
    assert found.plot() is not None


def test_numbers_print_beside_missing_values() -> None:
    lines = str(tw.partial_dependence(MODEL, TABLE, "size", grid_points=2)).splitlines()
    assert lines[0] == "mean answer by size"
    assert lines[-1].split()[0] == "missing"
    assert len(lines) == 5


def test_days_below_a_curve_are_few_and_have_no_hours() -> None:
    days = pd.date_range("2020-01-01", periods=400)
    table = pd.DataFrame({"day": days, "a": np.arange(400) % 7})
    model = tw.DecisionTreeRegressor(max_leaf_nodes=5).fit(table, np.arange(400.0))
    figure = tw.partial_dependence(model, table, "day").plot()
    written = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert 3 <= len(written) <= 8
    assert written[0] == "2020-01-01"
