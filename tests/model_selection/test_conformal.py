"""`tw.conformal`: what is promised is kept, by every regressor and classifier, and comes back from a file."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError, ModelFileError
from treewright.learners.registry import LEARNERS
from treewright.save import from_bytes, to_bytes
from treewright.save.persist import load_bytes

_QUICK: dict[str, Any] = {"n_estimators": 5, "max_iter": 20, "hidden_layer_sizes": (4,)}


def _learner(name: str, task: str) -> Any:
    model = LEARNERS[name].load(task)()
    known = model.get_params(deep=False)
    return model.set_params(**{key: value for key, value in _QUICK.items() if key in known})


def _table(seed: int, n: int, task: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with ties, a column of levels, and noise that is not the same everywhere."""
    draw = np.random.default_rng(seed)
    X = pd.DataFrame({"a": draw.normal(size=n).round(1), "b": draw.normal(size=n).round(1)})
    X["job"] = np.array(["cook", "clerk", "smith"])[draw.integers(0, 3, n)]
    centre = 2 * X["a"].to_numpy() + np.where(X["job"] == "cook", 2.0, 0.0)
    if task == "regression":
        return X, (centre + (0.5 + np.abs(X["b"])) * draw.standard_t(4, n)).round(1)
    return X, np.array(["low", "middle", "top"])[np.digitize(centre + draw.logistic(size=n), [-1.0, 2.0])]


def _hits(model: Any, X: pd.DataFrame, y: np.ndarray, coverage: float) -> np.ndarray:
    if hasattr(model, "classes_"):
        return model.predict_set(X, coverage)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    bounds = model.predict_interval(X, coverage)
    return (bounds[:, 0] <= y) & (y <= bounds[:, 1])


@pytest.mark.parametrize("coverage", [0.6, 0.9])
@pytest.mark.parametrize(
    ("learner", "task", "cv"),
    [
        ("linear", "regression", "prefit"), ("cart", "regression", "prefit"), ("linear", "regression", 5),
        ("cart", "regression", 5), ("forest", "regression", "out_of_bag"), ("naive_bayes", "classification", "prefit"),
        ("cart", "classification", "prefit"), ("naive_bayes", "classification", 5),
        ("forest", "classification", "out_of_bag"),
    ],
)  # fmt: skip
def test_the_truth_is_inside_as_often_as_promised(learner: str, task: str, cv: Any, coverage: float) -> None:
    # Over 40 tables of 60 rows and 100 new rows each the mean has a standard error of about 0.01: four of them below.
    kept = []
    for seed in range(40):
        X, y = _table(seed, 60 if cv != "prefit" else 120, task)
        new_X, new_y = _table(1000 + seed, 100, task)
        model = LEARNERS[learner].load(task)(**({"n_estimators": 30} if learner == "forest" else {}))
        if cv == "prefit":
            prepared = tw.conformal(model.fit(X[:60], y[:60]), X[60:], y[60:], cv=cv)
        else:
            prepared = tw.conformal(model, X, y, cv=cv)
        kept.append(_hits(prepared, new_X, new_y, coverage).mean())
    error = np.std(kept, ddof=1) / np.sqrt(len(kept))
    assert np.mean(kept) >= coverage - 4 * error
    if learner in ("linear", "naive_bayes"):  # whose scores have few ties: no interval is wider than it has to be
        assert np.mean(kept) <= coverage + 0.07 + 4 * error


