"""`treewright export MODEL OUT.sql`: the model as a file that runs without treewright, with its proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from treewright.cli.options import every_verb


@click.command("export", short_help="Write a model as SQL, C, Python, R, ONNX …, with a proof.")
@click.argument("model")
@click.argument("out")
@click.option(
    "--dialect", metavar="NAME", default="duckdb", show_default=True, help="Of SQL: the engine it is written for."
)
@click.option("--table", metavar="NAME", default="rows", show_default=True, help="Of SQL: the table that is read.")
@click.option("--keep", metavar="COLUMN", multiple=True, help="Of SQL: a further column to hand on, such as a key.")
@every_verb
def command(model: str, out: str, dialect: str, table: str, keep: Sequence[str], as_json: bool) -> None:
    """Write MODEL as OUT.sql, .c, .js, .py, .R, .onnx, .pmml or .xlsx, run it, and put the proof there.

    The proof asks the file at every cut and level of the model, where it will run, and compares every answer. A file
    that answers otherwise is not left there. `treewright verify OUT` runs the proof again. OUT.json is any model as
    text, which every verb takes in place of a model file.

    \b
    treewright export credit.tw scoring.sql --dialect postgresql --table applications --keep id
    treewright export credit.tw credit.c
    """
    from pathlib import Path

    from treewright.cli.inputs import load_model
    from treewright.cli.outputs import check_destination
    from treewright.cli.screen import print_json, progress
    from treewright.export.export import ENDINGS, export

    check_destination(out, ENDINGS, "OUT")
    if out == "-":
        raise click.UsageError("An export and its proof are files. Name one, such as model.sql.")
    fitted = load_model(model)
    with progress("Exporting"):
        verdict = export(fitted, out, dialect=dialect, table=table, keep=keep)
    told: dict[str, Any] = {"file": out, "bytes": Path(out).stat().st_size, "proven": verdict.proven}
    if as_json:
        print_json({**told, "verdict": verdict.text})
        return
    click.echo(f"{out}: {told['bytes']:,} bytes, {verdict.text}")
