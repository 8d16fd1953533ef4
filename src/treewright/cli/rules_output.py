"""The way out for rules: lines to stdout, or a file in the format of its ending."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treewright.errors import nearest

if TYPE_CHECKING:
    from treewright.explain.rules import Rules

RULE_ENDINGS = (".txt", ".md", ".html", ".csv", ".xlsx")


def check_rules_options(rules: bool, sort: str | None, out: str | None) -> None:
    """Refuse options that need --rules, and what they cannot do."""
    from treewright.cli.result_output import check_destination
    from treewright.explain.rules import ORDERS

    if not rules and (sort is not None or out is not None):
        raise click.UsageError(f"{'--sort' if sort is not None else '--out'} is for rules. Add --rules.")
    if sort is not None and sort not in ORDERS:
        raise click.UsageError(f"--sort {sort}: rules have no such number. {nearest(sort, ORDERS)}")
    check_destination(out, RULE_ENDINGS)


def write_rules(rules: Rules, out: str | None, as_json: bool) -> None:
    """Print the rules, a line each or as JSON, or write them to a file."""
    from treewright.cli.screen import count, note, print_json

    if out is not None and out != "-":
        _write_file(rules, Path(out))
        note(f"{count(len(rules), 'rule')} written to {out}.")
    if as_json:
        print_json({"rules": rules.to_dict()})
    elif out is None or out == "-":
        for line in rules.lines():
            click.echo(line)


def _write_file(rules: Rules, path: Path) -> None:
    from treewright.cli.result_output import replace_whole, write_page, write_table

    ending = path.suffix.lower()
    if ending == ".csv":
        write_table(rules.to_frame(), str(path))
    elif ending == ".xlsx":
        replace_whole(path, rules.to_excel)
    else:
        text = {".md": rules.to_markdown, ".html": rules.to_html}.get(ending, lambda: rules.to_text() + "\n")()
        write_page(text, str(path))
