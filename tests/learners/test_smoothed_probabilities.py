"""Probabilities of single trees and of neighbours that are drawn towards the shares of more rows; answers stay."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.learners.trees.asked_tree import open_asked
from treewright.learners.trees.smoothed_shares import smoothed_shares
from treewright.table.frame import open_frame


def _by_definition(model: Any, smoothing: float) -> list[list[float]]:
    """Equation 1 of the paper, node by node, from the counts that the tree shows."""
    found: dict[int, list[float]] = {}
    raw: dict[int, list[float]] = {}
    size: dict[int, float] = {}
    nodes = [model.tree_.node(i) for i in range(model.tree_.n_nodes)]
    parent = {child.id: node.id for node in nodes for child in node.children}
    for node in nodes:
        counts = [float(node.counts.get(label, 0)) for label in model.classes_.tolist()]
        size[node.id] = sum(counts)
        raw[node.id] = [count / size[node.id] for count in counts]
        if node.id not in parent:
            found[node.id] = [(count + 1) / (size[node.id] + len(counts)) for count in counts]
            continue
        above = parent[node.id]
        found[node.id] = [
            higher + (own - before) / (1 + smoothing / size[above])
            for higher, own, before in zip(found[above], raw[node.id], raw[above], strict=True)
        ]
    shares = [[max(share, 0.0) for share in found[node.id]] for node in nodes]
    return [[share / math.fsum(row) for share in row] for row in shares]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 2)), min_size=2), st.floats(0.1, 50))
def test_smoothed_shares_are_those_of_the_definition(rows: list[tuple[int, int, int]], smoothing: float) -> None:
    X, y = [[a, b] for a, b, _ in rows], ["abc"[c] for _, _, c in rows]
    model = tw.DecisionTreeClassifier(smoothing=smoothing).fit(X, y)
    expected = np.array(_by_definition(model, smoothing))
    np.testing.assert_allclose(smoothed_shares(model.tree_.core, smoothing), expected, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), expected[model.apply(X)], atol=1e-12)
    plain = tw.DecisionTreeClassifier().fit(X, y)
    assert model.predict(X).tolist() == plain.predict(X).tolist()
    assert model.tree_.to_text() == plain.tree_.to_text()


def test_a_row_that_goes_down_several_branches_gets_the_mixture() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    model = tw.DecisionTreeClassifier(missing="fractional", max_depth=4, smoothing=5.0).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares > 0).all()


def test_the_quick_door_and_exports_say_the_same(tmp_path: Path) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=3, smoothing=10.0).fit(X, y)
    tw.save(model, tmp_path / "iris.tw")
    asked = open_asked(tmp_path / "iris.tw")
    assert asked is not None
    assert np.array_equal(asked.predict_proba(asked.encoder.encode(open_frame(X))), model.predict_proba(X))
    assert np.array_equal(tw.load(tmp_path / "iris.tw").predict_proba(X), model.predict_proba(X))
    assert tw.export(model, tmp_path / "iris.py").proven


def test_a_chain_of_many_nodes_is_smoothed_too() -> None:
    n = 3000
    model = tw.DecisionTreeClassifier(smoothing=1.0).fit(np.arange(n)[:, None], np.arange(n) % 2)
    np.testing.assert_allclose(model.predict_proba(np.arange(n)[:, None]).sum(axis=1), 1.0)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_count_some_of_all_rows_and_answer_as_before(weights: str) -> None:
    X, y = tw.datasets.load_glass(return_X_y=True)
    plain = tw.KNeighborsClassifier(5, weights=weights).fit(X, y)
    smooth = tw.KNeighborsClassifier(5, weights=weights, smoothing=2.0).fit(X, y)
    shares = np.array([(y == label).mean() for label in plain.classes_])
    np.testing.assert_allclose(smooth.predict_proba(X), (5 * plain.predict_proba(X) + 2 * shares) / 7)
    assert smooth.predict(X).tolist() == plain.predict(X).tolist()
    assert [smooth.predict_one(dict(row)) for _, row in X[:5].iterrows()] == plain.predict(X[:5]).tolist()


def test_the_command_line_and_compare_begin_with_smoothed_probabilities() -> None:
    from treewright.model_selection.task import named_estimator

    assert named_estimator("cart", "classification").smoothing == 10.0
    assert named_estimator("knn", "classification").get_params()["n_neighbors"] == "cv"
    assert named_estimator("knn", "regression").get_params()["n_neighbors"] == "cv"
    assert named_estimator("logistic", "classification").standardize
    assert tw.DecisionTreeClassifier().smoothing == 0.0
