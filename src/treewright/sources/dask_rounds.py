"""Boosting whose rounds the workers of a Dask cluster share (`shared_rounds.py`): they keep their rows and add sums up.

If one is lost, those that are left begin again.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from treewright import _core
from treewright.errors import DataError
from treewright.sources.dask_tasks import Cluster, Kept, Refused, active_client, release
from treewright.sources.gathered_rows import narrow_columns, types_of_columns
from treewright.sources.peers import PeerLostError, Seat, listen, peers_of
from treewright.sources.profile import Profile
from treewright.sources.questions import Numbers, Plan
from treewright.sources.shared_rounds import Grown, SharedBoosting, grow_with_peers, joined

if TYPE_CHECKING:
    from treewright.sources.dask_source import DaskSource

_ATTEMPTS = 10
_LOOK_UP = 0.5  # seconds between two looks at how far the workers are


def workers_can_meet() -> bool:
    """Whether the workers of the client in use can add up among themselves.

    Sums travel as they are: not where Dask's own connections are encrypted, nor where there are none (inproc://).
    """
    client = active_client()
    return client is not None and all(worker.startswith("tcp://") for worker in client.nthreads())


def boost_over_workers(
    source: DaskSource,
    plan: Plan,
    profile: Profile,
    rules: Mapping[str, Any],
    progress: _core.Progress,
) -> tuple[_core.Ensemble, Numbers]:
    """Grow the trees where the rows are: the trees, and where they start. OverflowError as in memory."""
    progress.total = rules["n_estimators"]
    types = types_of_columns(plan, profile, source.empty_table())
    cluster, rows = source.kept_answers(plan, partial(narrow_columns, plan=plan, types=types))
    try:
        for _ in range(_ATTEMPTS):
            counts = _row_counts(cluster, rows)
            if sum(counts) != profile.n_rows:
                raise DataError(f"{source} has other rows than when it was looked at first. Make it anew, and repeat.")
            shared = SharedBoosting(plan, rules, secrets.token_hex(16))
            found = _Attempt(cluster, rows, counts, shared).run(progress)
            if found is not None:
                return _core.Ensemble(found.arrays, len(plan.features), 0), found.start
    finally:
        rows.release()
    raise DataError(
        f"Dask: workers were lost in each of {_ATTEMPTS} attempts to boost together. Workers with more memory, or more "
        "of them, may help."
    )


# ---------------------------------------------------------------- where the model is fitted


def _parts_of(rows: Kept) -> list[Any]:
    return [part for group in rows.groups for part in group]


def _row_counts(cluster: Cluster, rows: Kept) -> list[int]:
    """How many rows each partition has, once all are there (again)."""
    counts = cluster.gather(cluster.client.map(_row_count, _parts_of(rows), pure=False))
    refused = next((count for count in counts if isinstance(count, Refused)), None)
    if refused is not None:
        raise DataError(refused.sentence)
    return counts


class _Attempt:
    """One start with the workers that there are; None where some of them were lost on the way."""

    def __init__(self, cluster: Cluster, rows: Kept, counts: Sequence[int], shared: SharedBoosting) -> None:
        self._cluster, self._client, self._shared = cluster, cluster.client, shared
        parts = _parts_of(rows)
        self._threads = dict(self._client.nthreads())
        self._parts = _dealt(parts, counts, self._client.who_has(parts), list(self._threads)) if self._threads else {}

    def run(self, progress: _core.Progress) -> Grown | None:
        workers = list(self._parts)
        if not workers:
            time.sleep(_LOOK_UP)
            return None
        try:
            address = self._client.run(_open_door, self._shared.fit, workers=workers[:1])[workers[0]]
        except (OSError, ValueError, KeyError):  # it has gone in the meantime
            time.sleep(_LOOK_UP)
            return None
        key = secrets.token_bytes(32)
        asked = self._cluster.everywhere(self._shared)
        futures = [
            self._client.submit(
                _take_part, self._parts[worker], asked, Seat(number, len(workers), address, key),
                self._threads.get(worker, 1), workers=[worker], allow_other_workers=False, pure=False, retries=0,
            )
            for number, worker in enumerate(workers)
        ]  # fmt: skip
        try:
            return self._grown(futures, workers, progress)
        finally:
            here = [worker for worker in workers if worker in self._client.nthreads()]
            self._client.run(_stop, self._shared.fit, workers=here, on_error="ignore")
            release([asked, *futures])

    def _grown(self, futures: Sequence[Any], workers: Sequence[str], progress: _core.Progress) -> Grown | None:
        while not all(future.status == "finished" for future in futures):
            if any(future.status in ("error", "cancelled", "lost") for future in futures):
                self._cluster.wait(futures)
            here = self._client.nthreads()
            if any(worker not in here for worker in workers):
                return None
            if any(future.status == "finished" and future.result() == _GONE for future in futures):
                return None
            done = self._client.run(_rounds_done, self._shared.fit, workers=workers[:1], on_error="ignore")
            progress.done = max(progress.done, *(rounds for rounds in (done or {}).values() if rounds is not None), 0)
            _wait_a_little(futures)
        answers = [self._cluster.bring(future) for future in futures]
        if any(answer == _GONE for answer in answers):
            return None
        if any(answer == _RUNAWAY for answer in answers):
            raise OverflowError("the gradients grew beyond all numbers")
        return answers[0]  # type: ignore[no-any-return]


def _wait_a_little(futures: Sequence[Any]) -> None:
    from distributed import wait

    try:
        wait(futures, timeout=_LOOK_UP)
    except TimeoutError:
        return
    except Exception:  # a future that failed is looked at by whoever waits
        time.sleep(_LOOK_UP / 10)


def _dealt(
    parts: Sequence[Any], counts: Sequence[int], places: Mapping[str, Sequence[str]], workers: Sequence[str]
) -> dict[str, list[Any]]:
    """Partitions by the worker that learns from them: where they lie, as long as all have about as many rows.

    Those without rows are left out.
    """
    even = sum(counts) / len(workers)
    dealt: dict[str, list[Any]] = {worker: [] for worker in workers}
    held = dict.fromkeys(workers, 0)
    for part, count in sorted(zip(parts, counts, strict=True), key=lambda pair: -pair[1]):
        lightest = min(held, key=lambda worker: held[worker])
        here = [place for place in places.get(part.key, ()) if place in held and held[place] + count <= 1.1 * even]
        worker = here[0] if here else lightest
        if count:
            dealt[worker].append(part)
            held[worker] += count
    return {worker: own for worker, own in dealt.items() if own}


# ---------------------------------------------------------------- on the workers

_GONE, _RUNAWAY = "gone", "runaway"
_doors: dict[str, Any] = {}  # by fit: the hub's door, until the others have come
_running: dict[str, _core.Progress] = {}
_stopped: set[str] = set()


def _row_count(part: Any) -> int | Refused:
    """How many rows a partition has; None stands for one without any."""
    if isinstance(part, Refused):
        return part
    return 0 if part is None else len(part.truth)


def _open_door(fit: str, dask_worker: Any) -> tuple[str, int]:
    from distributed.comm import get_address_host

    _doors[fit] = listen(get_address_host(dask_worker.address))
    address = _doors[fit].getsockname()
    return address[0], address[1]


def _stop(fit: str) -> None:
    _stopped.add(fit)
    door = _doors.pop(fit, None)
    if door is not None:
        door.close()


def _rounds_done(fit: str) -> int | None:
    return _running[fit].done if fit in _running else None


def _take_part(parts: list[Any], shared: SharedBoosting, seat: Seat, threads: int) -> Any:
    """Grow all trees together with the others; the hub gives them."""
    from distributed import secede

    secede()  # who waits for others must not keep these from their turn
    fit = shared.fit
    _running[fit] = _core.Progress()
    try:
        door = _doors.pop(fit, None) if seat.number == 0 else None
        if seat.number == 0 and door is None:
            return _GONE
        with peers_of(seat, door, lambda: fit in _stopped) as peers:
            grown = grow_with_peers(joined(parts), shared, peers, threads, _running[fit])
        return grown if seat.number == 0 else None
    except PeerLostError:
        return _GONE
    except OverflowError:
        return _RUNAWAY
    finally:
        del _running[fit]
