"""The small parts of the estimators: folds, sizes, threads, class weights, paths, the table of prices."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.errors import DataError
from treewright.learners.base.folds import deal_folds
from treewright.learners.base.target import weights_by_class
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.training_data import rows_of
from treewright.learners.trees.tree_lookup import node_paths
from treewright.prune.cp_table import CpTable
from treewright.tree import example_tree


@pytest.mark.parametrize("n_folds", [2, 3, 10])
def test_folds_and_the_classes_in_them_are_of_equal_size(n_folds: int) -> None:
    classes = np.repeat(np.arange(4), [50, 30, 13, 7]).astype(np.int32)
    folds = deal_folds(100, n_folds, seed=4, classes=classes)
    assert np.ptp(np.bincount(folds, minlength=n_folds)) <= 1
    for label in range(4):
        assert np.ptp(np.bincount(folds[classes == label], minlength=n_folds)) <= 1


def test_folds_are_the_same_for_the_same_seed_only() -> None:
    assert deal_folds(50, 5, seed=1).tolist() == deal_folds(50, 5, seed=1).tolist()
    assert deal_folds(50, 5, seed=1).tolist() != deal_folds(50, 5, seed=2).tolist()


def test_a_share_of_rows_is_rounded_up() -> None:
    assert [rows_of(3, 10), rows_of(0.25, 10), rows_of(np.int64(4), 10)] == [3, 3, 4]


def test_all_processors_work_unless_told_otherwise() -> None:
    everything = thread_count(None)
    assert everything >= 1
    assert thread_count(-1) == everything
    assert thread_count(-1000) == 1
    assert thread_count(7) == 7


def test_balanced_classes_weigh_the_same() -> None:
    codes = np.array([0, 1, 1, 1, 2, 2], dtype=np.int32)
    weights = weights_by_class("balanced", np.array(["a", "b", "c"]), codes)
    assert (np.bincount(codes) * weights).tolist() == [2.0, 2.0, 2.0]


def test_a_class_weight_that_is_no_weight_is_refused() -> None:
    for weight in (-1.0, float("nan"), float("inf")):
        with pytest.raises(DataError, match="Weights are finite numbers of 0 or more"):
            weights_by_class({"a": weight}, np.array(["a"]), np.zeros(1, dtype=np.int32))


def test_a_path_goes_from_the_leaf_to_the_root() -> None:
    tree = example_tree()
    paths = node_paths(tree, np.array([3, 0], dtype=np.int32)).toarray()
    assert paths.tolist() == [[1, 0, 1, 1, 0], [1, 0, 0, 0, 0]]
    assert node_paths(tree, np.zeros(0, dtype=np.int32)).shape == (0, tree.n_nodes)


def test_the_table_of_prices_marks_the_chosen_tree() -> None:
    numbers = np.array([0.0, 0.5])
    table = CpTable(numbers, np.array([2, 1]), numbers, numbers, numbers, chosen=1)
    assert table.to_frame()["chosen"].tolist() == [False, True]
    assert [line[0] for line in str(table).splitlines()] == [" ", " ", ">"]


def test_a_long_table_of_prices_is_printed_from_above_the_best_tree() -> None:
    n = 100
    numbers = np.linspace(0, 1, n)
    risk = np.abs(numbers - 0.5)
    table = CpTable(numbers, np.arange(n, 0, -1), numbers, risk, numbers, chosen=60)
    best = int(risk.argmin())
    lines = str(table).splitlines()
    assert f"{best - 3} larger trees" in lines[1]
    assert len(lines) == 2 + n - (best - 3)
    assert sum(line.startswith(">") for line in lines) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"cp": [0.0]},
        {"cp": "many"},
        {"cp": [0.0, None]},
        {"cp": [0.0, 2**80]},
        {"cp": [0.0, float("nan")]},
        {"chosen": 2},
        {"chosen": True},
        {"more": 1},
    ],
    ids=str,
)
def test_a_damaged_table_of_prices_is_refused(change: dict[str, object]) -> None:
    numbers = np.array([0.0, 0.5])
    saved = CpTable(numbers, np.array([2, 1]), numbers, numbers, numbers, chosen=1).to_json()
    with pytest.raises(ValueError, match="table of prices"):
        CpTable.from_json({**saved, **change})
    with pytest.raises(ValueError, match="table of prices"):
        CpTable.from_json([saved])
