"""y with several columns: shapes as scikit-learn has them, files, sentences, and what each target is as a model."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.errors import DataError


def table() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Columns, two targets of numbers, and two of classes (three and two of them)."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 60, size=(120, 4)).astype(float)
    numbers = np.column_stack([X[:, 0] + 2 * X[:, 1], X[:, 2] - X[:, 0]]) + rng.integers(0, 5, size=(120, 2))
    return X, numbers, np.column_stack([(numbers[:, 0] > 60).astype(int) + (numbers[:, 0] > 110), numbers[:, 1] > 0])


REGRESSORS = [
    tw.DecisionTreeRegressor(max_depth=4),
    tw.DecisionTreeRegressor(max_features=2, splitter="random"),
    tw.RandomForestRegressor(n_estimators=5, oob_score=True, max_samples=0.5),
    tw.ExtraTreesRegressor(n_estimators=5),
    tw.KNeighborsRegressor(n_neighbors=3),
    tw.LinearRegression(),
    tw.RegularizedRegression(alpha=0.1),
]
CLASSIFIERS = [
    tw.DecisionTreeClassifier(max_depth=4),
    tw.RandomForestClassifier(n_estimators=5, voting="vote"),
    tw.ExtraTreesClassifier(n_estimators=5, class_weight="balanced"),
    tw.KNeighborsClassifier(n_neighbors=3),
]
ids = repr


@pytest.mark.filterwarnings("ignore:.*in the bag of every tree")
@pytest.mark.parametrize("model", REGRESSORS, ids=ids)
def test_numbers_are_answered_side_by_side(model: Any, tmp_path: Path) -> None:
    X, numbers, _ = table()
    fitted = model.fit(X, numbers)
    answers = fitted.predict(X)
    assert answers.shape == (120, 2)
    for t, single in enumerate(fitted.targets_):
        assert np.array_equal(single.predict(X), answers[:, t])
    assert fitted.predict_one(X[7].tolist()) == pytest.approx(answers[7].tolist())
    assert fitted.score(X, numbers) > 0.5
    assert fitted.n_outputs_ == 2
    assert_survives(fitted, X, tmp_path)


@pytest.mark.filterwarnings("ignore:.*in the bag of every tree")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=ids)
def test_classes_are_answered_side_by_side_and_their_shares_in_a_list(model: Any, tmp_path: Path) -> None:
    X, _, labels = table()
    fitted = model.fit(X, labels)
    assert [each.tolist() for each in fitted.classes_] == [[0, 1, 2], [0, 1]]
    assert fitted.n_classes_ == [3, 2]
    shares = fitted.predict_proba(X)
    assert [each.shape for each in shares] == [(120, 3), (120, 2)]
    answers = fitted.predict(X)
    assert (answers == labels).mean() > 0.8
    assert answers[:, 0].tolist() == fitted.targets_[0].predict(X).tolist()
    with np.errstate(divide="ignore"):
        assert np.array_equal(fitted.predict_log_proba(X)[1], np.log(shares[1]))
    assert_survives(fitted, X, tmp_path)


def assert_survives(fitted: Any, X: Any, folder: Path) -> None:
    tw.save(fitted, folder / "several.tw")
    for again in (tw.load(folder / "several.tw"), pickle.loads(pickle.dumps(fitted))):
        assert again.fingerprint() == fitted.fingerprint()
        assert np.array_equal(again.predict(X), fitted.predict(X))
    assert int.from_bytes((folder / "several.tw").read_bytes()[8:12], "little") == 5


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (tw.DecisionTreeRegressor(max_depth=4), DecisionTreeRegressor(max_depth=4, random_state=0)),
        (tw.LinearRegression(), LinearRegression()),
        (tw.KNeighborsRegressor(3, metric="euclidean", ties="first"), KNeighborsRegressor(3)),
    ],
    ids=ids,
)
def test_without_draws_the_answers_are_those_of_scikit_learn(ours: Any, theirs: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).round(6)
    numbers = np.column_stack([X[:, 0] * 3 + X[:, 1] ** 2, X[:, 2] - X[:, 3], X[:, 0] * X[:, 3]])
    assert np.allclose(ours.fit(X, numbers).predict(X), theirs.fit(X, numbers).predict(X))


def test_classes_with_weights_are_those_of_scikit_learn() -> None:
    X, _, labels = table()
    weights = np.arange(120) % 3 + 1
    how: dict[str, Any] = {"max_depth": 3, "class_weight": [{0: 1, 1: 4, 2: 2}, {0: 3, 1: 1}]}
    ours = tw.DecisionTreeClassifier(**how).fit(X, labels, weights)
    theirs = DecisionTreeClassifier(**how, random_state=0).fit(X, labels, weights)
    for mine, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        assert np.allclose(mine, other)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(tw.RandomForestRegressor, RandomForestRegressor), (tw.ExtraTreesRegressor, ExtraTreesRegressor)],
)
def test_a_forest_of_several_targets_is_as_good_as_scikit_learns(ours: Any, theirs: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)).round(6)
    numbers = np.column_stack([X[:, 0] + X[:, 1] ** 2, X[:, 2] - X[:, 0], X[:, 3]])
    mine = ours(50, random_state=0).fit(X[:300], numbers[:300])
    other = theirs(50, random_state=0).fit(X[:300], numbers[:300])
    assert mine.score(X[300:], numbers[300:]) > other.score(X[300:], numbers[300:]) - 0.02
    assert np.allclose(mine.feature_importances_, other.feature_importances_, atol=0.06)


def test_what_is_known_out_of_bag_has_a_column_a_target() -> None:
    X, numbers, labels = table()
    forest = tw.RandomForestRegressor(60, oob_score=True).fit(X, numbers)
    assert forest.oob_prediction_.shape == (120, 2)
    assert forest.oob_score_ == np.mean([each.oob_score_ for each in forest.targets_]) > 0.7
    classes = tw.RandomForestClassifier(60, oob_score=True).fit(X, labels)
    assert [each.shape for each in classes.oob_decision_function_] == [(120, 3), (120, 2)]


def test_growing_on_gives_the_forest_that_growing_at_once_gives() -> None:
    X, numbers, _ = table()
    some = tw.RandomForestRegressor(3, warm_start=True).fit(X, numbers).set_params(n_estimators=8).fit(X, numbers)
    assert some.fingerprint() == tw.RandomForestRegressor(8, warm_start=True).fit(X, numbers).fingerprint()
    with pytest.raises(DataError, match="less than the 8 trees"):
        some.set_params(n_estimators=2).fit(X, numbers)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(threads: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 900, size=(4000, 12)).astype(float)
    numbers = np.column_stack([X[:, 0] + X[:, 1], X[:, 2] * X[:, 3]])
    alone = tw.DecisionTreeRegressor(max_depth=5, n_jobs=1).fit(X, numbers)
    assert tw.DecisionTreeRegressor(max_depth=5, n_jobs=threads).fit(X, numbers).fingerprint() == alone.fingerprint()


def test_frames_with_levels_and_holes_are_taken_and_targets_keep_their_names() -> None:
    frame = pd.DataFrame({"age": [20, 30, None, 50, 60, 70], "job": ["a", "b", "a", None, "b", "b"]})
    targets = pd.DataFrame({"price": [1.0, 2, 1, 5, 6, 6], "size": [3.0, 3, 3, 9, 8, 8]})
    model = tw.DecisionTreeRegressor(max_depth=1).fit(frame, targets)
    assert [each.tree_.schema.target for each in model.targets_] == ["price", "size"]
    assert str(model).startswith("price: mean 3.5")
    assert "size: mean 5.66" in str(model)
    assert model.predict_one({"age": 25}) == pytest.approx([4 / 3, 3.0])


def test_text_classes_in_lists_are_taken() -> None:
    model = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"]])
    assert model.predict([[1], [4]]).tolist() == [["a", "x"], ["b", "y"]]


def test_a_price_of_leaves_cuts_the_tree_of_all_targets() -> None:
    X, numbers, _ = table()
    path = tw.DecisionTreeRegressor().cost_complexity_pruning_path(X, numbers)
    theirs = DecisionTreeRegressor(random_state=0).cost_complexity_pruning_path(X, numbers)
    assert path["impurities"][-1] == pytest.approx(theirs["impurities"][-1])
    cut = tw.DecisionTreeRegressor(ccp_alpha=100.0).fit(X, numbers)
    assert cut.get_n_leaves() == DecisionTreeRegressor(ccp_alpha=100.0, random_state=0).fit(X, numbers).get_n_leaves()
    assert len({each.get_n_leaves() for each in cut.targets_}) == 1


def test_fitting_one_target_again_makes_an_ordinary_model() -> None:
    X, numbers, _ = table()
    model = tw.DecisionTreeRegressor(max_depth=2).fit(X, numbers).fit(X, numbers[:, 0])
    assert model.predict(X).shape == (120,)
    assert model.tree_.n_leaves == 4
    assert not hasattr(model, "targets_")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (tw.DecisionTreeRegressor(criterion="absolute_error"), "gini, entropy .* or squared_error, not by"),
        (tw.DecisionTreeRegressor(missing="surrogates"), "'learn' and 'refuse', not with 'surrogates'"),
        (tw.DecisionTreeRegressor(prune="pessimistic"), "prune='pessimistic' does not go with several targets"),
        (tw.DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0]), "does not go with several targets"),
        (tw.RandomForestRegressor(quantiles=True), "quantiles=True does not go with several targets"),
        (tw.RandomForestRegressor(splitter="oblique"), "splitter='oblique' does not go with several targets"),
        (tw.GradientBoostingRegressor(), "1d array"),
    ],
    ids=ids,
)
def test_what_does_not_go_with_several_targets_is_refused_by_name(model: Any, sentence: str) -> None:
    X, numbers, _ = table()
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, numbers)


def test_class_weights_that_do_not_fit_the_targets_are_refused() -> None:
    X, _, labels = table()
    with pytest.raises(DataError, match="a list with a dict for each"):
        tw.DecisionTreeClassifier(class_weight={0: 2}).fit(X, labels)
    with pytest.raises(DataError, match="1 dicts for 2 targets"):
        tw.DecisionTreeClassifier(class_weight=[{0: 2}]).fit(X, labels)


def test_what_only_one_target_has_says_whom_to_ask() -> None:
    X, numbers, _ = table()
    model = tw.DecisionTreeRegressor(max_depth=2).fit(X, numbers)
    for ask in (lambda: model.why(X[0]), model.rules, lambda: model.shap_values(X), lambda: tw.draw(model)):
        with pytest.raises(DataError, match=r"learnt 2 targets.*targets_\[0\]"):
            ask()
    forest = tw.RandomForestRegressor(3).fit(X, numbers)
    with pytest.raises(AttributeError, match=r"learnt 2 targets.*targets_\[0\]\.trees_"):
        _ = forest.trees_
    assert model.targets_[1].why(X[0]) is not None
    assert tw.draw(model.targets_[1]).to_svg().startswith("<svg")


def test_the_arrays_of_a_tree_of_several_targets_are_named_as_in_scikit_learn() -> None:
    X, numbers, labels = table()
    ours = tw.DecisionTreeRegressor(max_depth=3).fit(X, numbers).tree_
    theirs = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, numbers).tree_
    assert (ours.n_outputs, ours.node_count) == (2, theirs.node_count)
    for name in ("children_left", "feature", "threshold", "impurity", "value", "n_node_samples"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name)), name
    classes = tw.DecisionTreeClassifier(max_depth=2).fit(X, labels).tree_
    assert classes.value.shape == (classes.node_count, 2, 3)
    forest = tw.RandomForestRegressor(3).fit(X, numbers)
    assert len(forest) == 3
    assert np.allclose(np.mean([tree.predict(X) for tree in forest], axis=0), forest.predict(X))


def test_a_damaged_file_of_several_targets_is_refused(tmp_path: Path) -> None:
    from treewright.errors import ModelFileError
    from treewright.save.model_bytes import from_bytes, to_bytes
    from treewright.save.persist import load_bytes

    X, numbers, _ = table()
    header, arrays = from_bytes(tw.DecisionTreeRegressor(max_depth=2).fit(X, numbers)._tw_bytes())
    headers = header["targets"]
    spoilt: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({**header, "targets": []}, arrays),
        ({**header, "targets": headers[:1]}, arrays),
        ({**header, "targets": [headers[0], 7]}, arrays),
        ({**header, "targets": [headers[0], {**headers[1], "shared": ["nothing"]}]}, arrays),
        (header, {**arrays, "target_9_value": np.zeros(7)}),
        (header, {name: array for name, array in arrays.items() if name != "target_1_value"}),
        (header, {**arrays, "target_1_value": np.zeros(3)}),
    ]
    for bad_header, bad_arrays in spoilt:
        with pytest.raises(ModelFileError):
            load_bytes(to_bytes(bad_header, bad_arrays))
