"""How many threads a call may use; BLAS gets one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from time import monotonic
from typing import Any

from treewright.machine import processors

# How many threads a call may use.


def thread_count(n_jobs: int | None) -> int:
    """Read scikit-learn's n_jobs: None and -1 mean all processors that this process may use, -2 all but one.

    More threads than processors would only wait for each other, so there never are more.

    Examples
    --------
    >>> thread_count(1), thread_count(5000) == thread_count(None)
    (1, True)
    """
    if n_jobs == 1:
        return 1
    there = _processors_lately(processors, int(monotonic()))
    if n_jobs is not None and n_jobs > 0:
        return min(n_jobs, there)
    return max(1, there + 1 + (-1 if n_jobs is None else n_jobs))


@lru_cache(maxsize=1)
def _processors_lately(ask: Callable[[], int], second: int) -> int:
    """What was answered within the same second: to ask the system takes longer than to fit a small tree."""
    return ask()


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
