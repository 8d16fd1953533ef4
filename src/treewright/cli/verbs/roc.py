"""`treewright roc MODEL DATA`: how well two classes are told apart, at every cut-off."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb

_FEW = 20
_SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)  # false positive rates that are told


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    target: str | None
    positive: str | None
    out: str | None


@click.command("roc", short_help="How well classes are told apart, at every cut-off.")
@asks_a_model
@click.option("--target", metavar="COLUMN", help="The column with the truth, if not named as in training.")
@click.option("--positive", metavar="CLASS", help="The class that is looked for; of two the second.")
@click.option("--out", metavar="FILE", help="Draw the curve into a .png, .svg or .pdf file.")
@every_verb
def command(**options: Any) -> None:
    """Tell the area under the ROC curve of MODEL on the rows of DATA, and the true positive rate that each false
    positive rate buys.
    """
    from treewright.cli.inputs import columns_and_truth, load_model, refuse_two_stdins
    from treewright.cli.options import usage_errors
    from treewright.cli.outputs import check_destination, replace_whole
    from treewright.cli.screen import note, print_json, print_table
    from treewright.model_selection.cut_off import find_positive
    from treewright.model_selection.roc_points import roc_points
    from treewright.plot.class_plots import plot_roc

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out, (".png", ".svg", ".pdf"))
    fitted = load_model(request.model)
    if not hasattr(fitted, "predict_proba"):
        raise click.UsageError(f"roc needs the probabilities of classes, and {type(fitted).__name__} has none.")
    columns, truth = columns_and_truth(request, fitted, request.target)
    with usage_errors():
        number = find_positive(fitted.classes_, request.positive)
        label = fitted.classes_[number]
        found = roc_points((truth == label).to_numpy(), fitted.predict_proba(columns)[:, number])
    if request.positive is None and len(fitted.classes_) > 2:
        note(f"'{label}', the last of {len(fitted.classes_)} classes, against all others; --positive names another.")
    if request.out is not None:
        name = "the model" if request.model == "-" else Path(request.model).name
        replace_whole(request.out, lambda draft: plot_roc({name: fitted}, columns, truth, draft, positive=label))
        note(f"The curve is in {request.out}.")
    if request.as_json:
        print_json({"positive": label, "rows": len(truth), **found.to_dict()})
        return
    click.echo(f"AUC {found.auc:.3f}: so often a row of '{label}' has the higher probability of it than another row\n")
    few = len(found.cut_off) <= _FEW  # of a small tree: every cut-off there is
    points = found.at(found.false_positive_rate[1:] if few else _SHARES)
    rows = [[f"{100 * share:.1f} %", f"{100 * rate:.1f} %", f"{cut:.3f}"] for share, rate, cut in points]
    headings = ["false positive rate", "true positive rate", "cut-off"]
    print_table(headings, rows, numbers=headings)
