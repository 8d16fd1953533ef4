"""The executors of Spark as a crew: what they all need is broadcast, and answers are kept until they come here."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from treewright import machine
from treewright.errors import DataError
from treewright.sources.crew import Crew, Work

Job = Callable[[], Any]


class SparkCrew(Crew):
    """The executors of a session; `answer_of` runs a job of it, and says in a sentence what goes wrong."""

    engine = "Spark"
    cure = (
        "Give executors more memory outside Java (spark.executor.memoryOverhead, or spark.executor.pyspark.memory "
        "where it is set) or fewer cores (spark.executor.cores)."
    )

    def __init__(self, session: Any, answer_of: Callable[[Job], Any]) -> None:
        self._context = session.sparkContext
        self._answer_of = answer_of
        self._handed: Any = None

    @property
    def size(self) -> int:
        """The cores of all executors."""
        return max(1, int(self._context.defaultParallelism))

    def free_memory(self) -> tuple[int, str]:
        """Of a machine, shared by the tasks that are there at one time."""
        asked = self._context.parallelize(range(self.size), self.size).map(_memory_here)
        told = self._answer_of(asked.collect)
        on_each = Counter(host for _, host in told)
        return min((free // on_each[host], host) for free, host in told)

    def hand_out(self, thing: Any) -> None:
        """Broadcast it."""
        self.close()
        self._handed = self._answer_of(lambda: self._context.broadcast(thing))

    def each(self, work: Work, arguments: Sequence[Any], done: Callable[[int], None]) -> list[Any]:
        """Answers of whoever has time; Spark asks others where a task is lost.

        They are kept there, and come here one after the other: Spark limits what comes to its driver in one job.
        """
        numbered = self._context.parallelize(list(enumerate(arguments)), len(arguments))
        kept = numbered.map(partial(_answer, work=work, handed=self._handed)).persist()
        try:
            self._answer_of(kept.count)
            answers: dict[int, Any] = {}
            rows = self._answer_of(kept.toLocalIterator)
            while (row := self._answer_of(partial(next, rows, None))) is not None:
                place, refused, packed = row
                if refused:
                    raise DataError(refused)
                answers[place] = pickle.loads(packed)  # noqa: S301 - our own tasks wrote it
                done(place)
            return [answers[place] for place in range(len(arguments))]
        finally:
            kept.unpersist()

    def close(self) -> None:
        """Let the executors let go of what they were handed."""
        if self._handed is not None:
            self._handed.destroy()
        self._handed = None


# ---------------------------------------------------------------- tasks: pure functions of a number and an argument


def _memory_here(_: int) -> tuple[int, str]:
    import socket

    return machine.free_memory(), socket.gethostname()


def _answer(numbered: tuple[int, Any], work: Work, handed: Any) -> tuple[int, str, bytes]:
    place, argument = numbered
    try:
        return place, "", pickle.dumps(work(handed.value, argument), protocol=5)
    except DataError as error:
        return place, str(error), b""
