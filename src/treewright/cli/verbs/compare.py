"""`treewright compare DATA --target T`: every learner on the same folds: scores, spread, who is better, time, size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.inputs import check_target
from treewright.cli.option_words import in_options
from treewright.cli.options import LearnersRequest, every_verb, learns_from_a_table, split_kinds, takes_learners

if TYPE_CHECKING:
    from treewright.cli.inputs import Learning
    from treewright.model_selection.comparison import Comparison

ENDINGS = (".png", ".svg", ".pdf", ".csv", ".parquet", ".jsonl")
P_MEANS = "p: how often chance alone would make so large a difference from the best (corrected paired t-test)."


@dataclass(frozen=True, kw_only=True)
class Request(LearnersRequest):
    """What was asked for."""

    cv: int
    repeats: int
    fold_column: str | None
    group_column: str | None
    scoring: str | None
    positive: str | None
    jobs: int | None
    out: str | None


@click.command("compare", short_help="Learners side by side on the same folds.")
@learns_from_a_table
@takes_learners
@click.option("--cv", type=click.IntRange(min=2), default=10, show_default=True, metavar="FOLDS")
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Deal the folds so often.")
@click.option("--folds", "fold_column", metavar="COLUMN", help="A column with the number of each row's fold.")
@click.option("--groups", "group_column", metavar="COLUMN", help="Rows with the same value stay in one fold.")
@click.option(
    "--scoring", metavar="MEASURE",
    help="What decides: accuracy, balanced_accuracy, log_loss, auc or f1; rmse, mae or r2.",
)  # fmt: skip
@click.option("--positive", metavar="CLASS", help="The class of which F1 is told; left out, the mean over classes.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Deals out the folds.")
@click.option("--jobs", type=int, help="Processes; left out, all processors.")
@click.option("--out", metavar="FILE", help="Save a picture (.png, .svg, .pdf) or the table (.csv, .parquet, .jsonl).")
@every_verb
def command(**options: Any) -> None:
    """Compare learners on DATA: all on the same folds, the best first, with the guess that looks at no column.

    \b
    treewright compare credit.csv --target class
    treewright compare credit.csv --target class --algorithms cart,forest --set forest.n_estimators=500 --out c.png
    """
    from treewright.cli.inputs import learning_table
    from treewright.cli.options import check_learners
    from treewright.cli.outputs import check_destination, save_result
    from treewright.cli.screen import note, print_json

    request = Request(**options)
    check_target(request)
    check_learners(request.algorithms)
    check_destination(request.out, ENDINGS)
    learning = learning_table(request, ("--folds", request.fold_column), ("--groups", request.group_column))
    result = _compare(request, learning)
    learning.notes.extend(learning.advice_on_scoring(request.scoring))
    if request.as_json:
        print_json({"data": learning.source, "target": request.target, **result.to_dict(), "notes": learning.notes})
    else:
        _print(result, learning, request)
    for text in learning.notes:
        note(text)
    for learner in result.learners:
        for text in learner.notes:
            note(f"{learner.name}: {text}")
    if request.out is not None:
        save_result(result, request.out)
        note(f"The comparison is in {request.out}.")


def _compare(request: Request, learning: Learning) -> Comparison:
    from treewright.cli.options import read_learners, usage_errors
    from treewright.cli.screen import tell_at_once
    from treewright.model_selection.compare import compare
    from treewright.model_selection.measures import find_measure
    from treewright.model_selection.slow_learners import telling_of_slow_ones

    with usage_errors():
        find_measure(request.scoring, learning.task)
        learners = read_learners(request.algorithms, request.settings, learning.task, request.seed)
    with telling_of_slow_ones(tell_at_once):
        return compare(
            learning.columns,
            learning.target,
            learners,
            cv=request.cv,
            repeats=request.repeats,
            folds=learning.asides["--folds"],
            groups=learning.asides["--groups"],
            scoring=request.scoring,
            task=learning.task,
            positive=learning.class_of(request.positive, "--positive"),
            column_kinds=split_kinds(request.kinds) or None,
            random_state=request.seed,
            n_jobs=request.jobs,
        )


def _print(result: Comparison, learning: Learning, request: Request) -> None:
    from treewright.cli.screen import TABLE_GAP, count, print_table, table_space
    from treewright.model_selection.comparison import comparison_cells

    columns = count(result.n_columns, "column")
    click.echo(f"{learning.source}: {count(result.n_rows, 'row')}, {columns}, {result.task} of '{request.target}'")
    click.echo(f"{result.folds}, the same for all; spread is the standard deviation over them\n")
    headings, rows = comparison_cells(result, table_space(), TABLE_GAP)
    print_table(headings, rows, headings[1:])
    click.echo(f"\n{P_MEANS}")
    for learner in result.learners:
        if learner.problem:
            click.echo(f"{learner.name} failed: {in_options(learner.problem)}")
