"""`treewright surrogate MODEL DATA`: a small tree that answers as a large model does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    leaves: int
    out: str | None
    page: str | None


@click.command("surrogate", short_help="A small tree that answers as a model does.")
@asks_a_model
@click.option(
    "--leaves", type=click.IntRange(min=2), default=8, show_default=True, metavar="N", help="The most leaves."
)
@click.option("--page", metavar="FILE.html", help="Write an HTML page.")
@click.option("--out", metavar="TREE.tw", help="Save the small tree as a model.")
@every_verb
def command(**options: Any) -> None:
    """Grow a small tree that answers the rows of DATA as MODEL does, and say how often it does.

    \b
    treewright surrogate forest.tw train.csv --leaves 6
    """
    from treewright.cli.inputs import load_model, read_table_for_model, refuse_two_stdins
    from treewright.cli.outputs import check_destination, leave_stdout_to_model, save_model, write_page
    from treewright.cli.screen import note, page_text, print_json
    from treewright.inspection.surrogate_model import surrogate_model

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out)
    check_destination(request.page, (".html", ".htm"), "--page")
    fitted = load_model(request.model)
    rows = read_table_for_model(request, fitted)[list(fitted.feature_names_in_)]
    found = surrogate_model(fitted, rows, request.leaves)
    if request.page is not None:
        write_page(found.to_html(), request.page)
        note(f"The page is in {request.page}.")
    if request.out is not None:
        save_model(found.tree, request.out)
    with leave_stdout_to_model(request.out):
        if request.as_json:
            print_json({**found.to_dict(), "out": request.out})
        else:
            click.echo(page_text(found))
    if request.out not in (None, "-"):
        note(f"The small tree is in {request.out}.")
