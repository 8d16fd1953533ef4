"""Forests: the same on any number of threads, for any order of rows; out of bag, importance and neighbours by hand."""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from copy import deepcopy
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from oracle.forest import drawn_units
from treewright import _core
from treewright.errors import DataError, ModelFileError
from treewright.learners.ensemble import ensemble_model
from treewright.save.persist import load_bytes
from treewright.table.encode import encode_table
from treewright.table.frame import open_frame

FORESTS = (tw.RandomForestClassifier, tw.RandomForestRegressor, tw.ExtraTreesClassifier, tw.ExtraTreesRegressor)


def mixed_table(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers with ties and holes, levels with holes; classes and numbers to learn."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=n_rows), rng.integers(0, 40, n_rows).astype(float), rng.normal(size=n_rows)
    levels = np.array([f"l{i}" for i in range(30)])[rng.integers(0, 30, n_rows)]
    b[rng.random(n_rows) < 0.1] = np.nan
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": pd.Series(levels).where(rng.random(n_rows) > 0.05)})
    signal = a + (np.nan_to_num(b) > 20) + rng.normal(size=n_rows)
    return X, np.digitize(signal, [0, 1]), signal.round(3)


def target_of(kind: type, classes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    return classes if kind.__name__.endswith("Classifier") else numbers


def draws_of(model: Any, X: Any, y: np.ndarray) -> list[list[int]]:
    """How often each tree drew each row, by the definition."""
    table = encode_table(open_frame(X), None, None, 1).core
    if model.trees_.core.n_classes:
        codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
        target = _core.Target.classes(codes, model.trees_.core.n_classes, None)
    else:
        target = _core.Target.numbers(y.astype(float), None, False)
    order = [int(row) for row in _core.rows_by_content(table, target, 1)]
    return [drawn_units(model.random_state, tree, order, [1] * len(y)) for tree in range(len(model.trees_))]


# ---------------------------------------------------------------- the laws
@pytest.mark.parametrize("kind", FORESTS)
def test_threads_do_not_change_a_byte(kind: type) -> None:
    X, classes, numbers = mixed_table(2000)
    y = target_of(kind, classes, numbers)
    prints = {kind(12, n_jobs=n, random_state=3).fit(X, y).fingerprint() for n in (1, 2, 3, 8)}
    assert len(prints) == 1


@pytest.mark.parametrize("kind", FORESTS)
def test_the_order_of_rows_does_not_change_the_trees(kind: type) -> None:
    X, classes, numbers = mixed_table(700)
    y = target_of(kind, classes, numbers)
    order = np.random.default_rng(1).permutation(len(y))
    one = kind(5, random_state=3).fit(X, y)
    other = kind(5, random_state=3).fit(X.iloc[order].reset_index(drop=True), y[order])
    assert np.array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize("kind", FORESTS)
def test_a_weight_of_two_is_the_row_twice(kind: type) -> None:
    X, classes, numbers = mixed_table(300)
    y, weights = target_of(kind, classes, numbers), np.random.default_rng(2).integers(0, 4, 300)
    twice = np.repeat(np.arange(300), weights)
    one = kind(5, random_state=3).fit(X, y, sample_weight=weights)
    other = kind(5, random_state=3).fit(X.iloc[twice].reset_index(drop=True), y[twice])
    assert np.allclose(one.predict(X) == other.predict(X), True)


@pytest.mark.parametrize("n_rows", [90, 700, 5000])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_size_of_a_block_does_not_change_the_trees(n_rows: int, n_classes: int) -> None:
    X, classes, numbers = mixed_table(n_rows)
    table = encode_table(open_frame(X), None, None, 1).core
    if n_classes:
        target = _core.Target.classes(np.minimum(classes, n_classes - 1).astype(np.int32), n_classes, None)
    else:
        target = _core.Target.numbers(numbers, None, False)
    rules = {"criterion": "gini" if n_classes else "squared_error", "n_trees": 2, "max_features": 2, "seed": 5}
    grown = []
    for block_bytes, cuts in product((1, 1000, 10**6), (False, True)):
        rules |= {"sampling": "with_replacement", "block_bytes": block_bytes, "random_cuts": cuts}
        forest, _ = _core.grow_forest(table, target, rules, _core.Progress(), 1)
        grown.append({name: array.tobytes() for name, array in forest.arrays().items()})
    assert all(grown[i] == grown[i % 2] for i in range(len(grown)))


# ---------------------------------------------------------------- beside a single tree
@pytest.mark.parametrize("n_rows", [40, 100, 400, 3000, 70_000])
@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "three", "squared_error", "weights"])
def test_one_tree_of_all_rows_and_columns_is_the_single_tree(n_rows: int, holes: float, criterion: str) -> None:
    if n_rows > 3000 and (holes or criterion == "entropy"):
        n_rows = 1000  # long enough for every way of searching
    rng = np.random.default_rng(n_rows)
    X = np.column_stack([rng.normal(size=n_rows), rng.integers(0, 50, n_rows), rng.normal(size=n_rows)])
    X = X.round(3)  # fewer than 65,535 different numbers: every cut is there
    X[rng.random(X.shape) < holes] = np.nan
    signal = np.nan_to_num(X[:, 0]) + rng.normal(size=n_rows)
    weights = rng.uniform(0.1, 3, n_rows) if criterion == "weights" else None
    if criterion == "squared_error":
        tree: Any = tw.DecisionTreeRegressor(min_samples_leaf=2)
        forest: Any = tw.RandomForestRegressor(1, bootstrap=False, max_features=None, min_samples_leaf=2)
        y = signal
    else:
        name = "entropy" if criterion == "entropy" else "gini"
        tree = tw.DecisionTreeClassifier(criterion=name, min_samples_leaf=2)
        forest = tw.RandomForestClassifier(1, criterion=name, bootstrap=False, max_features=None, min_samples_leaf=2)
        y = np.digitize(signal, [-0.5, 0.5] if criterion == "three" else [0])
    tree.fit(X, y, sample_weight=weights)
    forest.fit(X, y, sample_weight=weights)
    assert forest.trees_[0].n_leaves == tree.tree_.n_leaves
    if criterion == "squared_error":
        assert np.allclose(forest.predict(X), tree.predict(X))
    else:
        assert np.allclose(forest.predict_proba(X), tree.predict_proba(X))


