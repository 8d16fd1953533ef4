"""`treewright prune MODEL DATA --method M --out F`: a smaller tree from a stored one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb, split_pairs, takes_settings
from treewright.learners.registry import PRUNERS, parameters_of


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    target: str | None
    method: str | None
    settings: Sequence[str]
    out: str


@click.command("prune", short_help="Make a smaller tree of a stored one.")
@asks_a_model
@click.option("--target", metavar="COLUMN", help="The column that was learnt, if it is named otherwise here.")
@click.option(
    "--method", type=click.Choice(list(PRUNERS)), help="Left out: readable, or cost_complexity with its numbers."
)
@takes_settings
@click.option("--out", required=True, metavar="MODEL.tw", help="Where to save the smaller model.")
@every_verb
def command(**options: Any) -> None:
    """Cut branches of MODEL that are not worth their size, judged on the rows of DATA, and save the smaller model.

    \b
    treewright prune full.tw train.csv --out small.tw
    treewright prune full.tw train.csv --method cost_complexity --set cp=0.01 --out small.tw
    treewright prune full.tw new_rows.csv --method reduced_error --out small.tw
    """
    from treewright.cli.fitted_model import is_ensemble, refuse_treeless
    from treewright.cli.inputs import columns_and_truth, load_model, refuse_two_stdins
    from treewright.cli.outputs import check_destination, save_model
    from treewright.cli.screen import progress

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out)
    pruner = _pruner(request)
    fitted = load_model(request.model)
    refuse_treeless(fitted, "prune")
    if is_ensemble(fitted):
        raise click.UsageError("prune cuts one tree, and this model has many. Train it again with smaller trees.")
    columns, truth = columns_and_truth(request, fitted, request.target)
    with progress("Pruning"):
        smaller = fitted.pruned(pruner, columns, truth)
    save_model(smaller, request.out)
    _tell(request, fitted, smaller)


def _pruner(request: Request) -> Any:
    """Make the pruner with the numbers that were given."""
    import treewright as tw
    from treewright.cli.settings import parse_settings

    method = _method(request)
    name, numbers = PRUNERS[method]
    kind = getattr(tw, name)
    settings = parse_settings(request.settings, parameters_of(kind), f"{kind.__name__} (--method {method})")
    if method == "cost_complexity" and not settings:
        raise click.UsageError(
            "--method cost_complexity needs the price of a leaf: --set cp=0.01 (a share of the root's risk) or "
            "--set alpha=0.005 (in units of impurity). With --set cv=10 cross-validation chooses it."
        )
    try:
        return kind(**{**numbers, **settings})
    except (ValueError, TypeError) as error:
        raise click.UsageError(f"--set: {error}") from error


def _method(request: Request) -> str:
    """The way that is named or, without a name, the one that the settings belong to."""
    from treewright.prune.readable import Readable

    if request.method is not None:
        return request.method
    return (
        "readable" if set(split_pairs(request.settings, "--set")) <= set(parameters_of(Readable)) else "cost_complexity"
    )


def _tell(request: Request, before: Any, after: Any) -> None:
    from treewright.cli.outputs import leave_stdout_to_model
    from treewright.cli.screen import count, print_json

    sizes = {
        name: {"leaves": int(model.tree_.n_leaves), "depth": int(model.tree_.depth)}
        for name, model in (("before", before), ("after", after))
    }
    with leave_stdout_to_model(request.out):
        if request.as_json:
            print_json({**sizes, "method": _method(request), "out": request.out, "fingerprint": after.fingerprint()})
            return
        for name, size in sizes.items():
            click.echo(f"{name:<7} {count(size['leaves'], 'leaf', 'leaves')}, depth {size['depth']}")
        if request.out != "-":
            click.echo(f"saved   {request.out}")
