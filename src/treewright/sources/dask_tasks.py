"""Tasks on the workers of a Dask cluster: started, put together by a tree of further tasks, waited for.

What is asked is a task of its own, so it is sent once to each worker, and again if a worker is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import DataError

_AT_ONCE = 16  # answers that one task puts together
_RETRIES = 3  # of a task that failed: a disk or a network may have been away for a moment
_PATIENCE = 30.0  # seconds without any worker


@dataclass(frozen=True)
class Refused:
    """An error of ours as an answer: there is no use in trying again."""

    sentence: str


def active_client() -> Any:
    """The client of the cluster that is in use; None without one."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


@dataclass(frozen=True)
class Kept:
    """Something that workers keep of each partition, in groups that lie together as long as no worker is lost."""

    groups: list[list[Any]]

    def release(self) -> None:
        """Let the workers let go of it, whoever still knows of it (the traceback of an error, say)."""
        for group in self.groups:
            release(group)


def release(futures: Sequence[Any]) -> None:
    """Let the workers let go of what futures stand for, and not begin what was not begun."""
    for future in futures:
        future.release()


class Cluster:
    """The workers behind a client."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def start(self, function: Callable[[Any, str], Any], parts: Sequence[Any]) -> Kept:
        """Let workers do something to every partition of a frame, with its name, and keep it there."""
        from dask import delayed

        task = delayed(Refusing(function), pure=False)
        tasks = [task(part, f"partition {i}") for i, part in enumerate(parts)]
        return self._grouped(self.client.compute(tasks, retries=_RETRIES))

    def each(self, kept: Kept, function: Callable[[Any], Any]) -> Kept:
        """Let workers do something to everything that they keep, and keep the answers there."""
        asked = self.everywhere(function)
        parts = [part for group in kept.groups for part in group]
        # `asked` may go: a task knows how to make what it depends on
        return self._grouped(self.client.map(_apply, parts, asked=asked, pure=False, retries=_RETRIES))

    def each_group(self, kept: Kept, function: Callable[[list[Any]], Any]) -> Kept:
        """Let workers make one thing of every group of what they keep, and keep that."""
        asked = self.everywhere(function)
        return self._grouped(self.client.map(_apply_group, kept.groups, asked=asked, pure=False, retries=_RETRIES))

    def ask(self, kept: Kept, function: Callable[[Any], Any], together: Callable[[list[Any]], Any]) -> Any:
        """Ask everything that is kept, and bring the answers here as one."""
        asked = self.everywhere((function, together))
        answers = self.client.map(_ask_group, kept.groups, asked=asked, pure=False, retries=_RETRIES)
        started = [asked, *answers]
        try:
            while len(answers) > 1:
                groups = [answers[i : i + _AT_ONCE] for i in range(0, len(answers), _AT_ONCE)]
                answers = self.client.map(_put_together, groups, asked=asked, pure=False, retries=_RETRIES)
                started += answers
            found = self._wait(answers)[0]
        finally:
            release(started)
        if isinstance(found, Refused):
            raise DataError(found.sentence)
        return together([]) if found is None else found

    def result(self, part: Any) -> Any:
        """What a partition of a frame is, brought here."""
        return self._wait([self.client.compute(part, retries=_RETRIES)])[0]

    def bring(self, future: Any) -> Any:
        """What workers keep of one partition, brought here."""
        found = self._wait([future])[0]
        if isinstance(found, Refused):
            raise DataError(found.sentence)
        return found

    def everywhere(self, question: Any) -> Any:
        """What is asked, as a task that others depend on: unlike data that is scattered it cannot be lost."""
        return self.client.submit(_as_it_is, question, pure=False, retries=_RETRIES)

    def _grouped(self, futures: Sequence[Any]) -> Kept:
        """Futures by the worker that has them, a group for every thread: a task for each would cost too much."""
        try:
            self._wait(futures, brings=False)
        except BaseException:
            release(futures)
            raise
        places = self.client.who_has(futures)
        threads = self.client.nthreads()
        by_worker: dict[str, list[Any]] = {}
        for future in futures:
            by_worker.setdefault(next(iter(places.get(future.key, ())), ""), []).append(future)
        groups = []
        for worker, own in by_worker.items():
            size = min(_AT_ONCE, -(-len(own) // max(1, threads.get(worker, 1))))
            groups += [own[i : i + size] for i in range(0, len(own), size)]
        return Kept(groups)

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """What some tasks gave, brought here; the workers let go of it."""
        try:
            return self._wait(futures)
        finally:
            release(futures)

    def wait(self, futures: Sequence[Any]) -> None:
        """Wait until all is done; what fails is said in a sentence."""
        self._wait(futures, brings=False)

    def _wait(self, futures: Sequence[Any], brings: bool = True) -> list[Any]:
        """Wait for answers as long as there are workers to give them."""
        from distributed import wait

        seen = time.monotonic()
        try:
            while not all(future.done() for future in futures):
                try:
                    wait(futures, timeout=1)
                except TimeoutError:
                    seen = time.monotonic() if self.client.scheduler_info()["workers"] else seen
                    refuse_without_workers_since(seen)
            failed = next((future for future in futures if future.status != "finished"), None)
            if failed is not None:
                failed.result(timeout=_PATIENCE)
            return [future.result(timeout=_PATIENCE) for future in futures] if brings else []
        except DataError:
            raise
        except Exception as error:
            raise DataError(sentence_of(error)) from error


def refuse_without_workers_since(seen: float) -> None:
    """Refuse to wait any longer where the last worker was seen too long ago."""
    if time.monotonic() - seen > _PATIENCE:
        raise DataError(
            f"Dask: no worker has been there for {_PATIENCE:.0f} seconds. Look at the cluster, start workers, and fit "
            "again."
        ) from None


def sentence_of(error: Exception) -> str:
    """What an error of Dask means to whoever asked."""
    kind = type(error).__name__
    if kind == "KilledWorker":
        return (
            f"Dask gave a task up after its workers had died several times: {error} Workers with more memory, or "
            "smaller partitions (frame.repartition), may help."
        )
    if kind in ("CancelledError", "FutureCancelledError", "CommClosedError"):
        return f"Dask: the cluster was closed while it was asked ({error}). Start it, and fit again."
    if isinstance(error, TimeoutError):
        return (
            f"Dask: an answer was lost with its worker and not made again within {_PATIENCE:.0f} seconds. Look at the "
            "cluster, start workers, and fit again."
        )
    return f"Dask: a task failed {_RETRIES + 1} times with {kind}: {error}. See the logs of the workers."


@dataclass(frozen=True)
class Refusing:
    """A function that gives an error of ours as its answer."""

    function: Callable[..., Any]

    def __call__(self, *given: Any) -> Any:
        try:
            return self.function(*given)
        except DataError as error:
            return Refused(str(error))


def _as_it_is(question: Any) -> Any:
    return question


def _apply(kept: Any, asked: Callable[[Any], Any]) -> Any:
    return kept if isinstance(kept, Refused) else Refusing(asked)(kept)


def _apply_group(kept: list[Any], asked: Callable[[list[Any]], Any]) -> Any:
    refused = next((one for one in kept if isinstance(one, Refused)), None)
    return Refusing(asked)(kept) if refused is None else refused


Asked = tuple[Callable[[Any], Any], Callable[[list[Any]], Any]]  # a question, and how answers are put together


def _ask_group(kept: list[Any], asked: Asked) -> Any:
    return _put_together([_apply(one, asked[0]) for one in kept], asked)


def _put_together(parts: list[Any], asked: Asked) -> Any:
    """Put answers together; partitions without rows have none."""
    refused = next((part for part in parts if isinstance(part, Refused)), None)
    if refused is not None:
        return refused
    answered = [part for part in parts if part is not None]
    return Refusing(asked[1])(answered) if answered else None
