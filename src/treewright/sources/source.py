"""`Source`: a table that is not held in memory. It answers counting questions in whole numbers (`questions.py`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError, nearest
from treewright.sources.questions import Counts, EqualRows, FetchedRows, Opened, Plan, Routing, Stretches, Wishes

if TYPE_CHECKING:
    import pyarrow as pa

    from treewright.sources.crew import Crew
    from treewright.sources.profile import Profile


class Source(ABC):
    """A table elsewhere: files, a database, a cluster. Made by `tw.source`.

    An engine implements the questions below. None of them changes anything where the rows are.
    """

    engine: str  # its name
    fetch_rows: int  # nodes of at most so many rows are fetched and grown whole
    left_out: frozenset[str] = frozenset()  # columns that are not learnt from
    tell: Callable[[int, int], None] = staticmethod(lambda level, nodes: None)  # of each level, and of its nodes

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @abstractmethod
    def empty_table(self) -> pa.Table:
        """A table of Arrow with the types of the columns and no rows."""

    @abstractmethod
    def profile(self, wishes: Wishes) -> Profile:
        """Take the first look: rows, levels, samples of numbers, what the target and the weights are like."""

    @abstractmethod
    def weight_facts(self, plan: Plan) -> Mapping[str, Any]:
        """Tell what the weights are like once those of the classes are in them."""

    @abstractmethod
    def count(self, plan: Plan, routing: Routing, counted: Sequence[int], ends: bool) -> Counts:
        """Add up what the nodes of the routing hold, and for some of them every column's cells.

        `ends`: with the smallest and the largest value in each cell of a column that has an order.
        """

    @abstractmethod
    def open(self, plan: Plan, routing: Routing, stretches: Sequence[Stretches]) -> list[Opened]:
        """Count stretches of values one value at a time."""

    @abstractmethod
    def equal_rows(self, plan: Plan, routing: Routing) -> EqualRows:
        """Count the rows of each node by their level and weight."""

    @abstractmethod
    def fetch(self, plan: Plan, routing: Routing) -> FetchedRows:
        """Hand over the rows of the nodes."""

    def fetch_nodes(
        self, plan: Plan, routing: Routing, rows: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], FetchedRows]]:
        """Hand over the rows of nodes, whole nodes at a time: which of them, and their rows, whose node counts these.

        `rows` tells how many each has. No more than `fetch_rows` are held, or those of one node.
        """
        group: list[int] = []
        held = 0
        for i, n_rows in enumerate(rows):
            if group and held + n_rows > self.fetch_rows:
                yield group, self.fetch(plan, routing.only(group))
                group, held = [], 0
            group.append(i)
            held += n_rows
        if group:
            yield group, self.fetch(plan, routing.only(group))

    def some_values(self, name: str, most: int) -> pa.Array:
        """Give the different values of a column, up to some number of them."""
        import pyarrow as pa

        found = pa.array([], self.empty_table().schema.field(name).type)
        for table in self.batches([name]):
            found = pa.chunked_array([found, *table.column(name).chunks]).unique()
            if len(found) >= most:
                break
        return found[:most]

    @contextmanager
    def session(self) -> Iterator[None]:
        """What holds while a model is fitted: an engine that can shows the same rows to every question.

        What may be asked again is kept as long, and no longer.
        """
        try:
            yield
        finally:
            self.forget()

    def forget(self) -> None:  # noqa: B027 - most engines keep nothing
        """Let go of what was kept for the next question."""

    @contextmanager
    def crew(self) -> Iterator[Crew | None]:
        """Workers that can be handed all rows, and then do a part of the work each; None where there are none."""
        yield None

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Hand over all rows, some at a time, in an order that is the same every time."""

    def most_rows(self, rows: int) -> int:
        """How many rows may be fetched at one time, of so many that fit into memory."""
        return rows

    def need(self, name: Any, role: str) -> str:
        """Give the name of a column, or say that there is none."""
        if not isinstance(name, str):
            raise DataError(
                f"With a source the {role} is a column's name, such as {self.names[-1]!r}, not {type(name).__name__}."
            )
        if name not in self.names:
            raise DataError(f"{self} has no column {name!r} for the {role}. {nearest(name, self.names)}")
        return name

    def __str__(self) -> str:
        return f"the source of {self.engine}"
