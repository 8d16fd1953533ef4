"""`treewright predict MODEL DATA`: an answer for each row, in the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    proba: bool
    keep: Sequence[str]
    out: str | None


@click.command("predict", short_help="Answer each row of a table.")
@asks_a_model
@click.option("--proba", is_flag=True, help="Also give the probability of each class.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="Copy a column of DATA to the result. May be repeated.")
@click.option("--out", metavar="FILE", help="Write to a .csv, .parquet or .jsonl file instead of CSV to stdout.")
@every_verb
def command(**options: Any) -> None:
    """Predict each row of DATA with MODEL, in the order of the rows."""
    from treewright.cli.inputs import (
        load_model,
        need_column,
        read_table_for_model,
        refuse_two_stdins,
        report_unknown_values,
    )
    from treewright.cli.outputs import TABLE_ENDINGS, check_destination, write_table
    from treewright.cli.screen import count, note, print_json, progress

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out, TABLE_ENDINGS)
    fitted = load_model(request.model)
    frame = read_table_for_model(request, fitted)
    for column in request.keep:
        need_column(frame, column, "--keep", request.data)
    columns = frame[list(fitted.feature_names_in_)]
    report_unknown_values(fitted, frame, columns)
    with progress(f"Predicting {count(len(columns), 'row')}"):
        answers = _answers(fitted, columns, request.proba)
    for position, column in enumerate(request.keep):
        answers.insert(position, column, frame[column].to_numpy())
    if request.as_json:
        print_json({"columns": list(answers.columns), "rows": answers.to_numpy(dtype=object).tolist()})
    if request.out or not request.as_json:
        write_table(answers, request.out)
    if request.out not in (None, "-"):
        note(f"{count(len(answers), 'prediction')} written to {request.out}.")


def _answers(fitted: Any, columns: pd.DataFrame, proba: bool) -> pd.DataFrame:
    """Make a table of the predictions, with a column a class for the probabilities."""
    import pandas as pd

    answers = pd.DataFrame({"prediction": fitted.predict(columns)})
    if proba:
        if not hasattr(fitted, "classes_"):
            raise click.UsageError("--proba needs a classifier; this model predicts numbers. Leave out --proba.")
        if not hasattr(fitted, "predict_proba"):
            raise click.UsageError(f"--proba: {type(fitted).__name__} has no probabilities. Leave out --proba.")
        names = [f"probability_{name}" for name in fitted.classes_]
        answers = pd.concat([answers, pd.DataFrame(fitted.predict_proba(columns), columns=names)], axis=1)
    return answers
