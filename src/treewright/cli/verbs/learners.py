"""`treewright learners`: every learner, what it is made of, what it takes, and what it costs."""

from __future__ import annotations

import click

from treewright.cli.options import TASKS, every_verb


@click.command("learners", short_help="The learners, and what each is made of.")
@click.option("--task", type=click.Choice(TASKS), help="Only those that can do it.")
@every_verb
def command(task: str | None, as_json: bool) -> None:
    """List the learners that --algorithm takes: model, scoring, optimisation, columns, missing values, cost."""
    from treewright.cli.screen import print_json, table_space
    from treewright.model_selection.learners import learners

    found = learners(task)
    if as_json:
        print_json({"learners": found.to_frame().reset_index().to_dict("records")})
    else:
        click.echo(found.to_text(table_space() or 100))
