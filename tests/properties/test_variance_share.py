"""min_variance_share gives the tree that is left when the full one is cut where the impurity is small enough."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw


@pytest.mark.parametrize(
    ("criterion", "rows", "threads"),
    [
        ("squared_error", 40_000, 1),  # large nodes, counted from tables
        ("squared_error", 40_000, 3),
        ("squared_error", 3_000, 1),  # one block
        ("poisson", 40_000, 2),
        ("absolute_error", 3_000, 1),
    ],
)
def test_stopping_early_is_cutting_late(criterion: str, rows: int, threads: int) -> None:
    draw = np.random.default_rng(rows)
    X = draw.normal(size=(rows, 12))
    y = np.exp(X[:, 0]) * (X[:, 1] > 0) + np.abs(X[:, 2])
    weights = draw.choice([1.0, 2.0], rows)
    settings = {"criterion": criterion, "max_depth": 9, "n_jobs": threads}
    full = tw.DecisionTreeRegressor(**settings).fit(X, y, weights).tree_
    stopped = tw.DecisionTreeRegressor(**settings, min_variance_share=0.05).fit(X, y, weights).tree_
    is_small = full.arrays["impurity"] <= 0.05 * full.arrays["impurity"][0] * (1 + 1e-12)
    cut = full.core.cut_at(is_small.astype(np.uint8)).arrays()
    assert 1 < stopped.n_nodes < full.n_nodes
    assert {name: array.tobytes() for name, array in stopped.core.arrays().items()} == {
        name: array.tobytes() for name, array in cut.items()
    }


@pytest.mark.parametrize("missing", ["larger", "surrogates", "fractional", "stop"])
def test_every_rule_for_missing_values_knows_the_share(missing: str) -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    full = tw.DecisionTreeRegressor(missing=missing).fit(X, y).tree_
    stopped = tw.DecisionTreeRegressor(missing=missing, min_variance_share=0.05).fit(X, y).tree_
    least = 0.05 * full.arrays["impurity"][0]
    inner = stopped.arrays["n_children"] > 0
    assert 1 < stopped.n_nodes < full.n_nodes
    assert (stopped.arrays["impurity"][inner] > least).all()


def test_a_share_of_one_splits_nothing_and_of_nought_everything() -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8.0)
    assert tw.DecisionTreeRegressor(min_variance_share=1.0).fit(X, y).get_n_leaves() == 1
    assert tw.DecisionTreeRegressor(min_variance_share=0.0).fit(X, y).get_n_leaves() == 8


def test_a_share_that_is_met_exactly_stops() -> None:
    X, y = np.arange(8.0)[:, None], np.array([0.0, 0, 2, 2, 8, 8, 10, 10])  # variances 17, then 1 and 1
    assert tw.DecisionTreeRegressor(min_variance_share=1 / 17).fit(X, y).get_n_leaves() == 2
    assert tw.DecisionTreeRegressor(min_variance_share=0.99 / 17).fit(X, y).get_n_leaves() == 4


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(ValueError, match="The 'min_variance_share' parameter of DecisionTreeRegressor must be"):
        tw.DecisionTreeRegressor(min_variance_share=1.5).fit([[1], [2]], [1, 2])
