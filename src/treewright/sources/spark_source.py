"""A Spark frame as a source: its partitions are counted by `mapInArrow`, where they are.

Every task is a function of a partition and of a question that says all, so Spark may run it anywhere and again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError
from treewright.sources.answers import answer_table, features_of
from treewright.sources.batches import BatchSource, EncodedRows, columns_of, encode_rows, put_together
from treewright.sources.crew import Crew
from treewright.sources.files import plain_types
from treewright.sources.partition_types import refuse_names
from treewright.sources.questions import Plan
from treewright.sources.spark_crew import SparkCrew

if TYPE_CHECKING:
    import pyarrow as pa

Together = Callable[[list[Any]], Any]
_AT_ONCE = 16  # answers that one task puts together
_UNKNOWN = 2 * _AT_ONCE  # partitions of a frame that was not made yet
_MOST_FETCHED = 5_000_000  # cells: what Spark hands to its driver is limited (spark.driver.maxResultSize, 1 GB)
_ANSWER = "answer binary"


class SparkSource(BatchSource):
    """The rows of a Spark frame."""

    engine = "Spark"

    def __init__(self, frame: Any, fetch_rows: int) -> None:
        self.frame = frame
        self.fetch_rows = fetch_rows
        self._rows: tuple[Any, Plan, int] | None = None  # rows that executors keep, encoded, in so many partitions
        if ".connect." in type(frame).__module__:
            raise DataError("A frame of Spark Connect is no source: it cannot be kept. Use a classic session of Spark.")
        refuse_names(self, frame.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.frame.columns)

    @cached_property
    def _types(self) -> pa.Schema:
        try:
            return self._answer_of(lambda: self.frame.limit(0).toArrow()).schema
        except DataError as error:
            raise DataError(f"{error} A column may have a type that Arrow has not: leave it out.") from error

    def empty_table(self) -> pa.Table:
        """A table with the types of the columns and no rows."""
        return plain_types(self._types.empty_table())

    def most_rows(self, rows: int) -> int:
        """How many rows may be fetched at one time, of so many that fit into memory."""
        return max(1, min(rows, _MOST_FETCHED // (len(self.names) + 1)))

    # ---------------------------------------------------------------- questions
    def ask_tables(self, names: Sequence[str], question: Callable[[pa.Table, str], Any], together: Together) -> Any:
        """Ask every batch of every partition; how many these are is not known before they are made."""
        asked = self._chosen(names).mapInArrow(partial(_each_table, question=question, together=together), _ANSWER)
        return self._collect(asked, _UNKNOWN, together)

    def ask_rows(self, plan: Plan, question: Callable[[EncodedRows, Plan], Any], together: Together) -> Any:
        """Ask every batch once it is encoded; executors keep what they encoded."""
        if self._rows is None or self._rows[1].edges is not plan.edges:
            self.forget()
            kept = self._chosen(columns_of(plan)).mapInArrow(_encoding(plan), _ANSWER).persist()
            self._rows = kept, plan, self._answer_of(kept.rdd.getNumPartitions)
        kept, _, partitions = self._rows
        asked = kept.mapInArrow(partial(_each_rows, plan=plan, question=question, together=together), _ANSWER)
        return self._collect(asked, partitions, together)

    def each_table(self, names: Sequence[str], question: Callable[[pa.Table, str], Any]) -> Iterator[Any]:
        """Ask every batch where it is; the answers of one partition after the other come here."""
        answers = self._chosen(names).mapInArrow(partial(_one_by_one, question=question), _ANSWER)
        rows = self._answer_of(answers.toLocalIterator)
        while (row := self._answer_of(partial(next, rows, None))) is not None:
            found = pickle.loads(row[0])  # noqa: S301 - our own tasks wrote it
            if isinstance(found, _Refused):
                raise DataError(found.sentence)
            yield found

    def forget(self) -> None:
        """Let the executors let go of what they keep."""
        if self._rows is not None:
            self._rows[0].unpersist()
        self._rows = None

    @contextmanager
    def crew(self) -> Iterator[Crew | None]:
        """The executors of the session."""
        crew = SparkCrew(self.frame.sparkSession, self._answer_of)
        try:
            yield crew
        finally:
            crew.close()

    def _chosen(self, names: Sequence[str]) -> Any:
        return self.frame.select(*(f"`{name.replace('`', '``')}`" for name in names))

    def _collect(self, answers: Any, partitions: int, together: Together) -> Any:
        """Put the answers of partitions together where they are, and the last few here."""
        while partitions > _AT_ONCE:
            partitions = -(-partitions // _AT_ONCE)
            answers = answers.repartition(partitions).mapInArrow(partial(_add_up, together=together), _ANSWER)
        found = [pickle.loads(row[0]) for row in self._answer_of(answers.collect)]  # noqa: S301 - our own tasks wrote it
        refused = min((part.sentence for part in found if isinstance(part, _Refused)), default=None)
        if refused is not None:
            raise DataError(refused)
        return together(found)

    def _answer_of(self, job: Callable[[], Any]) -> Any:
        """What a job of Spark gives; what goes wrong in it is a sentence, and Ctrl-C stops it."""
        try:
            return job()
        except KeyboardInterrupt:
            self.frame.sparkSession.sparkContext.cancelAllJobs()
            raise
        except Exception as error:
            raise DataError(f"Spark could not answer: {_first_lines(error)} See the logs of the executors.") from error

    # ---------------------------------------------------------------- rows that come here
    def batches(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Hand over all rows, a partition at a time."""
        import pyarrow as pa

        rows = self._chosen(names).mapInArrow(_as_bytes, _ANSWER)
        for row in rows.toLocalIterator():
            table = plain_types(pa.ipc.open_stream(row[0]).read_all())
            if table.num_rows:
                yield table

    # ---------------------------------------------------------------- answers
    def predictions(self, model: Any, *, keep: Sequence[str] = (), proba: bool = False) -> Any:
        """Give the answers of a model as a lazy Spark frame, which is computed where the rows are.

        It has the columns to keep, `prediction`, and with `proba` a column ``probability_CLASS`` for each class.
        """
        from pyspark.sql.types import DoubleType, StructField, StructType

        names = features_of(model, self)
        for name in keep:
            self.need(name, "column to keep")
        shares = [f"probability_{name}" for name in model.classes_] if proba else []
        fields = [self.frame.schema[name] for name in keep]
        fields.append(StructField("prediction", _type_of_answers(model)))
        fields += [StructField(name, DoubleType()) for name in shares]
        answered = partial(_answer, model=model, names=names, keep=list(keep), proba=proba)
        return self._chosen(list(dict.fromkeys([*keep, *names]))).mapInArrow(answered, StructType(fields))

    def __str__(self) -> str:
        return "the Spark frame"


