"""On numbers without ties the tree divides the training rows as scikit-learn's does, at every depth.

scikit-learn draws the order of the columns at random and keeps the first of equal splits, so only tables whose
splits all score differently can be compared. In a small node several columns may divide the rows into the very same
two parts, which is a tie; so both trees stop at nodes of fewer than 20 rows and leaves of fewer than 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import tree as peers

import treewright as tw

SIZES = {"min_samples_split": 20, "min_samples_leaf": 5}


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Continuous columns and a noisy numeric target. float32 values, because scikit-learn rounds to them."""
    draw = np.random.default_rng(seed)
    n_rows, n_columns = int(draw.integers(40, 200)), int(draw.integers(1, 6))
    X = draw.normal(size=(n_rows, n_columns)).astype("float32").astype("float64")
    return X, X[:, 0] + np.sin(3 * X[:, -1]) + draw.normal(size=n_rows)


def same_parts(one: Any, other: Any) -> bool:
    """Do two lists of leaf numbers put the same rows together?"""
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def assert_same_parts_at_every_depth(ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Fit both at depth 1, 2, 3 ... until neither grows."""
    depth, deepest = 1, theirs.set_params(max_depth=None).fit(X, y).get_depth()
    while depth <= deepest + 1:
        mine = ours.set_params(max_depth=depth).fit(X, y).apply(X)
        peer = theirs.set_params(max_depth=depth).fit(X, y).apply(X)
        assert same_parts(mine, peer), f"the parts differ at depth {depth}"
        depth += 1


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classifiers_divide_the_rows_alike(criterion: str, classes: int, seed: int) -> None:
    X, numbers = table(seed)
    y = np.searchsorted(np.quantile(numbers, np.arange(1, classes) / classes), numbers)
    ours = tw.DecisionTreeClassifier(criterion=criterion, **SIZES)
    theirs = peers.DecisionTreeClassifier(criterion=criterion, random_state=0, **SIZES)
    assert_same_parts_at_every_depth(ours, theirs, X, y)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_regressors_divide_the_rows_alike(criterion: str, seed: int) -> None:
    X, y = table(seed)
    y = np.exp(y) if criterion == "poisson" else y
    ours = tw.DecisionTreeRegressor(criterion=criterion, **SIZES)
    theirs = peers.DecisionTreeRegressor(criterion=criterion, random_state=0, **SIZES)
    assert_same_parts_at_every_depth(ours, theirs, X, y)


@pytest.mark.parametrize("seed", range(6))
def test_best_first_growth_opens_the_same_nodes(seed: int) -> None:
    X, y = table(seed)
    for leaves in (2, 3, 5, 8):
        mine = tw.DecisionTreeRegressor(max_leaf_nodes=leaves, **SIZES).fit(X, y).apply(X)
        peer = peers.DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0, **SIZES).fit(X, y).apply(X)
        assert same_parts(mine, peer), f"the parts differ with {leaves} leaves"


@pytest.mark.parametrize("seed", range(6))
def test_ccp_alpha_cuts_the_same_branches(seed: int) -> None:
    X, y = table(seed)
    theirs = peers.DecisionTreeRegressor(random_state=0, **SIZES)
    alphas = theirs.cost_complexity_pruning_path(X, y).ccp_alphas
    for alpha in (alphas[:-1] + alphas[1:]) / 2:
        mine = tw.DecisionTreeRegressor(ccp_alpha=alpha, **SIZES).fit(X, y).apply(X)
        peer = theirs.set_params(ccp_alpha=alpha).fit(X, y).apply(X)
        assert same_parts(mine, peer), f"the parts differ at alpha {alpha}"