# ---------------------------------------------------------------- out of bag
def test_the_share_of_rows_that_a_tree_does_not_see() -> None:
    X, classes, _ = mixed_table(2000)
    model = tw.RandomForestClassifier(30, random_state=1).fit(X, classes)
    unseen = np.mean([[count == 0 for count in counts] for counts in draws_of(model, X, classes)])
    assert unseen == pytest.approx((1 - 1 / 2000) ** 2000, abs=0.005)


@pytest.mark.parametrize("voting", ["mean", "vote"])
def test_out_of_bag_shares_are_those_of_the_trees_that_did_not_see_the_row(voting: str) -> None:
    X, classes, _ = mixed_table(60)
    model = tw.RandomForestClassifier(40, oob_score=True, random_state=4, voting=voting).fit(X, classes)
    sums, trees = np.zeros((60, 3)), np.zeros(60)
    for counts, nodes, tree in zip(draws_of(model, X, classes), model.apply(X).T, model.trees_, strict=True):
        for row, count in enumerate(counts):
            if count:
                continue
            weights = np.zeros(3)
            for label, weight in tree.node(int(nodes[row])).counts.items():
                weights[label] = weight
            sums[row] += weights / weights.sum() if voting == "mean" else np.eye(3)[weights.argmax()]
            trees[row] += 1
    assert np.allclose(model.oob_decision_function_, sums / trees[:, None])
    assert model.oob_score_ == pytest.approx(np.mean(sums.argmax(axis=1) == classes))


def test_out_of_bag_numbers_are_those_of_the_trees_that_did_not_see_the_row() -> None:
    X, _, numbers = mixed_table(60)
    model = tw.RandomForestRegressor(40, oob_score=True, random_state=4).fit(X, numbers)
    unseen = np.array(draws_of(model, X, numbers)) == 0
    nodes = model.apply(X).T
    answers = np.array(
        [[tree.node(int(node)).mean for node in own] for tree, own in zip(model.trees_, nodes, strict=True)]
    )
    by_hand = (answers * unseen).sum(axis=0) / unseen.sum(axis=0)
    assert np.allclose(model.oob_prediction_, by_hand)
    assert model.oob_score_ == pytest.approx(1 - np.mean((numbers - by_hand) ** 2) / numbers.var())


def test_rows_that_every_tree_saw_have_no_answer_out_of_bag() -> None:
    X, classes, _ = mixed_table(50)
    with pytest.warns(UserWarning, match="in the bag of every tree"):
        model = tw.RandomForestClassifier(1, oob_score=True, random_state=1).fit(X, classes)
    assert np.isnan(model.oob_decision_function_).any()


