"""`treewright evaluate MODEL DATA`: how good are the answers on rows whose truth is known, and is that enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb, split_pairs

if TYPE_CHECKING:
    import pandas as pd

    from treewright.model_selection.measures import ClassificationScores, RegressionScores

MEASURES = ("accuracy", "balanced_accuracy", "r2", "log_loss", "rmse", "mae")
ERRORS = ("log_loss", "rmse", "mae")  # the smaller the better
WIDEST_CONFUSION = 12


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    target: str | None
    fail_under: Sequence[str]


@click.command("evaluate", short_help="Score a model; fail if it is not good enough.")
@asks_a_model
@click.option("--target", metavar="COLUMN", help="The column with the truth, if not named as in training.")
@click.option(
    "--fail-under", multiple=True, metavar="MEASURE=LIMIT",
    help=f"Leave with exit code 5 if a measure is worse than its limit: {', '.join(MEASURES)}. May be repeated.",
)  # fmt: skip
@every_verb
def command(**options: Any) -> None:
    """Score MODEL on the rows of DATA, which has the target column too."""
    from treewright.cli.exit_codes import QualityGateError
    from treewright.cli.inputs import columns_and_truth, load_model, refuse_two_stdins
    from treewright.cli.screen import print_json

    request = Request(**options)
    refuse_two_stdins(request.model, request.data)
    limits = _limits(request.fail_under)
    fitted = load_model(request.model)
    scores = _score(fitted, *columns_and_truth(request, fitted, request.target))
    failures = _failures(scores.measures(), limits)
    if request.as_json:
        print_json({**asdict(scores), "gates": limits, "passed": not failures})
    else:
        _print_scores(scores)
    if failures:
        raise QualityGateError(" ".join(failures))


def _limits(pairs: Sequence[str]) -> dict[str, float]:
    """Read `--fail-under accuracy=0.8`."""
    from treewright.errors import nearest

    limits = {}
    for measure, text in split_pairs(pairs, "--fail-under").items():
        if measure not in MEASURES:
            raise click.UsageError(f"--fail-under {measure}: there is no such measure. {nearest(measure, MEASURES)}")
        try:
            limits[measure] = float(text)
        except ValueError:
            raise click.UsageError(f"--fail-under {measure}: '{text}' is not a number.") from None
    return limits


def _score(fitted: Any, columns: pd.DataFrame, truth: pd.Series) -> ClassificationScores | RegressionScores:
    from treewright.errors import DataError
    from treewright.model_selection.measures import score_classes, score_numbers

    if hasattr(fitted, "classes_"):
        known = fitted.classes_.tolist()
        if not truth.isin(known).any():
            raise DataError(
                f"Column '{truth.name}' holds none of the classes of the model: it has '{truth.iloc[0]}' in its first "
                f"row, the model knows {', '.join(map(repr, known[:5]))}. Is it the right column?"
            )
        shares = fitted.predict_proba(columns) if hasattr(fitted, "predict_proba") else None
        return score_classes(truth, fitted.predict(columns), shares, known)
    if truth.dtype.kind not in "iufb":
        raise DataError(f"Column '{truth.name}' holds no numbers ('{truth.iloc[0]}'), but the model predicts numbers.")
    return score_numbers(truth, fitted.predict(columns))


def _failures(measures: dict[str, float], limits: dict[str, float]) -> list[str]:
    """Say of each gate that failed by how much."""
    failures = []
    for measure, limit in limits.items():
        if measure not in measures:
            raise click.UsageError(f"--fail-under {measure}: this model is measured by {', '.join(measures)}.")
        value, worse = measures[measure], "above" if measure in ERRORS else "below"
        # Written so that a score that is no number fails too.
        passed = value <= limit if measure in ERRORS else value >= limit
        if not passed:
            failures.append(f"{measure} is {value:.4g}, {worse} the limit of {limit:g}.")
    return failures


def _print_scores(scores: ClassificationScores | RegressionScores) -> None:
    from treewright.cli.screen import count

    click.echo(count(scores.n_rows, "row"))
    for measure, value in scores.measures().items():
        click.echo(f"  {measure.replace('_', ' '):<18} {value:.4g}{_interval(scores) if measure == 'accuracy' else ''}")
    if hasattr(scores, "confusion"):
        _print_confusion(scores)


def _interval(scores: Any) -> str:
    low, high = scores.accuracy_interval
    return f"   (95 % sure: {low:.3f} to {high:.3f})"


def _print_confusion(scores: Any) -> None:
    from treewright.cli.screen import print_table

    if len(scores.classes) > WIDEST_CONFUSION:
        click.echo(f"\nThe table of {len(scores.classes)} classes is too wide to print; --json has it.")
        return
    names = [str(name) for name in scores.classes]
    click.echo("\nTrue class (rows), predicted class (columns)\n")
    rows = [[name, *(f"{n:,}" for n in row)] for name, row in zip(names, scores.confusion, strict=True)]
    print_table(["", *names], rows, numbers=names)
