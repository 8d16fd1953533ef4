"""The engine that reads tables of counts finds the same binary splits as the one that sorts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from thorough import examples
from treewright import _core
from treewright.table.encode import encode_table
from treewright.table.frame import open_frame


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    cells = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 40))
    number = cells.integers(0, draw(st.integers(2, 9)), n).astype(float)
    number[cells.random(n) < draw(st.sampled_from([0.0, 0.3]))] = np.nan
    frame = pd.DataFrame({"number": number, "other": cells.normal(size=n).round(1)})
    level = cells.choice(list("abcdef"), n).astype(object)
    level[cells.random(n) < draw(st.sampled_from([0.0, 0.3]))] = None
    frame["level"] = level
    weights = cells.integers(1, 4, n).astype(float) if draw(st.booleans()) else None
    return frame, cells.integers(0, 2, n), weights


def grow(frame: pd.DataFrame, target: _core.Target, **recipe: Any) -> dict[str, np.ndarray]:
    table = encode_table(open_frame(frame)).core
    return _core.grow(table, target, {"missing": "larger", **recipe}, 1).arrays()


@settings(max_examples=examples(150), deadline=None)
@given(tables(), st.sampled_from(["gini", "entropy", "squared_error"]), st.integers(1, 3))
def test_both_engines_grow_the_same_tree(
    table: tuple[pd.DataFrame, np.ndarray, np.ndarray | None], criterion: str, leaf: int
) -> None:
    frame, y, weights = table
    if criterion == "squared_error":
        target = _core.Target.numbers(y.astype(float), weights, False)
    else:
        target = _core.Target.classes(y.astype(np.int32), 2, weights)
    sorted_out = grow(frame, target, criterion=criterion, min_samples_leaf=leaf)
    options = {"splitter": "binary_cuts", "options": {"by_ratio": False}}
    counted = grow(frame, target, criterion=criterion, min_samples_leaf=leaf, **options)
    for name in ("n_children", "column", "threshold", "level", "level_branch", "n_rows"):
        np.testing.assert_array_equal(counted[name], sorted_out[name], err_msg=name)
    np.testing.assert_allclose(counted["gain"], sorted_out["gain"], atol=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(tables())
def test_the_pieces_of_spread_rows_add_up(table: tuple[pd.DataFrame, np.ndarray, np.ndarray | None]) -> None:
    frame, y, weights = table
    model = tw.DecisionTreeClassifier(missing="fractional", n_jobs=1).fit(frame, y, weights)
    arrays, tree = model.tree_.arrays, model.tree_.core
    for node in np.flatnonzero(arrays["n_children"]):
        children = tree.children[tree.children_start[node] : tree.children_start[node + 1]]
        assert np.isclose(arrays["weight"][children].sum(), arrays["weight"][node], rtol=1e-12)
    shares = model.predict_proba(frame)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    same = tw.DecisionTreeClassifier(missing="fractional", n_jobs=8).fit(frame, y, weights)
    assert same.fingerprint() == model.fingerprint()


def test_gain_ratio_does_not_fall_for_a_cut_that_sets_one_row_apart() -> None:
    # The first column alone tells the class of one row; the second tells most rows apart.
    frame = pd.DataFrame({"one": [1, 0, 0, 0, 0, 0, 0, 0], "most": [0, 0, 0, 1, 1, 1, 1, 0]})
    y = ["a", "a", "a", "b", "b", "b", "b", "b"]
    model = tw.DecisionTreeClassifier(criterion="gain_ratio", max_depth=1).fit(frame, y)
    assert model.tree_.root.test.column == "most"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"criterion": "twoing", "missing": "fractional"}, "missing='fractional' goes with the criteria"),
        ({"criterion": "gain_ratio", "missing": "branch"}, "criterion='gain_ratio' goes with missing="),
        ({"criterion": "gain_ratio", "keep_candidates": True}, "keep_candidates does not go with"),
    ],
)
def test_what_does_not_go_together_is_said(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tw.DecisionTreeClassifier(**settings).fit([[1], [2]], ["a", "b"])
