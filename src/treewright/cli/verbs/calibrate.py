"""`treewright calibrate MODEL DATA --out F`: probabilities that are as often right as they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.options import JudgedRequest, asks_a_model, every_verb, judges_a_model

_METHODS = ("sigmoid", "temperature", "isotonic")


@dataclass(frozen=True, kw_only=True)
class Request(JudgedRequest):
    """What was asked for."""

    method: str
    plot: str | None


@click.command("calibrate", short_help="Correct the probabilities of a model.")
@asks_a_model
@judges_a_model(folds=5)
@click.option("--method", type=click.Choice(_METHODS), default="sigmoid", show_default=True)
@click.option(
    "--plot",
    metavar="FILE",
    help="With --unseen: draw the calibration before and after into a .png, .svg or .pdf file.",
)
@every_verb
def command(**options: Any) -> None:
    """Correct the probabilities of MODEL by how often it is right, and save it to --out. Its answers do not change.

    DATA has the rows that MODEL was trained on: copies are fitted without each fold and asked about it. With --unseen
    DATA has other rows, and MODEL itself is asked.

    \b
    treewright calibrate credit.tw credit.csv --out calibrated.tw
    """
    from treewright.cli.inputs import columns_and_truth, load_model, refuse_two_stdins
    from treewright.cli.options import usage_errors
    from treewright.cli.outputs import check_destination, replace_whole, save_model
    from treewright.cli.screen import note, progress
    from treewright.model_selection.calibrate import calibrate
    from treewright.plot.class_plots import plot_calibration

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out)
    check_destination(request.plot, (".png", ".svg", ".pdf"))
    if request.plot is not None and not request.unseen:
        raise click.UsageError("--plot needs rows that MODEL was not trained on. Pass such rows, and say --unseen.")
    fitted = load_model(request.model)
    if not hasattr(fitted, "classes_"):
        raise click.UsageError("calibrate is for the probabilities of classes; this model predicts numbers.")
    columns, truth = columns_and_truth(request, fitted, request.target)
    with usage_errors(), progress("Calibrating"):
        better = calibrate(
            fitted, columns, truth, method=request.method, cv=request.folds_or_prefit, random_state=request.seed
        )
    save_model(better, request.out)
    _tell(request, better)
    if request.plot is not None:
        both = {"before": fitted, "after": better}
        replace_whole(
            request.plot, lambda draft: plot_calibration(both, columns, truth, draft, positive=better.classes_[-1])
        )
        note(f"The curve of '{better.classes_[-1]}' is in {request.plot}.")
    before, after = better.calibration_.effect[:, 0]
    if after >= before:
        note("The log loss did not fall: the probabilities of MODEL are as good as they are.")
    request.note_rows()


def _tell(request: Request, model: Any) -> None:
    from treewright.cli.outputs import leave_stdout_to_model
    from treewright.cli.screen import print_json, print_table
    from treewright.learners.base.calibration import EFFECT_MEASURES

    before, after = model.calibration_.effect.tolist()
    with leave_stdout_to_model(request.out):
        if request.as_json:
            names = [name.lower().replace(" ", "_") for name in EFFECT_MEASURES]
            told = {"before": dict(zip(names, before, strict=True)), "after": dict(zip(names, after, strict=True))}
            print_json({"method": request.method, **told, "out": request.out, "fingerprint": model.fingerprint()})
            return
        click.echo(f"{str(model.calibration_).splitlines()[0]}\n")
        rows = [
            [name, f"{old:.4f}", f"{new:.4f}"] for name, old, new in zip(EFFECT_MEASURES, before, after, strict=True)
        ]
        print_table(["rows not seen", "before", "after"], rows, numbers=["before", "after"])
        if request.out != "-":
            click.echo(f"\nsaved   {request.out}")
