"""Tables of databases as a source: counted by SQL that only selects, where they are. What differs is the engine's."""
# ruff: noqa: S608

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError
from treewright.sources.batches import encode_columns, truth_of
from treewright.sources.profile import Profile, WeightProfile
from treewright.sources.questions import (
    CellTable,
    Counts,
    EqualRows,
    FetchedRows,
    NodeSums,
    Opened,
    Plan,
    Routing,
    Stretches,
    Wishes,
    joined_rows,
)
from treewright.sources.source import Source
from treewright.sources.sql_profile import SqlProfile
from treewright.sources.sql_text import Engine, Statements
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame
from treewright.table.levels import code_levels

if TYPE_CHECKING:
    import pyarrow as pa

Types = Mapping[str, Any]  # of the columns of an answer, as Arrow has them


class SqlSource(Source):
    """A table, view or query of a database."""

    sql: Engine
    relation: str  # what rows are selected from
    table: str  # as it was named
    queries: list[str]  # every statement that was sent

    @abstractmethod
    def ask(self, statement: str, types: Types) -> pa.Table:
        """Send a statement and give the whole answer."""

    @abstractmethod
    def stream(self, statement: str, types: Types) -> Iterator[pa.Table]:
        """Send a statement and give the answer some rows at a time."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.empty_table().column_names)

    def batches(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Hand over all rows, some at a time."""
        chosen = ", ".join(self.sql.dialect.identifier(name) for name in names)
        schema = self.empty_table().schema
        types = {name: schema.field(name).type for name in names}
        yield from self.stream(f"SELECT {chosen} FROM {self.relation}", types)

    def some_values(self, name: str, most: int) -> pa.Array:
        """Give the different values of a column, up to some number of them."""
        quoted = self.sql.dialect.identifier(name)
        statement = f"SELECT {quoted} AS v FROM {self.relation} GROUP BY {quoted} LIMIT {most}"
        return self.ask(statement, {"v": self.empty_table().schema.field(name).type}).column(0).combine_chunks()

    # ---------------------------------------------------------------- the first look
    def profile(self, wishes: Wishes) -> Profile:
        """Take the first look: a statement about all columns, one for levels, a sample; one or two of weights."""
        return SqlProfile(self, wishes).look()

    def weight_facts(self, plan: Plan) -> Mapping[str, Any]:
        """Tell what the weights are like once those of the classes are in them."""
        weight = Statements(self.sql, self.relation, plan).given_weight
        assert weight is not None
        return self.weights(f"({weight})").facts()

    def weights(self, weight: str) -> WeightProfile:
        """The facts about weights; `weight` is SQL."""
        double = self.sql.dialect.double
        number, endless = f"CAST({weight} AS {double})", f"CAST('infinity' AS {double})"  # NaN is above it
        counts = f"FILTER (WHERE {number} > 0)"
        scaled = [f"({number} * {self.sql.dialect.number(2.0**shift)})" for shift in range(21)]
        parts = [
            f"count(*) {counts} AS counted",
            f"bool_and({number} = 1) {counts} AS ones",
            f"max({number}) AS largest",
            f"min({number}) {counts} AS smallest",
            f"count(*) - count(CASE WHEN {number} >= 0 AND {number} < {endless} THEN 1 END) AS wrong",
            *(f"bool_and({each} = floor({each})) {counts} AS s{shift}" for shift, each in enumerate(scaled)),
        ]
        types = dict.fromkeys(["counted", "wrong"], "int64") | dict.fromkeys(["largest", "smallest"], "double")
        types |= {"ones": "bool"} | {f"s{shift}": "bool" for shift in range(21)}
        order = [part.rpartition(" AS ")[2] for part in parts]
        row = self.ask(f"SELECT {', '.join(parts)} FROM {self.relation}", {name: types[name] for name in order})
        values = {name: row.column(name)[0].as_py() for name in row.column_names}
        if values["wrong"]:
            raise DataError(
                f"{self}: {values['wrong']:,} rows have a sample_weight that is missing, negative or not finite. "
                "Weights are finite numbers of 0 or more."
            )
        found = WeightProfile(values["counted"], bool(values["ones"]), values["largest"] or 0.0)
        found.smallest = values["smallest"] or np.inf
        found.whole_shift = next((s for s in range(21) if values[f"s{s}"]), 21)
        if found.whole_shift <= 20 and found.largest * 2.0**found.whole_shift < 2.0**62:
            total = f"CAST(sum(CAST({scaled[found.whole_shift]} AS BIGINT)) AS {self.sql.dialect.text}) AS total"
            asked = self.ask(f"SELECT {total} FROM {self.relation} WHERE {number} > 0", {"total": "string"})
            found.total = Fraction(int(asked.column(0)[0].as_py() or 0), 2**found.whole_shift)
        else:
            found.whole_shift, found.total = 21, None
        return found

    # ---------------------------------------------------------------- counts
    def count(self, plan: Plan, routing: Routing, counted: Sequence[int], ends: bool) -> Counts:
        """Add up what nodes hold, and some nodes' columns."""
        counts = Counts(NodeSums.none(len(routing.places), plan.width))
        numbers = plan.classes is None
        tell_nodes = numbers or not counted
        asked_about = routing if tell_nodes else routing.only(counted)
        local = list(counted) if tell_nodes else list(range(len(counted)))
        statement = Statements(self.sql, self.relation, plan).count(asked_about, local, tell_nodes, ends)
        answer = self.ask(statement, _count_types(plan))
        if tell_nodes:
            _read_nodes(answer, counts.nodes, plan)
        if counted:
            tables = self._tables(answer, plan, local, ends)
            counts.tables = {at: tables[own] for at, own in zip(counted, local, strict=True)}
            if not tell_nodes:
                for i in counted:  # a column's cells add up to its node
                    counts.nodes.sums[i] = counts.tables[i][0][0].sum(axis=0)
        return counts

    def _tables(
        self, answer: pa.Table, plan: Plan, counted: Sequence[int], with_ends: bool
    ) -> dict[int, list[CellTable]]:
        column, node, cell = (answer.column(i).to_numpy().astype(np.int64) for i in range(3))
        low, high = (answer.column(i).cast("double").to_numpy() for i in (4, 5))
        sums = _integers(answer, 6, plan.width)
        place = np.zeros(max(counted) + 1, dtype=np.int64)
        place[list(counted)] = np.arange(len(counted))
        tables: dict[int, list[CellTable]] = {at: [] for at in counted}
        for j, kind in enumerate(plan.schema.columns):
            mine = np.flatnonzero(column == j)
            nodes, cells = place[node[mine]], cell[mine]
            if kind.kind == "nominal":
                cells = self._codes(answer.column(3).take(mine), plan, j)
            whole = np.zeros((len(counted), plan.n_cells(j), plan.width), dtype=np.int64)
            np.add.at(whole, (nodes, cells), sums[mine])
            if kind.kind == "nominal" or not with_ends:
                for i, at in enumerate(counted):
                    tables[at].append((whole[i], None, None))
                continue
            ends = np.full((2, len(counted), plan.n_cells(j)), np.inf)
            ends[1] = -np.inf
            known = cells > 0
            ends[0][nodes[known], cells[known]] = low[mine][known]
            ends[1][nodes[known], cells[known]] = high[mine][known]
            for i, at in enumerate(counted):
                tables[at].append((whole[i], ends[0][i], ends[1][i]))
        return tables

    def _codes(self, texts: Any, plan: Plan, column: int) -> Any:
        """Codes of levels that came as text; no text is a missing value."""
        import pyarrow as pa

        name = plan.schema.columns[column].name
        typed = texts.cast(self.empty_table().schema.field(name).type)
        own = RowEncoder(plan.schema).level_codes[column]
        assert own is not None
        return code_levels(open_frame(pa.table({name: typed})).columns[0], own).astype(np.int64)

    def open(self, plan: Plan, routing: Routing, stretches: Sequence[Stretches]) -> list[Opened]:
        """Count stretches value by value."""
        types = {"i": "int64", "x": "double"} | {f"n{i}": "int64" for i in range(plan.width)}
        statements = Statements(self.sql, self.relation, plan)
        answer = self.ask(statements.open(routing, stretches), types)
        cells = statements.opened_cells(stretches)
        numbers, places = (np.fromiter(each, dtype=np.int64) for each in (cells.keys(), cells.values()))
        which = places[np.searchsorted(numbers, answer.column(0).to_numpy())]
        values = answer.column(1).to_numpy() + 0.0
        sums = _integers(answer, 2, plan.width)
        order = np.lexsort([values, which])
        ends = np.searchsorted(which[order], np.arange(len(stretches) + 1))
        own = [order[begin:end] for begin, end in pairwise(ends)]
        return [(values[rows], np.ascontiguousarray(sums[rows])) for rows in own]

    def equal_rows(self, plan: Plan, routing: Routing) -> EqualRows:
        """Count the rows of nodes by level and weight."""
        statement = Statements(self.sql, self.relation, plan).equal_rows(routing)
        answer = self.ask(statement, dict.fromkeys(["node", "l", "w", "n"], "int64"))
        return EqualRows(*(np.ascontiguousarray(_integers(answer, i, 1)[:, 0]) for i in range(4)))

    # ---------------------------------------------------------------- rows
    def fetch(self, plan: Plan, routing: Routing) -> FetchedRows:
        """Hand over the rows of nodes."""
        statement = Statements(self.sql, self.relation, plan).fetch(routing)
        return self._fetched(self.ask(statement, self._fetch_types(plan)), plan)

    def fetch_nodes(
        self, plan: Plan, routing: Routing, rows: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], FetchedRows]]:
        """Hand over the rows of nodes by one statement: all at once if they fit, else one node after the other."""
        if sum(rows) <= self.fetch_rows:
            yield range(len(rows)), self.fetch(plan, routing)
            return
        statement = Statements(self.sql, self.relation, plan).fetch(routing, in_order=True)
        waiting: list[FetchedRows] = []
        for table in self.stream(statement, self._fetch_types(plan)):
            waiting.append(self._fetched(table, plan))
            begun = int(waiting[-1].node[-1])  # of which more rows may come
            if int(waiting[0].node[0]) == begun:
                continue
            together = joined_rows(waiting)
            yield from _complete(together.only(together.node < begun))
            waiting = [together.only(together.node == begun)]
        yield from _complete(joined_rows(waiting))

    def _fetch_types(self, plan: Plan) -> Types:
        schema = self.empty_table().schema
        names = [*plan.features, plan.target, *([plan.weight] if plan.weight else [])]
        return {"tw_node": "int64"} | {name: schema.field(name).type for name in names}

    def _fetched(self, answer: pa.Table, plan: Plan) -> FetchedRows:
        table = answer.drop_columns(["tw_node"])
        truth, weights = truth_of(table, plan, str(self))
        node = answer.column("tw_node").to_numpy().astype(np.int32)
        return FetchedRows(encode_columns(table, plan), truth, weights, node)

    def __str__(self) -> str:
        return f"{self.engine}'s {self.table if len(self.table) < 40 else self.table[:40] + '…'}"


