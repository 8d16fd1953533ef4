"""`treewright report DATA --target T OUT.html`: profile, comparison, tree, rules, error, all on one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.inputs import check_target
from treewright.cli.options import (
    LearnersRequest,
    every_verb,
    learns_from_a_table,
    split_kinds,
    takes_learners,
    takes_out,
)

if TYPE_CHECKING:
    from treewright.cli.inputs import Learning
    from treewright.report import Report

ENDINGS = (".html", ".htm", ".md")


@dataclass(frozen=True, kw_only=True)
class Request(LearnersRequest):
    """What was asked for."""

    out: str
    cv: int
    test_share: float
    title: str | None
    jobs: int | None


@click.command("report", short_help="Profile, comparison, tree and honest error on one page.")
@learns_from_a_table
@takes_out
@takes_learners
@click.option("--cv", type=click.IntRange(min=2), default=10, show_default=True, metavar="FOLDS")
@click.option(
    "--test-share", type=click.FloatRange(0.05, 0.9), default=0.25, show_default=True,
    help="The share of the rows that no model sees until the end.",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="The heading of the page.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Deals out the rows.")
@click.option("--jobs", type=int, help="Processes; left out, all processors.")
@every_verb
def command(**options: Any) -> None:
    """Write a report on DATA to OUT.html, a page that needs nothing else (or OUT.md, without pictures).

    \b
    treewright report credit.csv --target class credit.html
    treewright report credit.csv --target class credit.html --algorithms cart,forest,logistic --cv 5
    """
    from treewright.cli.inputs import learning_table
    from treewright.cli.options import check_learners
    from treewright.cli.outputs import check_destination, write_page
    from treewright.cli.screen import note, print_json

    request = Request(**options)
    check_target(request)
    check_learners(request.algorithms)
    check_destination(request.out, ENDINGS, "OUT")
    learning = learning_table(request)
    made = _report(request, learning)
    write_page(made.to_markdown() if request.out.lower().endswith(".md") else made.to_html(), request.out)
    if request.as_json:
        best = made.comparison.best
        print_json({"out": request.out, "best": best, "held_out": made.held_out, "notes": learning.notes})
    for text in learning.notes:
        note(text)
    if request.out != "-":
        note(f"The report is in {request.out}.")


def _report(request: Request, learning: Learning) -> Report:
    from treewright.cli.options import read_learners, usage_errors
    from treewright.report import report

    with usage_errors():
        learners = read_learners(request.algorithms, request.settings, learning.task, request.seed)
    return report(
        learning.columns,
        learning.target,
        algorithms=learners,
        cv=request.cv,
        test_share=request.test_share,
        task=learning.task,
        column_kinds=split_kinds(request.kinds) or None,
        title=request.title,
        random_state=request.seed,
        n_jobs=request.jobs,
    )
