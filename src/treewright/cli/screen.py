"""What people see: tables, bars, numbers, notes, progress. Colours and boxes on a terminal only; plain when piped."""

from __future__ import annotations

import json
import math
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.option_words import in_options
from treewright.errors import ReadingWarning

if TYPE_CHECKING:
    from treewright.pages.page import Page
    from treewright.tree.tree import Tree


# What people see: tables, bars, numbers, notes. Colours and boxes on a terminal only; plain columns when piped.


BAR_WIDTH = 20
TABLE_GAP = 3  # blanks between two columns of a table on a terminal


def note(text: str) -> None:
    """Tell something beside the result, on stderr; what this command has told already is not told again."""
    if text not in _told_at_once():
        click.echo(f"Note: {in_options(text)}", err=True)


def tell_at_once(text: str) -> None:
    """Tell before the work what could make somebody stop it; among the notes of the result it is then left out."""
    note(text)
    _told_at_once().add(text)


def _told_at_once() -> set[str]:
    context = click.get_current_context(silent=True)
    told: set[str] = set() if context is None else context.meta.setdefault("treewright.told_at_once", set())
    return told


def print_json(result: dict[str, Any]) -> None:
    """Print a result as one JSON document; a number that JSON lacks (NaN, infinity) becomes null."""
    click.echo(json.dumps(_as_json(result), indent=2, ensure_ascii=False, allow_nan=False))


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if hasattr(value, "item"):  # a number of numpy
        return _as_json(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Print a table: fitted to the terminal if there is one, else in full, in plain columns.

    Parameters
    ----------
    headings, rows : texts
        One heading a column, one text a cell.
    numbers : headings
        The columns that are aligned to the right.
    """
    if sys.stdout.isatty():
        _print_rich_table(headings, rows, numbers)
        return
    from treewright.pages.plain_table import plain_table

    click.echo(plain_table(headings, rows, numbers))


def _print_rich_table(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        right = heading in numbers
        table.add_column(heading, justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout, highlight=False).print(table)


def table_space() -> int | None:
    """Tell how wide a table may be; None where it is not printed on a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def bar(share: float) -> str:
    """Draw a share of one as a bar; what is there at all shows at least one cell.

    Examples
    --------
    >>> [len(bar(share)) for share in (0.5, 0.001, 0.0)]
    [10, 1, 0]
    """
    return ("█" if can_draw() else "#") * max(round(share * BAR_WIDTH), 1 if share > 0 else 0)


def tree_text(
    tree: Tree, max_depth: int | None = None, piped_width: int | None = None, missing: bool | None = None
) -> str:
    """Write a tree to fit the terminal; piped, with lines of `piped_width` characters, None for any length."""
    width = max(shutil.get_terminal_size().columns, 40) if sys.stdout.isatty() else piped_width
    return tree.to_text(max_depth, width=width, ascii=not can_draw(), missing=missing).rstrip("\n")


def page_text(page: Page) -> str:
    """Write a page to fit the terminal; piped, with lines of 100 characters."""
    width = max(shutil.get_terminal_size().columns, 40) if sys.stdout.isatty() else 100
    return page.to_text(width, ascii=not can_draw())


def can_draw() -> bool:
    """Tell whether stdout takes the characters that trees and bars are drawn with."""
    try:
        "│█→".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def count(number: int, thing: str, things: str | None = None) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> count(1, "row"), count(12345, "row"), count(2, "leaf", "leaves")
    ('1 row', '12,345 rows', '2 leaves')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def cut_lines(text: str, limit: int) -> tuple[str, int]:
    """Keep the first lines of a text; tell how many were left out.

    A cut that would save next to nothing is not made.

    Examples
    --------
    >>> cut_lines("a\\nb\\nc\\nd\\ne\\nf", 2)
    ('a\\nb', 4)
    """
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= limit + 2:
        return "\n".join(lines), 0
    return "\n".join(lines[:limit]), len(lines) - limit


# A bar on stderr while something takes long; nothing at all when nobody looks.


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


# Warnings on the command line: a note on stderr, each of them once, without the line of code it comes from.


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
            note(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", ReadingWarning)
        warnings.showwarning = tell
        yield


# Which version of a package is installed.


def installed_version(package: str) -> str | None:
    """Give the version of an installed package, None if it is not installed.

    Examples
    --------
    >>> installed_version("no-such-package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None
