"""Sources whose rows come in batches, wherever those are: each batch is counted by itself, and the answers are added.

What is asked of a batch is a pure function of the batch and the question, so it may run anywhere and again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.sources.partial_counts import ColumnCells, PartialCounts, PartialValues, equal_in_order
from treewright.sources.profile import (
    Profile,
    WeightProfile,
    number_target,
    plain_numbers,
    profile_batch,
    refuse_holes,
    weights_of,
)
from treewright.sources.questions import (
    Counts,
    EqualRows,
    FetchedRows,
    NodeSums,
    Numbers,
    Opened,
    Plan,
    Routing,
    Stretches,
    Wishes,
    joined_rows,
)
from treewright.sources.source import Source
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame
from treewright.table.levels import code_levels

if TYPE_CHECKING:
    import pyarrow as pa


_AT_ONCE = 4  # answers that are put together at one time
_ROOMY = 8  # a table with more than so many cells a row is not laid out


class BatchSource(Source):
    """A source that can ask each of its batches, and put the answers together."""

    @abstractmethod
    def ask_tables(
        self, names: Sequence[str], question: Callable[[pa.Table, str], Any], together: Callable[[list[Any]], Any]
    ) -> Any:
        """Ask every batch, with the name of the place where it lies. Answers are put together in any groups."""

    @abstractmethod
    def ask_rows(
        self, plan: Plan, question: Callable[[EncodedRows, Plan], Any], together: Callable[[list[Any]], Any]
    ) -> Any:
        """Ask every batch once its columns are encoded as a plan says."""

    @abstractmethod
    def each_table(self, names: Sequence[str], question: Callable[[pa.Table, str], Any]) -> Iterator[Any]:
        """Ask every batch where it lies, and bring the answers here, one after the other in any order."""

    def profile(self, wishes: Wishes) -> Profile:
        """Take the first look."""
        names = dict.fromkeys([*wishes.features, wishes.target, *([wishes.weight] if wishes.weight else [])])
        found: Profile = self.ask_tables(list(names), partial(_profile, wishes=wishes), _add_profiles)
        return found

    def weight_facts(self, plan: Plan) -> Mapping[str, Any]:
        """Tell what the weights are like."""
        names = [plan.target] if plan.weight is None else [plan.target, plan.weight]
        found: WeightProfile = self.ask_tables(names, partial(_weight_profile, plan=plan), _add_weights)
        return found.facts()

    def count(self, plan: Plan, routing: Routing, counted: Sequence[int], ends: bool) -> Counts:
        """Add up what nodes hold."""
        question = partial(_count, routing=routing, counted=tuple(counted), ends=ends)
        found: PartialCounts = self.ask_rows(plan, question, PartialCounts.together)
        return found.whole()

    def open(self, plan: Plan, routing: Routing, stretches: Sequence[Stretches]) -> list[Opened]:
        """Count stretches value by value."""
        question = partial(_open, routing=routing, stretches=list(stretches))
        found: PartialValues = self.ask_rows(plan, question, PartialValues.together)
        return found.whole(len(stretches))

    def equal_rows(self, plan: Plan, routing: Routing) -> EqualRows:
        """Count the rows of nodes by level and weight."""
        found: EqualRows = self.ask_rows(plan, partial(_equal_rows, routing=routing), EqualRows.together)
        return found

    def fetch(self, plan: Plan, routing: Routing) -> FetchedRows:
        """Hand over the rows of nodes."""
        found: FetchedRows = self.ask_rows(plan, partial(_fetch, routing=routing), joined_rows)
        return found


def ask_encoded(
    source: Source, plan: Plan, question: Callable[[EncodedRows, Plan], Any], together: Callable[[list[Any]], Any]
) -> Any:
    """Ask all rows of a source once they are encoded: where they lie if it can be asked there, else as they come."""
    if isinstance(source, BatchSource):
        return source.ask_rows(plan, question, together)
    tables = source.batches(columns_of(plan))
    return put_together((question(encode_rows(table, str(source), plan), plan) for table in tables), together)


def counted_rows(rows: EncodedRows) -> EncodedRows:
    """Only rows of some weight."""
    if rows.weights is None or (rows.weights > 0).all():
        return rows
    some = rows.weights > 0
    return EncodedRows([column[some] for column in rows.columns], rows.truth[some], rows.weights[some])


def put_together(answers: Iterable[Any], together: Callable[[list[Any]], Any]) -> Any:
    """Put answers together as they come, few at a time: no answer is copied often, and few are kept.

    Examples
    --------
    >>> put_together(range(10), sum)
    45
    """
    ranks: list[list[Any]] = [[]]  # those of rank r are made of _AT_ONCE to the power of r answers
    for answer in answers:
        rank, found = 0, answer
        while True:
            ranks[rank].append(found)
            if len(ranks[rank]) < _AT_ONCE:
                break
            found, ranks[rank] = together(ranks[rank]), []
            rank += 1
            if rank == len(ranks):
                ranks.append([])
    return together([answer for own in reversed(ranks) for answer in own])


# ---------------------------------------------------------------- answers together: nothing that is given is changed


def _add_profiles(parts: Sequence[Profile]) -> Profile:
    found = Profile()
    for part in parts:
        found.add(part)
    return found


def _add_weights(parts: Sequence[WeightProfile]) -> WeightProfile:
    found = WeightProfile()
    for part in parts:
        found.add(part)
    return found


def columns_of(plan: Plan) -> list[str]:
    """The columns that a plan reads."""
    return list(dict.fromkeys([*plan.features, plan.target, *([] if plan.weight is None else [plan.weight])]))


# ---------------------------------------------------------------- what is asked of one batch


def _profile(table: pa.Table, where: str, wishes: Wishes) -> Profile:
    return profile_batch(table, wishes, where)


def _weight_profile(table: pa.Table, where: str, plan: Plan) -> WeightProfile:
    found = WeightProfile()
    _, weights = truth_of(table, plan, where)
    found.see(np.ones(table.num_rows) if weights is None else weights, where)
    return found


def truth_of(table: pa.Table, plan: Plan, where: str) -> tuple[NDArray[Any], Numbers | None]:
    """The target of some rows as class numbers or values, and their weights with those of their classes."""
    column = table.column(plan.target)
    given = None if plan.weight is None else weights_of(table.column(plan.weight), where)
    if plan.classes is None:
        return number_target(column, where), given
    refuse_holes(column, where)
    number = {label: code for code, label in enumerate(plan.classes.tolist())}
    encoded = column.combine_chunks().dictionary_encode()
    place = np.array([number.get(label, -1) for label in encoded.dictionary.to_pylist()], dtype=np.int32)
    codes = place[encoded.indices.to_numpy(zero_copy_only=False)] if table.num_rows else np.empty(0, dtype=np.int32)
    if (codes < 0).any():
        raise DataError(f"{where}: the target has changed while it was read: it has a class that was not there.")
    if plan.class_weights is None:
        return codes, given
    by_row = plan.class_weights[codes]
    return codes, by_row if given is None else given * by_row


@dataclass(frozen=True)
class EncodedRows:
    """Some rows, encoded: numbers or codes of each column and the target. It may be kept while a tree is grown."""

    columns: list[NDArray[Any]]
    truth: NDArray[Any]
    weights: Numbers | None
    cells: list[NDArray[Any]] | None = None  # of each column, where they are kept

    def cells_of(self, plan: Plan, column: int) -> NDArray[np.int32]:
        """The cell of each row in a column."""
        if self.cells is None:
            return _cells(self.columns[column], plan.edges[column])
        return self.cells[column].astype(np.int32)


def encode_rows(table: pa.Table, where: str, plan: Plan, keeps: bool = False) -> EncodedRows:
    """Encode some rows; those that will be kept know the cells of their columns."""
    columns = encode_columns(table, plan)
    cells = [
        _cells(values, edges).astype(np.min_scalar_type(plan.n_cells(j)))
        for j, (values, edges) in enumerate(zip(columns, plan.edges, strict=True))
        if keeps
    ]
    return EncodedRows(columns, *truth_of(table, plan, where), cells if keeps else None)


def joined_encoded(parts: Sequence[EncodedRows]) -> EncodedRows:
    """Rows that were encoded in parts, of which there is at least one.

    Examples
    --------
    >>> one = EncodedRows([np.array([0.5])], np.array([1]), None)
    >>> joined_encoded([one, one]).columns
    [array([0.5, 0.5])]
    """
    if len(parts) == 1:
        return parts[0]
    first, together = parts[0], np.concatenate
    cells = [together(own) for own in zip(*(part.cells or () for part in parts), strict=True)]
    return EncodedRows(
        [together(columns) for columns in zip(*(part.columns for part in parts), strict=True)],
        together([part.truth for part in parts]),
        None if first.weights is None else together([part.weights for part in parts if part.weights is not None]),
        None if first.cells is None else cells,
    )


def encode_columns(table: pa.Table, plan: Plan) -> list[NDArray[Any]]:
    """The columns of some rows: numbers with NaN where there is none, or codes of levels."""
    frame = open_frame(table.select(list(plan.features)))
    codes = RowEncoder(plan.schema).level_codes
    return [
        plain_numbers(series, column.name, column.value_type) if own is None else code_levels(series, own)
        for series, column, own in zip(frame.columns, plan.schema.columns, codes, strict=True)
    ]


def _cells(values: NDArray[Any], edges: Numbers | None) -> NDArray[np.int32]:
    if edges is None:
        return np.ascontiguousarray(values, dtype=np.int32)
    cells = np.searchsorted(edges, values).astype(np.int32) + 1
    cells[np.isnan(values)] = 0
    return cells


@dataclass(frozen=True)
class _Batch:
    """Rows with the integers of their targets and the node that each of them is at."""

    rows: EncodedRows
    target: _core.Target
    node: NDArray[np.int32]


def _send(rows: EncodedRows, plan: Plan, routing: Routing) -> _Batch:
    """Send rows to their nodes."""
    if plan.classes is None:
        target = plan.units.numbers(rows.truth, rows.weights)
    else:
        target = plan.units.classes(rows.truth, plan.n_classes, rows.weights)
    parts = [
        ("numeric" if column.kind == "numeric" else "levels", values, None)
        for column, values in zip(plan.schema.columns, rows.columns, strict=True)
    ]
    leaves = _core.find_leaves(routing.tree, len(rows.truth), parts, 1)
    asked = np.full(routing.tree.n_nodes, -1, dtype=np.int32)
    asked[list(routing.places)] = np.arange(len(routing.places))
    return _Batch(rows, target, asked[leaves])


def _count(rows: EncodedRows, plan: Plan, routing: Routing, counted: tuple[int, ...], ends: bool) -> PartialCounts:
    batch = _send(rows, plan, routing)
    sums, low, high, lowest, upper, lower = _core.count_nodes(batch.node, batch.target, len(routing.places))
    squares = [(int(a) << 64) + int(b) for a, b in zip(upper, lower, strict=True)]
    nodes = NodeSums(sums.reshape(-1, plan.width), low, high, lowest, squares)
    n_cells = tuple(plan.n_cells(j) for j in range(len(plan.features)))
    if not counted:
        return PartialCounts(nodes, [], (), n_cells)
    number = np.full(len(routing.places) + 1, -1, dtype=np.int32)  # the last one is that of rows at no such node
    number[list(counted)] = np.arange(len(counted))
    node = number[batch.node]
    columns = []
    for j, column in enumerate(plan.schema.columns):
        values = (
            None if column.kind == "nominal" or not ends else np.ascontiguousarray(rows.columns[j], dtype=np.float64)
        )
        columns.append(_count_column(node, rows.cells_of(plan, j), values, batch.target, (len(counted), n_cells[j])))
    return PartialCounts(nodes, columns, counted, n_cells)


def _count_column(
    node: NDArray[np.int32],
    cells: NDArray[np.int32],
    values: Numbers | None,
    target: _core.Target,
    shape: tuple[int, int],
) -> ColumnCells:
    n_nodes, n_cells = shape
    if len(node) * _ROOMY > n_nodes * n_cells:
        return ColumnCells.of(n_nodes * n_cells, *_core.count_cells(node, cells, values, target, n_nodes, n_cells))
    # few rows among many cells: those that have any are numbered first, from 1 on, since 0 has no values
    here = node >= 0
    place, own = np.unique(node[here].astype(np.int64) * n_cells + cells[here], return_inverse=True)
    number, inside = np.zeros_like(cells), np.where(here, 0, -1).astype(np.int32)
    number[here] = own + 1
    found = ColumnCells.of(len(place) + 1, *_core.count_cells(inside, number, values, target, 1, len(place) + 1))
    return replace(found, place=place[found.place - 1])


def _open(rows: EncodedRows, plan: Plan, routing: Routing, stretches: Sequence[Stretches]) -> PartialValues:
    batch = _send(rows, plan, routing)
    parts = []
    for j in sorted({one.column for one in stretches}):
        wanted = np.full((len(routing.places) + 1, plan.n_cells(j)), -1, dtype=np.int64)  # by node and cell
        for i, one in enumerate(stretches):
            if one.column == j:
                wanted[one.node, list(one.cells)] = i
        stretch = wanted[batch.node, rows.cells_of(plan, j)]
        parts.append(_values_inside(stretch, rows.columns[j], batch.target, plan.width))
    return PartialValues.together(parts)


def _values_inside(stretch: NDArray[np.int64], column: Any, target: _core.Target, width: int) -> PartialValues:
    inside = np.flatnonzero(stretch >= 0)
    values = column[inside].astype(np.float64) + 0.0
    order, first = equal_in_order(stretch[inside], values)
    number = np.zeros(len(inside), dtype=np.int32)
    number[first[1:]] = 1
    cell, node = np.zeros(len(stretch), dtype=np.int32), np.full(len(stretch), -1, dtype=np.int32)
    cell[inside[order]], node[inside] = np.cumsum(number), 0
    sums, _, _ = _core.count_cells(node, cell, None, target, 1, max(1, len(first)))
    here = sums.reshape(-1, width)[: len(first)]
    counted = here[:, 0] > 0  # rows of weight 0 are no rows
    chosen = inside[order][first][counted]
    return PartialValues(stretch[chosen], column[chosen].astype(np.float64) + 0.0, here[counted])


def _equal_rows(rows: EncodedRows, plan: Plan, routing: Routing) -> EqualRows:
    batch = _send(rows, plan, routing)
    integers = _core.target_integers(batch.target)
    asked = integers["rows"]
    asked = asked[batch.node[asked] >= 0]
    weight = integers["weight"][asked] if len(integers["weight"]) else np.ones(len(asked), dtype=np.int64)
    one = EqualRows(batch.node[asked].astype(np.int64), integers["level"][asked], weight, np.ones_like(weight))
    return EqualRows.together([one])


def _fetch(rows: EncodedRows, plan: Plan, routing: Routing) -> FetchedRows:
    batch = _send(rows, plan, routing)
    here = batch.node >= 0
    weights = None if rows.weights is None else rows.weights[here]
    return FetchedRows([column[here] for column in rows.columns], rows.truth[here], weights, batch.node[here])
