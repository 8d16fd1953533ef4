"""`C45Classifier` on random tables (ties, weights, missing values, levels) is what C4.5 is defined to be."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of
from properties.tables import tables
from thorough import examples
from treewright.reference.c45 import C45, Settings, heaviest
from treewright.reference.error_based import fit
from treewright.reference.growing import Node
from treewright.reference.table import Table

CLOSE = 1e-5  # pieces of rows are counted in fixed point


@st.composite
def c45_settings(draw: st.DrawFn) -> Settings:
    """Any mixture of the parameters; half of them grow with one row a branch, so that trees are not all stumps."""
    reduced_error = draw(st.booleans())
    return Settings(
        variant=draw(st.sampled_from(["j48", "c45"])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 3.5])),
        confidence=draw(st.sampled_from([0.05, 0.25, 0.25, 0.4, 0.6])),
        prune=draw(st.booleans()),
        raise_subtrees=draw(st.booleans()),
        collapse=draw(st.booleans()) or reduced_error,
        binary=draw(st.booleans()),
        subsets=draw(st.booleans()),
        reduced_error=reduced_error,
        laplace=draw(st.booleans()),
        mdl_correction=draw(st.sampled_from([True, False, False])),
        threshold=draw(st.sampled_from(["observed", "midpoint"])),
        value_gap=draw(st.sampled_from([1e-5, 0.5])),
    )


def fit_engine(table: Table, chosen: Settings, **more: Any) -> Any:
    """The estimator with the oracle's numbers."""
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    model = tw.C45Classifier(**asdict(chosen), column_kinds=kinds, **more)
    return model.fit(frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype="float64"))


def asks(node: Node) -> tuple[int, float | None, tuple[tuple[int, int], ...]]:
    """What a node of the oracle asks."""
    if node.split is None:
        return (-1, None, ())
    return node.split.column, next(iter(node.split.cuts), None), tuple(sorted(node.split.levels.items()))


def assert_same_tree(model: Any, root: Node) -> None:
    """The same tests, weights, class weights and answers at every node."""
    a, nodes = model.tree_.arrays, list(root.preorder())
    assert list(a["n_children"]) == [len(node.children) for node in nodes]
    for i, node in enumerate(nodes):
        levels = zip(*(a[name][slice(*a["level_start"][i : i + 2])] for name in ("level", "level_branch")), strict=True)
        threshold = None if np.isnan(a["threshold"][i]) else a["threshold"][i]
        asked = (a["column"][i], threshold, tuple((int(code), int(branch)) for code, branch in levels))
        assert asked == asks(node)
        counts = np.zeros(len(node.tally.counts))
        at = slice(*a["count_start"][i : i + 2])
        counts[a["count_class"][at]] = a["count_weight"][at]
        assert list(counts) == pytest.approx(node.tally.counts, abs=CLOSE)
        assert a["prediction"][i] == node.answer
        assert a["missing_branch"][i] == (-2 if node.children else -1)


@given(tables(classes=4), c45_settings())
def test_the_tree_is_the_one_that_the_definition_gives(table: Table, chosen: Settings) -> None:
    tree, root = fit(table, chosen)
    model = fit_engine(table, chosen)
    assert_same_tree(model, root)
    assert_same_answers(model, table, tree, root)


def assert_same_answers(model: Any, table: Table, tree: C45, root: Node) -> None:
    """The same shares for rows as they are, and for rows without any value."""
    rows = [[column.values[row] for column in table.columns] for row in table.rows()]
    rows.append([None] * len(table.columns))
    shares = np.array([tree.predict(root, row) for row in rows])
    X = frame_of(table).iloc[table.rows()]
    X = pd.concat([X, X.iloc[:1].map(lambda _: None).astype(X.dtypes)], ignore_index=True)
    assert model.predict_proba(X) == pytest.approx(shares, abs=CLOSE)
    if not tree.settings.laplace:
        best_two = np.sort(np.column_stack([shares, np.zeros(len(shares))]), axis=1)[:, -2:]
        sure = best_two[:, 1] - best_two[:, 0] > 10 * CLOSE
        assert list(model.predict(X)[sure]) == [heaviest(list(row)) for row in shares[sure]]


@given(tables(classes=3), c45_settings())
@settings(max_examples=examples(60))
def test_threads_do_not_change_the_model(table: Table, chosen: Settings) -> None:
    assert fit_engine(table, chosen, n_jobs=1).fingerprint() == fit_engine(table, chosen, n_jobs=8).fingerprint()