@pytest.mark.parametrize("name", ["auto_mpg", "boston", "airquality"])
def test_real_numbers_are_inside_as_often_as_promised(name: str) -> None:
    X, y = getattr(tw.datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    inside = []
    for fold in range(4):
        test = order % 4 == fold
        model = tw.conformal(tw.DecisionTreeRegressor(min_samples_leaf=5), X[~test], y[~test], cv=5)
        inside.append(_hits(model, X[test], np.asarray(y[test]), 0.9))
    share, n = np.concatenate(inside).mean(), len(y)
    assert share >= 0.9 - 3 * np.sqrt(0.09 / n)


@pytest.mark.parametrize("name", ["credit_g", "titanic", "glass"])
def test_real_classes_are_in_their_sets_as_often_as_promised(name: str) -> None:
    X, y = getattr(tw.datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    inside = []
    for fold in range(4):
        test = order % 4 == fold
        model = tw.conformal(tw.NaiveBayesClassifier(), X[~test], y[~test], cv=5)
        places = [model.classes_.tolist().index(label) for label in y[test]]
        inside.append(model.predict_set(X[test], 0.9)[np.arange(test.sum()), places])
    share, n = np.concatenate(inside).mean(), len(y)
    assert share >= 0.9 - 3 * np.sqrt(0.09 / n)


@pytest.mark.parametrize(
    ("name", "task"), [(name, task) for name, record in LEARNERS.items() for task in record.classes]
)
def test_every_learner_promises_saves_and_answers_one_row_as_among_many(name: str, task: str) -> None:
    X, y = _table(3, 60, task)
    X = X[["job"]] if name == "id3" else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a solver that stops early
        model = tw.conformal(_learner(name, task), X, y, cv=3)
    ask = model.predict_set if task == "classification" else model.predict_interval
    found = ask(X, 0.8)
    assert len(found) == len(X)
    if name != "local":  # whose answers to one row may differ in the last digits
        assert np.array_equal(np.concatenate([ask(X[i : i + 1], 0.8) for i in range(5)]), found[:5])
    for again in (load_bytes(model._tw_bytes()), pickle.loads(pickle.dumps(model))):
        same = again.predict_set(X, 0.8) if task == "classification" else again.predict_interval(X, 0.8)
        assert np.array_equal(same, found)
        assert again.fingerprint() == model.fingerprint()


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("cv", [4, "out_of_bag"])
def test_the_order_of_rows_changes_no_byte(task: str, cv: Any) -> None:
    X, y = _table(5, 70, task)
    model = LEARNERS["forest" if cv == "out_of_bag" else "cart"].load(task)()
    order = np.random.default_rng(1).permutation(70)
    one, other = tw.conformal(model, X, y, cv=cv), tw.conformal(model, X.iloc[order], y[order], cv=cv)
    assert one.conformal_.scores.tolist() == other.conformal_.scores.tolist()
    if cv == 4:  # what is out of bag follows the rows
        assert one._tw_bytes() == other._tw_bytes()


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("cv", [3, "prefit"])
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_that_differ_only_in_their_weight_may_stand_in_any_order(task: str, cv: Any, grouped: bool) -> None:
    X, y = _table(5, 35, task)
    X, y, weights = pd.concat([X, X]), np.tile(y, 2), np.random.default_rng(3).choice([0.1, 0.3, 0.7, 1.1], 70)
    model, group, found = LEARNERS["cart"].load(task)(max_depth=3), np.arange(70) % 9, set()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(70)
        groups = group[order] if grouped else None
        first = model.fit(X.iloc[order], y[order], weights[order])
        made = tw.conformal(first, X.iloc[order], y[order], cv=cv, sample_weight=weights[order], groups=groups)
        found.add(made._tw_bytes())
    assert len(found) == 1


def test_whole_weights_are_so_many_rows() -> None:
    X, y = _table(6, 50, "regression")
    weights = np.random.default_rng(2).integers(0, 4, 50)
    written_out = np.repeat(np.arange(50), weights)
    model = tw.DecisionTreeRegressor(max_depth=3)
    one = tw.conformal(model, X, y, cv=4, sample_weight=weights.astype(float))
    other = tw.conformal(model, X.iloc[written_out], y[written_out], cv=4)
    assert one.predict_interval(X, 0.8).tolist() == other.predict_interval(X, 0.8).tolist()
    small = tw.conformal(model, X, y, cv=4, sample_weight=weights * 0.001)
    assert np.isfinite(small.predict_interval(X, 0.8)).all()


def test_rows_of_a_group_stay_together_and_count_as_one() -> None:
    # All rows of a group have one error: folds of single rows would think that they know it.
    draw, inside = np.random.default_rng(0), {"rows": [], "groups": []}
    for _ in range(25):
        group = np.repeat(np.arange(20), 8)
        x = np.repeat(draw.normal(size=20), 8)
        y = x + np.repeat(draw.normal(size=20), 8) + 0.05 * draw.normal(size=160)
        new_x = draw.normal(size=200)
        new_y = new_x + draw.normal(size=200)
        model = tw.KNeighborsRegressor(3)
        for name, groups in (("rows", None), ("groups", group)):
            prepared = tw.conformal(model, x[:, None], y, cv=5, groups=groups)
            inside[name].append(_hits(prepared, new_x[:, None], new_y, 0.8).mean())
    assert np.mean(inside["groups"]) >= 0.8
    assert np.mean(inside["rows"]) < 0.7


def test_a_model_that_is_not_prepared_says_how_to_prepare_it() -> None:
    X, y = _table(0, 40, "regression")
    with pytest.raises(DataError, match=r"Prepare it once: model = tw.conformal\(model, X, y\)"):
        tw.RegularizedRegression(alpha=0.1).fit(X, y).predict_interval(X)
    with pytest.raises(DataError, match="coverage is a share between 0 and 1"):
        tw.conformal(tw.LinearRegression(), X, y).predict_interval(X, coverage=90)
    assert not hasattr(tw.LinearRegression(), "predict_set")
    assert not hasattr(tw.NaiveBayesClassifier(), "predict_interval")
    assert not hasattr(tw.Autoencoder(), "predict_interval")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cv": "prefit"}, "takes a fitted model"), ({"cv": "out_of_bag"}, "draws no bags"),
        ({"cv": 1}, "number of folds"),
        ({"cv": "loo"}, "no way to find rows not seen"), ({"cv": 500}, "30 are the most"),
        ({"groups": [1, 2]}, "one group for each"),
    ],
)  # fmt: skip
def test_what_cannot_be_prepared_is_refused_with_a_sentence(change: dict[str, Any], message: str) -> None:
    X, y = _table(0, 40, "regression")
    with pytest.raises(DataError, match=message):
        tw.conformal(tw.LinearRegression(), X, y, **change)