def _type_of_answers(model: Any) -> Any:
    import numpy as np
    from pyspark.sql.types import BooleanType, DoubleType, LongType, StringType

    if not hasattr(model, "classes_"):
        return DoubleType()
    kinds = {bool: BooleanType, int: LongType, float: DoubleType}
    return kinds.get(type(np.asarray(model.classes_).tolist()[0]), StringType)()


def _first_lines(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if "Error" in line and not line.startswith("at ")), "")
    return f"{type(error).__name__}: {' '.join(lines[:2])[:400]} {told[:300]}"


# ---------------------------------------------------------------- tasks: pure functions of the batches of a partition


class _Refused:
    """An error of ours as an answer: there is no use in trying again."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence


def _tables(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.Table, str]]:
    import pyarrow as pa
    from pyspark import TaskContext

    context = TaskContext.get()
    where = "a partition" if context is None else f"partition {context.partitionId()}"
    for batch in batches:
        if batch.num_rows:
            yield plain_types(pa.Table.from_batches([batch])), where


def _written(answers: Iterator[Any], together: Together) -> Iterator[pa.RecordBatch]:
    """One answer for all of them; none where there are none."""
    try:
        found = put_together(answers, partial(_if_any, together=together))
    except DataError as error:
        found = _Refused(str(error))
    if found is not None:
        yield _row(found)


def _if_any(parts: list[Any], together: Together) -> Any:
    return together(parts) if parts else None


def _row(found: Any) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.record_batch({"answer": pa.array([pickle.dumps(found, protocol=5)], pa.binary())})


def _kept(batches: Iterator[pa.RecordBatch]) -> Iterator[Any]:
    for batch in batches:
        for one in batch.column(0):
            found = pickle.loads(one.as_py())  # noqa: S301 - our own tasks wrote it
            if isinstance(found, _Refused):
                raise DataError(found.sentence)
            yield found


def _each_table(
    batches: Iterator[pa.RecordBatch], question: Callable[[pa.Table, str], Any], together: Together
) -> Iterator[pa.RecordBatch]:
    return _written((question(table, where) for table, where in _tables(batches)), together)


def _one_by_one(
    batches: Iterator[pa.RecordBatch], question: Callable[[pa.Table, str], Any]
) -> Iterator[pa.RecordBatch]:
    for table, where in _tables(batches):
        try:
            yield _row(question(table, where))
        except DataError as error:
            yield _row(_Refused(str(error)))


def _encoding(plan: Plan) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    return partial(_one_by_one, question=partial(encode_rows, plan=plan, keeps=True))


def _each_rows(
    batches: Iterator[pa.RecordBatch],
    plan: Plan,
    question: Callable[[EncodedRows, Plan], Any],
    together: Together,
) -> Iterator[pa.RecordBatch]:
    return _written((question(rows, plan) for rows in _kept(batches)), together)


def _add_up(batches: Iterator[pa.RecordBatch], together: Together) -> Iterator[pa.RecordBatch]:
    return _written(_kept(batches), together)


def _as_bytes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.record_batch({"answer": pa.array([sink.getvalue().to_pybytes()], pa.binary())})


def _answer(
    batches: Iterator[pa.RecordBatch], model: Any, names: Sequence[str], keep: Sequence[str], proba: bool
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for table, _ in _tables(batches):
        columns: dict[str, Any] = {name: table.column(name).combine_chunks() for name in keep}
        columns |= answer_table(model, table.select(list(names)), proba)
        columns["prediction"] = pa.array(columns["prediction"].tolist())
        yield from pa.table(columns).to_batches()
