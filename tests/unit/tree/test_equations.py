"""Equations of a stored tree: what is wrong with them is refused, and the text says what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.errors import ModelFileError
from treewright.save import to_bytes
from treewright.save.persist import load_bytes


def model() -> tw.ModelTreeRegressor:
    draw = np.random.default_rng(0)
    X = pd.DataFrame({"x": draw.uniform(0, 10, 200), "g": draw.choice(["a", "b", "c"], 200)})
    return tw.ModelTreeRegressor().fit(X, np.where(X["g"] == "a", 5 * X["x"], 20 - X["x"]) + draw.normal(size=200))


def changed(name: str, value: Any) -> dict[str, np.ndarray]:
    arrays = model().tree_.core.arrays()
    arrays[name] = arrays[name].copy()
    arrays[name][0] = value
    return arrays


def test_the_arrays_make_the_same_tree_again() -> None:
    tree = model().tree_.core
    again = _core.Tree(tree.arrays(), 2, 0)
    assert again.has_equations
    assert {name: array.tobytes() for name, array in again.arrays().items()} == {
        name: array.tobytes() for name, array in tree.arrays().items()
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("equation_column", 2.0),
        ("equation_column", -1.0),
        ("equation_column", 0.5),
        ("equation_level", -1.0),
        ("equation_weight", np.nan),
        ("equation_weight", np.inf),
        ("equation_filler", np.nan),
        ("equation_share", 1.5),
        ("equation_start", 1),
        ("intercept", np.nan),
        ("lowest", np.inf),
        ("lowest", 1e9),
        ("highest", -1e9),
    ],
)
def test_a_wrong_number_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"array '{name if name != 'highest' else 'lowest'}"):
        _core.Tree(changed(name, value), 2, 0)


@pytest.mark.parametrize("name", ["intercept", "lowest", "highest", "equation_weight", "equation_share"])
def test_an_array_that_is_absent_is_named(name: str) -> None:
    arrays = model().tree_.core.arrays()
    del arrays[name]
    with pytest.raises(ValueError, match=f"array '{name}' is absent"):
        _core.Tree(arrays, 2, 0)


@pytest.mark.parametrize("level", [0.0, 7.0])
def test_a_level_that_the_column_does_not_have_is_refused(level: float) -> None:
    header, arrays = model()._tw_state()
    place = int(np.flatnonzero(arrays["equation_column"] == 1)[0])
    arrays["equation_level"][place] = level
    with pytest.raises(ModelFileError, match="of column 'g'"):
        load_bytes(to_bytes(header, arrays))


def test_a_tree_of_classes_has_no_equations() -> None:
    arrays = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).tree_.core.arrays()
    equation = {f"equation_{field}": np.zeros(0) for field in ("column", "level", "weight", "filler", "share")}
    start = np.zeros(len(arrays["kind"]) + 1, dtype=np.int64)
    with pytest.raises(ValueError, match="do not belong to a tree of classes"):
        _core.Tree({**arrays, **equation, "equation_start": start}, 1, 2)


def test_a_tree_without_equations_is_not_asked_for_them() -> None:
    tree = tw.DecisionTreeRegressor().fit([[1], [2]], [1, 2]).tree_
    assert not tree.core.has_equations
    assert tree.root.equation is None
    with pytest.raises(ValueError, match="no equations"):
        _core.equation_values_of_matrix(tree.core, np.zeros((1, 1)), 1)


def test_levels_that_cannot_reach_a_leaf_are_not_in_its_equation() -> None:
    tree = model().tree_
    for node in tree.nodes():
        label = node.branch_label or ""
        if node.is_leaf and label.startswith("g is "):
            levels = set(label.removeprefix("g is ").replace(" or ", ", ").split(", "))
            part = slice(*tree.arrays["equation_start"][node.id : node.id + 2])
            codes = tree.arrays["equation_level"][part]
            assert {"abc"[int(code) - 1] for code in codes if code} <= levels
            assert 0 in codes
            break
    else:
        pytest.fail("no leaf is reached by levels")
