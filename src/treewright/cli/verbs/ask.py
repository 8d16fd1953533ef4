"""`treewright ask MODEL`: the tree asks, only what it needs, and answers."""

from __future__ import annotations

import sys
from typing import Any

import click

from treewright.cli.options import every_verb


@click.command("ask", short_help="Let the tree ask, and get its answer.")
@click.argument("model")
@click.option("--tree", "number", type=click.IntRange(min=0), metavar="N", help="Of many trees: the one that asks.")
@click.option("--out", metavar="FILE", help="Write an HTML page that asks in a browser instead.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
@every_verb
def command(model: str, number: int | None, out: str | None, title: str | None, as_json: bool) -> None:
    """Let the tree of MODEL ask, one question after another and only those that it needs. An empty line means that the
    value is not known. Questions go to stderr and the answer to stdout, so that answers can come from a pipe.

    \b
    treewright ask model.tw
    treewright ask model.tw --out questions.html
    """
    from treewright.cli.fitted_model import pick_tree
    from treewright.cli.inputs import load_model
    from treewright.cli.outputs import check_destination, write_page
    from treewright.cli.screen import note, print_json
    from treewright.inspection.questionnaire import questionnaire

    if model == "-" and out is None:
        raise click.UsageError("MODEL cannot be stdin here: the answers come from there. Put the model into a file.")
    if title is not None and out is None:
        raise click.UsageError("--title is the title of a page. Add --out FILE.")
    check_destination(out, (".html", ".htm"))
    asking = questionnaire(pick_tree(load_model(model), number))
    if out is not None:
        write_page(asking.to_html(title), out)
        note(f"The questionnaire is in {out}.")
        return
    why = asking.run(_Lines().ask, _remark)
    if as_json:
        print_json({"answers": asking.answers, **why.to_dict()})
    else:
        click.echo(why.sentence)


class _Lines:
    """Answers line by line, from a terminal or a pipe."""

    def __init__(self) -> None:
        self.read = 0

    def ask(self, prompt: str) -> str:
        from treewright.errors import DataError

        click.echo(prompt, err=True, nl=False)
        line = sys.stdin.readline()
        self.read += 1
        if not line:
            click.echo(err=True)
            raise DataError(
                f"The answers ended after {self.read - 1:,}, but the tree asks for more. Give a line for each question."
            )
        if not sys.stdin.isatty():
            click.echo(line.rstrip("\n"), err=True)  # a terminal shows what is typed, a pipe does not
        return line


def _remark(text: str) -> Any:
    from treewright.cli.screen import note

    note(text)