def test_without_drawing_there_is_no_out_of_bag() -> None:
    X, classes, _ = mixed_table(50)
    with pytest.raises(DataError, match="bootstrap=True"):
        tw.ExtraTreesClassifier(3, oob_score=True).fit(X, classes)
    with pytest.raises(DataError, match="bootstrap=True"):
        tw.ExtraTreesClassifier(3).fit(X, classes).unbiased_importance(X, classes)


# ---------------------------------------------------------------- drawing
def test_a_balanced_tree_draws_as_many_rows_of_every_class() -> None:
    X, classes, _ = mixed_table(500)
    model = tw.RandomForestClassifier(5, balanced_sampling=True, random_state=1).fit(X, classes)
    fewest = np.bincount(classes).min()
    for tree in model.trees_:
        assert set(tree.root.counts.values()) == {fewest}


def test_balanced_classes_weigh_the_same_in_every_tree() -> None:
    X, classes, _ = mixed_table(500)
    model = tw.RandomForestClassifier(5, class_weight="balanced_subsample", random_state=1).fit(X, classes)
    for tree in model.trees_:
        assert np.allclose(list(tree.root.counts.values()), 500 / 3)


def test_class_weights_multiply_what_was_drawn() -> None:
    X, classes, _ = mixed_table(300)
    plain = tw.RandomForestClassifier(3, random_state=1).fit(X, classes)
    heavy = tw.RandomForestClassifier(3, random_state=1, class_weight={1: 2.5, 2: 0}).fit(X, classes)
    for one, other in zip(plain.trees_, heavy.trees_, strict=True):
        assert other.root.counts[1] == pytest.approx(2.5 * one.root.counts[1])
        assert other.root.counts.get(2, 0) == 0


@pytest.mark.parametrize(("bootstrap", "max_samples", "drawn"), [(True, 30, 30), (True, 0.5, 50), (False, 0.25, 25)])
def test_max_samples_rows_are_drawn(bootstrap: bool, max_samples: float, drawn: int) -> None:
    X, classes, _ = mixed_table(100)
    model = tw.RandomForestClassifier(4, bootstrap=bootstrap, max_samples=max_samples, random_state=1).fit(X, classes)
    assert all(sum(tree.root.counts.values()) == drawn for tree in model.trees_)
    if not bootstrap:
        assert all(tree.root.n == drawn for tree in model.trees_)


def test_more_rows_than_there_are_cannot_be_drawn() -> None:
    X, classes, _ = mixed_table(20)
    with pytest.raises(DataError, match="max_samples=21"):
        tw.RandomForestClassifier(max_samples=21).fit(X, classes)


@pytest.mark.parametrize("oob_score", [False, True])
def test_a_warm_start_ends_where_all_at_once_does(oob_score: bool) -> None:
    X, classes, _ = mixed_table(200)
    model = tw.RandomForestClassifier(20, warm_start=True, oob_score=oob_score, random_state=1).fit(X, classes)
    model.set_params(n_estimators=35).fit(X, classes)
    whole = tw.RandomForestClassifier(35, warm_start=True, oob_score=oob_score, random_state=1).fit(X, classes)
    assert model.fingerprint() == whole.fingerprint()
    with pytest.raises(DataError, match="Raise n_estimators"):
        model.set_params(n_estimators=3).fit(X, classes)


# ---------------------------------------------------------------- levels
def test_many_levels_without_effect_do_not_win() -> None:
    rng = np.random.default_rng(0)
    n = 4000
    X = pd.DataFrame({"id": np.char.add("c", rng.integers(0, 1500, n).astype(str)), "x": rng.normal(size=n)})
    y = (X["x"] + rng.normal(size=n) > 0).to_numpy()
    model = tw.RandomForestClassifier(20, min_samples_leaf=5, max_features=None, random_state=1).fit(X, y)
    assert model.feature_importances_[1] > 0.9


def test_many_levels_with_effect_are_found() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 500, 8000)
    X = pd.DataFrame({"shop": np.char.add("s", codes.astype(str)), "noise": rng.normal(size=8000)})
    for y in ((codes % 3 == 0).astype(int), codes % 3, (codes % 3) * 1.5):
        kind = tw.RandomForestRegressor if y.dtype == float else tw.RandomForestClassifier
        model = kind(10, max_features=None, random_state=1).fit(X, y)
        assert model.score(X, y) > 0.98


def test_more_than_65535_levels_are_learnt() -> None:
    number = np.random.default_rng(0).permutation(70_000)
    X = pd.DataFrame({"who": np.char.add("c", number.astype(str)), "x": (number % 7).astype(float)})
    model = tw.RandomForestClassifier(2, max_depth=4, random_state=1).fit(X, number % 7 > 3)
    assert model.score(X, number % 7 > 3) > 0.9


