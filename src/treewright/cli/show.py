"""`treewright show MODEL`: the tree, or its rules, as text."""

from __future__ import annotations

import click

from treewright.cli.options import every_verb


@click.command("show", short_help="Print a tree or its rules.")
@click.argument("model")
@click.option("--rules", is_flag=True, help="Print one rule a leaf instead of the tree.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Print only the first N levels of the tree.")
@every_verb
def command(model: str, rules: bool, depth: int | None, as_json: bool) -> None:
    """Print the tree of MODEL: tests, rows, shares and predictions."""
    from treewright.cli.model_input import load_model
    from treewright.cli.rules import rule_lines
    from treewright.cli.screen import print_json, tree_text

    if rules and depth is not None:
        raise click.UsageError("--rules and --depth do not go together: a rule leads to a leaf. Leave out one of them.")
    fitted = load_model(model)
    if as_json:
        print_json({"rules": list(rule_lines(fitted.tree_))} if rules else fitted.tree_.to_dict())
    elif rules:
        for line in rule_lines(fitted.tree_):
            click.echo(line)
    else:
        click.echo(tree_text(fitted.tree_, depth))
