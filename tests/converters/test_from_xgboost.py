"""Rows end in the same leaves as in XGBoost; the scores are those leaves, added up with more digits."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xgboost

import treewright as tw
from converters.hostile_files import assert_refused_or_usable, damaged_documents
from converters.rows_at_cuts import rows_at_cuts, training_table
from oracle.xgboost_trees import leaf_of, raw_scores, trees_of
from thorough import examples, some
from treewright.converters.ubjson import read_ubjson
from treewright.errors import DataError, ModelFileError

WAYS: list[dict[str, Any]] = [
    {},
    {"objective": "binary:logistic"},
    {"objective": "multi:softprob", "num_class": 3},
    {"booster": "dart", "rate_drop": 0.5},
    {"num_parallel_tree": 4, "subsample": 0.6},
    {"objective": "multi:softmax", "num_class": 3, "num_parallel_tree": 3, "subsample": 0.5},
    {"objective": "count:poisson"},
    {"objective": "binary:logistic", "base_score": 0.2},
    {"tree_method": "exact"},
    {"objective": "reg:gamma"},
    {"objective": "reg:tweedie"},
    {"objective": "reg:absoluteerror"},
    {"objective": "reg:quantileerror", "quantile_alpha": 0.3},
    {"objective": "reg:squaredlogerror"},
    {"objective": "reg:pseudohubererror", "huber_slope": 2.0},
    {"grow_policy": "lossguide", "max_leaves": 9},
    {"objective": "rank:pairwise"},
    {"tree_method": "approx", "max_bin": 16, "base_score": -3.25},
    {"objective": "binary:logistic", "booster": "dart", "rate_drop": 0.3},
    {"gamma": 5.0, "max_depth": 7, "tree_method": "exact"},
]
CONFIGURATIONS = [(way, holes, seed) for seed in range(3) for way in WAYS for holes in (True, False)]


def target(score: np.ndarray, objective: str) -> np.ndarray:
    if objective.startswith("binary"):
        return (score > np.quantile(score, 0.3)).astype(int)
    if objective.startswith(("multi", "rank")):
        return np.digitize(score, np.quantile(score, [0.3, 0.6]))
    return score - score.min() + 0.1


def trained(way: dict[str, Any], holes: bool, seed: int) -> tuple[xgboost.Booster, np.ndarray]:
    X, score = training_table(seed, holes=0.1 if holes else 0.0)
    data = xgboost.DMatrix(X, target(score, way.get("objective", "")), nthread=1)
    if way.get("objective", "").startswith("rank"):
        data.set_group([100, 120])
    return xgboost.train({"seed": seed, "max_depth": 4, "nthread": 1, **way}, data, 6), X


def document_of(booster: xgboost.Booster) -> dict[str, Any]:
    return json.loads(booster.save_raw("json"))


def cuts_of(document: dict[str, Any]) -> set[tuple[int, float]]:
    return {
        (column, cut)
        for tree in trees_of(document)[0]
        for column, cut, left in zip(
            tree["split_indices"], tree["split_conditions"], tree["left_children"], strict=True
        )
        if left >= 0
    }


def start_of(ours: Any) -> np.ndarray:
    return np.asarray(ours.baseline_)


def assert_same_leaves(booster: xgboost.Booster, ours: Any, rows: np.ndarray) -> None:
    document = document_of(booster)
    theirs = np.reshape(booster.predict(xgboost.DMatrix(rows), pred_leaf=True), (len(rows), -1))
    outputs = trees_of(document)[1]
    n_outputs = len(start_of(ours))
    by_output = [np.flatnonzero(np.array(outputs) == k) for k in range(n_outputs)]
    for place, leaves in enumerate(ours.apply(rows).T):
        of_theirs = theirs[:, by_output[place % n_outputs][place // n_outputs]]
        pairs = {*zip(of_theirs.tolist(), leaves.tolist(), strict=True)}
        assert len(pairs) == len({*of_theirs.tolist()}) == len({*leaves.tolist()})


def assert_scores_within_rounding(booster: xgboost.Booster, ours: Any, rows: np.ndarray) -> None:
    """Each addition in single precision is off by at most half a unit of its sum."""
    margin = np.reshape(booster.predict(xgboost.DMatrix(rows), output_margin=True), (len(rows), -1))
    scores = ours._sums(rows)
    n_trees = len(ours.trees_) / scores.shape[1]
    largest = np.abs(start_of(ours)).max() + sum(np.abs(tree.arrays["value"]).max() for tree in ours.trees_)
    assert np.abs(scores - margin).max() <= (n_trees + 2) * 2.0**-24 * largest


@pytest.mark.parametrize("configuration", some(CONFIGURATIONS, 20), ids=str)
def test_every_row_ends_in_the_leaves_of_xgboost(configuration):
    booster, X = trained(*configuration)
    ours = tw.from_xgboost(booster)
    rows = rows_at_cuts(X, cuts_of(document_of(booster)), configuration[2], most=3000)
    assert_same_leaves(booster, ours, rows)
    assert_scores_within_rounding(booster, ours, rows)
    expected = booster.predict(xgboost.DMatrix(rows))
    if not hasattr(ours, "predict_proba"):
        np.testing.assert_allclose(ours.predict(rows), expected, rtol=2e-6, atol=2e-6)
    elif configuration[0]["objective"] == "multi:softmax":
        assert (ours.predict(rows) == expected).mean() > 0.999  # classes that are equal but for rounding
    else:
        got = ours.predict_proba(rows)
        np.testing.assert_allclose(got[:, 1] if expected.ndim == 1 else got, expected, atol=1e-6)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2], WAYS[3], WAYS[4]], ids=str)
def test_the_slow_walk_has_the_scores_of_xgboost_bit_for_bit_and_the_leaves_of_ours(way):
    booster, X = trained(way, True, 9)
    document = document_of(booster)
    rows = rows_at_cuts(X, cuts_of(document), 9, most=120)
    ours = tw.from_xgboost(booster)
    slow = raw_scores(document, rows, start_of(ours))
    margin = np.reshape(booster.predict(xgboost.DMatrix(rows), output_margin=True), slow.shape)
    assert (margin == slow).all()
    if slow.shape[1] == 1:
        for i, tree in enumerate(trees_of(document)[0]):
            walked = [leaf_of(tree, row) for row in rows]
            pairs = {*zip(walked, ours.apply(rows)[:, i].tolist(), strict=True)}
            assert len(pairs) == len({*walked})


@pytest.mark.parametrize("onehot", [1, 100])
@pytest.mark.parametrize("holes", [False, True])
def test_categories_are_levels(onehot, holes):
    rng = np.random.default_rng(onehot)
    X, score = training_table(onehot)
    number = rng.integers(0, 40, len(X))
    frame = pd.DataFrame({"a": X[:, 0], "colour": rng.choice(["red", "it's", "sky blue"], len(X)), "zip": number * 3})
    score = score + 2 * (frame["colour"] == "red") + number % 3
    frame.loc[(rng.random(len(X)) < 0.1) & holes, "colour"] = None
    frame = frame.astype({"colour": "category", "zip": "category"})
    data = xgboost.DMatrix(frame, score, enable_categorical=True)
    booster = xgboost.train({"max_cat_to_onehot": onehot, "max_depth": 5, "min_child_weight": 0}, data, 8)
    ours = tw.from_xgboost(booster)
    assert ours.is_categorical_.tolist() == [False, True, True]
    np.testing.assert_allclose(ours.predict(frame), booster.predict(data), rtol=2e-6, atol=2e-6)
    numbers = np.column_stack([X[:, 0], number]).astype(float)
    data = xgboost.DMatrix(numbers, score, feature_types=["q", "c"], enable_categorical=True)
    booster = xgboost.train({"max_cat_to_onehot": onehot, "max_depth": 5, "min_child_weight": 0}, data, 8)
    np.testing.assert_allclose(tw.from_xgboost(booster).predict(numbers), booster.predict(data), rtol=2e-6, atol=2e-6)


def test_categories_that_xgboost_cuts_short_are_refused():
    frame = pd.DataFrame({"colour": pd.Categorical(["grün", "rosé", "rot", "blau"] * 20)})
    booster = xgboost.train({"nthread": 1}, xgboost.DMatrix(frame, np.arange(80), enable_categorical=True), 2)
    with pytest.raises(ModelFileError, match="XGBoost cuts the ends off such texts"):
        tw.from_xgboost(booster)


def test_files_of_both_kinds_and_estimators_give_the_same_model(tmp_path):
    X, score = training_table(3)
    theirs = xgboost.XGBClassifier(n_estimators=4, max_depth=3, n_jobs=1).fit(X, (score > 0).astype(int))
    ours = tw.from_xgboost(theirs)
    assert (ours.predict(X) == theirs.predict(X)).all()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    prints = {ours.fingerprint(), tw.from_xgboost(theirs.get_booster()).fingerprint()}
    for name in ("m.json", "m.ubj"):
        theirs.save_model(tmp_path / name)
        prints |= {tw.from_xgboost(tmp_path / name).fingerprint(), tw.load(tmp_path / name).fingerprint()}
    assert len(prints) == 1


def test_both_spellings_of_the_base_score_and_one_for_each_class_are_read(tmp_path):
    booster, _ = trained(WAYS[2], True, 0)
    document = document_of(booster)
    for spelt, start in [("5E-1", [0.5] * 3), ("[2.5E-1]", [0.25] * 3), ("[1E0,2E0,3E0]", [1, 2, 3])]:
        document["learner"]["learner_model_param"]["base_score"] = spelt
        (tmp_path / "m.json").write_text(json.dumps(document))
        assert tw.load(tmp_path / "m.json").baseline_.tolist() == start
    document["learner"]["learner_model_param"]["base_score"] = "[1E0,2E0]"
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match="2 base scores for 3 outputs"):
        tw.load(tmp_path / "m.json")


def test_an_estimator_that_stopped_early_brings_its_best_rounds():
    X, score = training_table(5)
    theirs = xgboost.XGBRegressor(n_estimators=60, learning_rate=0.6, early_stopping_rounds=3, n_jobs=1)
    theirs.fit(X[:150], score[:150], eval_set=[(X[150:], score[150:])], verbose=False)
    ours = tw.from_xgboost(theirs)
    assert len(ours.trees_) == theirs.best_iteration + 1 < theirs.get_booster().num_boosted_rounds()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=2e-6, atol=1e-6)
    assert len(tw.from_xgboost(theirs.get_booster()).trees_) == theirs.get_booster().num_boosted_rounds()
    assert len(tw.from_xgboost(theirs, rounds=2).trees_) == 2
    with pytest.raises(ValueError, match="rounds must be from 1 to"):
        tw.from_xgboost(theirs, rounds=1000)


def test_a_model_that_came_in_does_what_every_model_does(tmp_path):
    booster, X = trained({}, True, 1)
    ours = tw.from_xgboost(booster)
    tw.save(ours, tmp_path / "m.tw")
    assert (tw.load(tmp_path / "m.tw").predict(X) == ours.predict(X)).all()
    theirs = booster.predict(xgboost.DMatrix(X[:30]), pred_contribs=True)
    np.testing.assert_allclose(ours.shap_values(X[:30]), theirs[:, :-1], atol=1e-4)
    assert tw.export(ours, tmp_path / "m.py").proven


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ({"booster": "gblinear"}, "booster is 'gblinear'"),
        ({"objective": "reg:logistic"}, "objective 'reg:logistic'"),
        ({"objective": "binary:hinge"}, "objective 'binary:hinge'"),
        ({"multi_strategy": "multi_output_tree"}, "leaves hold several numbers"),
        ({"multi_strategy": "one_output_per_tree"}, "predicts 2 numbers"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(way, words):
    X, score = training_table(0, holes=0.0)
    y = (score > 0).astype(float)
    y = np.column_stack([y, 1 - y]) if "multi_strategy" in way else y
    booster = xgboost.train({"nthread": 1, **way}, xgboost.DMatrix(X, y), 2)
    with pytest.raises(ModelFileError, match=words):
        tw.from_xgboost(booster)
    with pytest.raises(DataError, match="Got list instead"):
        tw.from_xgboost([1])


@pytest.mark.random_examples
def test_damaged_files_are_refused_or_answer(tmp_path):
    boosters = [trained(way, True, 2)[0] for way in (WAYS[0], WAYS[2], WAYS[3])]
    for number, data in enumerate(damaged_documents([document_of(one) for one in boosters], examples(600))):
        path = tmp_path / f"{number}.json"
        path.write_bytes(data)
        assert_refused_or_usable(tw.from_xgboost, path)
    rng = np.random.default_rng(0)
    for number in range(examples(600)):
        binary = bytearray(boosters[number % 3].save_raw("ubj"))
        for place in rng.integers(0, len(binary), 3):
            binary[place] = rng.integers(256)
        path = tmp_path / f"{number}.ubj"
        path.write_bytes(binary[: rng.integers(1, len(binary))] if number % 2 else binary)
        assert_refused_or_usable(tw.from_xgboost, path)


ENDLESS = [b"[" * 100_000, b"[#L\x00\x00\x00\xff\x00\x00\x00\x00", b"SL" + b"\xff" * 8]


@pytest.mark.parametrize("data", [*ENDLESS, b"{i\x01a", b"[$d#i\x05", b"q"])
def test_binary_json_that_is_none_is_refused(data):
    with pytest.raises(ValueError, match=r"boxes|ends in the middle|length|begins with|entries"):
        read_ubjson(data)
