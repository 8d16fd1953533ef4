"""`treewright verify MODEL`: is every byte of a model file as it should be, and what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treewright.cli.options import every_verb


@click.command("verify", short_help="Check every byte of a model file.")
@click.argument("model")
@every_verb
def command(model: str, as_json: bool) -> None:
    """Check every byte of the file MODEL and tell what it is. Exit code 4 if it is damaged."""
    from treewright.cli.inputs import describe, load_model
    from treewright.cli.screen import print_json

    fitted = load_model(model)
    facts = {"file": describe(model), **_format_of(model), **_facts(fitted)}
    if as_json:
        print_json({**facts, "whole": True})
        return
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<15} {value}")
    content = "trees" if "trees" in facts else "tree" if "nodes" in facts else "numbers"
    click.echo(f"{'whole':<15} yes: checksum, header and {content} are in order")


def _format_of(model: str) -> dict[str, Any]:
    """Give what the first bytes of the file say; stdin has been read by now."""
    from treewright.save.header import PREFIX_BYTES, read_prefix

    if model == "-":
        return {}
    with Path(model).open("rb") as file:
        prefix = read_prefix(file.read(PREFIX_BYTES), model)
    return {"bytes": Path(model).stat().st_size, "format_version": prefix.version}


def _facts(fitted: Any) -> dict[str, Any]:
    from treewright.cli.fitted_model import has_trees, is_ensemble, schema_of, size_of

    schema = schema_of(fitted)
    facts = {"model": type(fitted).__name__, "target": schema.target, "columns": len(schema.columns)}
    if is_ensemble(fitted):
        facts["trees"] = size_of(fitted).trees
    if has_trees(fitted):
        size = size_of(fitted)
        facts |= {"nodes": size.nodes, "leaves": size.leaves, "depth": size.depth}
    facts["fingerprint"] = fitted.fingerprint()
    if hasattr(fitted, "classes_"):
        facts["classes"] = len(fitted.classes_)
    return facts
