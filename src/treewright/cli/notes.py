"""Warnings on the command line: a note on stderr, each of them once, without the line of code it comes from."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Show warnings as notes while a command runs; cross-validation would say the same ten times.

    Examples
    --------
    >>> with warnings_as_notes():
    ...     pass
    """
    told: set[str] = set()

    def tell(message: Warning | str, *_where: Any, **_more: Any) -> None:
        if str(message) not in told:
            told.add(str(message))
            click.echo(f"Note: {message}", err=True)

    before = warnings.showwarning
    warnings.showwarning = tell
    try:
        yield
    finally:
        warnings.showwarning = before
