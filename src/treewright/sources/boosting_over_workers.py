"""Boosting whose rounds the workers of a Dask cluster share: each keeps its rows, and what is added up is the same for
all of them.

Every worker runs the ordinary booster of the core on its own rows. Where that needs a sum over all rows (where columns
are cut, the scale of the gradients, the histogram of a node, its number of rows) it asks its peers (`peers.py`). So all
of them grow the same trees, those of the rows in memory. If one is lost, those that are left begin again.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.sources.dask_tasks import Cluster, Kept, Refused, active_client, release
from treewright.sources.gathered_rows import GatheredRows, narrow_columns, types_of_columns
from treewright.sources.peers import PeerLostError, Peers, Seat, listen, peers_of
from treewright.sources.profile import Profile
from treewright.sources.questions import Numbers, Plan

if TYPE_CHECKING:
    from treewright.sources.dask_source import DaskSource

LEAST_ROWS = (
    16_384  # up to here the core has one block (kOneBlockRows in core/table/column.hpp), and columns no buckets
)
_MOST_LEVELS = 255  # of more the order of the rows' content has a say
_LOSSES = ("squared_error", "log_loss", "poisson", "gamma")  # the leaves of others are answered by ranks of residuals
_ATTEMPTS = 10
_LOOK_UP = 0.5  # seconds between two looks at how far the workers are


@dataclass(frozen=True)
class SharedBoosting:
    """What every worker has to know."""

    plan: Plan
    rules: Mapping[str, Any]  # of the core
    fit: str  # its name, by which it can be stopped


def can_share(source: Any, plan: Plan, profile: Profile, rules: Mapping[str, Any]) -> bool:
    """Whether the workers of a source can share these rounds; else the rows are gathered, for the same trees."""
    client = active_client() if hasattr(source, "kept_answers") else None
    # sums travel as they are: not where Dask's own connections are encrypted, nor where there are none (inproc://)
    if client is None or not all(worker.startswith("tcp://") for worker in client.nthreads()):
        return False
    alike = profile.weights is None or (
        profile.weights.smallest >= 2.0**-200 * profile.weights.largest
        and 2.0**-100 <= profile.weights.largest <= 2.0**100
    )
    return (
        profile.n_rows > LEAST_ROWS
        and rules["loss"] in _LOSSES
        and rules["max_bins"] > 0
        and rules["subsample"] == 1
        and rules["patience"] == 0
        and all(column.kind == "numeric" or len(column.levels) <= _MOST_LEVELS for column in plan.schema.columns)
        and alike
        and (profile.weights is None or plan.classes is None or profile.weights.n_counted == profile.n_rows)
    )


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


@dataclass(frozen=True)
class Grown:
    """The trees as arrays, and where they start."""

    arrays: dict[str, NDArray[Any]]
    start: Numbers


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
            grown = _grow(_joined(parts), shared, peers, threads)
        return grown if seat.number == 0 else None
    except PeerLostError:
        return _GONE
    except OverflowError:
        return _RUNAWAY
    finally:
        del _running[fit]


def _grow(rows: GatheredRows, shared: SharedBoosting, peers: Peers, threads: int) -> Grown:
    plan, n_rows = shared.plan, len(rows.truth)
    columns = [
        (column.kind, values, None if column.kind == "numeric" else len(column.levels))
        for column, values in zip(plan.schema.columns, rows.columns, strict=True)
    ]
    table = _core.Table(n_rows, columns, threads, n_rows, peers)
    counts = np.arange(n_rows) if rows.weights is None else np.flatnonzero(rows.weights > 0)
    truth = np.ascontiguousarray(rows.truth, dtype=np.float64)
    nobody = np.empty(0, dtype=np.uint32)
    core, start, _ = _core.boost(
        table, truth, plan.n_classes, rows.weights, counts.astype(np.uint32), nobody, None, dict(shared.rules), None,
        threads, _running[shared.fit], peers,
    )  # fmt: skip
    return Grown(core.arrays(), start)


def _joined(parts: Sequence[GatheredRows]) -> GatheredRows:
    """The rows of a worker as one."""
    weights = [part.weights for part in parts if part.weights is not None]
    return GatheredRows(
        [np.concatenate(own) for own in zip(*(part.columns for part in parts), strict=True)],
        np.concatenate([part.truth for part in parts]),
        np.concatenate(weights) if weights else None,
    )