def test_too_few_rows_for_a_promise_give_an_interval_without_ends() -> None:
    X, y = _table(0, 48, "regression")
    model = tw.conformal(tw.LinearRegression().fit(X[:40], y[:40]), X[40:], y[40:], cv="prefit")
    assert np.isinf(model.predict_interval(X, 0.9)).all()
    assert np.isfinite(model.predict_interval(X, 0.8)).all()


def test_fitting_again_and_pruning_forget_what_was_promised() -> None:
    X, y = _table(0, 60, "regression")
    model = tw.conformal(tw.DecisionTreeRegressor(), X, y, cv=3)
    smaller = model.pruned(tw.CostComplexity(alpha=0.5))
    assert not hasattr(smaller, "conformal_")
    assert not hasattr(model.fit(X, y), "conformal_")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, a: h["conformal"].update(method="guess"), "no method"),
        (lambda h, a: h["conformal"]["members"].pop(), "not one model a fold|does not carry"),
        (lambda h, a: h["conformal"]["members"][0].update(estimator="LinearRegression"), "another kind"),
        (lambda h, a: h["conformal"]["members"][0].update(conformal={}), "scores of its own"),
        (lambda h, a: a.update({"conformal:scores": -a["conformal:scores"]}), "none can be"),
        (lambda h, a: a.update({"conformal:scores": a["conformal:scores"][::-1].copy()}), "not in order"),
        (lambda h, a: a.update({"conformal:more": np.ones(2)}), "an array that none have"),
        (lambda h, a: h.pop("conformal"), "does not carry"),
        (lambda h, a: a.pop("conformal:weights"), "is not there"),
    ],
)
def test_damaged_scores_are_refused(change: Any, message: str) -> None:
    X, y = _table(0, 40, "regression")
    header, arrays = from_bytes(tw.conformal(tw.DecisionTreeRegressor(max_depth=2), X, y, cv=3)._tw_bytes())
    change(header, arrays)
    with pytest.raises(ModelFileError, match=message):
        load_bytes(to_bytes(header, arrays))
