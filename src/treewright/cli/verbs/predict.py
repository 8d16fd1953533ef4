"""`treewright predict MODEL DATA`: an answer for each row, in the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.in_place import stays_in_place, takes_in_place
from treewright.cli.options import ModelRequest, asks_a_model, every_verb


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    proba: bool
    interval: float | None
    set: float | None
    keep: Sequence[str]
    out: str | None
    in_place: bool
    engine: str | None


@click.command("predict", short_help="Answer each row of a table.")
@asks_a_model
@click.option("--proba", is_flag=True, help="Also give the probability of each class.")
@click.option(
    "--interval", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="COVERAGE",
    help="Also give an interval that holds the number so often; needs treewright conformal.",
)  # fmt: skip
@click.option(
    "--set", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="COVERAGE",
    help="Also give a set of classes that holds the true one so often; needs treewright conformal.",
)  # fmt: skip
@click.option("--keep", multiple=True, metavar="COLUMN", help="Copy a column of DATA to the result. May be repeated.")
@click.option("--out", metavar="FILE", help="Write to a .csv, .parquet or .jsonl file instead of CSV to stdout.")
@takes_in_place
@every_verb
def command(**options: Any) -> None:
    """Predict each row of DATA with MODEL, in the order of the rows."""
    from treewright.cli.inputs import refuse_two_stdins
    from treewright.cli.outputs import TABLE_ENDINGS, check_destination, write_columns
    from treewright.cli.screen import count, note, print_json

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out, TABLE_ENDINGS)
    if stays_in_place(request, request.in_place):
        _answer_in_place(request)
        return
    answers = _answer_at_once(request) or _answer_table(request)
    n_rows = len(next(iter(answers.values())))
    if request.as_json:
        print_json({"columns": list(answers), "rows": [list(row) for row in zip(*answers.values(), strict=True)]})
    if request.out or not request.as_json:
        write_columns(answers, request.out)
    if request.out not in (None, "-"):
        note(f"{count(n_rows, 'prediction')} written to {request.out}.")


def _answer_in_place(request: Request) -> None:
    """Answer rows that stay where they are, some at a time, into a file."""
    from treewright.cli.in_place import open_in_place
    from treewright.cli.inputs import load_model
    from treewright.cli.screen import count, note, print_json, progress
    from treewright.sources.answers import write_predictions

    if request.interval is not None or request.set is not None:
        raise click.UsageError("--interval and --set need a table that is read. Leave them out, or --in-place.")
    if request.out is None or not request.out.lower().endswith((".parquet", ".csv")):
        raise click.UsageError(
            "Rows that stay where they are get their answers in a file: --out answers.parquet (or .csv)."
        )
    fitted = load_model(request.model)
    if request.proba and not hasattr(fitted, "classes_"):
        raise click.UsageError("--proba needs a classifier; this model predicts numbers. Leave out --proba.")
    with open_in_place(request) as source, progress("Predicting"):
        written = write_predictions(fitted, source, request.out, keep=request.keep, proba=request.proba)
    if request.as_json:
        print_json({"rows": written, "out": request.out})
    note(f"{count(written, 'prediction')} written to {request.out}.")


def _answer_at_once(request: Request) -> dict[str, Any] | None:
    """Answer a small, plain file without the estimator; None where it takes the whole way."""
    from treewright.cli.inputs import ask_at_once
    from treewright.cli.screen import note
    from treewright.cli.unknown_values import note_far_outside, note_missing, note_unused

    promised = request.interval is not None or request.set is not None
    found = None if request.keep or promised else ask_at_once(request)
    if found is None:
        return None
    asked, rows = found
    for text in rows.notes:
        note(text)
    note_missing(rows.n_missing())
    note_far_outside(asked.encoder.schema.columns, rows.numbers())
    note_unused(rows.names, list(rows.columns))
    return _answers(asked, rows.encoded, request.proba)


def _answer_table(request: Request) -> dict[str, Any]:
    """Answer any table by any model; the columns to keep stand in front."""
    from treewright.cli.inputs import load_model, need_column, read_table_for_model
    from treewright.cli.screen import count, progress
    from treewright.cli.unknown_values import report_unknown_values

    fitted = load_model(request.model)
    frame = read_table_for_model(request, fitted)
    for column in request.keep:
        need_column(frame, column, "--keep", request.data)
    columns = frame[list(fitted.feature_names_in_)]
    report_unknown_values(fitted, frame, columns)
    if len(columns) == 0:
        return _no_answers(fitted, request)
    with progress(f"Predicting {count(len(columns), 'row')}"):
        answers = {**_answers(fitted, columns, request.proba), **_promises(fitted, columns, request)}
    for column in request.keep:
        if column in answers:
            raise click.UsageError(f"--keep {column}: the answers have a column of this name. Rename that of DATA.")
    return {**{column: frame[column] for column in request.keep}, **answers}


def _no_answers(fitted: Any, request: Request) -> dict[str, Any]:
    """The answer to a table without rows: the same columns, empty."""
    shares = [f"probability_{name}" for name in getattr(fitted, "classes_", [])] if request.proba else []
    bounds = ["lower", "upper"] if request.interval is not None else []
    sets = ["set"] if request.set is not None else []
    return {name: [] for name in (*request.keep, "prediction", *shares, *bounds, *sets)}


def _promises(model: Any, rows: Any, request: Request) -> dict[str, Any]:
    """Give the intervals or sets that were asked for."""
    if request.interval is not None:
        if not hasattr(model, "predict_interval"):
            raise click.UsageError("--interval is for numbers; this model predicts classes. Say --set.")
        lower, upper = model.predict_interval(rows, request.interval).T
        return {"lower": lower.tolist(), "upper": upper.tolist()}
    if request.set is not None:
        if not hasattr(model, "predict_set"):
            raise click.UsageError("--set is for classes; this model predicts numbers. Say --interval.")
        names = [str(label) for label in model.classes_]
        inside = model.predict_set(rows, request.set)
        return {"set": ["|".join(name for name, is_in in zip(names, row, strict=True) if is_in) for row in inside]}
    return {}


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
