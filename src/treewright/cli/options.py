"""Options that several verbs share, and the forms their values take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

Command = Callable[..., Any]

COLUMN_KINDS = ("numeric", "nominal", "ordinal")


def _remember_debug(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        context.find_root().obj["debug"] = True


def every_verb(function: Command) -> Command:
    """Add the two options that every verb has."""
    function = click.option(
        "--debug", is_flag=True, expose_value=False, callback=_remember_debug, help="Show the traceback of an error."
    )(function)
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(function)


def reads_a_table(function: Command) -> Command:
    """Add what says where the rows are: DATA, --db, --missing-value."""
    return click.argument("data")(says_how_to_read(function))


def says_how_to_read(function: Command) -> Command:
    """Add what says how rows are read: --db, --missing-value."""
    function = click.option(
        "--missing-value", "missing_values", multiple=True, metavar="TEXT",
        help="A text that stands for a missing value, beside the usual ones. May be repeated.",
    )(function)  # fmt: skip
    return click.option(
        "--db", metavar="FILE_OR_URL", help="Database to read from; DATA is then a table name or a query."
    )(function)


def takes_kinds(function: Command) -> Command:
    """Add --kind column=nominal."""
    return click.option(
        "--kind", "kinds", multiple=True, metavar="COLUMN=KIND",
        help=f"Fix the kind of a column: {', '.join(COLUMN_KINDS)}. May be repeated.",
    )(function)  # fmt: skip


def takes_settings(function: Command) -> Command:
    """Add --set name=value."""
    return click.option(
        "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the method. May be repeated."
    )(function)


def split_pairs(pairs: Iterable[str], option: str) -> dict[str, str]:
    """Take `name=value` texts apart.

    Examples
    --------
    >>> split_pairs(["max_depth=3", "criterion=gini"], "--set")
    {'max_depth': '3', 'criterion': 'gini'}
    """
    divided = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise click.UsageError(f"{option} needs the form name=value. Got '{pair}'.")
        divided[name] = value
    return divided


def split_kinds(pairs: Iterable[str]) -> dict[str, str]:
    """Take `column=kind` texts apart; the last equals sign divides, since a column's name may hold one.

    Examples
    --------
    >>> split_kinds(["zip=nominal", "a=b=ordinal"])
    {'zip': 'nominal', 'a=b': 'ordinal'}
    """
    kinds = {}
    for pair in pairs:
        column, equals, kind = pair.rpartition("=")
        if not (column and equals) or kind not in COLUMN_KINDS:
            raise click.UsageError(
                f"--kind needs the form column=kind, kind one of {', '.join(COLUMN_KINDS)}. Got '{pair}'."
            )
        kinds[column] = kind
    return kinds
