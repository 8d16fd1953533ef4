"""A Dask frame as a source: its partitions are counted by the workers of a cluster, where they are.

Every task is a function of a partition and of a question that says all, so one that is lost with its worker is run
again and gives the same. Without a cluster the partitions are computed and counted here, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from treewright.sources.answers import answer_table, answer_types, features_of
from treewright.sources.batches import BatchSource, EncodedRows, columns_of, encode_rows, joined_encoded, put_together
from treewright.sources.crew import Crew
from treewright.sources.dask_crew import DaskCrew
from treewright.sources.dask_tasks import Cluster, Kept, active_client
from treewright.sources.files import plain_types
from treewright.sources.partition_types import as_frame_says, common_types, refuse_names, types_of_partition
from treewright.sources.questions import Plan

if TYPE_CHECKING:
    import pyarrow as pa

Together = Callable[[list[Any]], Any]
_JOINED_ROWS = 262_144  # short partitions are joined up to so many rows


class DaskSource(BatchSource):
    """The rows of a `dask.dataframe`."""

    engine = "Dask"

    def __init__(self, frame: Any, fetch_rows: int) -> None:
        self.frame = frame
        self.fetch_rows = fetch_rows
        self._tables: tuple[Cluster, Kept, set[str]] | None = None  # partitions that workers keep as tables
        self._rows: tuple[Cluster, Kept, Plan] | None = None  # and encoded
        refuse_names(self, list(frame.columns))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.frame.columns)

    @cached_property
    def _types(self) -> pa.Schema:
        """The types that the frame says; where it says `object`, those that its partitions have."""
        told = types_of_partition(self.frame._meta, str(self))
        unknown = [one.name for one in told if str(one.type) == "null"]
        if not unknown:
            return told
        client = active_client()
        look = partial(_look_at_types, names=unknown)
        together = partial(common_types, told)
        if client is None:
            return together([look(part, where) for part, where in self._computed(unknown)])
        cluster = Cluster(client)
        return cluster.ask(cluster.start(look, self.frame[unknown].to_delayed()), _first, together)

    def empty_table(self) -> pa.Table:
        """A table with the types of the columns and no rows."""
        return plain_types(self._types.empty_table())

    # ---------------------------------------------------------------- questions
    def ask_tables(self, names: Sequence[str], question: Callable[[pa.Table, str], Any], together: Together) -> Any:
        """Ask every partition as a table; workers keep them for the next question."""
        client = active_client()
        if client is None:
            return put_together((question(table, where) for table, where in self._here(names)), together)
        cluster, tables = self._kept_tables(client, names)
        return cluster.ask(tables, partial(_ask_table, question=question), together)

    def ask_rows(self, plan: Plan, question: Callable[[EncodedRows, Plan], Any], together: Together) -> Any:
        """Ask every partition once it is encoded; workers keep what they encoded."""
        client = active_client()
        if client is None:
            here = self._here(columns_of(plan))
            return put_together((question(encode_rows(table, where, plan), plan) for table, where in here), together)
        if self._rows is None or self._rows[2].edges is not plan.edges:
            cluster, tables = self._kept_tables(client, columns_of(plan))
            self._rows = cluster, cluster.each_group(tables, partial(_encode, plan=plan)), plan
            self._tables = None
            tables.release()  # one that is needed again, since a worker was lost, is made again
        cluster, rows, _ = self._rows
        return cluster.ask(rows, partial(_ask_rows, plan=plan, question=question, together=together), together)

    def each_table(self, names: Sequence[str], question: Callable[[pa.Table, str], Any]) -> Iterator[Any]:
        """Ask every partition where it is; its answer stays there until it is its turn to come here."""
        client = active_client()
        if client is None:
            yield from (question(table, where) for table, where in self._here(names))
            return
        cluster, tables = self._kept_tables(client, names)
        answers = cluster.each(tables, partial(_ask_table, question=question))
        self._tables = None
        tables.release()  # one that is needed again, since a worker was lost, is made again
        try:
            for future in (future for group in answers.groups for future in group):
                found = cluster.bring(future)
                future.release()
                if found is not None:
                    yield found
        finally:
            answers.release()

    def kept_answers(self, plan: Plan, question: Callable[[pa.Table, str], Any]) -> tuple[Cluster, Kept]:
        """Ask every partition where it is, and leave the answers there; None of one that is empty."""
        cluster, tables = self._kept_tables(active_client(), columns_of(plan))
        answers = cluster.each(tables, partial(_ask_table, question=question))
        self._tables = None
        tables.release()  # one that is needed again, since a worker was lost, is made again
        return cluster, answers

    def forget(self) -> None:
        """Let the workers let go of what they keep."""
        if self._tables is not None:
            self._tables[1].release()
        if self._rows is not None:
            self._rows[1].release()
        self._tables = self._rows = None

    @contextmanager
    def crew(self) -> Iterator[Crew | None]:
        """The workers of the cluster that is in use."""
        client = active_client()
        if client is None:
            yield None
            return
        crew = DaskCrew(client)
        try:
            yield crew
        finally:
            crew.close()

    def _kept_tables(self, client: Any, names: Sequence[str]) -> tuple[Cluster, Kept]:
        if self._tables is None or not set(names) <= self._tables[2]:
            cluster = Cluster(client)
            types = self._chosen_types(names)
            parts = self.frame[list(names)].to_delayed()
            self._tables = cluster, cluster.start(partial(_open, types=types), parts), set(names)
        return self._tables[0], self._tables[1]

    def _chosen_types(self, names: Sequence[str]) -> pa.Schema:
        import pyarrow as pa

        return pa.schema([self._types.field(name) for name in names])

    # ---------------------------------------------------------------- rows that come here
    def batches(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Hand over all rows, a partition at a time, in the order of the partitions."""
        for table, _ in self._here(names):
            yield table

    def _here(self, names: Sequence[str]) -> Iterator[tuple[pa.Table, str]]:
        types = self._chosen_types(names)
        for part, where in self._computed(names):
            table, _ = _open(part, where, types)
            if table.num_rows:
                yield table, where

    def _computed(self, names: Sequence[str]) -> Iterator[tuple[Any, str]]:
        client = active_client()
        for i, part in enumerate(self.frame[list(names)].to_delayed()):
            yield part.compute() if client is None else Cluster(client).result(part), f"partition {i}"

    # ---------------------------------------------------------------- answers
    def predictions(self, model: Any, *, keep: Sequence[str] = (), proba: bool = False) -> Any:
        """Give the answers of a model as a lazy Dask frame, which is computed where the rows are.

        It has the index and the partitions of the rows, the columns to keep, `prediction`, and with `proba` a column
        ``probability_CLASS`` for each class.
        """
        names = features_of(model, self)
        for name in keep:
            self.need(name, "column to keep")
        read = list(dict.fromkeys([*keep, *names]))
        types = self._chosen_types(names)
        meta = self.frame._meta[list(keep)].assign(**answer_types(model, proba))
        answered = partial(_answer, keep=list(keep), types=types, proba=proba)
        return self.frame[read].map_partitions(answered, model, meta=meta)

    def __str__(self) -> str:
        return "the Dask frame"


