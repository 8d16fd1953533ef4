"""`treewright serve MODEL …`: answer rows over HTTP."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.options import every_verb


@click.command("serve", short_help="Answer rows over HTTP.")
@click.argument("models", nargs=-1, required=True, metavar="[NAME=]MODEL...")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 is every one.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--token", envvar="TREEWRIGHT_TOKEN", help="What requests have to bring; or set $TREEWRIGHT_TOKEN.")
@click.option("--max-body", type=click.IntRange(1), default=64, show_default=True, help="Largest body, in megabytes.")
@click.option("--timeout", type=click.FloatRange(0.1), default=30, show_default=True, help="Seconds for a request.")
@click.option("--watch/--no-watch", default=True, show_default=True, help="Take a model anew when its file changes.")
@click.option("--require-proof", is_flag=True, help="Take no model without a proof beside its file.")
@every_verb
def command(models: tuple[str, ...], host: str, port: int, token: str | None, **options: Any) -> None:
    """Answer rows over HTTP by MODEL, or by several: POST /predict, /why, /explain; GET /model, /health, /metrics.

    A proof beside a model's file is run first, and a model that fails it is not served. `treewright export old.tw
    new.tw` writes one.

    \b
    treewright serve credit.tw
    curl -d '{"row": {"age": 41}}' -H 'Content-Type: application/json' localhost:8000/predict
    """
    from treewright.cli.screen import note
    from treewright.errors import TreewrightError
    from treewright.serve.run import listen, run
    from treewright.serve.shelf import Shelf

    try:
        from treewright.serve.app import Limits
    except ImportError as problem:
        raise TreewrightError(
            f"The server needs {problem.name}, which is not installed. Run: pip install 'treewright[serve]'"
        ) from problem
    limits = Limits(options["max_body"] * 2**20, options["timeout"], 1.0 if options["watch"] else 0.0)
    shelf = Shelf.open(models, options["require_proof"])
    if token is None and host not in ("127.0.0.1", "::1", "localhost"):
        note("Everybody who reaches this machine can ask the models: no --token was given.")
    run(shelf, listen(host, port), {"token": token, "limits": limits}, note)
