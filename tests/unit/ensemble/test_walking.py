"""Rows through ensembles of every shape: wide codes, many groups, deep chains, at every level of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.table.encode import EncodedRows, RowEncoder
from treewright.table.frame import open_frame
from vector_levels import LEVELS, vectors


@pytest.fixture(params=LEVELS, autouse=True)
def level(request: pytest.FixtureRequest) -> Iterator[None]:
    with vectors(request.param):
        yield


def rows_of(encoded: EncodedRows) -> Any:
    return encoded.matrix if encoded.matrix is not None else (encoded.n_rows, encoded.parts)


def assert_nodes_are_those_of_the_trees(models: list[Any], X: Any) -> None:
    cores = [model.tree_.core for model in models]
    ensemble = _core.Ensemble.from_trees(cores, cores[0].n_columns, cores[0].n_classes)
    rows = rows_of(RowEncoder(models[0].tree_.schema).encode(open_frame(X)))
    nodes = _core.ensemble_nodes(ensemble, rows, 1)
    np.testing.assert_array_equal(nodes, np.column_stack([model.apply(X) for model in models]))


def mixed_table(n_rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "skewed": rng.lognormal(sigma=4, size=n_rows),
            "whole": rng.integers(0, 9, n_rows),
            "few": rng.choice(["a", "b", "c", "d"], n_rows),
            "many": np.char.add("m", rng.integers(0, 500, n_rows).astype(str)),
        }
    )
    for name in ("number", "few", "many"):
        table[name] = table[name].astype(object).where(rng.random(n_rows) > 0.1, None)
    return table.astype({"number": float})


@pytest.mark.parametrize("max_depth", [1, 2, 3, 4, 5, 6, 7, 12, None])
def test_mixed_tables_and_trees_of_any_depth(max_depth: int | None) -> None:
    X = mixed_table(3000, 0)
    y = np.random.default_rng(1).integers(0, 3, 3000)
    weights = [np.random.default_rng(k).integers(0, 3, 3000).astype(float) for k in range(5)]
    models = [tw.DecisionTreeClassifier(max_depth=max_depth).fit(X, y, sample_weight=w) for w in weights]
    assert_nodes_are_those_of_the_trees(models, mixed_table(1111, 2))


@pytest.mark.parametrize("max_depth", [2, 3, 5, 6, None])
def test_numbers_only(max_depth: int | None) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(4000, 7)), rng.normal(size=4000)
    X[rng.random(X.shape) < 0.05] = np.nan
    weights = [rng.integers(0, 3, 4000).astype(float) for _ in range(5)]
    models = [tw.DecisionTreeRegressor(max_depth=max_depth).fit(X, y, sample_weight=w) for w in weights]
    new = rng.normal(size=(2500, 7))
    new[::5, 3] = np.nan
    new[::7, 2] = np.inf
    new[::11, 1] = -np.inf
    assert_nodes_are_those_of_the_trees(models, new)
    assert_nodes_are_those_of_the_trees(models, new.astype(np.float32))
    assert_nodes_are_those_of_the_trees(models, np.asfortranarray(new))


def test_a_tree_with_more_cuts_than_16_bits_count() -> None:
    rng = np.random.default_rng(5)
    X = rng.permutation(70_000)[:, None].astype(float)
    big = tw.DecisionTreeRegressor().fit(X, rng.normal(size=70_000))
    small = tw.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0])
    assert big.get_n_leaves() == 70_000
    assert_nodes_are_those_of_the_trees([small, big, small], X[:5000] + 0.25)


def test_trees_whose_cuts_fit_16_bits_only_in_parts() -> None:
    rng = np.random.default_rng(6)
    models = []
    for _ in range(5):
        X = rng.normal(size=(30_000, 1))
        models.append(tw.DecisionTreeRegressor().fit(X, rng.normal(size=30_000)))
    assert_nodes_are_those_of_the_trees(models, rng.normal(size=(3000, 1)))


def test_more_columns_than_14_bits_count() -> None:
    n = 20_000
    arrays = {
        "tree_nodes": np.full(n, 3, dtype=np.uint32),
        "test": np.tile(np.array([0x81, 0, 0], dtype=np.uint8), n),
        "column": np.arange(n, dtype=np.int32),
        "threshold": np.zeros(n),
        "gain": np.zeros(n),
        "n_levels": np.zeros(0, dtype=np.uint32),
        "level": np.zeros(0, dtype=np.uint32),
        "level_branch": np.zeros(0, dtype=np.uint8),
        "n_rows": np.ones(2 * n, dtype=np.uint32),
        "value": np.tile([0.0, 1.0], n),
    }
    rows = np.random.default_rng(9).choice([-1.0, 0.0, 1.0, np.nan], size=(5, n))
    stumps = _core.Ensemble(arrays, n, 0)
    sums = _core.ensemble_sums(stumps, "values", rows, np.zeros(1), 0, n, 0, 1)
    assert sums[:, 0].tolist() == (~(rows <= 0)).sum(axis=1).tolist()
    door = _core.OneRowOfEnsemble(stumps, "values", [0.0], [str(i) for i in range(n)], [None] * n)
    assert door(rows[0].tolist()) == sums[0].tolist()


def test_a_chain_of_many_nodes() -> None:
    n = 20_000
    arrays = {
        "tree_nodes": np.array([2 * n + 1], dtype=np.uint32),
        "test": np.array([1] * n + [0] * (n + 1), dtype=np.uint8),
        "column": np.zeros(n, dtype=np.int32),
        "threshold": np.arange(n, 0, -1, dtype=np.float64),
        "gain": np.zeros(n),
        "n_levels": np.zeros(0, dtype=np.uint32),
        "level": np.zeros(0, dtype=np.uint32),
        "level_branch": np.zeros(0, dtype=np.uint8),
        "n_rows": np.ones(n + 1, dtype=np.uint32),
        "value": np.arange(n + 1, dtype=np.float64),
    }
    chain = _core.Ensemble(arrays, 1, 0)
    sums = _core.ensemble_sums(chain, "values", np.array([[0.5], [7.5], [n + 1.0]]), np.zeros(1), 0, 1, 0, 1)
    assert sums[:, 0].tolist() == [0.0, 7.0, float(n)]
    assert chain.tree(0).n_nodes == 2 * n + 1
    assert chain.sizes()[1].tolist() == [n]


def test_a_leaf_alone_answers_every_row() -> None:
    leaf = tw.DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0]], [5.0, 5.0])
    assert_nodes_are_those_of_the_trees([leaf, leaf], np.array([[1.0], [np.nan], [3.0]]))
    ensemble = _core.Ensemble.from_trees([leaf.tree_.core], 1, 0)
    assert _core.ensemble_sums(ensemble, "values", np.zeros((0, 1)), np.zeros(1), 0, 1, 0, 1).shape == (0, 1)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_sums_are_the_same_on_any_number_of_threads(threads: int) -> None:
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(3000, 5)), rng.normal(size=3000)
    cores = [tw.DecisionTreeRegressor(max_depth=d).fit(X, y).tree_.core for d in range(2, 9)]
    ensemble = _core.Ensemble.from_trees(cores, 5, 0)
    new = rng.normal(size=(40_000, 5))
    one = _core.ensemble_sums(ensemble, "values", new, np.array([0.1, 0.2]), 0, 7, 0, 1)
    np.testing.assert_array_equal(
        _core.ensemble_sums(ensemble, "values", new, np.array([0.1, 0.2]), 0, 7, 0, threads), one
    )