# ---------------------------------------------------------------- tasks: pure functions of a partition


def _look_at_types(part: Any, where: str, names: Sequence[str]) -> pa.Schema:
    return types_of_partition(part[list(names)], where)


def _first(schema: Any) -> Any:
    return schema


def _open(part: Any, where: str, types: pa.Schema) -> tuple[pa.Table, str]:
    return plain_types(as_frame_says(part, where, types)), where


def _ask_table(opened: tuple[pa.Table, str], question: Callable[[pa.Table, str], Any]) -> Any:
    return question(*opened) if opened[0].num_rows else None


def _encode(group: list[tuple[pa.Table, str]], plan: Plan) -> list[EncodedRows]:
    """The partitions of a group as few long ones: each costs every question something, however short it is."""
    encoded = (encode_rows(*opened, plan, keeps=True) for opened in group if opened[0].num_rows)
    found: list[EncodedRows] = []
    waiting: list[EncodedRows] = []
    for rows in encoded:
        if waiting and sum(len(one.truth) for one in waiting) + len(rows.truth) > _JOINED_ROWS:
            found.append(joined_encoded(waiting))
            waiting = []
        waiting.append(rows)
    return [*found, joined_encoded(waiting)] if waiting else found


def _ask_rows(
    kept: list[EncodedRows], plan: Plan, question: Callable[[EncodedRows, Plan], Any], together: Together
) -> Any:
    return together([question(rows, plan) for rows in kept]) if kept else None


def _answer(part: Any, model: Any, keep: Sequence[str], types: pa.Schema, proba: bool) -> Any:
    import pandas as pd

    table = plain_types(as_frame_says(part[types.names], "a partition", types))
    columns: dict[str, Any] = dict(answer_table(model, table, proba)) if len(part) else {}
    answers = {
        name: pd.Series(columns.get(name, []), index=part.index, dtype=kind.dtype)
        for name, kind in answer_types(model, proba).items()
    }
    return part[list(keep)].assign(**answers)
