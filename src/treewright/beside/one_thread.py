"""Linear algebra on one thread: the sums of BLAS depend on how many threads share them, a model must not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


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