def _complete(rows: FetchedRows) -> Iterator[tuple[Sequence[int], FetchedRows]]:
    """Rows with their nodes, which count from 0 among them."""
    nodes, place = np.unique(rows.node, return_inverse=True)
    if len(nodes):
        yield nodes.tolist(), FetchedRows(rows.columns, rows.truth, rows.weights, place.astype(np.int32))


def _count_types(plan: Plan) -> Types:
    types = dict.fromkeys(["j", "node", "c"], "int64") | {"s": "string", "low": "double", "high": "double"}
    types |= {f"n{i}": "int64" for i in range(plan.width)}
    return types if plan.classes is not None else types | {"l0": "int64", "l1": "int64", "y0": "double", "q": "string"}


def _read_nodes(answer: pa.Table, nodes: NodeSums, plan: Plan) -> None:
    here = answer.filter(answer.column("j").to_numpy() == -1)
    node = here.column("node").to_numpy()
    nodes.sums[node] = _integers(here, 6, plan.width)
    if plan.classes is not None:
        return
    nodes.low[node], nodes.high[node] = here.column("l0").to_numpy(), here.column("l1").to_numpy()
    nodes.lowest[node] = here.column("y0").to_numpy()
    for place, square in zip(node.tolist(), here.column("q").to_pylist(), strict=True):
        nodes.squares[place] = int(square)


def _integers(answer: pa.Table, first: int, count: int) -> Any:
    return np.column_stack([answer.column(first + i).to_numpy().astype(np.int64) for i in range(count)])
