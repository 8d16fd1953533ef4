"""`ID3Classifier` on random tables of levels is what ID3 is defined to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of
from properties.tables import tables
from thorough import examples
from treewright.reference.growing import Node
from treewright.reference.id3 import Recipe, grow
from treewright.reference.table import Table


def fit_engine(table: Table, min_gain: float, **more: Any) -> Any:
    """The estimator, with missing values as one more level."""
    model = tw.ID3Classifier(min_gain=min_gain, missing="branch", **more)
    return model.fit(frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype="float64"))


def assert_same_tree(model: Any, nodes: list[Node]) -> None:
    """The same columns, branches, rows and answers."""
    a = model.tree_.arrays
    assert list(a["n_children"]) == [len(node.children) for node in nodes]
    assert list(a["column"]) == [-1 if node.split is None else node.split.column for node in nodes]
    assert list(a["n_rows"]) == [len(node.rows) for node in nodes]
    assert list(a["prediction"]) == [node.answer for node in nodes]
    assert list(a["gain"]) == pytest.approx([float(node.gain) for node in nodes], abs=1e-9)


@given(tables(classes=4, kinds=("nominal",)), st.sampled_from([0.0, 0.0, 0.0, 1e-9, 0.2, 0.9]))
def test_the_tree_is_the_one_that_the_definition_gives(table: Table, min_gain: float) -> None:
    assert_same_tree(fit_engine(table, min_gain), grow(table, Recipe(min_gain, "branch")))


@given(tables(classes=3, kinds=("nominal",)))
@settings(max_examples=examples(40))
def test_threads_do_not_change_the_model(table: Table) -> None:
    assert fit_engine(table, 0.0, n_jobs=1).fingerprint() == fit_engine(table, 0.0, n_jobs=8).fingerprint()
