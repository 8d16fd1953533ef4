"""A bar on stderr while something takes long; nothing at all when nobody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(title: str, steps: int | None = None) -> Iterator[Callable[[], None]]:
    """Show that work goes on, and how far it is when the number of steps is known.

    The bar leaves no trace when done, so that quick work shows nothing. Gives a function to call after each step.

    Examples
    --------
    >>> with progress("Cross-validating", 2) as step:
    ...     step()
    ...     step()
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    counter = [MofNCompleteColumn()] if steps else []
    with Progress(
        TextColumn("{task.description}"), BarColumn(), *counter, TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    ) as bars:  # fmt: skip
        task = bars.add_task(title, total=steps)
        yield lambda: bars.advance(task)