def test_more_than_65535_numbers_are_cut_nearly_everywhere() -> None:
    x = np.random.default_rng(0).permutation(200_000).astype(float)
    y = x > 77_777
    for kind in (tw.RandomForestClassifier, tw.ExtraTreesClassifier):
        assert kind(3, random_state=1).fit(x[:, None], y).score(x[:, None], y) > 0.9999


def test_a_level_that_was_never_seen_is_answered() -> None:
    X, classes, _ = mixed_table(300)
    model = tw.RandomForestClassifier(10, random_state=1).fit(X, classes)
    assert model.predict_proba(pd.DataFrame({"a": [0.0], "b": [1.0], "c": [0.0], "d": ["new"]})).sum() == pytest.approx(
        1
    )


# ---------------------------------------------------------------- importance, neighbours, quantiles
def test_unbiased_importance_gives_nothing_to_noise() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 1000), rng.normal(size=1000)])
    classes, numbers = X[:, 0] + (rng.random(1000) < 0.3) > 0.5, X[:, 0] + rng.normal(size=1000)
    for kind, y in ((tw.RandomForestClassifier, classes), (tw.RandomForestRegressor, numbers)):
        model = kind(60, max_features=None, random_state=1).fit(X, y)
        found = model.unbiased_importance(X, y)
        assert model.feature_importances_[1] > 0.4
        assert abs(found.importances_mean[1]) < 0.15 * found.importances_mean[0]
        assert found.importances.shape == (2, 60)
        dealt = model.permutation_importance(X, y)
        assert dealt.importances_mean[0] > 5 * abs(dealt.importances_mean[1]) > 0


def test_unbiased_importance_by_hand() -> None:
    X, _, numbers = mixed_table(80)
    model = tw.RandomForestRegressor(3, random_state=2).fit(X, numbers)
    found = model.unbiased_importance(X, numbers).importances
    paths, starts = model.decision_path(X)
    for number, (counts, tree) in enumerate(zip(draws_of(model, X, numbers), model.trees_, strict=True)):
        by_hand = np.zeros(4)
        unseen = [row for row, count in enumerate(counts) if count == 0]
        mean, column = tree.arrays["value"], tree.arrays["column"]
        for row in unseen:
            path = np.flatnonzero(paths[row, starts[number] : starts[number + 1]].toarray())
            for node, child in pairwise(path):
                by_hand[column[node]] += (mean[child] - mean[node]) * (numbers[row] - mean[0]) / len(unseen)
        assert np.allclose(found[:, number], by_hand)


def test_importance_does_not_depend_on_the_order_of_rows() -> None:
    X, classes, _ = mixed_table(200)
    order = np.random.default_rng(1).permutation(200)
    model = tw.RandomForestClassifier(5, random_state=1).fit(X, classes)
    one = model.unbiased_importance(X, classes).importances
    other = model.unbiased_importance(X.iloc[order].reset_index(drop=True), classes[order]).importances
    assert np.allclose(one, other)


def test_proximities_by_hand() -> None:
    X, classes, _ = mixed_table(60)
    model = tw.RandomForestClassifier(15, random_state=1).fit(X, classes)
    nodes = model.apply(X)
    whole = (nodes[:, None, :] == nodes[None, :, :]).mean(axis=2)
    assert np.allclose(model.proximities(X, k=60).toarray(), whole)
    few = model.proximities(X[:7], X, k=4)
    assert few.shape == (7, 60)
    assert np.allclose(np.sort(few.toarray(), axis=1)[:, -4:], np.sort(whole[:7], axis=1)[:, -4:])
    with pytest.raises(DataError, match="k=0"):
        model.proximities(X, k=0)


def test_quantiles_by_hand() -> None:
    X, _, numbers = mixed_table(60)
    model = tw.RandomForestRegressor(15, quantiles=True, min_samples_leaf=3, random_state=1).fit(X, numbers)
    nodes = model.apply(X)
    same = nodes[:, None, :] == nodes[None, :, :]
    weights = (same / same.sum(axis=1, keepdims=True)).mean(axis=2)
    order = np.argsort(numbers, kind="stable")
    for share in (0.0, 0.1, 0.5, 0.9, 1.0):
        reached = np.cumsum(weights[:, order], axis=1) >= share - 1e-9
        reached &= weights[:, order] > 0
        by_hand = numbers[order][reached.argmax(axis=1)]
        assert np.allclose(model.predict_quantiles(X, [share])[:, 0], by_hand)
    loaded = load_bytes(model._tw_bytes())
    assert np.array_equal(loaded.predict_quantiles(X), model.predict_quantiles(X))
    with pytest.raises(DataError, match="quantiles=True"):
        tw.RandomForestRegressor(2).fit(X, numbers).predict_quantiles(X)
    with pytest.raises(DataError, match="between 0 and 1"):
        model.predict_quantiles(X, [2])


