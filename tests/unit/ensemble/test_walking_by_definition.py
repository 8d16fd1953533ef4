"""Every fast way of rows through trees against the definition: random trees, awkward rows, every level of vectors.

The definition: start at the root; x <= threshold, or what a level's branch is, tells the child; a row without a value,
or with a level that the node does not know, goes where missing goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from thorough import some
from treewright import _core
from vector_levels import LEVELS, vectors

AWKWARD = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.1, np.inf, -np.inf, 5e-324, 1e-45, 1e-38, 3.4028235e38, 1e39, -1e39, 1e300, -1e308, 2**24]
)
LARGEST_LEVEL = 5000
ROWS = (1, 7, 15, 16, 17, 127, 128, 255, 256, 257, 300, 515)


@dataclass
class Node:
    """A node of a random tree; `column` −1 at a leaf."""

    column: int = -1
    threshold: float = np.nan
    missing_right: bool = False
    branch_of: dict[int, int] = field(default_factory=dict)
    children: tuple[int, int] = (-1, -1)


@dataclass
class Table:
    """Columns as they are, and as the core takes them."""

    columns: list[NDArray[Any]]  # numbers with NaN, or codes of levels where is_levels
    is_levels: list[bool]
    rows: Any

    def part(self, chosen: NDArray[Any]) -> list[NDArray[Any]]:
        return [column[chosen] for column in self.columns]


def random_tree(rng: Generator, n_inner: int, cuts: list[NDArray[Any]], is_levels: list[bool]) -> list[Node]:
    """Nodes in preorder. Some trees are chains, some bushy."""
    nodes: list[Node] = []
    chain = rng.random() < 0.2
    open_nodes: list[tuple[int, int, int]] = [(n_inner, -1, 0)]  # inner nodes to come, parent, which child
    while open_nodes:
        inner, parent, which = open_nodes.pop()
        at = len(nodes)
        if parent >= 0:
            pair = nodes[parent].children
            nodes[parent].children = (at, pair[1]) if which == 0 else (pair[0], at)
        nodes.append(random_test(rng, cuts, is_levels) if inner else Node())
        if inner:
            first = int(rng.choice([0, inner - 1])) if chain else int(rng.integers(0, inner))
            open_nodes += [(inner - 1 - first, at, 1), (first, at, 0)]
    return nodes


def random_test(rng: Generator, cuts: list[NDArray[Any]], is_levels: list[bool]) -> Node:
    column = int(rng.integers(0, len(cuts)))
    missing_right = bool(rng.random() < 0.5)
    if is_levels[column]:
        far = rng.random() < 0.2
        known = np.unique(rng.integers(1, LARGEST_LEVEL if far else 40, size=int(rng.integers(1, 12))))
        return Node(column, np.nan, missing_right, {int(k): int(rng.integers(0, 2)) for k in known})
    return Node(column, float(rng.choice(cuts[column])), missing_right)


def joined(trees: list[list[Node]], rng: Generator) -> dict[str, NDArray[Any]]:
    """The arrays of an ensemble with a value for every leaf."""
    every = [node for tree in trees for node in tree]
    inner = [node for node in every if node.column >= 0]
    sets = [node for node in inner if node.branch_of]
    n_leaves = len(every) - len(inner)
    kinds = [(0 if n.column < 0 else 2 if n.branch_of else 1) | (0x80 if n.missing_right else 0) for n in every]
    return {
        "tree_nodes": np.array([len(tree) for tree in trees], dtype=np.uint32),
        "test": np.array(kinds, dtype=np.uint8),
        "column": np.array([node.column for node in inner], dtype=np.int32),
        "threshold": np.array([node.threshold for node in inner], dtype=np.float64),
        "gain": np.zeros(len(inner)),
        "n_levels": np.array([len(node.branch_of) for node in sets], dtype=np.uint32),
        "level": np.array([k for node in sets for k in sorted(node.branch_of)], dtype=np.uint32),
        "level_branch": np.array([node.branch_of[k] for node in sets for k in sorted(node.branch_of)], dtype=np.uint8),
        "n_rows": np.ones(n_leaves, dtype=np.uint32),
        "value": rng.normal(size=n_leaves) * 10.0 ** rng.integers(-8, 8, n_leaves),
    }


def random_numbers(rng: Generator, n_rows: int, cuts: NDArray[Any], kind: type) -> NDArray[Any]:
    """Cuts, their neighbours above and below, awkward numbers, others, and holes."""
    with np.errstate(over="ignore", under="ignore"):
        near: NDArray[Any] = rng.choice(cuts, n_rows).astype(kind)
        neighbour = np.nextafter(near, rng.choice(np.array([-np.inf, np.inf], dtype=kind), n_rows))
        ways = [near, neighbour, rng.choice(AWKWARD, n_rows).astype(kind), rng.normal(size=n_rows).astype(kind)]
    values = np.choose(rng.integers(0, 4, n_rows), ways)
    values[rng.random(n_rows) < rng.choice([0.0, 0.15])] = np.nan
    return values


def random_table(rng: Generator, n_rows: int, cuts: list[NDArray[Any]], is_levels: list[bool]) -> Table:
    if any(is_levels) or rng.random() < 0.25:
        return table_by_columns(rng, n_rows, cuts, is_levels)
    kind = np.float32 if rng.random() < 0.5 else np.float64
    columns = [random_numbers(rng, n_rows, of_column, kind) for of_column in cuts]
    matrix = np.column_stack(columns)
    rows = np.asfortranarray(matrix) if rng.random() < 0.2 else np.ascontiguousarray(matrix)
    return Table(columns, is_levels, rows)


def table_by_columns(rng: Generator, n_rows: int, cuts: list[NDArray[Any]], is_levels: list[bool]) -> Table:
    columns: list[NDArray[Any]] = []
    parts: list[tuple[str, NDArray[Any], Any]] = []
    for of_column, levels in zip(cuts, is_levels, strict=True):
        if levels:
            codes = rng.integers(0, rng.choice([3, 40, LARGEST_LEVEL + 1]), n_rows).astype(np.int32)
            columns.append(codes)
            parts.append(("levels", codes, None))
        elif rng.random() < 0.3:
            whole = rng.integers(-3, 4, n_rows).astype(np.int8 if rng.random() < 0.5 else np.int64)
            holes = (rng.random(n_rows) < 0.1).astype(np.uint8)
            columns.append(np.where(holes == 1, np.nan, whole))
            parts.append(("numeric", whole, holes))
        else:
            numbers = random_numbers(rng, n_rows, of_column, np.float32 if rng.random() < 0.5 else np.float64)
            columns.append(numbers)
            parts.append(("numeric", numbers, None))
    return Table(columns, is_levels, (n_rows, parts))


def goes_right(node: Node, values: NDArray[Any]) -> NDArray[Any]:
    if node.branch_of:
        by_code = np.full(LARGEST_LEVEL + 1, node.missing_right)
        by_code[list(node.branch_of)] = list(node.branch_of.values())
        return np.asarray(by_code[values])
    as_double = values.astype(np.float64)
    return np.asarray(np.where(np.isnan(as_double), node.missing_right, as_double > node.threshold))


def ends(tree: list[Node], table: Table) -> NDArray[np.int32]:
    """The node where each row ends, by the definition."""
    end = np.empty(len(table.columns[0]), dtype=np.int32)
    open_nodes = [(0, np.arange(len(end)))]
    while open_nodes:
        at, rows = open_nodes.pop()
        node = tree[at]
        if node.column < 0:
            end[rows] = at
        elif len(rows):
            right = goes_right(node, table.columns[node.column][rows])
            open_nodes += [(node.children[0], rows[~right]), (node.children[1], rows[right])]
    return end


@dataclass
class Case:
    """Some trees and a table."""

    trees: list[list[Node]]
    table: Table
    ensemble: Any
    arrays: dict[str, NDArray[Any]]


def random_case(rng: Generator) -> Case:
    n_columns = int(rng.choice([1, 2, 5, 30, 300], p=[0.25, 0.3, 0.3, 0.1, 0.05]))
    is_levels = list(rng.random(n_columns) < rng.choice([0.0, 0.0, 0.4]))
    n_cuts = int(rng.choice([1, 5, 60, 400]))
    scale = 10.0 ** rng.choice([-3, 0, 0, 6])
    cuts = []
    for _ in range(n_columns):
        some = rng.lognormal(sigma=3, size=n_cuts) if rng.random() < 0.3 else rng.normal(size=n_cuts)
        some = some.astype(np.float32).astype(np.float64) if rng.random() < 0.3 else some
        cuts.append(np.concatenate([some * scale, rng.choice(AWKWARD, int(rng.integers(0, 4)))]))
    sizes = rng.choice([0, 1, 2, 3, 7, 30, 62, 63, 64, 255, 256, 400], size=int(rng.integers(1, 8)))
    trees = [random_tree(rng, int(size), cuts, is_levels) for size in sizes]
    table = random_table(rng, int(rng.choice(ROWS)), cuts, is_levels)
    arrays = joined(trees, rng)
    return Case(trees, table, _core.Ensemble(arrays, n_columns, 0), arrays)


def leaf_values(case: Case, by_tree: list[NDArray[np.int32]]) -> list[NDArray[np.float64]]:
    """What each tree says about each row."""
    said, first = [], 0
    for tree, end in zip(case.trees, by_tree, strict=True):
        is_leaf = np.array([node.column < 0 for node in tree])
        number = np.cumsum(is_leaf) - 1
        said.append(case.arrays["value"][first + number[end]])
        first += int(is_leaf.sum())
    return said


def assert_all_ways_end_alike(case: Case) -> None:
    by_tree = [ends(tree, case.table) for tree in case.trees]
    rows, n_trees = case.table.rows, len(case.trees)
    sums = np.full(len(by_tree[0]), 0.25)
    for said in leaf_values(case, by_tree):
        sums = sums + said
    for level in LEVELS:
        with vectors(level):
            np.testing.assert_array_equal(_core.ensemble_nodes(case.ensemble, rows, 1), np.column_stack(by_tree))
            found = _core.ensemble_sums(case.ensemble, "values", rows, np.array([0.25]), 0, n_trees, 0, 1)
            assert found[:, 0].tobytes() == sums.tobytes()


def leaves_of(tree: Any, rows: Any) -> NDArray[np.int32]:
    if isinstance(rows, tuple):
        return _core.find_leaves(tree, rows[0], rows[1], 1)
    return _core.find_leaves_of_matrix(tree, rows, 1)


@pytest.mark.parametrize("seed", some(range(16), 2))
def test_ensembles_end_where_the_definition_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        assert_all_ways_end_alike(random_case(rng))


@pytest.mark.parametrize("seed", some(range(8), 1))
def test_single_trees_end_where_the_definition_says(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(60):
        case = random_case(rng)
        for i, tree in enumerate(case.trees):
            np.testing.assert_array_equal(leaves_of(case.ensemble.tree(i), case.table.rows), ends(tree, case.table))


def test_one_row_ends_where_the_definition_says() -> None:
    rng = np.random.default_rng(7)
    done = 0
    while done < 60:
        case = random_case(rng)
        if any(case.table.is_levels):
            continue
        n_columns = len(case.table.columns)
        door = _core.OneRowOfEnsemble(
            case.ensemble, "values", [0.0], [str(i) for i in range(n_columns)], [None] * n_columns
        )
        sums = _core.ensemble_sums(case.ensemble, "values", case.table.rows, np.zeros(1), 0, len(case.trees), 0, 1)
        for row in range(min(5, len(sums))):
            assert door([float(column[row]) for column in case.table.columns]) == sums[row].tolist()
        done += 1


def test_a_part_of_the_trees_adds_up_like_all_of_them() -> None:
    rng = np.random.default_rng(8)
    for _ in range(60):
        case = random_case(rng)
        n_trees = len(case.trees)
        middle = int(rng.integers(0, n_trees + 1))
        rows, start = case.table.rows, np.array([0.1])
        first = _core.ensemble_sums(case.ensemble, "values", rows, start, 0, middle, 0, 1)
        both = _core.ensemble_sums(case.ensemble, "values", rows, first, middle, n_trees, 0, 2)
        whole = _core.ensemble_sums(case.ensemble, "values", rows, start, 0, n_trees, 0, 1)
        assert both.tobytes() == whole.tobytes()
        stages = _core.ensemble_sums(case.ensemble, "values", rows, start, 0, n_trees, 1, 1)
        assert stages[-1].tobytes() == whole.tobytes()


@pytest.mark.parametrize("n_cuts", [1, 253, 254, 255, 256, 600])
@pytest.mark.parametrize("level", LEVELS)
def test_as_many_cuts_as_bytes_count_and_more(level: str, n_cuts: int) -> None:
    stumps = [[Node(0, float(cut), True, {}, (1, 2)), Node(), Node()] for cut in range(n_cuts)]
    arrays = joined(stumps, np.random.default_rng(0)) | {"value": np.tile([0.0, 1.0], n_cuts)}
    rows = np.concatenate([np.full(20, np.nan), np.arange(-1, n_cuts + 1, 0.5)])[:, None]
    with vectors(level):
        sums = _core.ensemble_sums(_core.Ensemble(arrays, 1, 0), "values", rows, np.zeros(1), 0, n_cuts, 0, 1)
    expected = [n_cuts if np.isnan(x) else (x > np.arange(n_cuts)).sum() for x in rows[:, 0]]
    assert sums[:, 0].tolist() == expected
