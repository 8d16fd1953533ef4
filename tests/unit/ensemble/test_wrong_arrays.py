"""Arrays that do not make an ensemble are refused with a sentence; nothing in them can crash a reader."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from thorough import examples
from treewright import _core


def ensemble(kind: Any = tw.DecisionTreeClassifier) -> _core.Ensemble:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    if kind is tw.DecisionTreeRegressor:
        y = np.arange(len(X))
    cores = [kind(max_depth=depth).fit(X, y).tree_.core for depth in (2, 4)]
    return _core.Ensemble.from_trees(cores, cores[0].n_columns, cores[0].n_classes)


CLASSES, NUMBERS = ensemble(), ensemble(tw.DecisionTreeRegressor)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("test", lambda a: np.full_like(a, 1), "array 'column' is too short"),
        ("test", lambda a: np.concatenate([a[1:7], a[:1], a[7:]]), "do not make one tree"),
        ("test", lambda a: a | 0x40, "array 'test' of tree 0 is wrong at entry 0|is too short"),
        ("test", lambda a: np.where(np.arange(len(a)) == 0, 5, a), "array 'level_branch' is too long|wrong at entry 0"),
        ("test", lambda a: a[:-1], "array 'test' is too short"),
        ("tree_nodes", lambda a: a[:1], "array 'test' is too long"),
        ("tree_nodes", lambda a: np.append(a, 0), "tree 2 has no nodes"),
        ("column", lambda a: a - 1000, "array 'column' of tree 0 is wrong at entry 0"),
        ("threshold", lambda a: np.full_like(a, np.nan), "array 'threshold' of tree 0 is wrong"),
        ("gain", lambda a: np.full_like(a, np.inf), "array 'gain' of tree 0 is wrong at entry 0"),
        ("level", lambda a: a * 0, "array 'level' of tree 0 is wrong at entry 0"),
        ("level_branch", lambda a: a + 2, "array 'level_branch' of tree 0 is wrong at entry 0"),
        ("n_levels", lambda a: a * 0, "array 'level_branch' is too long"),
        ("n_levels", lambda a: np.append(a[:1] * 0, [a[0] + a[1], *a[2:]]), "array 'level_start' of tree 0 is wrong"),
        ("n_levels", lambda a: a + np.uint32(2**31), "too long"),
        ("n_rows", lambda a: a[1:], "array 'n_rows' is too short"),
        ("n_counts", lambda a: a + 1, "array 'count_class' is too short"),
        ("count_class", lambda a: a + 7, "array 'count_class' of tree 0 is wrong at entry 0"),
        ("count_weight", lambda a: -1 - a, "array 'count_weight' of tree 0 is wrong at entry 0"),
        ("count_weight", lambda a: 0 * a, "array 'count_weight' of tree 0 is wrong at entry 0"),  # leaves of nothing
        (
            "count_weight",
            lambda a: 1e308 + a,
            "array 'count_weight' of tree 0 is wrong at entry 1",
        ),  # together
        ("impurity", lambda a: a * np.nan, "array 'impurity' of tree 0 is wrong at entry 0"),
        ("gain", lambda a: a[:, None], "is not a one-dimensional array of the right type"),
    ],
)
def test_each_wrong_array_is_named(name: str, change: Any, message: str) -> None:
    arrays = CLASSES.arrays()
    arrays[name] = np.asarray(change(arrays[name])).astype(arrays[name].dtype)
    with pytest.raises(ValueError, match=message):
        _core.Ensemble(arrays, CLASSES.n_columns, CLASSES.n_classes)


def test_values_must_be_finite_and_weights_not_negative() -> None:
    for name, message in (("value", "array 'value' of tree 0"), ("weight", "array 'weight' of tree 0")):
        arrays = NUMBERS.arrays()
        arrays["weight"] = arrays.get("weight", arrays["n_rows"].astype(float))
        arrays[name] = np.full_like(arrays[name], -np.inf)
        with pytest.raises(ValueError, match=message):
            _core.Ensemble(arrays, NUMBERS.n_columns, 0)


@settings(max_examples=examples(300), deadline=None, derandomize=True)
@given(data=st.data())
def test_no_change_of_a_few_entries_can_crash_a_reader(data: st.DataObject) -> None:
    """Whatever is accepted can be walked, expanded and measured."""
    source = data.draw(st.sampled_from([CLASSES, NUMBERS]))
    arrays = {name: array.copy() for name, array in source.arrays().items()}
    for _ in range(data.draw(st.integers(1, 4))):
        name = data.draw(st.sampled_from(sorted(arrays)))
        if len(arrays[name]) == 0:
            continue
        place = data.draw(st.integers(0, len(arrays[name]) - 1))
        raw = arrays[name][place : place + 1].view(np.uint8)
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        changed = _core.Ensemble(arrays, source.n_columns, source.n_classes)
    except ValueError:
        return
    rows = np.tile(np.array([[np.nan], [-1.0], [0.0], [1e9]]), (1, source.n_columns))
    outputs = np.zeros(max(1, source.n_classes))
    says = ["shares", "votes"] if source.n_classes else ["values"]
    for kind in says:
        assert _core.ensemble_sums(changed, kind, rows, outputs, 0, changed.n_trees, 0, 1).shape == (4, len(outputs))
    assert _core.ensemble_nodes(changed, rows, 1).shape == (4, changed.n_trees)
    assert [changed.tree(i).n_nodes for i in range(changed.n_trees)] == changed.arrays()["tree_nodes"].tolist()
    changed.column_worth(True)


def test_what_does_not_fit_an_ensemble_is_refused() -> None:
    rows = np.zeros((2, CLASSES.n_columns))
    with pytest.raises(ValueError, match="another number of columns"):
        _core.ensemble_nodes(CLASSES, rows[:, :2], 1)
    with pytest.raises(ValueError, match="there are no such trees"):
        _core.ensemble_sums(CLASSES, "shares", rows, np.zeros(2), 0, 3, 0, 1)
    with pytest.raises(ValueError, match="do not answer like that"):
        _core.ensemble_sums(CLASSES, "values", rows, np.zeros(2), 0, 2, 0, 1)
    with pytest.raises(ValueError, match="another number of outputs"):
        _core.ensemble_sums(CLASSES, "shares", rows, np.zeros(3), 0, 2, 0, 1)
    with pytest.raises(ValueError, match="one start a row"):
        _core.ensemble_sums(CLASSES, "shares", rows, np.zeros((3, 2)), 0, 2, 0, 1)
    with pytest.raises(ValueError, match="values, shares or votes"):
        _core.ensemble_sums(CLASSES, "shouts", rows, np.zeros(2), 0, 2, 0, 1)
    with pytest.raises(ValueError, match="other numbers of columns or classes"):
        CLASSES.extended(NUMBERS)
    with pytest.raises(ValueError, match="there are fewer trees than that"):
        CLASSES.first(3)
    with pytest.raises(IndexError):
        CLASSES.tree(2)


def test_a_tree_with_more_branches_has_no_small_form() -> None:
    X, y = tw.datasets.load_tennis(return_X_y=True)
    core = tw.ID3Classifier().fit(X, y).tree_.core
    with pytest.raises(ValueError, match="has another test than the two branches of a small tree"):
        _core.Ensemble.from_trees([core], core.n_columns, core.n_classes)
