"""`treewright boundary DATA --target T --x A --y B OUT.png`: what learners answer over two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.inputs import check_target
from treewright.cli.options import LearnersRequest, every_verb, learns_from_a_table, takes_learners

DEPTHS = (1, 2, 12)


@dataclass(frozen=True, kw_only=True)
class Request(LearnersRequest):
    """What was asked for."""

    x: str
    y: str
    out: str
    depths: Sequence[int]
    title: str | None


@click.command("boundary", short_help="Draw what learners answer over two columns.")
@learns_from_a_table
@click.argument("out")
@click.option("--x", required=True, metavar="COLUMN", help="The column that goes across.")
@click.option("--y", required=True, metavar="COLUMN", help="The column that goes up.")
@takes_learners
@click.option(
    "--depth", "depths", type=click.IntRange(min=1), multiple=True, metavar="N",
    help="A panel with a CART tree of this depth. May be repeated; left out, 1, 2 and 12.",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="A heading over all panels.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the learners that draw lots."
)
@every_verb
def command(**options: Any) -> None:
    """Learn from two columns of DATA alone and draw the answers into OUT.png, OUT.svg or OUT.pdf: regions by colour,
    how sure by shade, the rows on top. Left out, --algorithms is CART with depth 1, 2 and 12.

    \b
    treewright boundary iris.csv --target class --x petallength --y petalwidth iris.png
    """
    from treewright.cli.inputs import learning_table, need_column
    from treewright.cli.options import check_learners
    from treewright.cli.outputs import check_destination, replace_whole
    from treewright.cli.screen import note, print_json
    from treewright.plot import boundary
    from treewright.plot.style import PICTURE_ENDINGS, save_figure, treewright_style

    request = Request(**options)
    check_target(request)
    check_learners(request.algorithms)
    check_destination(request.out, PICTURE_ENDINGS, "OUT")
    if request.out == "-":
        raise click.UsageError("OUT is a picture and cannot go to stdout. Name a file.")
    learning = learning_table(request)
    for option, name in (("--x", request.x), ("--y", request.y)):
        need_column(learning.columns, name, option, request.data)
    models = _models(request, learning.task)
    figure = boundary(models, learning.columns, learning.target, x=request.x, y=request.y, title=request.title)
    with treewright_style():
        replace_whole(request.out, lambda draft: save_figure(figure, draft))
    for text in learning.notes:
        note(text)
    if request.as_json:
        print_json({"out": request.out, "panels": list(models), "x": request.x, "y": request.y})
    note(f"The picture is in {request.out}.")


def _models(request: Request, task: str) -> dict[str, Any]:
    """Give the learners by the names of their panels."""
    from treewright.cli.options import read_learners, split_kinds, usage_errors
    from treewright.model_selection.task import named_estimator

    with usage_errors():
        named = (
            dict(read_learners(request.algorithms, request.settings, task, request.seed)) if request.algorithms else {}
        )
        if not named or request.depths:
            depths = {"stump" if d == 1 else f"depth {d}": d for d in request.depths or DEPTHS}
            trees = {name: named_estimator("cart", task, prune=None, max_depth=d) for name, d in depths.items()}
            named = {**trees, **named}
    kinds = {name: kind for name, kind in split_kinds(request.kinds).items() if name in (request.x, request.y)}
    for model in named.values():
        if kinds and "column_kinds" in model.get_params(deep=False):
            model.set_params(column_kinds=kinds)
    return named
