"""`treewright tune DATA --target T`: try settings of a learner on folds, and fit the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.inputs import check_target
from treewright.cli.options import LearnersRequest, every_verb, learns_from_a_table, split_kinds, takes_learners

ENDINGS = (".tw",)


@dataclass(frozen=True, kw_only=True)
class Request(LearnersRequest):
    """What was asked for."""

    seconds: float
    candidates: int | None
    cv: int
    outer: int
    scoring: str | None
    jobs: int | None
    out: str | None


@click.command("tune", short_help="Try settings of a learner, and fit the best.")
@learns_from_a_table
@takes_learners
@click.option("--seconds", type=click.FloatRange(min=1), default=60.0, show_default=True, help="Stop trying then.")
@click.option("--candidates", type=click.IntRange(min=1), help="Try so many at most.")
@click.option("--cv", type=click.IntRange(min=2), default=5, show_default=True, metavar="FOLDS")
@click.option("--outer", type=click.IntRange(min=0), default=0, help="Folds that judge the whole search; 0 for none.")
@click.option("--scoring", metavar="MEASURE", help="What decides: accuracy, log_loss, auc, f1; rmse, mae or r2.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--jobs", type=int, help="Processes; left out, all processors.")
@click.option("--out", metavar="MODEL.tw", help="Save the best, fitted on all rows.")
@every_verb
def command(**options: Any) -> None:
    """Try settings of learners on folds of DATA, the best first, with a score that is honest about the choice.

    \b
    treewright tune credit.csv --target class --algorithms cart,boosting --seconds 30 --out best.tw
    """
    from treewright.cli.inputs import learning_table
    from treewright.cli.options import check_learners, read_learners, usage_errors
    from treewright.cli.outputs import check_destination, leave_stdout_to_model, save_model
    from treewright.cli.screen import note, print_json
    from treewright.model_selection.tune import tune

    request = Request(**options)
    check_target(request)
    check_learners(request.algorithms)
    check_destination(request.out)
    learning = learning_table(request)
    with usage_errors():
        learners = read_learners(request.algorithms or ["cart"], request.settings, learning.task, request.seed)
        found = tune(
            learning.columns, learning.target, learners, seconds=request.seconds, candidates=request.candidates,
            cv=request.cv, outer=request.outer, scoring=request.scoring, task=learning.task,
            column_kinds=split_kinds(request.kinds) or None, random_state=request.seed, n_jobs=request.jobs,
        )  # fmt: skip
    learning.notes.extend(learning.advice_on_scoring(request.scoring))
    if request.out is not None:
        save_model(found.model, request.out)
    with leave_stdout_to_model(request.out):
        if request.as_json:
            told = {"data": learning.source, "target": request.target, "notes": learning.notes, "out": request.out}
            print_json({**told, **found.to_dict()})
        else:
            click.echo(str(found))
    for text in learning.notes:
        note(text)
    if request.out not in (None, "-"):
        note(f"The best is in {request.out}.")
