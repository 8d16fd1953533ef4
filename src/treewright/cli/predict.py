"""`treewright predict MODEL DATA`: an answer for each row, in the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb


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
    from treewright.cli.inputs import refuse_two_stdins
    from treewright.cli.outputs import TABLE_ENDINGS, check_destination, write_columns
    from treewright.cli.screen import count, note, print_json

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out, TABLE_ENDINGS)
    answers = _answer_at_once(request) or _answer_table(request)
    n_rows = len(next(iter(answers.values())))
    if request.as_json:
        print_json({"columns": list(answers), "rows": [list(row) for row in zip(*answers.values(), strict=True)]})
    if request.out or not request.as_json:
        write_columns(answers, request.out)
    if request.out not in (None, "-"):
        note(f"{count(n_rows, 'prediction')} written to {request.out}.")


def _answer_at_once(request: Request) -> dict[str, Any] | None:
    """Answer a small, plain file by one tree; None where it takes the whole way."""
    from treewright.cli.inputs import ask_at_once, note_missing, note_unused

    found = None if request.keep else ask_at_once(request)
    if found is None:
        return None
    asked, rows = found
    note_missing(rows.n_missing())
    note_unused(rows.names, list(rows.columns))
    return _answers(asked, rows.encoded, request.proba)


def _answer_table(request: Request) -> dict[str, Any]:
    """Answer any table by any model; the columns to keep stand in front."""
    from treewright.cli.inputs import load_model, need_column, read_table_for_model, report_unknown_values
    from treewright.cli.screen import count, progress

    fitted = load_model(request.model)
    frame = read_table_for_model(request, fitted)
    for column in request.keep:
        need_column(frame, column, "--keep", request.data)
    columns = frame[list(fitted.feature_names_in_)]
    report_unknown_values(fitted, frame, columns)
    if len(columns) == 0:
        return _no_answers(fitted, request)
    with progress(f"Predicting {count(len(columns), 'row')}"):
        answers = _answers(fitted, columns, request.proba)
    for column in request.keep:
        if column in answers:
            raise click.UsageError(f"--keep {column}: the answers have a column of this name. Rename that of DATA.")
    return {**{column: frame[column] for column in request.keep}, **answers}


def _no_answers(fitted: Any, request: Request) -> dict[str, Any]:
    """The answer to a table without rows: the same columns, empty."""
    shares = [f"probability_{name}" for name in getattr(fitted, "classes_", [])] if request.proba else []
    return {name: [] for name in (*request.keep, "prediction", *shares)}


def _answers(model: Any, rows: Any, proba: bool) -> dict[str, Any]:
    """Give the predictions, with a column a class for the probabilities."""
    answers = {"prediction": model.predict(rows).tolist()}
    if proba:
        if not hasattr(model, "classes_"):
            raise click.UsageError("--proba needs a classifier; this model predicts numbers. Leave out --proba.")
        if not hasattr(model, "predict_proba"):
            raise click.UsageError(f"--proba: {type(model).__name__} has no probabilities. Leave out --proba.")
        shares = model.predict_proba(rows)
        for number, name in enumerate(model.classes_):
            answers[f"probability_{name}"] = shares[:, number].tolist()
    return answers
