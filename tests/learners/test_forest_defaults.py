"""What forests do where nothing is said: settings, those that held-out rows judge, shrunk classes, the way back."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.errors import DataError
from treewright.learners.forest.judged_settings import JudgedForests, Smoothness
from treewright.learners.forest.settings import blocks_to_judge, blocks_to_shrink, chooses, n_trees_of, with_defaults
from treewright.table.frame import open_frame

SHIP, SURVIVED = tw.datasets.load_titanic(return_X_y=True)
IRIS, KIND = tw.datasets.load_iris(return_X_y=True)
HOUSES, PRICE = tw.datasets.load_boston(return_X_y=True)
KINDS = (tw.RandomForestClassifier, tw.ExtraTreesClassifier)


def settings_of(model: Any) -> tuple[float, ...]:
    names = ("n_estimators_", "max_features_", "min_samples_leaf_", "shrinkage_")
    return tuple(getattr(model, name) for name in names if hasattr(model, name))


def encoded(model: Any, X: Any, y: Any, weights: Any = None, groups: Any = None) -> Any:
    return model._encode(open_frame(model._table(X)), y, weights, groups)


# ---------------------------------------------------------------- what "auto" stands for
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [{"n_estimators": 7}, {"n_estimators": 7, "preset": "scikit-learn"}])
def test_a_given_number_of_trees_keeps_the_defaults_of_scikit_learn(kind: type, given: dict[str, Any]) -> None:
    model = kind(**given).fit(IRIS, KIND)
    assert settings_of(model) == (7, 2, 1, 0.0)
    written_out = kind(7, max_features="sqrt", min_samples_leaf=1, shrinkage=0.0).fit(IRIS, KIND)
    assert (model.predict_proba(IRIS) == written_out.predict_proba(IRIS)).all()


def test_the_preset_takes_a_hundred_trees_and_all_columns_for_numbers() -> None:
    assert settings_of(tw.RandomForestRegressor(preset="scikit-learn").fit(HOUSES, PRICE)) == (100, 13, 1)
    assert settings_of(tw.RandomForestClassifier(preset="scikit-learn").fit(IRIS, KIND)) == (100, 2, 1, 0.0)


def test_forests_of_numbers_judge_their_columns_and_extra_trees_take_all() -> None:
    model = tw.RandomForestRegressor()
    judged = JudgedForests(with_defaults(model), encoded(model, HOUSES, PRICE))
    losses = {columns: judged.loss(columns, Smoothness(1, None)) for columns in (6, 10, 13, 3)}
    assert settings_of(model.fit(HOUSES, PRICE)) == (300, min(losses, key=losses.__getitem__), 1)
    assert settings_of(tw.ExtraTreesRegressor().fit(HOUSES, PRICE)) == (300, 13, 1)
    assert settings_of(tw.ExtraTreesRegressor(max_features=3, min_samples_leaf=4).fit(HOUSES, PRICE)) == (300, 3, 4)


@pytest.mark.parametrize(
    ("given", "n_rows", "chosen"),
    [
        ({}, 40, True),
        ({}, 39, False),
        ({}, 60_000, True),
        ({}, 60_001, False),
        ({"n_estimators": 300}, 1_000, False),
        ({"preset": "scikit-learn"}, 1_000, False),
        ({"warm_start": True}, 1_000, False),
        ({"splitter": "oblique"}, 1_000, False),
        ({"voting": "vote"}, 1_000, False),
        ({"monotonic_cst": [1]}, 1_000, False),
        ({"monotonic_cst": [0]}, 1_000, True),
        ({"max_features": 1, "min_samples_leaf": 2, "shrinkage": 0}, 1_000, True),
    ],
)
def test_settings_are_chosen_where_the_rows_can_judge(given: dict[str, Any], n_rows: int, chosen: bool) -> None:
    model = tw.RandomForestClassifier(**given)
    training = encoded(model, np.arange(n_rows, dtype=float)[:, None], np.arange(n_rows) % 2)
    assert chooses(model, training) is chosen
    assert n_trees_of(model, training) == (300 if chosen or "n_estimators" in given else 100)
    assert bool(blocks_to_judge(model, training)) is chosen


def test_whole_weights_count_as_rows() -> None:
    model = tw.RandomForestClassifier()
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    assert chooses(model, encoded(model, X, y, np.full(20, 2.0)))
    assert not chooses(model, encoded(model, X, y, np.full(20, 1.5)))


def test_what_is_given_is_kept_and_the_rest_is_judged() -> None:
    found = settings_of(tw.RandomForestClassifier(max_features=1, min_samples_leaf=3).fit(IRIS, KIND))
    assert found[:3] == (300, 1, 3)
    assert found[3] in (1, 3, 10, 30)
    assert settings_of(tw.RandomForestClassifier(shrinkage=2, max_features=None).fit(IRIS, KIND)) == (300, 4, 1, 2.0)


def test_with_many_classes_leaves_are_judged_and_nothing_is_shrunk() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)).round(3)
    y = np.digitize(X[:, 0], np.linspace(-1.5, 1.5, 10))  # eleven classes
    _, _, leaf, shrinkage = settings_of(tw.RandomForestClassifier().fit(X, y))
    assert leaf in (1, 2, 5)
    assert shrinkage == 0


def test_the_judged_setting_is_that_of_the_least_loss() -> None:
    model = tw.RandomForestClassifier()
    judged = JudgedForests(with_defaults(model), encoded(model, SHIP, SURVIVED))
    ways = [Smoothness(1, shrinkage) for shrinkage in (1.0, 3.0, 10.0, 30.0)]
    columns, way = judged.best([1, 2, 3], ways)
    assert judged.loss(1, way) == min(judged.loss(1, each) for each in ways)
    assert judged.loss(columns, way) == min(judged.loss(each, way) for each in (1, 2, 3))


# ---------------------------------------------------------------- the laws
@pytest.mark.parametrize("kind", KINDS)
def test_neither_threads_nor_the_order_of_rows_change_a_byte(kind: type) -> None:
    order = np.random.default_rng(0).permutation(len(SURVIVED))
    one = kind(n_jobs=1).fit(SHIP, SURVIVED)
    others = kind(n_jobs=3).fit(SHIP, SURVIVED), kind().fit(SHIP.iloc[order], SURVIVED.iloc[order])
    assert {model.fingerprint() for model in others} == {one.fingerprint()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [{}, {"class_weight": "balanced"}, {"class_weight": {"virginica": 3.0}}])
def test_a_weight_of_two_is_the_row_twice_for_the_judges_too(kind: type, given: dict[str, Any]) -> None:
    weights: Any = np.arange(len(KIND)) % 4
    twice = np.repeat(np.arange(len(KIND)), weights)
    if given.get("class_weight") == "balanced":  # which counts rows
        weights, twice = np.ones(len(KIND)), np.arange(len(KIND))
    names = {name: value for name, value in given.items() if name != "class_weight" or value == "balanced"}
    names |= {"class_weight": {KIND.unique()[2]: 3.0}} if isinstance(given.get("class_weight"), dict) else {}
    one = kind(**names).fit(IRIS, KIND, sample_weight=weights)
    other = kind(**names).fit(IRIS.iloc[twice], KIND.iloc[twice])
    assert settings_of(one) == settings_of(other)
    assert np.allclose(one.predict_proba(IRIS), other.predict_proba(IRIS), rtol=0, atol=1e-12)


def test_whole_groups_judge() -> None:
    model = tw.RandomForestClassifier()
    groups = np.arange(len(SURVIVED)) % 50
    judged = JudgedForests(with_defaults(model), encoded(model, SHIP, SURVIVED, None, groups))
    held = [set(groups[fold.held]) for fold in judged._folds]
    assert sum(map(len, held)) == len(set().union(*held)) == 50
    for fold in judged._folds:
        learnt = set(groups[fold.part.row_weights > 0])
        assert not learnt & set(groups[fold.held])
    assert tw.RandomForestClassifier().fit(SHIP, SURVIVED, groups=groups).n_groups_ == 50


@pytest.mark.parametrize(
    "given",
    [
        {"max_samples": 0.5},
        {"max_samples": 100},
        {"balanced_sampling": True},
        {"class_weight": "balanced_subsample"},
        {"max_depth": 3},
        {"oob_score": True},
        {"bootstrap": False},
    ],
)
def test_other_parameters_go_with_the_judged_ones(given: dict[str, Any]) -> None:
    model = tw.RandomForestClassifier(**given).fit(SHIP, SURVIVED)
    assert model.n_estimators_ == len(model.trees_) == 300
    assert model.score(SHIP, SURVIVED) > 0.7
    again = clone(model).fit(SHIP, SURVIVED)
    assert again.fingerprint() == model.fingerprint()


def test_as_many_draws_as_there_are_rows_may_be_asked_of_the_judged_forests() -> None:
    model = tw.RandomForestClassifier(max_samples=len(KIND)).fit(IRIS, KIND)
    assert model.n_estimators_ == 300


# ---------------------------------------------------------------- shrunk classes
def shrunk_by_definition(tree: Any, shrinkage: float, classes: np.ndarray) -> dict[int, np.ndarray]:
    """The shares in every leaf, from the counts of a tree that is not shrunk."""
    found = {}
    stack: list[tuple[Any, Any, Any]] = [(tree.root, None, None)]
    while stack:
        node, above, said = stack.pop()
        counts = np.array([node.counts.get(label, 0.0) for label in classes])
        own = counts / counts.sum()
        now = own
        if above is not None:
            now = said + (own - above / above.sum()) / (1 + shrinkage / above.sum())
        if node.is_leaf:
            found[node.id] = now
        stack += [(child, counts, now) for child in node.children]
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shrinkage", [0.5, 20.0])
def test_leaves_hold_the_shrunk_shares_of_the_definition(kind: type, shrinkage: float) -> None:
    plain = kind(4, random_state=3).fit(IRIS, KIND)
    model = kind(4, random_state=3, shrinkage=shrinkage).fit(IRIS, KIND)
    nodes = model.apply(IRIS)
    assert (nodes == plain.apply(IRIS)).all()  # shrinking changes no test
    wanted = np.zeros((len(KIND), 3))
    for number, tree in enumerate(plain.trees_):
        shares = shrunk_by_definition(tree, shrinkage, plain.classes_)
        wanted += np.array([shares[node] for node in nodes[:, number]])
    assert np.allclose(model.predict_proba(IRIS), wanted / 4, atol=1e-12)
    assert (model.predict_proba(IRIS) > 0).all()


def test_what_leaves_hold_together_stays_as_it_was() -> None:
    plain, shrunk = (tw.RandomForestClassifier(3, shrinkage=each).fit(IRIS, KIND) for each in (0.0, 5.0))
    for one, other in zip(plain.trees_, shrunk.trees_, strict=True):
        assert one.root.weight == pytest.approx(other.root.weight)
        assert dict(other.root.counts or {}) == pytest.approx(dict(one.root.counts or {}))
        assert one.root.counts


@pytest.mark.parametrize("given", [{"splitter": "oblique"}, {"monotonic_cst": [1, 0, 0, 0], "class_weight": None}])
def test_forests_that_are_grown_tree_by_tree_refuse_to_shrink(given: dict[str, Any]) -> None:
    two = KIND.iloc[0] != KIND
    with pytest.raises(DataError, match="shrinkage"):
        tw.RandomForestClassifier(3, shrinkage=1.0, **given).fit(IRIS, two)


def test_a_shrunk_forest_goes_on_from_its_trees() -> None:
    model = tw.RandomForestClassifier(4, shrinkage=2.0, warm_start=True).fit(IRIS, KIND)
    model.set_params(n_estimators=9).fit(IRIS, KIND)
    whole = tw.RandomForestClassifier(9, shrinkage=2.0).fit(IRIS, KIND)
    assert (model.predict_proba(IRIS) == whole.predict_proba(IRIS)).all()


# ---------------------------------------------------------------- the way back
@pytest.mark.parametrize("kind", KINDS)
def test_files_pickles_and_explanations_agree(kind: type, tmp_path: Any) -> None:
    model = kind().fit(IRIS, KIND)
    tw.save(model, tmp_path / "forest.tw")
    for again in (tw.load(tmp_path / "forest.tw"), pickle.loads(pickle.dumps(model))):
        assert settings_of(again) == settings_of(model)
        assert (again.predict_proba(IRIS) == model.predict_proba(IRIS)).all()
    row = IRIS.iloc[:1]
    together = model.shap_values(row).sum(axis=1) + model.expected_value
    assert np.allclose(together, model.predict_proba(row), atol=1e-9)


def test_the_rows_of_a_forest_of_chosen_settings_tell_the_importance() -> None:
    noisy = IRIS.assign(noise=np.random.default_rng(0).permutation(len(IRIS)))
    model = tw.RandomForestClassifier().fit(noisy, KIND)
    assert abs(model.permutation_importance(noisy, KIND).importances_mean[-1]) < 0.02
    assert len(model.estimators_samples_) == 300


def test_several_targets_are_not_judged() -> None:
    both = pd.DataFrame({"a": KIND, "b": KIND.iloc[0] == KIND})
    model = tw.RandomForestClassifier().fit(IRIS, both)
    assert [settings_of(one) for one in model.targets_] == [(100, 2, 1, 0.0)] * 2


def test_folds_leave_the_table_as_it_was() -> None:
    model = tw.RandomForestClassifier()
    training = encoded(model, IRIS, KIND)
    before = replace(training)
    JudgedForests(with_defaults(model), training).loss(2, Smoothness(1, 3.0))
    assert training.weights is before.weights is None
    assert model.get_params()["n_estimators"] == "auto"


def test_classes_in_all_leaves_are_counted_before_a_fit() -> None:
    model = tw.RandomForestClassifier(shrinkage=3)
    X = np.arange(3_000.0)[:, None]
    few, many = (blocks_to_shrink(model, encoded(model, X, np.arange(3_000) % k)) for k in (10, 200))
    assert [str(block) for block in few] == ["3,000 rows × 10 classes"]
    assert [str(block) for block in many] == ["3,000 rows × 200 classes", "1,000 leaves × 200 classes × 300 trees"]
    assert not blocks_to_shrink(tw.RandomForestClassifier(shrinkage=0), encoded(model, X, np.arange(3_000) % 3))
