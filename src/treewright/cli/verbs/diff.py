"""`treewright diff A B`: how two models differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treewright.cli.options import TableRequest, every_verb, says_how_to_read

if TYPE_CHECKING:
    import pandas as pd


@click.command("diff", short_help="Compare two models.")
@click.argument("a")
@click.argument("b")
@click.option("--data", metavar="DATA", help="A table: also say which of its rows change their answer.")
@says_how_to_read
@click.option("--out", metavar="FILE", help="Write an HTML page to a file.")
@every_verb
def command(a: str, b: str, data: str | None, out: str | None, as_json: bool, **how: Any) -> None:
    """Compare the models A and B: same, moved, lost and new splits, and with --data the rows that change their answer.

    \b
    treewright diff old.tw new.tw --data customers.csv
    """
    from treewright.cli.inputs import load_model
    from treewright.cli.outputs import check_destination, write_page
    from treewright.cli.screen import note, page_text, print_json
    from treewright.inspection.diff import diff

    if [a, b, data].count("-") > 1:
        raise click.UsageError("Only one of A, B and --data can be stdin. Put the others into files.")
    check_destination(out, (".html", ".htm"))
    first, second = load_model(a), load_model(b)
    if data is None and not (hasattr(first, "tree_") and hasattr(second, "tree_")):
        raise click.UsageError("Only single trees have splits to compare. Add rows for both to answer: --data TABLE.")
    rows = None if data is None else _rows(TableRequest(data=data, **how), first, second)
    found = diff(first, second, rows, names=_names(a, b))
    if out is not None:
        write_page(found.to_html(), out)
        note(f"The comparison is in {out}.")
    if as_json:
        print_json(found.to_dict())
    elif out is None:
        click.echo(page_text(found))


def _names(a: str, b: str) -> tuple[str, str]:
    """The names of the files, with their folders only where the names alone are the same."""
    from pathlib import Path

    first, second = ("stdin" if path == "-" else Path(path).name for path in (a, b))
    if first != second:
        return first, second
    return (a, b) if a != b else (f"{first} (first)", f"{second} (second)")


def _rows(request: TableRequest, first: Any, second: Any) -> pd.DataFrame:
    """Read the table as the first model needs it, and see that the second finds its columns too."""
    from treewright.cli.inputs import read_table_for_model

    frame = read_table_for_model(request, first)
    for name in second.feature_names_in_:
        if name not in frame.columns:
            raise click.UsageError(f"--data {request.data}: B needs a column '{name}', which it does not have.")
    return frame
