"""A tree has its arrays under scikit-learn's names, with scikit-learn's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import tree as peers

import treewright as tw

ONE_A_NODE = ("feature", "threshold", "impurity", "n_node_samples", "weighted_n_node_samples")
PLAIN = ("node_count", "max_depth", "n_leaves", "n_features", "n_outputs")


@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_every_array_is_that_of_scikit_learn(kind: str) -> None:
    draw = np.random.default_rng(3)
    X = draw.normal(size=(120, 3)).astype("float32").astype("float64")
    y: Any = X[:, 0] + draw.normal(size=120)
    y, weight = (y > 0).astype(int) if "Classifier" in kind else y, draw.integers(1, 2**20, 120) / 2**20
    asked: dict[str, Any] = {"min_samples_leaf": 10}
    ours = getattr(tw, kind)(**asked).fit(X, y, weight).tree_
    theirs = getattr(peers, kind)(random_state=0, **asked).fit(X, y, weight).tree_
    for name in PLAIN:
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in (*ONE_A_NODE, "children_left", "children_right", "value", "n_classes"):
        assert np.asarray(getattr(ours, name)) == pytest.approx(getattr(theirs, name)), name
    assert np.array_equal(ours.apply(X), theirs.apply(X.astype("float32")))


def test_a_tree_with_more_branches_says_that_left_and_right_do_not_tell() -> None:
    X, y = tw.datasets.load_weather_nominal(return_X_y=True)
    tree = tw.ID3Classifier().fit(X, y).tree_
    with pytest.raises(AttributeError, match="3 branches"):
        tree.children_left  # noqa: B018
    assert tree.feature[0] == 0
    assert np.isnan(tree.threshold[0])


def test_a_leaf_alone_has_no_children() -> None:
    tree = tw.DecisionTreeRegressor().fit([[1], [1]], [1, 2]).tree_
    assert tree.children_left.tolist() == tree.children_right.tolist() == [-1]
    assert tree.value.tolist() == [[[1.5]]]
