"""`treewright draw MODEL OUT.svg`: the tree as a picture, with the training rows if they are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.options import TableRequest, every_verb, says_how_to_read, takes_out

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    model: str
    out: str
    data: str | None
    db: str | None
    missing_values: Sequence[str]
    date_order: str | None
    decimal: str | None
    delimiter: str | None
    encoding: str | None
    sheet: str | None
    target: str | None
    row: int | None
    number: int | None
    depth: int | None
    direction: str
    leaves: str
    title: str | None
    dpi: float
    as_json: bool


@click.command("draw", short_help="Draw a tree as SVG, PNG, PDF or an HTML page.")
@click.argument("model")
@takes_out
@click.option("--data", metavar="DATA", help="Rows to show in the nodes, mostly those of the training.")
@says_how_to_read
@click.option("--target", metavar="COLUMN", help="The column with the truth, if not named as in training.")
@click.option("--row", type=click.IntRange(min=1), metavar="N", help="Show the path of a row of DATA, from 1.")
@click.option("--tree", "number", type=click.IntRange(min=0), metavar="N", help="Of many trees: the one to draw.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Draw only the first N levels of the tree.")
@click.option(
    "--direction", type=click.Choice(["auto", "down", "right"]), default="auto", show_default=True,
    help="Where the tree grows; auto is what is larger on a sheet of A4.",
)  # fmt: skip
@click.option("--leaves", type=click.Choice(["bar", "pie"]), default="bar", show_default=True)
@click.option("--title", metavar="TEXT", help="The heading; left out, the name of the target.")
@click.option("--dpi", type=click.FloatRange(10, 1200), default=150, show_default=True, help="Dots an inch of a PNG.")
@every_verb
def command(**options: Any) -> None:
    """Draw the tree of MODEL into OUT.svg, OUT.png or OUT.pdf; '-' writes SVG to stdout.

    OUT.html is a page that opens offline: look around, search, and ask what the tree says of a row.

    \b
    treewright draw model.tw tree.svg
    treewright draw model.tw tree.html
    treewright draw model.tw tree.png --data credit.csv --row 17
    """
    from treewright.cli.fitted_model import pick_tree
    from treewright.cli.inputs import load_model, refuse_two_stdins
    from treewright.cli.outputs import check_destination
    from treewright.plot import draw
    from treewright.plot.scene import TREE_ENDINGS

    request = Request(**options)
    check_destination(request.out, TREE_ENDINGS, "OUT")
    _check(request)
    refuse_two_stdins(request.model, request.data or "")
    fitted = load_model(request.model)
    if not (hasattr(fitted, "tree_") or hasattr(fitted, "trees_")):
        raise click.UsageError(f"{request.model} holds a {type(fitted).__name__}, which has no tree to draw.")
    tree = pick_tree(fitted, request.number)
    look: Any = {"max_depth": request.depth, "direction": request.direction, "leaves": request.leaves}
    _save(draw(tree, **_rows(request, fitted), **look, title=request.title), request, tree)


def _check(request: Request) -> None:
    for option, given in (("--row", request.row), ("--target", request.target), ("--db", request.db)):
        if given is not None and request.data is None:
            raise click.UsageError(f"{option} needs rows. Say where they are: --data DATA.")


def _rows(request: Request, fitted: Any) -> dict[str, Any]:
    """Read the rows that are to be shown, and the one whose path is."""
    from treewright.cli.inputs import columns_and_truth, describe
    from treewright.cli.screen import count

    if request.data is None:
        return {}
    table = TableRequest(
        data=request.data,
        db=request.db,
        missing_values=request.missing_values,
        date_order=request.date_order,
        decimal=request.decimal,
        delimiter=request.delimiter,
        encoding=request.encoding,
        sheet=request.sheet,
    )
    columns, truth = columns_and_truth(table, fitted, request.target)
    if request.row is None:
        return {"X": columns, "y": truth}
    if request.row > len(columns):
        raise click.UsageError(f"--row {request.row}: {describe(request.data)} has {count(len(columns), 'row')}.")
    return {"X": columns, "y": truth, "highlight": columns.iloc[[request.row - 1]]}


def _save(picture: Any, request: Request, tree: Tree) -> None:
    from treewright.cli.outputs import replace_whole, write_page
    from treewright.cli.screen import note, print_json

    if request.out == "-":
        write_page(picture.to_svg(), "-")
        return
    replace_whole(request.out, lambda draft: picture.save(draft, request.dpi))
    if request.as_json:
        size = {"width": picture.scene.width, "height": picture.scene.height, "unit": "point"}
        print_json({"out": request.out, "nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": tree.depth, **size})
    note(f"The picture is in {request.out}.")
