"""`treewright importance MODEL DATA`: how much each column matters to a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb

KINDS = ("permutation", "impurity", "shap")
ENDINGS = (".png", ".svg", ".pdf", ".csv", ".parquet", ".jsonl")


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    target: str | None
    kind: str
    scoring: str | None
    repeats: int
    seed: int
    out: str | None


@click.command("importance", short_help="How much each column matters to a model.")
@asks_a_model
@click.option("--target", metavar="COLUMN", help="The column with the truth, if not named as in training.")
@click.option("--by", "kind", type=click.Choice(KINDS), default="permutation", show_default=True)
@click.option("--scoring", metavar="MEASURE", help="What is lost by shuffling, in scikit-learn's words, as roc_auc.")
@click.option("--repeats", type=click.IntRange(min=1), default=10, show_default=True, help="Shuffle so often.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--out", metavar="FILE", help="Save a picture (.png, .svg, .pdf) or the table (.csv, .parquet, .jsonl).")
@every_verb
def command(**options: Any) -> None:
    """Tell what MODEL loses on the rows of DATA when a column is shuffled; rows it has not seen tell most.

    \b
    treewright importance model.tw test.csv --out importance.png
    """
    from treewright.cli.inputs import columns_and_truth, load_model, refuse_two_stdins
    from treewright.cli.options import usage_errors
    from treewright.cli.outputs import check_destination, save_result
    from treewright.cli.screen import note, print_json
    from treewright.inspection.importance import importance

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out, ENDINGS)
    fitted = load_model(request.model)
    columns, truth = columns_and_truth(request, fitted, request.target)
    with usage_errors():
        _check_scoring(request.scoring)
        found = importance(
            fitted, columns, truth, kind=request.kind, scoring=request.scoring, n_repeats=request.repeats,
            random_state=request.seed,
        )  # fmt: skip
    if request.as_json:
        print_json({"kind": request.kind, "columns": found.to_frame().to_dict("records")})
    else:
        click.echo(str(found))
    if request.out is not None:
        save_result(found, request.out)
        note(f"The importance is in {request.out}.")


def _check_scoring(name: str | None) -> None:
    from sklearn.metrics import get_scorer_names

    from treewright.errors import nearest

    if name is not None and name not in get_scorer_names():
        raise click.UsageError(f"--scoring {name}: there is no such measure. {nearest(name, get_scorer_names())}")
