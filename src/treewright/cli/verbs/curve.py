"""`treewright curve DATA --target T`: how the score grows with the number of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.inputs import check_target
from treewright.cli.option_words import in_options
from treewright.cli.options import LearnersRequest, every_verb, learns_from_a_table, split_kinds, takes_learners

if TYPE_CHECKING:
    from treewright.cli.inputs import Learning
    from treewright.model_selection.learning_curve import LearningCurve

ENDINGS = (".png", ".svg", ".pdf", ".csv", ".parquet", ".jsonl")
USUAL = ("cart", "forest")


@dataclass(frozen=True, kw_only=True)
class Request(LearnersRequest):
    """What was asked for."""

    sizes: str | None
    trials: int
    test: str
    scoring: str | None
    jobs: int | None
    out: str | None


@click.command("curve", short_help="How the score grows with the training rows.")
@learns_from_a_table
@takes_learners
@click.option("--sizes", metavar="N,N,…", help="Numbers of training rows, or shares below 1; left out, some that fit.")
@click.option("--trials", type=click.IntRange(min=1), default=20, show_default=True, help="Draws for each size.")
@click.option(
    "--test", type=click.Choice(["rest", "fixed"]), default="rest", show_default=True,
    help="Score on all rows not drawn, or on 30 % that are held out.",
)  # fmt: skip
@click.option("--scoring", metavar="MEASURE", help="Left out, accuracy or rmse.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draws.")
@click.option("--jobs", type=int, help="Processes; left out, all processors.")
@click.option("--out", metavar="FILE", help="Save a picture (.png, .svg, .pdf) or the table (.csv, .parquet, .jsonl).")
@every_verb
def command(**options: Any) -> None:
    """Learn from more and more rows of DATA, drawn at random, and score on those not drawn. Left out, --algorithms is
    cart and forest.

    \b
    treewright curve credit.csv --target class --algorithms cart,forest,boosting --out curve.png
    """
    from treewright.cli.inputs import learning_table
    from treewright.cli.options import check_learners
    from treewright.cli.outputs import check_destination, save_result
    from treewright.cli.screen import note, print_json

    request = Request(**options)
    check_target(request)
    check_learners(request.algorithms)
    check_destination(request.out, ENDINGS)
    sizes = _read_sizes(request.sizes)
    learning = learning_table(request)
    curve = _curve(request, learning, sizes)
    if request.as_json:
        print_json({"data": learning.source, "target": request.target, **curve.to_dict(), "notes": learning.notes})
    else:
        _print(curve, learning, request)
    for text in learning.notes:
        note(text)
    if request.out is not None:
        save_result(curve, request.out)
        note(f"The curve is in {request.out}.")


def _read_sizes(text: str | None) -> list[int | float] | None:
    if text is None:
        return None
    try:
        return [float(part) if "." in part else int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise click.UsageError(f"--sizes {text}: give numbers with commas between them, such as 10,20,50.") from None


def _curve(request: Request, learning: Learning, sizes: list[int | float] | None) -> LearningCurve:
    from treewright.cli.options import read_learners, usage_errors
    from treewright.model_selection.learning_curve import learning_curve
    from treewright.model_selection.measures import find_measure

    with usage_errors():
        find_measure(request.scoring, learning.task)
        learners = read_learners(request.algorithms or USUAL, request.settings, learning.task, request.seed)
    return learning_curve(
        learning.columns,
        learning.target,
        learners,
        sizes=sizes,
        trials=request.trials,
        test=request.test,
        scoring=request.scoring,
        task=learning.task,
        column_kinds=split_kinds(request.kinds) or None,
        random_state=request.seed,
        n_jobs=request.jobs,
    )


def _print(curve: LearningCurve, learning: Learning, request: Request) -> None:
    from treewright.cli.screen import TABLE_GAP, count, print_table, table_space

    columns = count(learning.columns.shape[1], "column")
    click.echo(f"{learning.source}: {count(curve.n_rows, 'row')}, {columns}, {curve.task} of '{request.target}'")
    click.echo(f"{curve.heading()}\n")
    headings, rows = curve.cells(table_space(), TABLE_GAP)
    print_table(headings, rows, headings)
    if len(rows) < len(curve.sizes):
        click.echo(f"… {len(rows)} of {count(len(curve.sizes), 'size')}; --json and --out curve.csv have all.")
    for learner in curve.learners:
        if learner.problem:
            click.echo(f"{learner.name} failed: {in_options(learner.problem)}")
