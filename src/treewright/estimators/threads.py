"""How many threads a call may use."""

from __future__ import annotations

import os


def thread_count(n_jobs: int | None) -> int:
    """Read scikit-learn's n_jobs: None and -1 mean all processors that this process may use, -2 all but one.

    Examples
    --------
    >>> thread_count(3)
    3
    """
    if n_jobs is not None and n_jobs > 0:
        return n_jobs
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, available + 1 + (-1 if n_jobs is None else n_jobs))
