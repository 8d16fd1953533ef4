"""Rows through the trees of an ensemble, and the trees themselves, are what the definitions say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import ensembles as oracle
from properties.small_trees import N_COLUMNS, ensemble_of, joined_arrays, rows_for_core, tables, trees
from treewright import _core


def sums(ensemble: _core.Ensemble, says: str, table: list[list[float]], start: list[float], threads: int = 1) -> list:
    rows = rows_for_core(table)
    return _core.ensemble_sums(ensemble, says, rows, np.array(start), 0, ensemble.n_trees, 0, threads).tolist()


@given(data=st.data(), n_outputs=st.integers(1, 3))
def test_every_tree_adds_the_value_of_its_leaf_to_its_output(data: st.DataObject, n_outputs: int) -> None:
    roots, table = data.draw(st.lists(trees(0), min_size=1, max_size=5)), data.draw(tables())
    start = [0.25 * k for k in range(n_outputs)]
    expected = [list(start) for _ in table]
    for row, row_sums in zip(table, expected, strict=True):
        for i, root in enumerate(roots):
            row_sums[i % n_outputs] += oracle.leaf_of(root, row).value
    ensemble = ensemble_of(roots, 0)
    assert sums(ensemble, "values", table, start) == expected
    door = _core.OneRowOfEnsemble(ensemble, "values", start, [str(i) for i in range(N_COLUMNS)], [None] * N_COLUMNS)
    assert [door(row) for row in table] == expected


@given(data=st.data())
def test_shares_are_added_tree_by_tree(data: st.DataObject) -> None:
    roots, table = data.draw(st.lists(trees(3), min_size=1, max_size=5)), data.draw(tables())
    expected = []
    for row in table:
        total = [0.0, 0.0, 0.0]
        for root in roots:
            for label, share in oracle.shares(oracle.way_of(root, row)).items():
                total[label] += share
        expected.append(total)
    assert sums(ensemble_of(roots, 3), "shares", table, [0.0] * 3) == expected


@given(data=st.data())
def test_a_vote_goes_to_the_class_that_the_ordinary_tree_predicts(data: st.DataObject) -> None:
    roots, table = data.draw(st.lists(trees(3), min_size=1, max_size=4)), data.draw(tables())
    ensemble = ensemble_of(roots, 3)
    expected = np.zeros((len(table), 3))
    for i in range(len(roots)):
        tree = ensemble.tree(i)
        leaves = _core.find_leaves(tree, *rows_for_core(table), 1)
        expected[np.arange(len(table)), tree.arrays()["prediction"][leaves]] += 1
    assert sums(ensemble, "votes", table, [0.0] * 3) == expected.tolist()


@given(data=st.data())
def test_rows_end_in_the_same_nodes_as_in_the_ordinary_trees(data: st.DataObject) -> None:
    roots, table = data.draw(st.lists(trees(0), min_size=1, max_size=4)), data.draw(tables())
    ensemble = ensemble_of(roots, 0)
    nodes = _core.ensemble_nodes(ensemble, rows_for_core(table), 1)
    for i, root in enumerate(roots):
        numbered = list(oracle.preorder(root))
        assert all(numbered[n] is oracle.leaf_of(root, row) for n, row in zip(nodes[:, i], table, strict=True))
        assert nodes[:, i].tolist() == _core.find_leaves(ensemble.tree(i), *rows_for_core(table), 1).tolist()


@given(data=st.data(), n_classes=st.sampled_from([0, 3]))
def test_inner_nodes_are_added_up_from_the_leaves(data: st.DataObject, n_classes: int) -> None:
    root = data.draw(trees(n_classes))
    arrays = ensemble_of([root], n_classes).tree(0).arrays()
    for i, node in enumerate(oracle.preorder(root)):
        leaves = oracle.leaves_below(node)
        assert arrays["n_rows"][i] == sum(leaf.n_rows for leaf in leaves)
        assert arrays["weight"][i] == oracle.weight_of(node)
        if oracle.weight_of(node) > 0 and all(oracle.weight_of(n) > 0 for n in oracle.preorder(node)):
            assert arrays["impurity"][i] == pytest.approx(float(oracle.impurity_of(node)), abs=1e-12)
            if n_classes == 0:
                assert arrays["value"][i] == pytest.approx(float(oracle.mean_value(node)), abs=1e-12)
        if n_classes > 0:
            part = slice(*arrays["count_start"][i : i + 2])
            counts = zip(arrays["count_class"][part].tolist(), arrays["count_weight"][part].tolist(), strict=True)
            assert dict(counts) == oracle.counts_of(node)


@given(data=st.data(), n_classes=st.sampled_from([0, 3]))
def test_an_ensemble_comes_back_from_its_arrays_and_from_its_trees(data: st.DataObject, n_classes: int) -> None:
    roots = data.draw(st.lists(trees(n_classes), min_size=1, max_size=4))
    ensemble, given_arrays = ensemble_of(roots, n_classes), joined_arrays(roots, n_classes)
    for name, array in ensemble.arrays().items():
        np.testing.assert_array_equal(array, given_arrays[name], name)
    whole = [ensemble.tree(i) for i in range(len(roots))]
    again = _core.Ensemble.from_trees(whole, N_COLUMNS, n_classes)
    for i, tree in enumerate(whole):
        for name, array in again.tree(i).arrays().items():
            np.testing.assert_allclose(array, tree.arrays()[name], atol=1e-12, err_msg=name)


@given(data=st.data())
def test_stages_are_the_sums_of_the_first_trees(data: st.DataObject) -> None:
    roots, table = data.draw(st.lists(trees(0), min_size=4, max_size=4)), data.draw(tables())
    ensemble, rows = ensemble_of(roots, 0), rows_for_core(table)
    stages = _core.ensemble_sums(ensemble, "values", rows, np.zeros(2), 0, 4, 2, 1)
    for k, stage in enumerate(stages, start=1):
        assert stage.tolist() == sums(ensemble.first(2 * k), "values", table, [0.0, 0.0])
    later = _core.ensemble_sums(ensemble, "values", rows, stages[0], 2, 4, 0, 1)
    assert later.tolist() == stages[1].tolist()


@given(data=st.data())
def test_the_worth_of_columns_is_gain_times_share_of_the_weight(data: st.DataObject) -> None:
    roots = data.draw(st.lists(trees(0), min_size=1, max_size=3))
    expected = np.zeros(N_COLUMNS)
    for root in roots:
        for node in oracle.preorder(root):
            if isinstance(node, oracle.Inner):
                expected[node.column] += node.gain * oracle.weight_of(node) / oracle.weight_of(root)
    worth = ensemble_of(roots, 0).column_worth(False)
    np.testing.assert_allclose(worth, expected, atol=1e-12)
