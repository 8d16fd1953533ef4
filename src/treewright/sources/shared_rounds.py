"""Boosting whose rounds workers share, each with its own rows: what can be shared, and what each worker does.

Every worker runs the ordinary booster of the core on its own rows. Where that needs a sum over all rows (where columns
are cut, the scale of the gradients, the histogram of a node, its number of rows) it asks its peers (`peers.py`). So all
of them grow the same trees, those of the rows in memory. Who the workers are is the engine's (`dask_rounds.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.sources.gathered_rows import GatheredRows
from treewright.sources.peers import Peers
from treewright.sources.profile import Profile
from treewright.sources.questions import Numbers, Plan

LEAST_ROWS = (
    16_384  # up to here the core has one block (kOneBlockRows in core/table/column.hpp), and columns no buckets
)
_MOST_LEVELS = 255  # of more the order of the rows' content has a say
_LOSSES = ("squared_error", "log_loss", "poisson", "gamma")  # the leaves of others are answered by ranks of residuals


@dataclass(frozen=True)
class SharedBoosting:
    """What every worker has to know."""

    plan: Plan
    rules: Mapping[str, Any]  # of the core
    fit: str  # its name, by which it can be stopped


@dataclass(frozen=True)
class Grown:
    """The trees as arrays, and where they start."""

    arrays: dict[str, NDArray[Any]]
    start: Numbers


def can_share(plan: Plan, profile: Profile, rules: Mapping[str, Any]) -> bool:
    """Whether workers can share these rounds; else the rows are gathered, for the same trees."""
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


def grow_with_peers(
    rows: GatheredRows, shared: SharedBoosting, peers: Peers, threads: int, progress: _core.Progress
) -> Grown:
    """Grow all trees on the rows of one worker, together with its peers, who hold the others."""
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
        threads, progress, peers,
    )  # fmt: skip
    return Grown(core.arrays(), start)


def joined(parts: Sequence[GatheredRows]) -> GatheredRows:
    """The rows of a worker as one."""
    weights = [part.weights for part in parts if part.weights is not None]
    return GatheredRows(
        [np.concatenate(own) for own in zip(*(part.columns for part in parts), strict=True)],
        np.concatenate([part.truth for part in parts]),
        np.concatenate(weights) if weights else None,
    )
