"""Models of LightGBM that were brought in answer as LightGBM does, at the cuts and beside them."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from converters.hostile_files import assert_refused_or_usable, damaged_texts
from converters.rows_at_cuts import rows_at_cuts, training_table
from oracle.lightgbm_trees import raw_scores, trees_of
from thorough import examples, some
from treewright.errors import DataError, ModelFileError

RANDOM_FOREST = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7}
WAYS: list[dict[str, Any]] = [
    {},
    {"objective": "binary"},
    {"objective": "multiclass", "num_class": 3},
    {"zero_as_missing": True},
    {"use_missing": False},
    {"boosting": "dart", "drop_rate": 0.5},
    RANDOM_FOREST,
    {"objective": "poisson"},
    {"objective": "binary", "sigmoid": 2.5},
    {"objective": "binary", **RANDOM_FOREST},
    {"objective": "l1"},
    {"objective": "huber"},
    {"objective": "quantile", "alpha": 0.3},
    {"objective": "gamma"},
    {"objective": "tweedie"},
    {"objective": "mape"},
    {"objective": "multiclass", "num_class": 3, "boosting": "dart"},
    {"objective": "binary", "zero_as_missing": True},
    {"extra_trees": True, "num_leaves": 31},
    {"objective": "binary", "data_sample_strategy": "goss"},
]
CONFIGURATIONS = [(way, holes, seed) for seed in range(3) for way in WAYS for holes in (True, False)]


def target(score: np.ndarray, objective: str) -> np.ndarray:
    if objective.startswith("binary"):
        return (score > np.median(score)).astype(int)
    if objective.startswith("multi"):
        return np.digitize(score, np.quantile(score, [0.3, 0.6]))
    return score - score.min() + 0.1


def trained(way: dict[str, Any], holes: bool, seed: int) -> tuple[lightgbm.Booster, np.ndarray]:
    X, score = training_table(seed)
    zeros = np.random.default_rng(seed).random(X.shape) < [0.4, 0.4, 0, 0, 0]
    X = np.where(zeros, 0.0, X if holes else np.nan_to_num(X))
    options = {"verbose": -1, "min_data_in_leaf": 5, "num_leaves": 12, "seed": seed, "num_threads": 1, **way}
    return lightgbm.train(options, lightgbm.Dataset(X, target(score, way.get("objective", ""))), 7), X


def cuts_of(booster: lightgbm.Booster) -> set[tuple[int, float]]:
    return {
        (int(column), float(cut))
        for tree in trees_of(booster.model_to_string())
        if tree["num_leaves"] != ["1"]
        for column, cut, kind in zip(tree["split_feature"], tree["threshold"], tree["decision_type"], strict=True)
        if not int(kind) & 1
    }


def assert_same_answers(booster: lightgbm.Booster, ours: Any, rows: Any) -> None:
    expected = booster.predict(rows)
    if not hasattr(ours, "predict_proba"):
        np.testing.assert_array_max_ulp(ours.predict(rows), expected, 2)
        return
    got = ours.predict_proba(rows)
    np.testing.assert_array_max_ulp(got[:, 1] if expected.ndim == 1 else got, expected, 4)
    by_share = np.argmax(expected, axis=1) if expected.ndim > 1 else (expected > 0.5)
    assert (ours.predict(rows) == by_share).all()


@pytest.mark.parametrize("configuration", some(CONFIGURATIONS, 22), ids=str)
def test_every_row_is_answered_as_by_lightgbm(configuration):
    booster, X = trained(*configuration)
    ours = tw.from_lightgbm(booster)
    rows = rows_at_cuts(X, cuts_of(booster), configuration[2])
    assert_same_answers(booster, ours, rows)
    links = {"poisson", "gamma", "tweedie"} & {configuration[0].get("objective")}
    plain = "sigmoid" not in configuration[0] and configuration[0].get("boosting") != "rf" and not links
    if plain:  # raw scores are the same sums, bit for bit
        raw = ours.decision_function(rows) if hasattr(ours, "decision_function") else ours.predict(rows)
        assert (raw == booster.predict(rows, raw_score=True)).all()


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2], WAYS[3], WAYS[4]], ids=str)
def test_the_slow_walk_and_lightgbm_and_ours_have_the_same_scores(way):
    booster, X = trained(way, True, 11)
    rows = rows_at_cuts(X, cuts_of(booster), 11, most=150)
    n_outputs = way.get("num_class", 1)
    slow = raw_scores(booster.model_to_string(), rows, n_outputs)
    assert (np.reshape(booster.predict(rows, raw_score=True), slow.shape) == slow).all()
    ours = tw.from_lightgbm(booster)
    assert (np.reshape(ours.decision_function(rows) if n_outputs > 1 else ours.predict(rows), slow.shape) == slow).all()


@pytest.mark.parametrize(("way", "seed"), [({}, 0), ({"max_cat_to_onehot": 1}, 1), ({"use_missing": False}, 2)])
def test_categories_are_levels(way, seed):
    rng = np.random.default_rng(seed)
    X, score = training_table(seed)
    many = rng.integers(0, 70, len(X))
    frame = pd.DataFrame({"a": X[:, 0], "colour": rng.choice(["red", "it's", "Ünïcode"], len(X)), "zip": many * 3})
    score = score + 2 * (frame["colour"] == "red") + many % 3
    frame.loc[rng.random(len(X)) < 0.1, "colour"] = None
    frame = frame.astype({"colour": "category", "zip": "category"})
    options = {"verbose": -1, "min_data_in_leaf": 3, "min_data_per_group": 3, "cat_smooth": 1, "num_threads": 1, **way}
    booster = lightgbm.train(options, lightgbm.Dataset(frame, score), 9)
    ours = tw.from_lightgbm(booster)
    assert ours.is_categorical_.tolist() == [False, True, True]
    assert (ours.predict(frame) == booster.predict(frame)).all()
    strange = frame.iloc[:40].assign(colour=pd.Categorical(["violet"] * 40))
    assert (ours.predict(strange) == booster.predict(strange)).all()
    numbers = np.column_stack([X[:, 0], many]).astype(float)
    booster = lightgbm.train(options, lightgbm.Dataset(numbers, score, categorical_feature=[1]), 9)
    numbers[:80, 1] = rng.choice([-1, np.nan, 1000, 71], 80)
    ours = tw.from_lightgbm(booster)
    assert (ours.predict(numbers) == booster.predict(numbers)).all()
    slow = raw_scores(booster.model_to_string(), numbers[:120], 1)[:, 0]
    assert (ours.predict(numbers[:120]) == slow).all()


def test_files_and_estimators_and_boosters_give_the_same_model(tmp_path):
    X, score = training_table(3)
    labels = np.where(score > 0, "yes", "no")
    theirs = lightgbm.LGBMClassifier(n_estimators=4, num_leaves=6, verbose=-1, n_jobs=1).fit(X, labels)
    ours = tw.from_lightgbm(theirs)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    theirs.booster_.save_model(tmp_path / "m.txt")
    from_file, loaded = tw.from_lightgbm(tmp_path / "m.txt"), tw.load(str(tmp_path / "m.txt"))
    assert from_file.fingerprint() == loaded.fingerprint() == tw.from_lightgbm(theirs.booster_).fingerprint()
    assert (from_file.predict_proba(X) == ours.predict_proba(X)).all()


@pytest.mark.parametrize("words", [["verify"], ["show"], ["predict", "rows.csv"], ["why", "rows.csv"]], ids=str)
def test_the_verbs_take_the_file_as_a_model(words, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from treewright.cli.main import command_line

    monkeypatch.chdir(tmp_path)
    X, score = training_table(0)
    frame = pd.DataFrame(X, columns=list("abcde"))
    lightgbm.train({"verbose": -1, "num_threads": 1}, lightgbm.Dataset(frame, score), 2).save_model("m.txt")
    frame.iloc[:5].to_csv("rows.csv", index=False)
    done = CliRunner().invoke(command_line, [words[0], "m.txt", *words[1:]])
    assert done.exit_code == 0, done.output


def test_the_best_rounds_are_taken_as_lightgbm_does():
    X, score = training_table(5)
    data = lightgbm.Dataset(X[:150], score[:150])
    judge = lightgbm.Dataset(X[150:], score[150:], reference=data)
    stop = lightgbm.early_stopping(2, verbose=False)
    how: Any = {"valid_sets": [judge], "callbacks": [stop], "keep_training_booster": True}
    booster = lightgbm.train({"verbose": -1, "learning_rate": 0.5, "num_threads": 1}, data, 60, **how)
    ours = tw.from_lightgbm(booster)
    assert len(ours.trees_) == booster.best_iteration < booster.current_iteration()
    assert (ours.predict(X) == booster.predict(X)).all()


def test_a_model_that_came_in_does_what_every_model_does(tmp_path):
    booster, X = trained({"objective": "multiclass", "num_class": 3}, True, 1)
    ours = tw.from_lightgbm(booster)
    tw.save(ours, tmp_path / "m.tw")
    assert (tw.load(tmp_path / "m.tw").predict_proba(X) == ours.predict_proba(X)).all()
    total = np.asarray(ours.shap_values(X[:20])).sum(axis=1) + ours.expected_value
    np.testing.assert_allclose(total, booster.predict(X[:20], raw_score=True), atol=1e-9)
    regression, X = trained({}, True, 1)
    theirs = regression.predict(X[:20], pred_contrib=True)
    np.testing.assert_allclose(tw.from_lightgbm(regression).shap_values(X[:20]), theirs[:, :-1], atol=1e-9)
    assert tw.export(ours, tmp_path / "m.py").proven


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ({"linear_tree": True}, "linear_tree=false"),
        ({"objective": "cross_entropy"}, "objective 'cross_entropy'"),
        ({"objective": "multiclassova", "num_class": 3}, "objective 'multiclassova'"),
        ({"objective": "regression", "reg_sqrt": True}, "objective 'regression sqrt'"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(way, words):
    X, score = training_table(0)
    y = np.digitize(score, np.quantile(score, [0.3, 0.6])) if "num_class" in way else (score > 0).astype(float)
    booster = lightgbm.train({"verbose": -1, "num_threads": 1, **way}, lightgbm.Dataset(X, y), 3)
    with pytest.raises(ModelFileError, match=words):
        tw.from_lightgbm(booster)
    with pytest.raises(DataError, match="Got list instead"):
        tw.from_lightgbm([1])


def test_ordered_categories_that_are_split_by_order_are_refused():
    size = pd.Categorical(["s", "m", "l"] * 60, ["s", "m", "l"], ordered=True)
    frame = pd.DataFrame({"size": size, "kind": pd.Categorical(list("abcdef") * 30)})
    options = {"verbose": -1, "min_data_in_leaf": 2, "min_data_per_group": 2, "num_threads": 1}
    booster = lightgbm.train(options, lightgbm.Dataset(frame, np.arange(180.0)), 2)
    with pytest.raises(ModelFileError, match="2 category columns of pandas, and 1 columns are split by levels"):
        tw.from_lightgbm(booster)


@pytest.mark.random_examples
def test_damaged_files_are_refused_or_answer(tmp_path):
    texts = [trained(way, True, 2)[0].model_to_string().encode() for way in (WAYS[0], WAYS[2], WAYS[3])]
    for number, data in enumerate(damaged_texts(texts, examples(600))):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(data)
        assert_refused_or_usable(tw.from_lightgbm, path)


def test_a_file_of_many_nodes_with_one_set_of_categories_is_refused():
    n = 3000
    lines = {
        "num_leaves": [n], "num_cat": [1], "split_feature": [0] * (n - 1), "split_gain": [1] * (n - 1),
        "threshold": [0] * (n - 1), "decision_type": [1] * (n - 1), "left_child": [*range(1, n - 1), -1],
        "right_child": [-i - 2 for i in range(n - 1)], "leaf_value": [0] * n, "leaf_count": [1] * n,
        "internal_count": [2] * (n - 1), "cat_boundaries": [0, 3000], "cat_threshold": [4294967295] * 3000,
    }  # fmt: skip
    tree = "\n".join(f"{name}={' '.join(map(str, words))}" for name, words in lines.items())
    head = "tree\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\nobjective=regression\nfeature_names=a\n"
    from treewright.converters.lightgbm_text import read_text

    text = f"{head}feature_infos=0:1\nTree=0\n{tree}\n\nend of trees\n"
    assert len(read_text(text).trees) == 1
    booster = type("Booster", (), {"model_to_string": lambda self: text})()
    with pytest.raises(ModelFileError, match="two nodes have one set of categories"):
        tw.from_lightgbm(booster)
