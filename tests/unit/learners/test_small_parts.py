"""The small parts of the estimators: folds, sizes, threads, class weights, paths, the table of prices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import dealing
from treewright.errors import DataError
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import Units
from treewright.learners.base.target import weights_by_class
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.training_data import rows_of
from treewright.learners.trees.tree_lookup import node_paths
from treewright.prune.cp_table import CpTable
from treewright.tree import example_tree


def units_of(n_rows: int, classes: np.ndarray | None = None) -> Units:
    return Units(np.arange(n_rows, dtype=np.uint32), classes)


@pytest.mark.parametrize("n_folds", [2, 3, 10])
def test_folds_and_the_classes_in_them_are_of_equal_size(n_folds: int) -> None:
    classes = np.repeat(np.arange(4), [50, 30, 13, 7]).astype(np.int32)
    folds = units_of(100, classes).folds(n_folds, seed=4)
    assert np.ptp(np.bincount(folds, minlength=n_folds)) <= 1
    for label in range(4):
        assert np.ptp(np.bincount(folds[classes == label], minlength=n_folds)) <= 1


def test_folds_are_the_same_for_the_same_seed_and_deal_only() -> None:
    units = units_of(50)
    assert units.folds(5, seed=1).tolist() == units.folds(5, seed=1).tolist()
    assert units.folds(5, seed=1).tolist() != units.folds(5, seed=2).tolist()
    assert units.folds(5, seed=1).tolist() != units.folds(5, seed=1, deal=1).tolist()


@given(n=st.integers(1, 40), seed=st.integers(0, 9), deal=st.integers(0, 3), n_classes=st.integers(0, 3))
def test_units_are_dealt_by_the_definition(n: int, seed: int, deal: int, n_classes: int) -> None:
    classes = np.arange(n) * 7 % n_classes if n_classes else None
    listed, units = None if classes is None else classes.tolist(), units_of(n, classes)
    assert units.folds(3, seed, deal).tolist() == dealing.folds_by_definition(n, 3, seed, listed, deal)
    for share in (0.25, 0.5, 0.9):
        assert units.part(share, seed).tolist() == dealing.part_by_definition(n, share, seed, listed)


@given(weights=st.lists(st.integers(0, 3), min_size=1, max_size=20).filter(any), seed=st.integers(0, 5))
def test_the_two_sides_of_a_fold_make_up_the_weights(weights: list[int], seed: int) -> None:
    given_weights = np.array(weights, dtype=np.float64)
    order = np.flatnonzero(given_weights)[::-1].astype(np.uint32)
    units = Units.of(order, given_weights, None)
    held_in_all = np.zeros(len(weights))
    for sides in units.sides(units.folds(3, seed), len(weights)):
        kept, held = np.zeros(len(weights)), np.zeros(len(weights))
        kept[sides.kept] = sides.kept_weights(given_weights)[sides.kept]
        held[sides.held] = sides.held_weights(given_weights)
        assert (kept + held).tolist() == given_weights.tolist()
        held_in_all += held
    assert held_in_all.tolist() == (given_weights if len(units) > 1 else 0 * given_weights).tolist()


def test_a_sum_does_not_depend_on_the_order() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=1000) * 10.0 ** rng.integers(-12, 12, 1000)
    assert len({exact_sum(rng.permutation(numbers)) for _ in range(20)}) == 1


def test_a_share_of_rows_is_rounded_up() -> None:
    assert [rows_of(3, 10), rows_of(0.25, 10), rows_of(np.int64(4), 10)] == [3, 3, 4]


def test_all_processors_work_unless_told_otherwise() -> None:
    everything = thread_count(None)
    assert everything >= 1
    assert thread_count(-1) == everything
    assert thread_count(-1000) == 1
    assert thread_count(1) == 1
    assert thread_count(5000) == everything  # more would only take turns


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
        {"n_folds": 2.5},
        {"n_folds": None},
        {"alone": [7]},
        {"alone": ["a"]},
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
