"""`treewright conformal MODEL DATA --out F`: prepare a model for intervals and sets that hold what they promise."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.options import JudgedRequest, asks_a_model, every_verb, judges_a_model

_COVERAGES = (0.8, 0.9, 0.95)


@click.command("conformal", short_help="Prepare intervals and sets with a promise.")
@asks_a_model
@judges_a_model(folds=10)
@every_verb
def command(**options: Any) -> None:
    """Learn how wrong MODEL is on rows not seen, and save it to --out. Then predict takes --interval or --set.

    DATA has the rows that MODEL was trained on: copies are fitted without each fold, asked about it, and kept. With
    --unseen DATA has other rows, and MODEL itself is asked.

    \b
    treewright conformal cars.tw cars.csv --out promising.tw
    treewright predict promising.tw new.csv --interval 0.9
    """
    from treewright.cli.inputs import columns_and_truth, load_model, refuse_two_stdins
    from treewright.cli.options import usage_errors
    from treewright.cli.outputs import check_destination, save_model
    from treewright.cli.screen import progress
    from treewright.model_selection.conformal import conformal

    request = JudgedRequest(**options)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out)
    fitted = load_model(request.model)
    columns, truth = columns_and_truth(request, fitted, request.target)
    with usage_errors(), progress("Asking about rows not seen"):
        prepared = conformal(fitted, columns, truth, cv=request.folds_or_prefit, random_state=request.seed)
        sizes = [_size(prepared, columns, coverage) for coverage in _COVERAGES]
    save_model(prepared, request.out)
    _tell(request, prepared, sizes)
    request.note_rows()


def _size(model: Any, columns: Any, coverage: float) -> float:
    """How wide the intervals are, or how many classes the sets have, on the average over the rows of DATA."""
    if hasattr(model, "classes_"):
        return float(model.predict_set(columns, coverage).sum(axis=1).mean())
    bounds = model.predict_interval(columns, coverage)
    return float((bounds[:, 1] - bounds[:, 0]).mean())


def _tell(request: JudgedRequest, model: Any, sizes: list[float]) -> None:
    from treewright.cli.outputs import leave_stdout_to_model
    from treewright.cli.screen import count, print_json, print_table
    from treewright.tree.format import measured_text

    what = "classes in a set" if hasattr(model, "classes_") else "width of an interval"
    n_scores = len(model.conformal_.scores)
    with leave_stdout_to_model(request.out):
        if request.as_json:
            told = [{"coverage": share, "size": size} for share, size in zip(_COVERAGES, sizes, strict=True)]
            print_json({"scores": n_scores, what.replace(" ", "_"): told, "out": request.out})
            return
        click.echo(f"{count(n_scores, 'row')} judged by models that had not seen them\n")
        rows = [[f"{share:g}", measured_text(size)] for share, size in zip(_COVERAGES, sizes, strict=True)]
        print_table(["coverage", what], rows, numbers=["coverage", what])
        if request.out != "-":
            click.echo(f"\nsaved   {request.out}")
