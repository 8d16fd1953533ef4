"""`treewright show MODEL`: the tree, or its rules, as text."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.options import every_verb


@click.command("show", short_help="Print a tree or its rules.")
@click.argument("model")
@click.option("--tree", "number", type=click.IntRange(min=0), metavar="N", help="Of many trees: the one to print.")
@click.option("--rules", is_flag=True, help="Print one rule a leaf instead of the tree.")
@click.option("--sort", metavar="NUMBER", help="With --rules: the order, such as support, confidence, lift or cost.")
@click.option("--out", metavar="FILE", help="With --rules: write them to a .txt, .md, .html, .csv or .xlsx file.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Print only the first N levels of the tree.")
@click.option("--missing", is_flag=True, help="Mark where rows without a value go, of columns without holes too.")
@every_verb
def command(
    model: str, number: int | None, rules: bool, sort: str | None, out: str | None, depth: int | None, missing: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Print the tree of MODEL: tests, rows, shares and predictions. Of many trees, or of none, print a summary."""
    from treewright.cli.fitted_model import has_trees, is_ensemble, pick_tree, rules_of
    from treewright.cli.inputs import load_model, load_tree
    from treewright.cli.outputs import check_rules_options, write_rules
    from treewright.cli.screen import print_json, tree_text

    check_rules_options(rules, sort, out)
    if rules and depth is not None:
        raise click.UsageError("--rules and --depth do not go together: a rule leads to a leaf. Leave out one of them.")
    fitted = load_model(model) if as_json or number is not None else load_tree(model)
    whole = number is None and not rules and depth is None
    if whole and (is_ensemble(fitted) or not has_trees(fitted)):
        _show_summary(fitted, as_json)
        return
    tree = pick_tree(fitted, number)
    if rules:
        write_rules(rules_of(fitted, tree).sorted(sort or "tree"), out, as_json)
    elif as_json:
        print_json(tree.to_dict())
    else:
        click.echo(tree_text(tree, depth, missing=missing or None))


def _show_summary(fitted: Any, as_json: bool) -> None:
    from treewright.cli.fitted_model import summary
    from treewright.cli.screen import print_json
    from treewright.wording import whole_models

    if as_json:
        from treewright.cli.train_report import importances  # which brings pandas

        with whole_models():
            print_json({**summary(fitted), "importances": dict(importances(fitted))})
        return
    with whole_models():
        click.echo(str(fitted))
