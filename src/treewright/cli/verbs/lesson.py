"""`treewright lesson DATA --target T`: the working of an algorithm, node by node, as a teacher would write it."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.inputs import check_target, decide_task, read_training_table
from treewright.cli.options import LearningRequest, every_verb, learns_from_a_table, split_kinds, takes_settings
from treewright.learners.registry import LEARNERS

if TYPE_CHECKING:
    from treewright.lesson import Lesson

FORMATS = ("text", "markdown", "html", "json")
_FORMAT_OF_ENDING = {".txt": "text", ".md": "markdown", ".html": "html", ".htm": "html", ".json": "json"}


@dataclass(frozen=True, kw_only=True)
class Request(LearningRequest):
    """What was asked for."""

    algorithm: str
    base: str
    max_nodes: int
    form: str | None
    out: str | None


@click.command("lesson", short_help="Show the working of an algorithm, node by node.")
@learns_from_a_table
@click.option(
    "--algorithm",
    type=click.Choice([name for name, record in LEARNERS.items() if record.teacher]),
    default="id3",
    show_default=True,
)
@takes_settings
@click.option(
    "--base", type=click.Choice(["2", "e"]), default="2", show_default=True, help="Information in bits (2) or nats (e)."
)
@click.option(
    "--max-nodes", type=click.IntRange(min=1), default=40, show_default=True, help="How many nodes are explained."
)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Told by the ending of --out if left out, else text."
)
@click.option("--out", metavar="FILE", help="Write to a file (.txt, .md, .html, .json).")
@every_verb
def command(**options: Any) -> None:
    """Show how an algorithm grows its tree on DATA: at every node the counts, what each column offers (entropy,
    remainder, gain; Gini; chi-square and p-values; squared errors), the winner and why, or the reason to stop.

    Meant for small tables. Example:

    \b
    treewright lesson tennis.csv --target EnjoyTennis --out lesson.html
    """
    from treewright.cli.outputs import check_destination, write_page
    from treewright.cli.screen import note

    request = Request(**options)
    check_target(request)
    form = _format(request)
    check_destination(request.out)
    found, notes = _teach(request)
    write_page(_page(found, form, request.out), request.out)
    for text in notes:
        note(text)
    if request.out not in (None, "-"):
        note(f"The lesson is in {request.out}.")


def _format(request: Request) -> str:
    """Give the format: asked for, told by the ending of the file, or text."""
    if request.as_json and request.form not in (None, "json"):
        raise click.UsageError(f"--json and --format {request.form} do not go together. Leave out one of them.")
    if request.as_json or request.form:
        return "json" if request.as_json else str(request.form)
    return _FORMAT_OF_ENDING.get(Path(request.out or "").suffix.lower(), "text")


def _teach(request: Request) -> tuple[Lesson, list[str]]:
    from treewright.cli.settings import parse_settings
    from treewright.lesson import lesson
    from treewright.lesson.algorithms import parameters_of_algorithm

    columns, target, notes = read_training_table(request, kept=None)
    task, task_note = decide_task(target, request.task)
    names = parameters_of_algorithm(request.algorithm, task)
    settings = parse_settings(request.settings, names, f"the algorithm {request.algorithm}")
    kinds = split_kinds(request.kinds)
    if kinds:
        settings["column_kinds"] = kinds
    found = _with_usage_errors(
        lambda: lesson(
            columns, target, request.algorithm, task=task, base=request.base, max_nodes=request.max_nodes, **settings
        )
    )
    return found, [*notes, *filter(None, [task_note])]


def _with_usage_errors(make: Any) -> Any:
    """A value that a parameter cannot take is a wrong --set, not a fault of the table."""
    from treewright.cli.settings import wrong_settings

    with wrong_settings():
        return make()


def _page(found: Lesson, form: str, out: str | None) -> str:
    if form == "markdown":
        return found.markdown()
    if form == "html":
        return found.html()
    if form == "json":
        return found.to_json(indent=2) + "\n"
    from treewright.cli.screen import can_draw

    on_terminal = out is None and sys.stdout.isatty()
    width = max(shutil.get_terminal_size().columns, 40) if on_terminal else 80
    return found.to_text(width, ascii=out in (None, "-") and not can_draw()) + "\n"
