"""Hyperplanes, surrogates and rows that spread: what the lists beside the nodes of a stored tree mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright import _core
from treewright.save.model_bytes import from_bytes, to_bytes
from treewright.table.schema import Column, Schema
from treewright.tree.tree import Tree

SCHEMA = Schema(
    (Column("age", "numeric"), Column("income", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))), "risk"
)


def stump(**changes: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """One test of `age <= 40` with 6 and 2 rows below it."""
    return {
        "n_children": np.array([2, 0, 0], np.uint16),
        "kind": np.array([1, 0, 0], np.uint8),
        "column": np.array([0, -1, -1], np.int32),
        "threshold": np.array([40.0, np.nan, np.nan]),
        "missing_branch": np.array([0, -1, -1], np.int32),
        "level_start": np.zeros(4, np.int64),
        "level": np.zeros(0, np.uint32),
        "level_branch": np.zeros(0, np.uint16),
        "n_rows": np.array([8, 6, 2]),
        "weight": np.array([8.0, 6.0, 2.0]),
        "impurity": np.zeros(3),
        "gain": np.zeros(3),
        "count_start": np.array([0, 2, 4, 5]),
        "count_class": np.array([0, 1, 0, 1, 1], np.uint32),
        "count_weight": np.array([3.0, 5.0, 3.0, 3.0, 2.0]),
        "prediction": np.array([1, 0, 1], np.int32),
        **changes,
    }


def hyperplane() -> dict[str, NDArray[Any]]:
    """2·age − income + 10·[job is smith] <= 5; unknown ages count 30, unknown incomes 50, unknown jobs nothing."""
    return stump(
        kind=np.array([3, 0, 0], np.uint8),
        threshold=np.array([5.0, np.nan, np.nan]),
        term_start=np.array([0, 3, 3, 3]),
        term_column=np.array([0.0, 1.0, 2.0]),
        term_level=np.array([0.0, 0.0, 2.0]),
        term_weight=np.array([2.0, -1.0, 10.0]),
        term_filler=np.array([60.0, -50.0, 0.0]),
        term_share=np.array([0.45, 0.35, 0.2]),
    )


def surrogates() -> dict[str, NDArray[Any]]:
    """Without an age, incomes up to 100 count as old; without an income, smiths do; otherwise young."""
    return stump(
        surrogate_start=np.array([0, 2, 2, 2]),
        surrogate_column=np.array([1.0, 2.0]),
        surrogate_threshold=np.array([100.0, np.nan]),
        surrogate_flip=np.array([1.0, 0.0]),
        surrogate_agreement=np.array([0.9, 0.8]),
        surrogate_adjusted=np.array([0.5, 0.2]),
        surrogate_level_start=np.array([0, 1, 1, 1]),
        surrogate_level_which=np.array([1.0]),
        surrogate_level_level=np.array([2.0]),
        surrogate_level_branch=np.array([1.0]),
    )


def spreading() -> dict[str, NDArray[Any]]:
    return stump(missing_branch=np.array([-2, -1, -1], np.int32))


def leaves(arrays: dict[str, NDArray[Any]], *rows: tuple[float, float, int]) -> list[int]:
    tree = _core.Tree(arrays, 3, 2)
    return _core.find_leaves(tree, len(rows), columns_of(rows), 1).tolist()


def columns_of(rows: tuple[tuple[float, float, int], ...]) -> list[Any]:
    age, income, job = zip(*rows, strict=True)
    return [
        ("numeric", np.array(age, float), None),
        ("numeric", np.array(income, float), None),
        ("levels", np.array(job, np.int32), None),
    ]


HOLE = float("nan")


def test_a_hyperplane_sends_a_row_by_its_weighted_sum() -> None:
    # 2·20 − 40 = 0; 2·30 − 40 = 20; 2·20 − 40 + 10 = 10; 2·20 − 35 = 5, which is not above 5
    assert leaves(hyperplane(), (20, 40, 1), (30, 40, 1), (20, 40, 2), (20, 35, 1)) == [1, 2, 2, 1]


def test_a_hyperplane_fills_in_what_a_row_does_not_have() -> None:
    # 60 − 57 = 3; 60 − 54 = 6; 2·28 − 50 = 6
    assert leaves(hyperplane(), (HOLE, 57, 1), (HOLE, 54, 1), (28, HOLE, 1)) == [1, 2, 2]


def test_a_row_without_most_of_a_hyperplane_takes_the_missing_branch() -> None:
    assert leaves(hyperplane(), (HOLE, HOLE, 2)) == [1]  # the sum would be 60 − 50 + 10 = 20


def test_the_first_surrogate_with_a_value_decides() -> None:
    rows = (HOLE, 90, 1), (HOLE, 110, 2), (HOLE, HOLE, 2), (HOLE, HOLE, 1), (50, 110, 1)
    assert leaves(surrogates(), *rows) == [2, 1, 2, 1, 2]


def test_a_spread_row_is_in_every_branch_by_its_weight() -> None:
    tree = _core.Tree(spreading(), 3, 2)
    rows = (20.0, 0.0, 1), (HOLE, 0.0, 1), (50.0, 0.0, 1)
    start, nodes, shares = _core.find_leaf_shares(tree, 3, columns_of(rows), 1)
    assert (start.tolist(), nodes.tolist(), shares.tolist()) == ([0, 1, 3, 4], [1, 1, 2, 2], [1.0, 0.75, 0.25, 1.0])
    assert leaves(spreading(), *rows) == [1, 1, 2]  # one node a row: where most of it goes


def test_a_node_that_no_row_reached_answers_as_its_parent() -> None:
    arrays = stump(
        n_rows=np.array([8, 8, 0]),
        weight=np.array([8.0, 8.0, 0.0]),
        count_start=np.array([0, 2, 4, 4]),
        count_class=np.array([0, 1, 0, 1], np.uint32),
        count_weight=np.array([2.0, 6.0, 2.0, 6.0]),
    )
    shares = _core.class_shares(_core.Tree(arrays, 3, 2), np.array([2], np.int32), 1)
    assert shares.tolist() == [[0.25, 0.75]]


@pytest.mark.parametrize("make", [hyperplane, surrogates, spreading])
def test_the_lists_survive_saving_json_and_being_cut_elsewhere(make: Any) -> None:
    arrays = make()
    assert from_bytes(to_bytes({}, arrays))[1].keys() == arrays.keys()
    tree = Tree(_core.Tree(arrays, 3, 2), SCHEMA, ["good", "bad"])
    again = Tree.from_json(tree.to_json()).core.arrays()
    uncut = _core.Tree(arrays, 3, 2).cut_at(np.zeros(3, np.uint8)).arrays()
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array, err_msg=name)
        np.testing.assert_array_equal(uncut[name], array, err_msg=name)


@pytest.mark.parametrize("make", [hyperplane, surrogates])
def test_a_node_that_becomes_a_leaf_forgets_the_lists_of_its_test(make: Any) -> None:
    cut = _core.Tree(make(), 3, 2).cut_at(np.array([1, 0, 0], np.uint8)).arrays()
    assert len(cut["n_children"]) == 1
    assert [len(array) for name, array in cut.items() if name in ("term_column", "surrogate_column")] == [0]


@pytest.mark.parametrize(
    "changes",
    [
        {"term_start": np.array([0, 0, 0, 0])},
        {"term_start": np.array([0, 3, 2, 3])},
        {"term_column": np.array([0.0, 1.0, 3.0])},
        {"term_column": np.array([0.0, 1.0, 0.5])},
        {"term_weight": np.array([2.0, np.nan, 1.0])},
        {"term_share": np.array([2.0, 0.1, 0.1])},
        {"term_filler": np.array([np.inf, 0.0, 0.0])},
        {"term_level": np.array([0.0, 0.0, -1.0])},
        {"term_filler": np.array([1.0])},
        {"missing_branch": np.array([-1, -1, -1], np.int32)},
    ],
)
def test_a_wrong_hyperplane_is_refused(changes: dict[str, NDArray[Any]]) -> None:
    with pytest.raises(ValueError, match="array '"):
        _core.Tree({**hyperplane(), **changes}, 3, 2)


@pytest.mark.parametrize(
    "changes",
    [
        {"surrogate_column": np.array([1.0, 9.0])},
        {"surrogate_flip": np.array([2.0, 0.0])},
        {"surrogate_start": np.array([0, 1, 2, 2])},  # a leaf asks nothing
        {"surrogate_level_which": np.array([2.0])},
        {"surrogate_level_level": np.array([0.0])},
        {"surrogate_level_branch": np.array([2.0])},
        {"surrogate_threshold": np.array([100.0, 5.0])},  # a cut and levels at once
        {"surrogate_threshold": np.array([np.nan, np.nan])},
    ],
)
def test_a_wrong_surrogate_is_refused(changes: dict[str, NDArray[Any]]) -> None:
    with pytest.raises(ValueError, match="surrogate"):
        _core.Tree({**surrogates(), **changes}, 3, 2)


def test_only_a_model_that_needs_it_asks_for_a_newer_reader() -> None:
    assert [to_bytes({}, arrays)[8] for arrays in (stump(), spreading(), hyperplane(), surrogates())] == [1, 2, 2, 2]