@pytest.mark.parametrize("kind", FORESTS)
def test_a_forest_is_saved_and_comes_back(kind: type) -> None:
    X, classes, numbers = mixed_table(200)
    model = kind(4, random_state=1).fit(X, target_of(kind, classes, numbers))
    loaded = load_bytes(model._tw_bytes())
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.fingerprint() == model.fingerprint()
    assert str(loaded.trees_[0]) == str(model.trees_[0])
    assert model.predict_one(X.iloc[0].to_dict()) == model.predict(X[:1])[0]


# ---------------------------------------------------------------- what is kept and shown
@pytest.mark.parametrize("kind", FORESTS)
def test_the_answers_out_of_bag_are_saved_with_the_model_and_not_cloned(kind: type) -> None:
    X, classes, numbers = mixed_table(120)
    model = kind(6, bootstrap=True, max_samples=0.3, oob_score=True).fit(X, target_of(kind, classes, numbers))
    name = "oob_decision_function_" if hasattr(model, "classes_") else "oob_prediction_"
    for again in (pickle.loads(pickle.dumps(model)), deepcopy(model), load_bytes(model._tw_bytes())):
        assert np.array_equal(getattr(again, name), getattr(model, name), equal_nan=True)
        assert again.oob_score_ == model.oob_score_
        assert again.fingerprint() == model.fingerprint()
    assert not hasattr(clone(model), name)
    assert not hasattr(clone(model), "oob_score_")


@pytest.mark.parametrize("kind", FORESTS)
def test_a_file_with_answers_out_of_bag_that_are_none_is_refused(kind: type) -> None:
    X, classes, numbers = mixed_table(120)
    model = kind(6, bootstrap=True, max_samples=0.3, oob_score=True).fit(X, target_of(kind, classes, numbers))
    name = "oob_decision_function_" if hasattr(model, "classes_") else "oob_prediction_"
    setattr(model, name, np.zeros((2, 7, 1)))
    with pytest.raises(ModelFileError, match=f"its {name} has 3 axes and not"):
        load_bytes(model._tw_bytes())


@pytest.mark.parametrize("splitter", ["axis", "oblique"])
@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.RandomForestRegressor])
def test_the_bar_is_told_the_score_out_of_bag(kind: type, splitter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, classes, numbers = mixed_table(300)
    seen: list[Any] = []

    def watch(progress: Any, *_: Any) -> Any:
        seen.append(progress)
        return nullcontext()

    monkeypatch.setattr(ensemble_model, "show_progress", watch)
    y, weights = target_of(kind, classes, numbers), np.arange(300) % 3 + 0.5
    model = kind(40, splitter=splitter, oob_score=True).fit(X, y, sample_weight=weights)
    assert (seen[0].done, seen[0].total) == (40, 40)
    assert seen[0].score == pytest.approx(model.oob_score_, abs=1e-6)
    kind(3, splitter=splitter).fit(X, y)
    assert np.isnan(seen[1].score)


@pytest.mark.parametrize("kind", [tw.RandomForestRegressor, tw.ExtraTreesRegressor])
@pytest.mark.parametrize("max_features", [None, 2])
def test_columns_that_are_level_share_the_nodes(kind: Any, max_features: int | None) -> None:
    x = np.random.default_rng(0).normal(size=(200, 1)).round(2)
    y = np.sin(3 * x[:, 0]).round(2)
    forest = kind(20, max_features=max_features, bootstrap=True).fit(np.hstack([x, x, x]), y)
    used = np.bincount(np.concatenate([tree.arrays["column"][tree.arrays["column"] >= 0] for tree in forest.trees_]))
    assert (used > used.sum() / 4).all()


def test_a_forest_that_draws_nothing_breaks_ties_as_a_single_tree() -> None:
    x = np.arange(50.0)[:, None]
    forest = tw.RandomForestRegressor(2, bootstrap=False, max_features=None).fit(np.hstack([x, x]), x[:, 0] % 7)
    assert all((tree.arrays["column"] <= 0).all() for tree in forest.trees_)
