"""The neighbours are those of the definition, whatever way they are looked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.neighbours import distance, elected, learn, neighbours, votes
from properties.engine import frame_of
from properties.tables import tables
from thorough import examples
from treewright.learners.base.content_order import order_of_table
from treewright.reference.table import Table

MIXED = ("heom", "gower", "hvdm")


def rows_of(table: Table) -> list[list[Any]]:
    return [[column.values[row] for column in table.columns] for row in range(len(table.target))]


def near_by_definition(table: Table, metric: str, k: int, ties: str = "all") -> list[list[tuple[int, float, float]]]:
    learnt, rows = learn(table, metric), rows_of(table)
    found = []
    for row in rows:
        far = [(round(distance(table, learnt, metric, row, rows[other]), 12), other) for other in table.rows()]
        found.append(neighbours(far, [float(w) for w in table.weights], k, ties))
    return found


def fitted(kind: Any, table: Table, metric: str, k: int, **more: Any) -> Any:
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    model = kind(k, metric=metric, column_kinds=kinds, n_jobs=1, **more)
    return model.fit(frame_of(table), np.array(table.target), np.array(table.weights, dtype=float))


def assert_same_distances(model: Any, table: Table, metric: str, k: int) -> None:
    """The rows are the same too, unless distances are so close that rounding decides."""
    expected = near_by_definition(table, metric, k)
    for row, near in enumerate(expected):
        shown = model.neighbors_table(frame_of(table).iloc[row].tolist())
        assert shown["distance"].tolist() == pytest.approx([far for _, far, _ in near], abs=1e-9)
        if len({round(far, 9) for _, far, _ in near}) == len(near):
            assert shown["row"].tolist() == [number for number, _, _ in near]


@pytest.mark.parametrize("metric", MIXED)
@settings(max_examples=examples(60))
@given(table=tables(classes=3), k=st.integers(1, 6))
def test_distances_of_mixed_rows_are_those_of_the_definition(metric: str, table: Table, k: int) -> None:
    assume(sum(table.weights) >= k)
    assert_same_distances(fitted(tw.KNeighborsClassifier, table, metric, k), table, metric, k)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "standardised"])
@settings(max_examples=examples(40))
@given(table=tables(classes=2, kinds=("numeric",)), k=st.integers(1, 6))
def test_distances_of_numbers_are_those_of_the_definition(metric: str, table: Table, k: int) -> None:
    assume(sum(table.weights) >= k)
    assume(all(value is not None for column in table.columns for value in column.values))
    assert_same_distances(fitted(tw.KNeighborsClassifier, table, metric, k), table, metric, k)


@settings(max_examples=examples(40))
@given(table=tables(classes=2, kinds=("nominal", "ordinal")), k=st.integers(1, 6))
def test_hamming_counts_the_columns_that_differ(table: Table, k: int) -> None:
    assume(sum(table.weights) >= k)
    assert_same_distances(fitted(tw.KNeighborsClassifier, table, "hamming", k), table, "hamming", k)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("ties", ["all", "first"])
@settings(max_examples=examples(60))
@given(table=tables(classes=3, kinds=("nominal",)), k=st.integers(1, 6))
def test_the_elected_class_is_that_of_the_definition(weights: str, ties: str, table: Table, k: int) -> None:
    assume(sum(table.weights) >= k)
    model = fitted(tw.KNeighborsClassifier, table, "hamming", k, weights=weights, ties=ties)
    near = near_by_definition(table, "hamming", k, ties)
    chosen = [elected(rows, weights == "distance", table.target, table.n_classes) for rows in near]
    assert model.predict(frame_of(table)).tolist() == chosen
    shares = model.predict_proba(frame_of(table))
    assert shares.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("ties", ["all", "first"])
@settings(max_examples=examples(40))
@given(table=tables(kinds=("nominal",)), k=st.integers(1, 6))
def test_the_mean_is_that_of_the_definition(weights: str, ties: str, table: Table, k: int) -> None:
    assume(sum(table.weights) >= k)
    model = fitted(tw.KNeighborsRegressor, table, "hamming", k, weights=weights, ties=ties)
    for near, answer in zip(near_by_definition(table, "hamming", k, ties), model.predict(frame_of(table)), strict=True):
        say = votes(near, weights == "distance")
        mean = sum(v * table.target[row] for v, (row, _, _) in zip(say, near, strict=True)) / sum(say)
        assert answer == pytest.approx(mean, abs=1e-9)


def long_table(seed: int, n_rows: int, metric: str) -> tuple[Any, Any]:
    """Rows enough for bounds, tiles and stages: whole numbers for ties, outliers, levels and holes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"n{j}": rng.integers(0, 4 + 30 * j, n_rows) * 0.1 for j in range(3)})
    frame["wide"] = rng.standard_t(1.2, n_rows)
    frame["date"] = 1.7e15 + rng.integers(0, 1000, n_rows)
    if metric in MIXED:
        frame["few"] = pd.Series(rng.choice(list("abc"), n_rows)).mask(rng.random(n_rows) < 0.1)
        frame["many"] = pd.Categorical([f"l{v}" for v in rng.integers(0, 40, n_rows)])
        frame["n1"] = frame["n1"].mask(rng.random(n_rows) < 0.1)
    return frame, rng.integers(0, 3, n_rows)


