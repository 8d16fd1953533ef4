"""How many cuts a node could have made: one fewer than its rows have different values."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.prune.description_length import bits_of_test, n_values
from treewright.prune.pruner import Grown, TrainingRows
from treewright.table.encode import encode_table
from treewright.table.frame import open_frame


@pytest.mark.parametrize("n_rows", [40, 400])
def test_the_values_of_a_cut_are_counted_among_the_rows_of_its_node(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    X = np.column_stack([rng.integers(0, 5, n_rows), rng.normal(size=n_rows), rng.integers(0, 2, n_rows)]).astype(float)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, n_rows)
    model = tw.DecisionTreeClassifier(missing="larger").fit(X, y)
    table = encode_table(open_frame(X), None, None, 1)
    target = _core.Target.classes(y.astype(np.int32), 2, None)
    rows = TrainingRows(table.core, target, np.arange(n_rows, dtype=np.uint32), 1)
    counted = n_values(Grown(model.tree_.core, model.tree_.schema, "gini", training=rows))
    passes, column = model.decision_path(X).toarray().astype(bool), model.tree_.arrays["column"]
    for node in range(model.tree_.n_nodes):
        if column[node] < 0:
            assert counted[node] == 0
            continue
        here = X[passes[:, node], column[node]]
        assert counted[node] == len(np.unique(here[~np.isnan(here)]))
    at_most = n_values(Grown(model.tree_.core, model.tree_.schema, "gini"))
    assert (counted <= at_most).all()


def test_a_test_costs_its_column_and_its_cut() -> None:
    X, y = np.arange(9.0)[:, None].repeat(4, axis=1), np.arange(9) > 4
    tree = tw.DecisionTreeClassifier().fit(X, y).tree_.core
    assert bits_of_test(tree, np.array([9.0, 0, 0])).tolist() == [np.log2(4) + np.log2(8), 0, 0]


def test_the_training_rows_make_cuts_of_few_values_cheaper() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(200, 8)).astype(float)
    y = (X[:, :3].sum(axis=1) >= 2) ^ (rng.uniform(size=200) < 0.15)
    full = tw.DecisionTreeClassifier().fit(X, y)
    assert full.pruned("mdl").get_n_leaves() < full.pruned("mdl", X, y).get_n_leaves()
    assert full.pruned("mdl", X, y).tree_.to_dict() == tw.DecisionTreeClassifier(prune="mdl").fit(X, y).tree_.to_dict()
    with pytest.raises(ValueError, match="not the rows that the tree was grown from"):
        full.pruned("mdl", X[:100], y[:100])
