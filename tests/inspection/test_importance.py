"""`tw.importance`: every way to tell how much a column matters, for every model and every kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, log_loss

import treewright as tw
from treewright import _core

DRAW = np.random.default_rng(5)
N = 300
TABLE = pd.DataFrame(
    {
        "colour": DRAW.choice(["red", "green", "blue"], N),
        "size": np.where(DRAW.random(N) < 0.1, np.nan, DRAW.normal(size=N)),
        "noise": DRAW.normal(size=N),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(DRAW.integers(0, 300, N), unit="D"),
    }
)
Y = np.where(TABLE["colour"] == "red", 3.0, 0.0) + np.nan_to_num(TABLE["size"])
LABELS = np.where(Y > 1, "high", "low")
EVERY_MODEL = [
    tw.DecisionTreeClassifier(),
    tw.C45Classifier(),
    tw.CHAIDClassifier(),
    tw.ConditionalTreeClassifier(),
    tw.ObliqueTreeClassifier(),
    tw.RandomForestClassifier(10),
    tw.GradientBoostingClassifier(n_estimators=10),
    tw.BaggingTreesClassifier(n_estimators=5),
    tw.AdaBoostClassifier(n_estimators=5),
]


# ---------------------------------------------------------------- permutation
@pytest.mark.parametrize("model", EVERY_MODEL, ids=lambda model: type(model).__name__)
def test_permutation_finds_the_columns_that_matter_in_every_model(model: Any) -> None:
    found = tw.importance(model.fit(TABLE[::2], LABELS[::2]), TABLE[1::2], LABELS[1::2], n_repeats=3)
    assert found.columns == tuple(TABLE.columns)
    assert set(found.order[:2]) == {0, 1}
    assert found.importances.shape == (4, 3)
    np.testing.assert_allclose(found.mean, found.importances.mean(axis=1))
    np.testing.assert_allclose(found.std, found.importances.std(axis=1))


def test_a_loss_is_the_score_less_that_of_the_shuffled_table() -> None:
    model = tw.DecisionTreeClassifier(max_depth=3).fit(TABLE, LABELS)
    found = tw.importance(model, TABLE, LABELS, n_repeats=2, random_state=7)
    shuffled = TABLE.copy()
    shuffled["size"] = TABLE["size"].to_numpy()[np.random.default_rng([7, 1, 1]).permutation(N)]
    whole = accuracy_score(LABELS, model.predict(TABLE))
    assert found.importances[1, 1] == pytest.approx(whole - accuracy_score(LABELS, model.predict(shuffled)))


def test_any_scorer_of_scikit_learn_is_taken_with_weights() -> None:
    model = tw.RandomForestClassifier(10).fit(TABLE, LABELS)
    weights = DRAW.integers(1, 4, N)
    found = tw.importance(model, TABLE, LABELS, scoring="neg_log_loss", n_repeats=1, sample_weight=weights)
    shuffled = TABLE.copy()
    shuffled["noise"] = TABLE["noise"].to_numpy()[np.random.default_rng([0, 2, 0]).permutation(N)]
    losses = [log_loss(LABELS, model.predict_proba(X), sample_weight=weights) for X in (shuffled, TABLE)]
    assert found.mean[2] == pytest.approx(losses[0] - losses[1])


def test_models_of_other_libraries_are_taken() -> None:
    X = np.nan_to_num(TABLE[["size", "noise"]].to_numpy())
    found = tw.importance(LinearRegression().fit(X, 5 * X[:, 0]), X, 5 * X[:, 0])
    assert found.columns == ("x0", "x1")
    assert found.mean[0] > 1
    assert found.mean[1] == pytest.approx(0, abs=1e-9)


def test_the_same_seed_gives_the_same_shuffles_whatever_the_frame() -> None:
    import polars as pl
    import pyarrow as pa

    model = tw.DecisionTreeClassifier().fit(TABLE, LABELS)
    tables = [TABLE, pl.from_pandas(TABLE), pa.Table.from_pandas(TABLE, preserve_index=False)]
    found = [tw.importance(model, table, LABELS, random_state=3, n_repeats=2).importances for table in tables]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_an_index_with_repeated_labels_does_no_harm() -> None:
    model = tw.DecisionTreeClassifier().fit(TABLE, LABELS)
    odd = TABLE.set_axis(np.zeros(N, dtype=int), axis=0)
    np.testing.assert_array_equal(
        tw.importance(model, odd, LABELS, n_repeats=1).mean, tw.importance(model, TABLE, LABELS, n_repeats=1).mean
    )


# ---------------------------------------------------------------- the other kinds
def test_impurity_is_what_the_model_says() -> None:
    model = tw.DecisionTreeClassifier().fit(TABLE, LABELS)
    found = tw.importance(model, kind="impurity")
    np.testing.assert_array_equal(found.mean, model.feature_importances_)
    assert found.std is None


def test_surrogates_earn_a_part_of_the_gain_of_the_test_that_they_stand_in_for() -> None:
    twin = TABLE.assign(twin=TABLE["size"] * 2)
    alone = tw.DecisionTreeRegressor(max_depth=2).fit(twin, Y)
    helped = tw.DecisionTreeRegressor(max_depth=2, missing="surrogates").fit(twin, Y)
    assert tw.importance(alone, kind="impurity").mean[4] == 0
    assert tw.importance(helped, kind="impurity").mean[4] > 0.1


@pytest.mark.parametrize("model", EVERY_MODEL[:-2], ids=lambda model: type(model).__name__)
def test_shap_importance_is_the_mean_size_of_the_values(model: Any) -> None:
    model.fit(TABLE, LABELS)
    sizes = np.abs(model.shap_values(TABLE))
    found = tw.importance(model, TABLE, kind="shap")
    np.testing.assert_allclose(found.mean, (sizes if sizes.ndim == 2 else sizes.mean(axis=2)).mean(axis=0))
    heavy = tw.importance(model, TABLE, kind="shap", sample_weight=np.arange(N) == 4)
    np.testing.assert_allclose(heavy.mean, (sizes if sizes.ndim == 2 else sizes.mean(axis=2))[4])
    np.testing.assert_allclose(heavy.std, 0, atol=1e-12)


def test_forests_are_told_by_their_rows_out_of_bag() -> None:
    model = tw.RandomForestClassifier(20, random_state=1).fit(TABLE, LABELS)
    np.testing.assert_array_equal(
        tw.importance(model, TABLE, LABELS, kind="out_of_bag").mean,
        model.permutation_importance(TABLE, LABELS).importances_mean,
    )
    np.testing.assert_array_equal(
        tw.importance(model, TABLE, LABELS, kind="unbiased").std,
        model.unbiased_importance(TABLE, LABELS).importances_std,
    )


# ---------------------------------------------------------------- text, frame, picture
def test_the_frame_has_the_most_important_column_first() -> None:
    model = tw.DecisionTreeClassifier().fit(TABLE, LABELS)
    frame = tw.importance(model, TABLE, LABELS).to_frame()
    assert list(frame.columns) == ["column", "importance", "std"]
    assert frame["importance"].is_monotonic_decreasing


def test_a_thousand_columns_print_in_a_few_lines() -> None:
    X = DRAW.normal(size=(60, 1000))
    model = tw.RandomForestRegressor(50).fit(X, X.sum(axis=1))
    assert len(str(tw.importance(model, kind="impurity")).splitlines()) < 40


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_a_picture_is_saved_in_the_format_of_its_ending(ending: str, tmp_path: Path) -> None:
    model = tw.DecisionTreeClassifier().fit(TABLE.rename(columns={"size": "price in $^2$"}), LABELS)
    figure = tw.importance(model, kind="impurity").plot(tmp_path / f"picture{ending}", most=2)
    assert (tmp_path / f"picture{ending}").stat().st_size > 1000
    assert len(figure.axes[0].patches) == 2


# ---------------------------------------------------------------- what is refused
def test_mistakes_are_answered_in_sentences() -> None:
    model = tw.DecisionTreeClassifier().fit(TABLE, LABELS)
    for arguments, sentence in [
        ((model, TABLE, LABELS, {"kind": "permutations"}), "Did you mean 'permutation'"),
        ((model, TABLE, None, {}), "needs rows that the model has not seen"),
        ((model, None, None, {"kind": "shap"}), "Pass X"),
        ((model, TABLE, LABELS, {"kind": "out_of_bag"}), "Choose kind='permutation'"),
        ((model, TABLE, LABELS, {"n_repeats": 0}), "at least 1"),
        ((model, TABLE[:0], LABELS[:0], {}), "no rows"),
    ]:
        *given, more = arguments
        with pytest.raises(ValueError, match=sentence):
            tw.importance(*given, **more)
    with pytest.raises(ValueError, match="no importance by SHAP values"):
        tw.importance(LinearRegression().fit([[1.0]], [1.0]), [[1.0]], kind="shap")


def test_the_core_knows_no_importance_of_strange_trees() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        _core.Explained([(tw.DecisionTreeRegressor().fit([[1.0]], [1.0]).tree_.core, np.zeros((2, 1)), 0, 1.0)], 1, 1)


@pytest.mark.parametrize(("scoring", "named"), [(None, "accuracy"), ("roc_auc", "AUC"), (lambda *_: 0.5, "score")])
def test_the_score_that_is_lost_is_named(scoring: Any, named: str) -> None:
    X, y = tw.datasets.load_kyphosis(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    told = str(tw.importance(model, X, y, scoring=scoring, n_repeats=1, random_state=0))
    assert told.startswith(f"importance by permutation: loss of {named} when the column is shuffled (")


def test_the_score_of_numbers_is_named() -> None:
    X, _ = tw.datasets.load_kyphosis(return_X_y=True)
    model = tw.DecisionTreeRegressor(max_depth=2).fit(X[["Age"]], X["Start"])
    assert "loss of R² when" in str(tw.importance(model, X[["Age"]], X["Start"], n_repeats=1, random_state=0))