@pytest.mark.parametrize("metric", ["heom", "gower", "hvdm", "euclidean", "manhattan", "standardised", "mahalanobis"])
@pytest.mark.parametrize("k", [1, 7])
def test_bounds_never_miss_a_neighbour(metric: str, k: int) -> None:
    X, y = long_table(1, 3000, metric)
    model = tw.KNeighborsClassifier(k, metric=metric, algorithm="brute", n_jobs=1).fit(X, y)
    search, queries = model._search, model._search.all_rows.take(slice(40))
    sums, rows = search.nearest(queries, k)
    for query in range(40):
        here = np.full(len(y), query)
        every = search.metric.pair_sums(queries, here, search.all_rows, np.arange(len(y)))
        order = np.lexsort((np.arange(len(y)), every))[:k]
        assert rows[query].tolist() == order.tolist()
        assert sums[query].tolist() == every[order].tolist()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "standardised", "mahalanobis", "heom", "gower"])
@settings(max_examples=examples(15))
@given(seed=st.integers(0, 1000), ties=st.booleans(), k=st.integers(1, 9))
def test_a_k_d_tree_and_looking_at_all_rows_give_the_same(metric: str, seed: int, ties: bool, k: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (700, 3)).astype(float) if ties else rng.normal(size=(700, 3))
    y, asked = rng.integers(0, 2, 700), rng.normal(size=(50, 3)).round(0 if ties else 9)
    by_tree, by_force = (
        tw.KNeighborsClassifier(k, metric=metric, algorithm=way, n_jobs=1).fit(X, y).kneighbors(asked)
        for way in ("kd_tree", "brute")
    )
    assert by_tree[1].tolist() == by_force[1].tolist()
    assert by_tree[0].tolist() == by_force[0].tolist()


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 1000), k=st.integers(1, 9))
def test_all_levels_in_many_columns_with_thousands_of_ties(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.choice(list("ab"), (900, 12)), rng.integers(0, 2, 900)
    model = tw.KNeighborsClassifier(k, metric="hamming", n_jobs=1).fit(X, y)
    far, rows = model.kneighbors(X[:20])
    place = np.argsort(order_of_table(X, y))  # of rows that are equally far the first by content
    for query in range(20):
        differ = (X[query] != X).sum(axis=1)
        assert rows[query].tolist() == np.lexsort((place, differ))[:k].tolist()
        assert far[query].tolist() == np.sort(differ)[:k].tolist()
