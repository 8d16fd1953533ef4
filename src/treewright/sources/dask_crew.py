"""The workers of a Dask cluster as a crew: what they all need is scattered to each, and again if it is lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

from treewright import machine
from treewright.errors import DataError
from treewright.sources.crew import Crew, Work
from treewright.sources.dask_tasks import Refused, Refusing, refuse_without_workers_since, release, sentence_of

_TIMES = 4  # that something is handed out, since all who had it died
_SHARE = 0.8  # of the memory that a worker is given; beyond that Dask lets it pause
_UNKNOWN = 2**62  # bytes
_RETRIES = 3  # of a task that failed
_PATIENCE = 30.0  # seconds until an answer that is there has come here


class _LostError(Exception):
    """What was handed out is gone with the workers who had it."""


class DaskCrew(Crew):
    """The workers behind a client."""

    engine = "Dask"
    cure = "Start workers with more memory or fewer threads, or fewer workers on each machine."

    def __init__(self, client: Any) -> None:
        self._client = client
        self._thing: Any = None
        self._handed: Any = None  # the future of it

    @property
    def size(self) -> int:
        """The threads of all workers."""
        return max(1, int(sum(self._client.nthreads().values())))

    def free_memory(self) -> tuple[int, str]:
        """Of a worker's limit, and of its machine, which it shares with others there."""
        told = self._client.run(_memory_of, on_error="ignore")
        on_each = Counter(host for host, *_ in told.values())
        shares = [
            (min(free // on_each[host], limit - used) // threads, address)
            for address, (host, threads, free, limit, used) in told.items()
        ]
        return min(shares, default=(_UNKNOWN, ""))

    def hand_out(self, thing: Any) -> None:
        """Give every worker a copy."""
        self._thing = thing
        self._scatter()

    def each(self, work: Work, arguments: Sequence[Any], done: Callable[[int], None]) -> list[Any]:
        """Answers of whoever has time; Dask asks others where a worker dies."""
        answers: dict[int, Any] = {}
        for _ in range(_TIMES):
            try:
                self._ask(Refusing(work), arguments, answers, done)
                return [answers[place] for place in range(len(arguments))]
            except _LostError:
                self._scatter()
        raise DataError(
            f"Dask: all workers that had the rows died, {_TIMES} times. Workers with more memory, or fewer of them on "
            "each machine, may help."
        )

    def close(self) -> None:
        """Let the workers let go of what they were handed."""
        if self._handed is not None:
            self._handed.release()
        self._thing = self._handed = None

    def _scatter(self) -> None:
        if self._handed is not None:
            self._handed.release()
        try:
            self._handed = self._client.scatter(self._thing, broadcast=True, hash=False)
        except TimeoutError as error:
            raise DataError(
                "Dask: no worker took the rows in time. Look at the cluster, start workers, and fit again."
            ) from error
        except Exception as error:
            raise DataError(sentence_of(error)) from error

    def _ask(self, work: Work, arguments: Sequence[Any], answers: dict[int, Any], done: Callable[[int], None]) -> None:
        """Put the answers that are not there yet with those that are."""
        places = {
            self._client.submit(work, self._handed, argument, pure=False, retries=_RETRIES): place
            for place, argument in enumerate(arguments)
            if place not in answers
        }
        waiting = set(places)
        try:
            while waiting:
                for future in self._ended(waiting):
                    try:
                        found = future.result(timeout=_PATIENCE)
                    except TimeoutError:  # its worker died meanwhile, and another works on it
                        continue
                    if isinstance(found, Refused):
                        raise DataError(found.sentence)
                    waiting.remove(future)
                    future.release()
                    answers[places[future]] = found
                    done(places[future])
        except DataError:
            raise
        except CancelledError as error:
            raise _LostError from error
        except Exception as error:
            raise DataError(sentence_of(error)) from error
        finally:
            release(list(waiting))

    def _ended(self, futures: set[Any]) -> list[Any]:
        """Those that have ended, as soon as there are some."""
        from distributed import wait

        seen = time.monotonic()
        while True:
            try:
                return list(wait(futures, timeout=1, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                seen = time.monotonic() if self._client.scheduler_info()["workers"] else seen
                refuse_without_workers_since(seen)


def _memory_of(dask_worker: Any) -> tuple[str, int, int, int, int]:
    """Where a worker is, its threads, what is free there, what it may take, and what it has taken."""
    limit = dask_worker.memory_manager.memory_limit
    may_take = int(_SHARE * limit) if limit else _UNKNOWN
    taken = int(dask_worker.monitor.get_process_memory())
    return dask_worker.ip, dask_worker.state.nthreads, machine.free_memory(), may_take, taken
