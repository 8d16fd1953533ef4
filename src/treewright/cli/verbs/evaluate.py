"""`treewright evaluate MODEL DATA`: how good are the answers on rows whose truth is known, and is that enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.in_place import stays_in_place, takes_in_place
from treewright.cli.options import ModelRequest, asks_a_model, every_verb, split_pairs

if TYPE_CHECKING:
    import pandas as pd

    from treewright.model_selection.evaluation import Evaluation

# those of classes, then those of numbers
GATES = ("accuracy", "balanced_accuracy", "auc", "precision", "recall", "f1", "log_loss", "brier", "rmse", "mae", "r2")


_COSTS = "false_positive=1,false_negative=5"


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    target: str | None
    fail_under: Sequence[str]
    positive: str | None
    cut_off: float | None
    costs: str | None
    in_place: bool
    engine: str | None


@click.command("evaluate", short_help="Score a model; fail if it is not good enough.")
@asks_a_model
@click.option("--target", metavar="COLUMN", help="The column with the truth, if not named as in training.")
@click.option("--positive", metavar="CLASS", help="Whose precision, recall and F1 are told; of two the second.")
@click.option(
    "--cut-off",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Answer this class from probability P on; --costs finds the best.",
)
@click.option("--costs", metavar=_COSTS, help="Find the cut-off at which errors cost least.")
@click.option(
    "--fail-under", multiple=True, metavar="MEASURE=LIMIT",
    help=f"Leave with exit code 5 if a measure is worse than its limit: {', '.join(GATES)}. May be repeated.",
)  # fmt: skip
@takes_in_place
@every_verb
def command(**options: Any) -> None:
    """Score MODEL on the rows of DATA, which has the target column too.

    \b
    treewright evaluate model.tw test.csv --fail-under auc=0.75 --fail-under recall=0.6
    treewright evaluate model.tw test.csv --costs false_positive=1,false_negative=5
    """
    from treewright.cli.exit_codes import QualityGateError
    from treewright.cli.inputs import columns_and_truth, load_model, refuse_two_stdins
    from treewright.cli.screen import print_json

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    limits, costs = _limits(request.fail_under), _costs(request.costs)
    fitted = load_model(request.model)
    if stays_in_place(request, request.in_place):
        found = _evaluate_in_place(fitted, request, costs)
    else:
        found = _evaluate(fitted, *columns_and_truth(request, fitted, request.target), request, costs)
    failures = _failures(found.measures, limits)
    if request.as_json:
        print_json({**found.to_dict(), "gates": limits, "passed": not failures})
    else:
        click.echo(str(found))
    if failures:
        raise QualityGateError(" ".join(failures))


def _costs(text: str | None) -> dict[str, float] | None:
    """Read `--costs false_positive=1,false_negative=5`."""
    from treewright.cli.options import usage_errors
    from treewright.model_selection.cut_off import check_costs

    if text is None:
        return None
    costs = {}
    for name, cost in split_pairs(text.split(","), "--costs", _COSTS).items():
        try:
            costs[name.strip()] = float(cost)
        except ValueError:
            raise click.UsageError(f"--costs {name}: '{cost}' is not a number.") from None
    with usage_errors():
        check_costs(costs)
    return costs


def _limits(pairs: Sequence[str]) -> dict[str, float]:
    """Read `--fail-under accuracy=0.8`."""
    from treewright.errors import nearest

    limits = {}
    for measure, text in split_pairs(pairs, "--fail-under").items():
        if measure not in GATES:
            raise click.UsageError(f"--fail-under {measure}: there is no such measure. {nearest(measure, GATES)}")
        try:
            limits[measure] = float(text)
        except ValueError:
            raise click.UsageError(f"--fail-under {measure}: '{text}' is not a number.") from None
    return limits


def _evaluate(
    fitted: Any, columns: pd.DataFrame, truth: pd.Series, request: Request, costs: dict[str, float] | None
) -> Evaluation:
    from treewright.cli.options import usage_errors
    from treewright.errors import DataError
    from treewright.model_selection.evaluation import evaluate

    if hasattr(fitted, "classes_"):
        known = fitted.classes_.tolist()
        if not truth.isin(known).any():
            raise DataError(
                f"Column '{truth.name}' holds none of the classes of the model: it has '{truth.iloc[0]}' in its first "
                f"row, the model knows {', '.join(map(repr, known[:5]))}. Is it the right column?"
            )
    elif truth.dtype.kind not in "iufb":
        raise DataError(f"Column '{truth.name}' holds no numbers ('{truth.iloc[0]}'), but the model predicts numbers.")
    with usage_errors():
        return evaluate(fitted, columns, truth, positive=request.positive, cut_off=request.cut_off, costs=costs)


def _evaluate_in_place(fitted: Any, request: Request, costs: dict[str, float] | None) -> Evaluation:
    """Score rows that stay where they are, some at a time."""
    from treewright.cli.fitted_model import schema_of
    from treewright.cli.in_place import open_in_place
    from treewright.cli.options import usage_errors
    from treewright.model_selection.evaluation import evaluate

    target = request.target or schema_of(fitted).target
    if target is None:
        raise click.UsageError("The model does not know the name of its target. Pass it: --target COLUMN.")
    with open_in_place(request) as source, usage_errors():
        return evaluate(fitted, source, target, positive=request.positive, cut_off=request.cut_off, costs=costs)


def _failures(measures: dict[str, float], limits: dict[str, float]) -> list[str]:
    """Say of each gate that failed by how much."""
    from treewright.model_selection.measures import MEASURES

    failures = []
    for name, limit in limits.items():
        if name not in measures:
            raise click.UsageError(f"--fail-under {name}: this model is measured by {', '.join(measures)}.")
        value, measure = measures[name], MEASURES[name]
        # Written so that a score that is no number fails too.
        passed = value >= limit if measure.larger_is_better else value <= limit
        if not passed:
            worse = "below" if measure.larger_is_better else "above"
            failures.append(f"{name} is {measure.show(value)}, {worse} the limit of {limit:g}.")
    return failures
