"""How many threads a call may use; BLAS gets one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# How many threads a call may use.


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


# Linear algebra on one thread: the sums of BLAS depend on how many threads share them, a model must not.


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS on one thread for as long as the block runs.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    """The libraries that are loaded, looked for once: looking takes milliseconds."""
    import scipy.linalg  # noqa: F401  (brings its own BLAS, which must be among those found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
