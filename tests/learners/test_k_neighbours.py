"""Nearest neighbours: worked numbers, ties, files, and what is said to wrong input."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import treewright as tw
from thorough import some
from treewright.errors import DataError, ModelFileError
from treewright.save.persist import restore_into


def distances(metric: str, X: Any, y: Any = (0, 1, 0, 1), **more: Any) -> Any:
    model = tw.KNeighborsClassifier(len(X), metric=metric, n_jobs=1, **more).fit(X, list(y))
    far, rows = model.kneighbors(X)
    found = np.empty(far.shape)
    np.put_along_axis(found, rows, far, axis=1)
    return found


FOUR = pd.DataFrame({"number": [1.0, 2, 4, 9], "level": ["a", "b", "a", "b"]})


def test_the_worked_numbers_of_mixed_distances() -> None:
    heom, gower, hvdm = (distances(metric, FOUR) for metric in ("heom", "gower", "hvdm"))
    assert heom[0, 1] == pytest.approx(1.0078, abs=5e-5)
    assert heom[0, 2] == pytest.approx(0.3750, abs=5e-5)
    assert gower[0, 1] == pytest.approx(0.5625)
    assert gower[0, 2] == pytest.approx(0.1875)
    assert hvdm[0, 1] == pytest.approx(math.hypot(1.4142, 0.0811), abs=5e-5)


def test_a_missing_value_is_as_far_as_can_be_or_left_out() -> None:
    holed = FOUR.assign(number=[np.nan, 2, 4, 9])
    assert distances("heom", holed)[0, 1] == pytest.approx(math.sqrt(2))
    assert distances("gower", holed)[0, 1] == pytest.approx(1.0)
    assert distances("gower", holed)[0, 2] == pytest.approx(0.0)


def test_hamming_counts_the_places_that_differ() -> None:
    rows = [list("10110"), list("10011")]
    assert distances("hamming", rows, [0, 1])[0, 1] == 2


def test_standardised_and_mahalanobis_distances() -> None:
    X = np.array([[1.0, 2], [2, 1], [3, 5], [4, 3], [5, 6]])
    gap, spread = X[0] - X[2], np.cov(X.T)
    expected = math.sqrt(gap @ np.linalg.solve(spread, gap))
    assert distances("mahalanobis", X, range(5))[0, 2] == pytest.approx(expected, rel=1e-6)
    assert distances("standardised", X, range(5))[0, 2] == pytest.approx(math.sqrt((gap**2 / np.diag(spread)).sum()))


def test_the_bankruptcy_example_multiplies_the_expense_ratio_by_five() -> None:
    X, y = tw.datasets.load_bankruptcy(return_X_y=True)
    far = distances("weighted", X, y, factors={"expense_ratio": 5})
    a, b = X.iloc[0], X.iloc[5]
    late, ratio = a["late_payments"] - b["late_payments"], 5 * (a["expense_ratio"] - b["expense_ratio"])
    assert far[0, 5] == pytest.approx(math.hypot(late, ratio))


@pytest.mark.parametrize("k", some([5, 1, 30], 1))
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize(("metric", "theirs"), [("euclidean", "euclidean"), ("manhattan", "manhattan")])
def test_answers_on_plain_numbers_are_those_of_scikit_learn(k: int, weights: str, metric: str, theirs: str) -> None:
    rng = np.random.default_rng(k)
    X, asked = rng.normal(size=(3000, 5)), rng.normal(size=(300, 5))
    y, value = rng.integers(0, 3, 3000), rng.normal(size=3000)
    ours = tw.KNeighborsClassifier(k, weights=weights, metric=metric).fit(X, y)
    other = KNeighborsClassifier(k, weights=weights, metric=theirs).fit(X, y)
    assert ours.predict_proba(asked) == pytest.approx(other.predict_proba(asked), rel=1e-6, abs=1e-9)
    far, rows = other.kneighbors(asked)
    assert ours.kneighbors(asked)[1].tolist() == rows.tolist()
    assert ours.kneighbors(asked)[0] == pytest.approx(far, rel=1e-9)
    assert ours.kneighbors()[1].tolist() == other.kneighbors()[1].tolist()
    number = tw.KNeighborsRegressor(k, weights=weights, metric=metric).fit(X, value)
    theirs_number = KNeighborsRegressor(k, weights=weights, metric=theirs).fit(X, value)
    assert number.predict(asked) == pytest.approx(theirs_number.predict(asked), rel=1e-6)


def test_rows_at_the_same_distance_all_count_or_only_the_first() -> None:
    X, y = [[0.0], [2.0], [2.0], [2.0]], ["near", "far", "away", "away"]
    assert tw.KNeighborsClassifier(2, metric="euclidean").fit(X, y).predict([[0.9]]).tolist() == ["away"]
    first = tw.KNeighborsClassifier(2, metric="euclidean", ties="first").fit(X, y)
    assert first.predict_proba([[0.9]])[0].round(9).tolist() == [0, 0.5, 0.5]
    assert first.predict([[0.9]]).tolist() == ["near"]  # as many votes, but nearer


def test_the_order_of_rows_changes_no_answer() -> None:
    X, y = tw.datasets.load_car(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    model = tw.KNeighborsClassifier().fit(X, y)
    other = tw.KNeighborsClassifier().fit(X.iloc[order], y.iloc[order])
    assert model.predict(X).tolist() == other.predict(X).tolist()


def test_the_number_of_neighbours_is_chosen_by_leaving_out_rows() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.KNeighborsClassifier("cv", max_neighbors=12).fit(X, y)
    plain = tw.KNeighborsClassifier(1).fit(X, y)
    table, truth = plain._search, plain.classes_[plain.fit_target_].tolist()  # rows stand in the order of their content
    wrong = np.zeros(12)
    for row in range(len(y)):
        sums, rows = table.nearest(table.all_rows.take(slice(row, row + 1)), len(y))
        others = [(s, r) for s, r in zip(sums[0], rows[0], strict=True) if r != row]
        for k in range(1, 13):
            counted = [(s, r) for s, r in others if s <= others[k - 1][0] * (1 + 1e-12)]
            labels = [truth[r] for s, r in counted]
            far = {c: sum(math.sqrt(s) for s, r in counted if truth[r] == c) for c in set(labels)}
            wrong[k - 1] += min(far, key=lambda c: (-labels.count(c), far[c], c)) != truth[row]
    errors = wrong / len(y)
    assert model.cv_curve_ == pytest.approx(errors)
    assert model.n_neighbors_ == 1 + int(np.argmin(errors))


def test_folds_learn_the_ranges_anew() -> None:
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    for metric in ("heom", "hvdm"):
        model = tw.KNeighborsClassifier("cv", metric=metric, folds=3, max_neighbors=9).fit(X[:200], y[:200])
        assert model.cv_curve_.shape == (9,)
        assert model.cv_curve_[model.n_neighbors_ - 1] == model.cv_curve_.min()


def test_a_weight_counts_as_so_many_rows() -> None:
    X, y = [[1.0], [2.0], [3.0], [9.0]], [1.0, 5.0, 8.0, 9.0]
    weighted = tw.KNeighborsRegressor(3, metric="euclidean").fit(X, y, [1, 2, 1, 0])
    doubled = tw.KNeighborsRegressor(3, metric="euclidean").fit([X[0], X[1], X[1], X[2]], [y[0], y[1], y[1], y[2]])
    assert weighted.predict([[1.0], [4.0]]).tolist() == doubled.predict([[1.0], [4.0]]).tolist()
    assert weighted.kneighbors([[8.0]], 1)[1].tolist() == [[2]]  # the row of weight 0 is not there


def test_rows_keep_their_numbers_when_others_are_left_out() -> None:
    model = tw.KNeighborsRegressor(1).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], [0, 0, 1])
    assert model.kneighbors([[1.0]])[1].tolist() == [[2]]
    assert model.neighbors_table([1.0])["row"].tolist() == [2]


def test_the_table_of_neighbours_says_who_answers() -> None:
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    model = tw.KNeighborsClassifier(4, weights="distance").fit(X, y)
    row = X.iloc[10].to_dict()
    table = model.neighbors_table(row)
    assert table["row"].tolist()[0] == 10
    assert table["distance"].tolist()[0] == 0
    assert table["vote"].sum() == pytest.approx(1)
    assert table["purpose"].tolist()[0] == row["purpose"]
    assert len(model.neighbors_table(row, n_neighbors=9)) >= 9


def test_a_model_file_and_a_pickle_answer_as_the_model(tmp_path: Path) -> None:
    X, y = (part[::5] for part in tw.datasets.load_titanic(return_X_y=True))
    model = tw.KNeighborsClassifier("cv", metric="gower", max_neighbors=5).fit(X, y, np.arange(len(y)) % 3)
    tw.save(model, tmp_path / "m.tw")
    for again in (tw.load(tmp_path / "m.tw"), pickle.loads(pickle.dumps(model))):
        assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()
        assert again.fingerprint() == model.fingerprint()
        assert again.cv_curve_.tolist() == model.cv_curve_.tolist()
        assert str(again) == str(model)
        assert again.kneighbors(X[:3])[1].tolist() == model.kneighbors(X[:3])[1].tolist()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("fit_numbers_", np.zeros((3, 9))),
        ("fit_codes_", np.full((4, 1), 7, dtype=np.int32)),
        ("fit_target_", np.array([0, 1, 2, 9], dtype=np.int32)),
        ("fit_weights_", np.array([1.0, -1.0, 1.0, 1.0])),
        ("fit_rows_", np.array([3, 2, 2, 0])),
        ("n_neighbors_", 77),
    ],
)
def test_a_file_that_cannot_be_right_is_refused(name: str, wrong: Any) -> None:
    model = tw.KNeighborsClassifier(1).fit(FOUR, [0, 1, 0, 1])
    setattr(model, name, wrong)
    header, arrays = model._tw_state()
    with pytest.raises(ModelFileError, match="damaged"):
        restore_into(tw.KNeighborsClassifier(), header, arrays, "it")


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({"n_neighbors": 9}, FOUR, "n_neighbors=9, but the table has only n_samples = 4"),
        ({"n_neighbors": 1, "metric": "hamming"}, FOUR, "column 'number' holds numbers"),
        ({"n_neighbors": 1, "metric": "mahalanobis"}, FOUR, "column 'level' is nominal"),
        ({"n_neighbors": 1, "metric": "weighted"}, FOUR, "needs a factor for each column"),
        ({"n_neighbors": 1, "metric": "weighted", "factors": {"numbr": 2}}, FOUR, "Did you mean 'number'"),
        ({"n_neighbors": 1, "factors": [1.0]}, FOUR, "has 1 numbers, but the table has 2 columns"),
        ({"n_neighbors": 1, "factors": {"number": -1}}, FOUR, "factor of column 'number' is -1"),
        ({"n_neighbors": 1, "factors": ["x", "y"]}, FOUR, "must be numbers"),
        ({"n_neighbors": 1, "metric": "euclidean"}, FOUR.assign(number=[1, None, 2, 3]), "Row 2 has no value"),
        ({"n_neighbors": 1, "metric": "mahalanobis", "factors": {"number": 2}}, FOUR[["number"]], "finds its own"),
        ({"n_neighbors": 1, "algorithm": "kd_tree"}, FOUR, "needs columns of numbers"),
        ({"n_neighbors": "cv", "folds": 10}, FOUR, "needs at least 10 rows"),
    ],
)
def test_wrong_input_is_answered_with_a_sentence(settings: dict[str, Any], X: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        tw.KNeighborsClassifier(**settings).fit(X, [0, 1, 0, 1]).predict(X)


def test_wrong_questions_are_answered_with_a_sentence() -> None:
    model = tw.KNeighborsClassifier(1, metric="euclidean").fit(FOUR, [0, 1, 0, 1])
    with pytest.raises(DataError, match="Row 1 has no value"):
        model.predict(FOUR.assign(number=[None, 1, 2, 3]))
    with pytest.raises(DataError, match="there are 4 rows to choose from"):
        model.kneighbors(FOUR, 5)
    with pytest.raises(DataError, match="3 other rows"):
        model.kneighbors(n_neighbors=4)
    with pytest.raises(DataError, match="whole number above 0"):
        model.kneighbors(FOUR, 0)
    with pytest.raises(DataError, match=r"add up to 0\.4"):
        tw.KNeighborsClassifier(1).fit(FOUR, [0, 1, 0, 1], [0.1] * 4)
    with pytest.raises(DataError, match="the target is a number"):
        tw.KNeighborsRegressor(1, metric="hvdm").fit(FOUR, [0.5, 1, 2, 3])
    with pytest.raises(DataError, match="too far apart"):
        tw.KNeighborsClassifier(1, metric="euclidean").fit([[1e200], [-1e200]], [0, 1]).kneighbors([[1e200]], 2)
    with pytest.raises(DataError, match="Negative values in sample_weight"):
        tw.KNeighborsClassifier(1).fit(FOUR, [0, 1, 0, 1], [1, 1, 1, -1])


def test_columns_without_a_spread_are_left_out() -> None:
    X = pd.DataFrame({"same": [3.0, 3, 3], "empty": [None, None, None], "x": [1.0, 2, 3]})
    for metric in ("heom", "gower", "hvdm"):
        model = tw.KNeighborsClassifier(1, metric=metric, column_kinds={"empty": "numeric"}).fit(X, list("abc"))
        assert model.predict(X).tolist() == list("abc")
        assert "2 columns left out" in str(model)


def test_a_level_never_seen_differs_from_all() -> None:
    model = tw.KNeighborsClassifier(4, metric="hvdm").fit(FOUR[["level"]], [0, 1, 0, 1])
    assert model.kneighbors(pd.DataFrame({"level": ["new"]}))[0].tolist() == [[1.0] * 4]


def test_threads_change_no_answer() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 12)), rng.integers(0, 2, 4000)
    one, two = (tw.KNeighborsClassifier(7, n_jobs=n).fit(X, y).predict_proba(X[:1500]) for n in (1, 2))
    assert one.tolist() == two.tolist()


def test_rows_far_outside_are_answered() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 10)), rng.integers(0, 2, 1000)
    model = tw.KNeighborsClassifier(3, metric="euclidean").fit(X, y)
    far = np.vstack([X[:2], np.full((1, 10), 1e40)])
    assert model.predict(far)[:2].tolist() == model.predict(X[:2]).tolist()
    assert np.isfinite(model.predict_proba(far)).all()


def test_why_tells_who_answered_and_how_they_voted() -> None:
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 10.0], "colour": ["red", "red", None, "blue"]})
    model = tw.KNeighborsClassifier(3, weights="distance").fit(frame, ["a", "b", "b", "a"])
    why = model.why({"x": 0.5, "colour": "red"})
    assert why.answer == model.predict_one({"x": 0.5, "colour": "red"})
    table = model.neighbors_table({"x": 0.5, "colour": "red"})
    votes = table.loc[table["target"] == why.answer, "vote"].sum()
    assert f"{100 * votes:.0f} % of the votes" in why.sentence
    assert "missing" in str(why)
    assert len(why.to_dict()["neighbours"]) == len(table)
    numbers = tw.KNeighborsRegressor(2).fit(frame, [1.0, 2.0, 3.0, 9.0]).why([0.5, "red"])
    assert numbers.sentence == "1.5, the mean of its 2 nearest rows, which have 1 to 2."
    assert "<h1>Why 1.5?</h1>" in numbers.to_html()


def _gentle(distances: Any) -> Any:
    return 1 / (1 + distances)


def test_a_function_of_the_distances_weighs_the_votes_and_stays_out_of_files(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(80, 3)).round(4)
    y = X[:, 0] > 0
    ours = tw.KNeighborsClassifier(5, weights=_gentle, metric="l2").fit(X, y)
    theirs = KNeighborsClassifier(5, weights=_gentle).fit(X, y)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert "_gentle of the distance" in str(ours)
    with pytest.raises(DataError, match="a model file holds none"):
        tw.save(ours, tmp_path / "votes.tw")
    assert np.array_equal(pickle.loads(pickle.dumps(ours)).predict_proba(X), ours.predict_proba(X))
    for wrong in (lambda distances: distances[:, 0], lambda distances: -distances, lambda distances: distances * 0):
        with pytest.raises(DataError, match="function of `weights`"):
            tw.KNeighborsRegressor(5, weights=wrong).fit(X, X[:, 0]).predict(X)


def test_other_names_of_metrics_are_those_of_scikit_learn() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3)).round(4)
    for name in ("l1", "l2", "cityblock"):
        ours = tw.KNeighborsRegressor(3, metric=name, weights=None).fit(X, X[:, 1])
        assert np.allclose(ours.predict(X), KNeighborsRegressor(3, metric=name).fit(X, X[:, 1]).predict(X))
