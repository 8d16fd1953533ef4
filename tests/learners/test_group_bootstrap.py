"""Groups: rows that belong together are drawn together, and are out of bag together."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import treewright as tw
from oracle.forest import drawn_units
from treewright.errors import DataError

ROWS, GROUPS = 240, 40
KINDS = [
    (tw.RandomForestClassifier, {}),
    (tw.RandomForestClassifier, {"max_samples": 0.5}),
    (tw.RandomForestClassifier, {"max_samples": 11, "bootstrap": False}),
    (tw.RandomForestRegressor, {}),
    (tw.ExtraTreesClassifier, {"bootstrap": True}),
    (tw.RandomForestClassifier, {"splitter": "oblique"}),
    (tw.RandomForestRegressor, {"splitter": "oblique", "max_samples": 0.5, "bootstrap": False}),
]


def visits() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Six visits of each patient: the target is the patient's, and the columns give the patient away."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(GROUPS), ROWS // GROUPS)
    X = rng.normal(size=(GROUPS, 4))[groups] + rng.normal(size=(ROWS, 4)) / 50
    return X, rng.integers(0, 2, GROUPS)[groups], np.array([f"patient {g}" for g in groups])


def answers(model: Any) -> np.ndarray:
    """The answers out of bag, NaN where there is none: one column a class, or one."""
    name = "oob_decision_function_" if hasattr(model, "classes_") else "oob_prediction_"
    return np.asarray(getattr(model, name)).reshape(ROWS, -1)


@pytest.mark.filterwarnings("ignore:.*rows are in the bag of every tree")
@pytest.mark.parametrize(("kind", "params"), KINDS)
def test_a_group_is_out_of_bag_as_a_whole(kind: type, params: dict[str, Any]) -> None:
    X, y, groups = visits()
    model = kind(1, oob_score=True, random_state=5, **params).fit(X, y, groups=groups)
    is_out = np.isfinite(answers(model)[:, 0])
    assert 0 < is_out.sum() < ROWS
    for group in np.unique(groups):
        assert len(set(is_out[groups == group])) == 1


@pytest.mark.parametrize("tree", [0, 4])
def test_groups_are_drawn_by_their_names_as_rows_are_by_their_content(tree: int) -> None:
    X, y, groups = visits()
    model = tw.RandomForestClassifier(5, random_state=5).fit(X, y, groups=groups)
    times = dict(zip(np.unique(groups), drawn_units(5, tree, range(GROUPS), [1] * GROUPS), strict=True))
    by_hand = np.bincount(y, weights=[times[group] for group in groups])
    assert dict(model.trees_[tree].root.class_weights()) == dict(enumerate(by_hand))


@pytest.mark.filterwarnings("ignore:.*rows are in the bag of every tree")
@pytest.mark.parametrize(("params", "n_drawn"), [({}, 40), ({"max_samples": 0.5}, 20), ({"max_samples": 7}, 7)])
@pytest.mark.parametrize("splitter", ["axis", "oblique"])
def test_so_many_groups_are_drawn(params: dict[str, Any], n_drawn: int, splitter: str) -> None:
    X, y, groups = visits()
    model = tw.RandomForestClassifier(2, splitter=splitter, **params).fit(X, y, groups=groups)
    assert [tree.arrays["weight"][0] for tree in model.trees_] == [6 * n_drawn] * 2
    assert model.n_groups_ == GROUPS


def test_groups_make_the_score_out_of_bag_honest() -> None:
    X, y, groups = visits()
    by_row = tw.RandomForestClassifier(60, oob_score=True).fit(X, y).oob_score_
    by_group = tw.RandomForestClassifier(60, oob_score=True).fit(X, y, groups=groups).oob_score_
    assert by_row > 0.95  # another visit of the same patient is in the bag
    assert by_group < 0.75


@pytest.mark.parametrize("splitter", ["axis", "oblique"])
def test_rows_of_a_group_keep_their_weights(splitter: str) -> None:
    X, y, groups = visits()
    weights = np.where(np.arange(ROWS) % 6 == 0, 2.0, 0.0)  # one visit of each patient counts
    model = tw.RandomForestClassifier(3, splitter=splitter).fit(X, y, sample_weight=weights, groups=groups)
    assert [tree.arrays["weight"][0] for tree in model.trees_] == [2 * GROUPS] * 3


def test_the_order_of_rows_does_not_change_the_trees() -> None:
    X, y, groups = visits()
    order = np.random.default_rng(1).permutation(ROWS)
    one = tw.RandomForestClassifier(5).fit(X, y, groups=groups)
    other = tw.RandomForestClassifier(5).fit(X[order], y[order], groups=groups[order])
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_importance_out_of_bag_takes_the_same_groups() -> None:
    X, y, groups = visits()
    model = pickle.loads(pickle.dumps(tw.RandomForestClassifier(40, random_state=1).fit(X, y, groups=groups)))
    by_group = model.permutation_importance(X, y, groups=groups).importances_mean
    assert np.abs(by_group).max() < 0.1  # nothing is learnt about patients that a tree did not see
    with pytest.raises(DataError, match="Pass the same groups as to fit"):
        model.permutation_importance(X, y)


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        (["a"], r"the shape \(1,\), and the table has 3 rows. Give one group for each row"),
        ([["a"], ["a"], ["b"]], r"the shape \(3, 1\)"),
        (np.array(["a", None, "b"], dtype=object), "Row 2 has no group"),
        ([1.0, 2.0, np.nan], "Row 3 has no group"),
        (np.array(["a", 1, "b"], dtype=object), "cannot be put in order"),
    ],
)
def test_bad_groups_are_refused(groups: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        tw.RandomForestClassifier(2).fit([[1], [2], [3]], [0, 1, 0], groups=groups)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (tw.RandomForestClassifier(2, balanced_sampling=True), "Choose one of them"),
        (tw.ExtraTreesClassifier(2), "nothing is drawn. Set bootstrap=True or max_samples"),
        (tw.RandomForestClassifier(2, max_samples=3), "max_samples=3 is more than the 2"),
    ],
)
def test_groups_that_cannot_be_drawn_are_refused(model: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        model.fit([[1], [2], [3]], [0, 1, 0], groups=["a", "a", "b"])
