"""A bar on stderr while a long fit goes on: trees done, time left, the score so far."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treewright import _core

_STEP = 0.1  # seconds from one look to the next
_on_terminal = threading.local()


@contextmanager
def bars_on_terminal(after: float = 1.0) -> Iterator[None]:
    """Show the progress of every fit inside that takes longer than so many seconds, where stderr is a terminal.

    Examples
    --------
    >>> with bars_on_terminal():
    ...     pass
    """
    before = getattr(_on_terminal, "after", None)
    _on_terminal.after = after
    try:
        yield
    finally:
        _on_terminal.after = before


@contextmanager
def show_progress(progress: _core.Progress, title: str, score_name: str = "score", verbose: int = 0) -> Iterator[None]:
    """Draw `progress` while the block runs: with `verbose`, or inside `bars_on_terminal`. The bar leaves no trace.

    The core writes the progress while Python is free, and a thread of Python reads it.

    Examples
    --------
    >>> with show_progress(_core.Progress(), "RandomForestClassifier"):
    ...     pass
    """
    after = _delay(verbose)
    if after is None:
        yield
        return
    done = threading.Event()
    drawer = threading.Thread(target=_draw, args=(progress, title, score_name, after, done), daemon=True)
    drawer.start()
    try:
        yield
    finally:
        done.set()
        drawer.join()


def _delay(verbose: int) -> float | None:
    """After how many seconds the bar appears; None: never."""
    if verbose:
        return 0.0
    after = getattr(_on_terminal, "after", None)
    return after if after is not None and sys.stderr.isatty() else None


def _draw(progress: _core.Progress, title: str, score_name: str, after: float, done: threading.Event) -> None:
    if done.wait(after):
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    left = TimeRemainingColumn(compact=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), left)
    score = TextColumn("{task.fields[score]}")
    console = Console(file=sys.stderr)
    with Progress(*columns, score, console=console, transient=console.is_terminal, auto_refresh=False) as bars:
        task = bars.add_task(title, total=None, score="")
        while True:
            finished = done.wait(_STEP)
            bars.update(task, completed=progress.done, total=progress.total or None, score=_score(progress, score_name))
            bars.refresh()
            if finished:
                return


def _score(progress: Any, name: str) -> str:
    score = progress.score
    return "" if score != score else f"{name} {score:.4f}"
