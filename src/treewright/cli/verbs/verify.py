"""`treewright verify MODEL`: is every byte of a model file as it should be, and what is in it.

Of an export: does it still answer as its proof says?
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treewright.cli.options import every_verb

# The verb must not import the exports to know a model file.
EXPORTS = (".sql", ".c", ".js", ".mjs", ".py", ".R", ".onnx", ".pmml", ".xlsx")


@click.command("verify", short_help="Check every byte of a model file, or the proof of an export.")
@click.argument("model")
@every_verb
def command(model: str, as_json: bool) -> None:
    """Check every byte of the file MODEL and tell what it is. Exit code 4 if it is damaged.

    A proof that lies beside it (MODEL.proof.json) is run too; exit code 3 if it fails.

    Of an export (OUT.sql, OUT.c, OUT.onnx …) its proof is run again where the export runs; exit code 3 if an answer is
    another one, or the file is not the one that was proven.
    """
    from treewright.cli.inputs import describe, load_model
    from treewright.cli.screen import print_json

    if Path(model).suffix in EXPORTS:
        _verify_export(model, as_json)
        return
    fitted = load_model(model)
    facts = {"file": describe(model), **_format_of(model), **_facts(fitted)}
    proof = _proof_of(fitted, model)
    if as_json:
        print_json({**facts, "whole": True, **proof})
        return
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<15} {value}")
    content = "trees" if "trees" in facts else "tree" if "nodes" in facts else "numbers"
    click.echo(f"{'whole':<15} yes: checksum, header and {content} are in order")
    for name, text in proof.items():
        click.echo(f"{name:<15} {text}")


def _proof_of(fitted: Any, model: str) -> dict[str, str]:
    """What comes of the proof beside a model file, if there is one."""
    if not Path(f"{model}.proof.json").exists():
        return {}
    from treewright.export.model_file import check_proof

    verdict = check_proof(fitted, Path(model))
    return {} if verdict is None else {"proof": verdict.text}


def _verify_export(path: str, as_json: bool) -> None:
    from treewright.cli.screen import print_json
    from treewright.export.export import verify_export

    verdict = verify_export(path)
    if as_json:
        print_json({"file": path, "proven": verdict.proven, "verdict": verdict.text})
        return
    click.echo(f"{path}: {verdict.text}")


def _format_of(model: str) -> dict[str, Any]:
    """Give what the first bytes of the file say; stdin has been read by now."""
    from treewright.save.header import PREFIX_BYTES, read_prefix
    from treewright.save.model_json import VERSION as JSON_VERSION
    from treewright.save.model_json import is_model_json
    from treewright.save.other_formats import BEGINNING, LIBRARIES, reader_of

    if model == "-":
        return {}
    with Path(model).open("rb") as file:
        start = file.read(max(PREFIX_BYTES, BEGINNING))
    if reader_of(start) is not None:
        return {"bytes": Path(model).stat().st_size, "written_by": LIBRARIES[str(reader_of(start))]}
    version = JSON_VERSION if is_model_json(start) else read_prefix(start[:PREFIX_BYTES], model).version
    kind = "json_version" if is_model_json(start) else "format_version"
    return {"bytes": Path(model).stat().st_size, kind: version}


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
