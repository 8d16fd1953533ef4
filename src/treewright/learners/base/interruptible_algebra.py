"""Long steps of linear algebra, made so that Ctrl-C is heard while they run.

A call into LAPACK comes back when it is done: minutes for some thousands of columns. What can be cut into panels is;
what cannot runs in a thread of its own, which Ctrl-C leaves behind.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Floats = NDArray[np.float64]
Result = TypeVar("Result")

_LONG = 400  # columns from which such a call may take a tenth of a second
_PANEL = 512  # columns: a panel of 3,000 rows takes about as long
_LOOK = 0.02  # seconds between two looks for Ctrl-C


def heard_within(call: Callable[[Floats], Result], matrix: Floats) -> Result:
    """Make a call that lets other threads run while it works, as numpy's own do and scipy's do not.

    Examples
    --------
    >>> heard_within(np.linalg.eigvalsh, np.diag([3.0, 2.0]))
    array([2., 3.])
    """
    if min(matrix.shape) < _LONG or threading.current_thread() is not threading.main_thread():
        return call(matrix)
    results: list[Result] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call(matrix))
        except BaseException as problem:  # it belongs to whoever asked
            problems.append(problem)

    worker = threading.Thread(target=work, name="linear algebra", daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(_LOOK)
    if problems:
        raise problems[0]
    return results[0]


def cholesky(matrix: Floats) -> tuple[Floats, int]:
    """Cholesky's upper triangle; and 0, or the number of the first column, from 1, that depends on those before it.

    What is below the diagonal means nothing.

    Examples
    --------
    >>> root, failed = cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> np.triu(root).tolist(), failed
    ([[2.0, 1.0], [0.0, 2.0]], 0)
    >>> cholesky(np.ones((3, 3)))[1]
    2
    """
    n = len(matrix)
    if n <= 2 * _PANEL:
        root, failed = lapack.dpotrf(matrix, clean=0)
        return root, int(failed)
    left = np.array(matrix)
    for start in range(0, n, _PANEL):
        here, after = slice(start, start + _PANEL), slice(start + _PANEL, n)
        left[here, here], failed = lapack.dpotrf(left[here, here], clean=0)
        if failed:
            return left, start + int(failed)
        left[here, after] = lapack.dtrtrs(left[here, here], left[here, after], trans=1)[0]
        for begin in range(after.start, n, _PANEL):  # only what is above the diagonal is asked for
            part = slice(begin, begin + _PANEL)
            left[part, begin:] -= left[here, part].T @ left[here, begin:]
    return left, 0
