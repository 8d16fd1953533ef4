"""On numbers without ties the tree divides the training rows as scikit-learn's does, at every depth.

scikit-learn draws the order of the columns at random and keeps the first of equal splits, so only tables whose
splits all score differently can be compared. Classes are counted, and counts are often equal; so every row has a
random weight. Then two splits score the same only if they divide the rows into the same two parts, and it does not
matter which of them is taken. (The weights are whole multiples of 2^-20, so that sums are exact: scikit-learn goes on
splitting pure nodes whose impurity is not exactly 0 after rounding.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import tree as peers

import treewright as tw
from thorough import some


def table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Continuous columns, a noisy numeric target and weights. float32 values, because scikit-learn rounds to them."""
    draw = np.random.default_rng(seed)
    n_rows, n_columns = int(draw.integers(40, 200)), int(draw.integers(1, 6))
    X = draw.normal(size=(n_rows, n_columns)).astype("float32").astype("float64")
    return X, X[:, 0] + np.sin(3 * X[:, -1]) + draw.normal(size=n_rows), draw.integers(1, 2**20, size=n_rows) / 2**20


def same_parts(one: Any, other: Any) -> bool:
    """Do two lists of leaf numbers put the same rows together?"""
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def assert_same_parts_at_every_depth(ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
    """Fit both at depth 1, 2, 3 ... until neither grows."""
    deepest = theirs.set_params(max_depth=None).fit(X, y, weight).get_depth()
    for depth in range(1, deepest + 2):
        mine = ours.set_params(max_depth=depth).fit(X, y, weight).apply(X)
        peer = theirs.set_params(max_depth=depth).fit(X, y, weight).apply(X)
        assert same_parts(mine, peer), f"the parts differ at depth {depth}"


@pytest.mark.parametrize("seed", some(range(12), 3))
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classifiers_divide_the_rows_alike(criterion: str, classes: int, seed: int) -> None:
    X, numbers, weight = table(seed)
    y = np.searchsorted(np.quantile(numbers, np.arange(1, classes) / classes), numbers)
    ours = tw.DecisionTreeClassifier(criterion=criterion)
    theirs = peers.DecisionTreeClassifier(criterion=criterion, random_state=0)
    assert_same_parts_at_every_depth(ours, theirs, X, y, weight)


@pytest.mark.parametrize("seed", some(range(12), 3))
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_regressors_divide_the_rows_alike(criterion: str, seed: int) -> None:
    X, y, weight = table(seed)
    y = np.exp(y) if criterion == "poisson" else y
    ours = tw.DecisionTreeRegressor(criterion=criterion)
    theirs = peers.DecisionTreeRegressor(criterion=criterion, random_state=0)
    assert_same_parts_at_every_depth(ours, theirs, X, y, weight)


@pytest.mark.parametrize("seed", some(range(6), 3))
def test_best_first_growth_opens_the_same_nodes(seed: int) -> None:
    X, y, weight = table(seed)
    for leaves in (2, 3, 5, 8, 13, 21):
        mine = tw.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X, y, weight).apply(X)
        peer = peers.DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0).fit(X, y, weight).apply(X)
        assert same_parts(mine, peer), f"the parts differ with {leaves} leaves"


@pytest.mark.parametrize("seed", some(range(6), 3))
def test_ccp_alpha_cuts_the_same_branches(seed: int) -> None:
    X, y, weight = table(seed)
    theirs = peers.DecisionTreeRegressor(random_state=0)
    alphas = theirs.cost_complexity_pruning_path(X, y, weight).ccp_alphas[::5]
    for alpha in (alphas[:-1] + alphas[1:]) / 2:
        mine = tw.DecisionTreeRegressor(ccp_alpha=alpha).fit(X, y, weight).apply(X)
        peer = theirs.set_params(ccp_alpha=alpha).fit(X, y, weight).apply(X)
        assert same_parts(mine, peer), f"the parts differ at alpha {alpha}"
