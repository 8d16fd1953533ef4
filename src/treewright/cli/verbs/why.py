"""`treewright why MODEL DATA --row N`: why a row gets its answer, and the smallest change that gives another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    row: int
    not_class: str | None
    below: float | None
    above: float | None
    fixed: Sequence[str]
    out: str | None


@click.command("why", short_help="Explain the answer to one row.")
@asks_a_model
@click.option("--row", type=click.IntRange(min=1), default=1, show_default=True, help="Which row of DATA, from 1.")
@click.option("--not", "not_class", metavar="CLASS", help="Why not this class? What would have to change for it.")
@click.option("--below", type=float, metavar="NUMBER", help="What would bring a predicted number below this.")
@click.option("--above", type=float, metavar="NUMBER", help="What would bring a predicted number above this.")
@click.option("--fixed", multiple=True, metavar="COLUMN", help="A column that may not change. May be repeated.")
@click.option("--out", metavar="FILE", help="Write an HTML page to a file.")
@every_verb
def command(**options: Any) -> None:
    """Explain why MODEL answers a row of DATA as it does: the sentence, the path with counts, what was missing, and
    the smallest change that gives another answer.

    \b
    treewright why model.tw new.csv --row 3 --not good --fixed age
    """
    from treewright.cli.inputs import refuse_two_stdins
    from treewright.cli.outputs import check_destination, write_page
    from treewright.cli.screen import note, page_text, print_json

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out, (".html", ".htm"))
    why = _why_at_once(request) or _why(request)
    if request.out is not None:
        write_page(why.to_html(), request.out)
        note(f"The explanation is in {request.out}.")
    if request.as_json:
        print_json(why.to_dict())
    elif request.out is None:
        click.echo(page_text(why))


def _why_at_once(request: Request) -> Any:
    """Explain a row of a small, plain file by one tree; None where it takes the whole way."""
    from treewright.cli.inputs import ask_at_once, need_row
    from treewright.cli.screen import note

    found = ask_at_once(request, of_one_tree=True)
    if found is None:
        return None
    asked, rows = found
    for text in rows.notes:
        note(text)
    need_row(request.row, rows.n_rows, request.data)
    return asked.why(rows.row(request.row - 1), **_question(asked, request))


def _why(request: Request) -> Any:
    """Explain a row of any table by any model that can."""
    from treewright.cli.fitted_model import has_trees, refuse_treeless
    from treewright.cli.inputs import load_model, need_row, read_table_for_model

    fitted = load_model(request.model)
    if not hasattr(fitted, "why"):
        refuse_treeless(fitted, "why")
    frame = read_table_for_model(request, fitted)[list(fitted.feature_names_in_)]
    need_row(request.row, len(frame), request.data)
    row = {name: frame[name].iloc[request.row - 1] for name in frame.columns}
    return fitted.why(row, **_question(fitted, request)) if has_trees(fitted) else _plain_why(fitted, row, request)


def _plain_why(fitted: Any, row: dict[str, Any], request: Request) -> Any:
    """Neighbours tell who they are; what would have to change is a question to a tree."""
    if request.fixed or any(wish is not None for wish in (request.not_class, request.below, request.above)):
        kind = type(fitted).__name__
        raise click.UsageError(f"--not, --below, --above and --fixed are questions to a tree, and {kind} has none.")
    return fitted.why(row)


def _question(fitted: Any, request: Request) -> dict[str, Any]:
    """Give what was asked beside the row; a class is named by its text, whatever its type."""
    asked: dict[str, Any] = {"fixed": request.fixed}
    if request.not_class is not None:
        by_text = {str(label): label for label in getattr(fitted, "classes_", [])}
        asked["not_class"] = by_text.get(request.not_class, request.not_class)
    for name in ("below", "above"):
        if getattr(request, name) is not None:
            asked[name] = getattr(request, name)
    return asked
