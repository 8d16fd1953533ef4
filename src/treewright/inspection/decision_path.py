"""One row through a stored tree, step by step, with what decided each step."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.table.encode import RowEncoder
from treewright.table.frame import frame_of_values, is_frame, open_frame
from treewright.table.schema import Column, Schema
from treewright.tree.format import name_text, number_text
from treewright.tree.node import Node
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEAF, SPREADS, STOPS, THRESHOLD
from treewright.tree.test import bounds_of
from treewright.tree.tree import Tree

# One row as a tree reads it: a number or a level code for each column, NaN where there is none.


_NUMBER = (float, int, np.number)


@dataclass(frozen=True)
class RowValues:
    """One row: `numbers` as the tree reads them, `given` as the user wrote them, both in the order of the columns.

    Examples
    --------
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook", "smith"))))
    >>> row = read_row(RowEncoder(schema), {"age": 30, "job": "king"})
    >>> row.numbers, row.is_missing(1), row.is_new(1), row.shown(1)
    ([30.0, nan], False, True, 'king')
    """

    schema: Schema
    numbers: list[float]
    given: Sequence[Any]

    def is_missing(self, column: int) -> bool:
        """Whether the row has no value at all in a column."""
        return self.numbers[column] != self.numbers[column] and _is_nothing(self.given[column])

    def is_new(self, column: int) -> bool:
        """Whether the row has a level that no training row had."""
        return self.numbers[column] != self.numbers[column] and not _is_nothing(self.given[column])

    def shown(self, column: int) -> str:
        """The value in words."""
        if self.is_missing(column):
            return "missing"
        if self.is_new(column):
            return name_text(self.given[column])
        return value_text(self.schema.columns[column], self.numbers[column])


def value_text(column: Column, number: float) -> str:
    """Write a value of a column: a number, a date, or the level of a code.

    >>> value_text(Column("job", "nominal", "text", ("cook", "smith")), 2.0), value_text(Column("x", "numeric"), 2.5)
    ('smith', '2.5')
    """
    if number != number:
        return "missing"
    if column.kind != "numeric":
        return name_text(column.show(number))
    return number_text(number) if column.value_type == "number" else column.show(number)


def read_row(encoder: RowEncoder, row: Any) -> RowValues:
    """Read one row: a list or tuple in column order, a dict or a Series by column name, or a table of one row.

    A value that a dict does not have, None and NaN are missing.

    >>> read_row(RowEncoder(Schema((Column("x", "numeric"), Column("y", "numeric")))), [1, None]).numbers
    [1.0, nan]
    """
    given = _in_order(row, encoder.schema.names)
    try:
        numbers = [
            _number(value, column) if codes is None else float(codes.get(value, math.nan))
            for value, codes, column in zip(given, encoder.level_codes, encoder.schema.columns, strict=True)
        ]
    except (ValueError, TypeError):  # what the fast way cannot read, the slow one can, or it says what is wrong
        numbers = _by_frame(encoder, given)
    return RowValues(encoder.schema, numbers, given)


def _number(value: Any, column: Column) -> float:
    if value is None:
        return math.nan
    if column.value_type == "number" and isinstance(value, _NUMBER):
        return float(value)
    raise ValueError


def _in_order(row: Any, names: tuple[str, ...]) -> Sequence[Any]:
    if not isinstance(row, list | tuple | Mapping):
        row = _plain_row(row)
    if isinstance(row, Mapping):
        return [row.get(name) for name in names]
    if len(row) != len(names):
        raise DataError(
            f"The row has {len(row)} values, but the model has {len(names)} columns. "
            "Give one value for each column, None where there is none."
        )
    return cast(Sequence[Any], row)


def _plain_row(row: Any) -> Mapping[str, Any] | list[Any]:
    """Give a row of pandas, polars, pyarrow or numpy as a dict by column name, or as a list."""
    if is_frame(row) or (isinstance(row, np.ndarray) and row.ndim == 2):
        if len(row) != 1:
            raise DataError(f"Give one row to explain, not a table of {len(row):,} rows: table.iloc[0] is the first.")
        if isinstance(row, np.ndarray):
            return cast(list[Any], row[0].tolist())
        frame = nw.from_native(row, eager_only=True)
        return {str(column.name): column[0] for column in frame.iter_columns()}
    if hasattr(row, "to_dict") and hasattr(row, "index"):  # a Series of pandas
        return {str(name): value for name, value in row.to_dict().items()}
    if isinstance(row, str) or not isinstance(row, Iterable):
        raise DataError(f"One row is a list or a tuple of values, or a dict by column name. Got {row!r} instead.")
    return cast(list[Any], row.tolist()) if isinstance(row, np.ndarray) and row.ndim == 1 else list(row)


def _by_frame(encoder: RowEncoder, given: Sequence[Any]) -> list[float]:
    rows = encoder.encode(open_frame(frame_of_values(encoder.schema.names, [given])))
    numbers = []
    for kind, part, mask in rows.parts:
        is_hole = part[0] == 0 if kind == "levels" else mask is not None and mask[0]
        numbers.append(math.nan if is_hole else float(part[0]))
    return numbers


def _is_nothing(value: Any) -> bool:
    return value is None or value != value or str(value) in ("NaT", "<NA>")


# One row through a stored tree, step by step, with what decided each step.


Arrays = Mapping[str, NDArray[Any]]


class Step(NamedTuple):
    """What happened at an inner node: the branch (or STOPS, SPREADS), and by what it was chosen.

    `by` is "test", "surrogate" (then `surrogate` is its place in the tree's list) or "missing".
    """

    node: int
    branch: int
    by: str
    surrogate: int = -1


def branch_by_test(arrays: Arrays, node: int, values: Sequence[float]) -> int:
    """Give the branch that the test of a node says; -1 where the row has no value, or a level the node never saw.

    >>> from treewright.tree import example_tree
    >>> arrays = example_tree().arrays
    >>> branch_by_test(arrays, 0, [1, 70.0]), branch_by_test(arrays, 0, [math.nan, 70.0])
    (1, -1)
    """
    kind = arrays["kind"][node]
    if kind == HYPERPLANE:
        total, unknown = weighted_sum(arrays, node, values)
        return -1 if unknown > 0.5 else int(not total <= arrays["threshold"][node])
    x = values[arrays["column"][node]]
    if x != x:
        return -1
    if kind == THRESHOLD:
        return int(not x <= arrays["threshold"][node])
    if kind == INTERVALS:
        return bisect_left(bounds_of(arrays, node), x)
    start, end = arrays["level_start"][node : node + 2].tolist()
    at = start + int(arrays["level"][start:end].searchsorted(int(x)))
    return int(arrays["level_branch"][at]) if at < end and arrays["level"][at] == x else -1


def weighted_sum(arrays: Arrays, node: int, values: Sequence[float], terms: str = "term") -> tuple[float, float]:
    """Give the sum of a node's terms for a row, and the share of them that has no value.

    >>> import numpy as np
    >>> one = {"term_start": np.array([0, 1]), "term_column": np.array([0.0]), "term_level": np.array([0.0])}
    >>> one |= {"term_weight": np.array([2.0]), "term_filler": np.array([7.0]), "term_share": np.array([1.0])}
    >>> weighted_sum(one, 0, [3.0]), weighted_sum(one, 0, [math.nan])
    ((6.0, 0.0), (7.0, 1.0))
    """
    part = slice(int(arrays[f"{terms}_start"][node]), int(arrays[f"{terms}_start"][node + 1]))
    total = unknown = 0.0
    fields = (arrays[f"{terms}_{field}"][part].tolist() for field in ("column", "level", "weight", "filler", "share"))
    for column, level, weight, filler, share in zip(*fields, strict=True):
        x = values[int(column)]
        if x != x or (terms == "equation" and math.isinf(x)):
            total, unknown = total + filler, unknown + share
        else:
            total += weight * x if level == 0 else weight if x == level else 0.0
    return total, unknown


def branch_by_surrogate(arrays: Arrays, node: int, values: Sequence[float]) -> tuple[int, int]:
    """Give the branch that the first surrogate with a value says, and its place in the list; (-1, -1) if none has."""
    if "surrogate_start" not in arrays:
        return -1, -1
    start = int(arrays["surrogate_start"][node])
    for k in range(start, int(arrays["surrogate_start"][node + 1])):
        x = values[int(arrays["surrogate_column"][k])]
        if x != x:
            continue
        threshold = float(arrays["surrogate_threshold"][k])
        if threshold == threshold:
            return int((x <= threshold) == bool(arrays["surrogate_flip"][k])), k
        for which, level, branch in surrogate_levels(arrays, node):
            if which == k - start and level == x:
                return branch, k
    return -1, -1


def surrogate_levels(arrays: Arrays, node: int) -> list[tuple[int, int, int]]:
    """Give (which surrogate of the node, level code, branch) of the surrogates that ask for levels."""
    if "surrogate_level_start" not in arrays:
        return []
    part = slice(int(arrays["surrogate_level_start"][node]), int(arrays["surrogate_level_start"][node + 1]))
    fields = (arrays[f"surrogate_level_{field}"][part].astype(int).tolist() for field in ("which", "level", "branch"))
    return list(zip(*fields, strict=True))


def take_step(arrays: Arrays, node: int, values: Sequence[float]) -> Step:
    """Tell where a row goes at an inner node, and why.

    >>> from treewright.tree import example_tree
    >>> take_step(example_tree().arrays, 2, [1, math.nan])
    Step(node=2, branch=1, by='missing', surrogate=-1)
    """
    branch = branch_by_test(arrays, node, values)
    if branch >= 0:
        return Step(node, branch, "test")
    branch, surrogate = branch_by_surrogate(arrays, node, values)
    if branch >= 0:
        return Step(node, branch, "surrogate", surrogate)
    return Step(node, int(arrays["missing_branch"][node]), "missing")


def walk(tree: Tree, values: Sequence[float]) -> tuple[list[Step], int]:
    """Follow a row: its steps, and the node where it ends. A row that is spread is followed where most of it goes.

    >>> from treewright.tree import example_tree
    >>> steps, end = walk(example_tree(), [1, 70.0])
    >>> [(step.node, step.branch) for step in steps], end
    ([(0, 1), (2, 0)], 3)
    """
    arrays = tree.arrays
    kind_of, column_of, cut_of = arrays["kind"].item, arrays["column"].item, arrays["threshold"].item
    steps: list[Step] = []
    node = 0
    while (kind := kind_of(node)) != LEAF:
        x = values[column_of(node)]
        if kind == THRESHOLD and x == x:  # most steps of most trees: `take_step` would say the same, in thrice the time
            step = Step(node, 0 if x <= cut_of(node) else 1, "test")
        else:
            step = take_step(arrays, node, values)
        steps.append(step)
        branch = step.branch
        if branch == STOPS:
            break
        if branch == SPREADS:
            branch = int(arrays["weight"][tree.child_ids(node)].argmax())
        node = tree.child_id(node, branch)
    return steps, node


def pieces(tree: Tree, values: Sequence[float]) -> list[tuple[int, float]]:
    """Give the nodes where a row ends with the share of it that ends there: one node, unless missing values spread it.

    >>> from treewright.tree import example_tree
    >>> pieces(example_tree(), [1, 70.0])
    [(3, 1.0)]
    """
    arrays = tree.arrays
    ends, open_pieces = [], [(0, 1.0)]
    while open_pieces:
        node, share = open_pieces.pop()
        branch = take_step(arrays, node, values).branch if arrays["n_children"][node] else STOPS
        below = tree.child_ids(node)
        weights = arrays["weight"][below]
        if branch >= 0:
            open_pieces.append((below[branch], share))
        elif branch == SPREADS and weights.sum() > 0:
            parts = (share * weights / weights.sum()).tolist()
            open_pieces += [(c, part) for c, part in reversed(list(zip(below, parts, strict=True))) if part > 0]
        else:
            ends.append((node, share))
    return ends


def answer(tree: Tree, values: Sequence[float]) -> Any:
    """Give what a row is answered with: a class, or a number.

    >>> from treewright.tree import example_tree
    >>> answer(example_tree(), [1, 70.0])
    'yes'
    """
    return answer_of_pieces(tree, values, pieces(tree, values))


def answer_of_pieces(tree: Tree, values: Sequence[float], ends: list[tuple[int, float]]) -> Any:
    """Give what a row is answered with that ends in these nodes with these shares.

    >>> from treewright.tree import example_tree
    >>> answer_of_pieces(example_tree(), [1, math.nan], [(3, 0.2), (4, 0.8)])
    'no'
    """
    if tree.classes is None:
        return sum(share * number_of_node(tree, node, values) for node, share in ends)
    if len(ends) == 1:
        return Node(tree, ends[0][0]).prediction
    mixed = [0.0] * len(tree.classes)
    for node, share in ends:
        for index, part in class_shares(tree, node):
            mixed[index] += share * part
    return tree.classes[mixed.index(max(mixed))]


def number_of_node(tree: Tree, node: int, values: Sequence[float]) -> float:
    """Give the number that a node of a regression answers a row with: its value, or what its equation gives."""
    arrays = tree.arrays
    if "equation_start" not in arrays:
        return float(arrays["value"][node])
    found = float(arrays["intercept"][node]) + weighted_sum(arrays, node, values, "equation")[0]
    if math.isnan(found):
        found = float(arrays["value"][node])
    if "lowest" in arrays:
        found = min(max(found, float(arrays["lowest"][node])), float(arrays["highest"][node]))
    return found


def class_shares(tree: Tree, node: int) -> list[tuple[int, float]]:
    """Give the share of each class at a node; one that no training row reached answers as its parent.

    >>> from treewright.tree import example_tree
    >>> class_shares(example_tree(), 3)
    [(0, 0.2), (1, 0.8)]
    """
    while True:
        weights = Node(tree, node).class_weights()
        total = sum(weight for _, weight in weights)
        if total > 0 or node == 0:
            return [(index, weight / total if total > 0 else 0.0) for index, weight in weights]
        node = int(tree.node_parent[node])


# The way of one row through a tree: its steps, where it ends, and what it is answered with.


@dataclass(frozen=True, slots=True)
class DecisionPath:
    """Where a row went. `ends` has more than one node only where missing values spread the row.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> way = DecisionPath.of(example_tree(), [1.0, 70.0])
    >>> way.answer, way.node, way.ends
    ('yes', 3, [(3, 1.0)])
    """

    steps: list[Step]
    node: int
    ends: list[tuple[int, float]]
    answer: Any

    @classmethod
    def of(cls, tree: Tree, values: Sequence[float]) -> DecisionPath:
        """Follow a row."""
        steps, node = walk(tree, values)
        is_spread = any(step.branch == SPREADS for step in steps)
        ends = pieces(tree, values) if is_spread else [(node, 1.0)]
        return cls(steps, node, ends, answer_of_pieces(tree, values, ends))
