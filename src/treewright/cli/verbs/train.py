"""`treewright train DATA --target T`: learn a tree, show it, and say how good it is on rows it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.in_place import stays_in_place, takes_in_place
from treewright.cli.inputs import check_target, decide_task, read_training_table
from treewright.cli.options import LearningRequest, every_verb, learns_from_a_table, split_kinds, takes_settings
from treewright.learners.registry import LEARNERS, learners_for, parameters_of

if TYPE_CHECKING:
    import pandas as pd

    from treewright.cli.train_report import Training


@dataclass(frozen=True, kw_only=True)
class Request(LearningRequest):
    """What was asked for."""

    algorithm: str
    leaves: int | None
    measure: str | None
    cv: int
    out: str | None
    in_place: bool
    engine: str | None
    dry_run: bool


@click.command("train", short_help="Learn a tree; show it and its score on unseen rows.")
@learns_from_a_table
@click.option("--algorithm", type=click.Choice(list(LEARNERS)), default="cart", show_default=True)
@takes_settings
@click.option(
    "--leaves", type=click.IntRange(min=1), metavar="N", help="The most leaves of a tree; left out, about 16."
)
@click.option(
    "--measure", type=click.Choice(["log_loss", "auc"]),
    help="What sizes of the tree are judged by; left out, errors, and log loss where one class has 80 % of the rows or "
    "errors leave a stump.",
)  # fmt: skip
@click.option("--cv", type=int, default=10, show_default=True, metavar="FOLDS", help="0 leaves out cross-validation.")
@click.option("--out", metavar="MODEL.tw", help="Save the model.")
@takes_in_place
@click.option("--dry-run", is_flag=True, help="With rows in a database: print the SQL that asks it, and learn nothing.")
@every_verb
def command(**options: Any) -> None:
    """Learn to predict a column of DATA; print the tree, its cross-validated score, the most important columns.

    The tree is pruned by cross-validation to a size that can be read, 3 to 16 leaves if these hold up on rows not
    seen. --leaves N allows more or fewer, --set prune=None gives the fully grown tree.
    """
    from treewright.cli.outputs import check_destination, leave_stdout_to_model, save_model
    from treewright.cli.screen import note, print_json
    from treewright.cli.train_report import as_dict, print_report

    request = Request(**options)
    _check(request)
    check_destination(request.out)
    if request.dry_run:
        _print_statements(request)
        return
    training = _train(request)
    if request.out:
        save_model(training.model, request.out)
    with leave_stdout_to_model(request.out):
        if request.as_json:
            print_json(as_dict(training))
        else:
            print_report(training)
    for text in training.notes:
        note(text)
    if request.out not in (None, "-"):
        note(f"The model is in {request.out}.")


def _check(request: Request) -> None:
    """Refuse what is wrong before anything is read."""
    if request.cv < 0 or request.cv == 1:
        raise click.UsageError(f"--cv needs 2 folds or more, or 0 for none. Got {request.cv}.")
    check_target(request)


def _print_statements(request: Request) -> None:
    from treewright.cli.train_in_place import print_statements

    if not stays_in_place(request, request.in_place):
        raise click.UsageError("--dry-run shows the SQL of rows that stay in a database. Add --db and --in-place.")
    print_statements(request)


def _train(request: Request) -> Training:
    """Read, fit, cross-validate; or count the rows where they are."""
    if stays_in_place(request, request.in_place):
        from treewright.cli.train_in_place import train_in_place

        return train_in_place(request)
    from treewright.cli.inputs import describe
    from treewright.cli.nothing_learnt import nothing_learnt
    from treewright.cli.train_report import Training

    columns, target, notes = read_training_table(request)
    task, task_note = decide_task(target, request.task)
    model = unfitted(request, task)
    with _watched(model, len(columns)):
        fitted = _fit(model, columns, target)
    validation = _cross_validate(model, columns, target, request.cv, notes)
    return Training(
        source=describe(request.data),
        task=task,
        target=request.target,
        n_rows=len(columns),
        model=fitted,
        validation=validation,
        nothing=nothing_learnt(fitted, columns, target, task),
        notes=[*notes, *filter(None, [task_note]), *_identifiers_used(fitted, columns, request), *_dates_used(fitted)],
        out=request.out,
    )


def _watched(model: Any, n_rows: int) -> AbstractContextManager[Any]:
    """What is shown while the model is fitted: models of many trees draw how many are done."""
    from treewright.cli.screen import count, progress
    from treewright.learners.base.progress_bar import bars_on_terminal

    if "verbose" in model.get_params(deep=False):
        return bars_on_terminal()
    return progress(f"Growing a tree on {count(n_rows, 'row')}")


def unfitted(request: Request, task: str) -> Any:
    """Make the estimator, with the settings that were given and a readable tree as the default."""
    from treewright.cli.settings import parse_settings, read_learners_in, read_pruner

    record = LEARNERS[request.algorithm]
    if task not in record.classes:
        able = ", ".join(learners_for(task))
        raise click.UsageError(
            f"--algorithm {request.algorithm} does no {task}, and the target '{request.target}' asks for one. "
            f"Choose one of {able}, or another target."
        )
    if request.measure is not None and task == "regression":
        raise click.UsageError(f"--measure {request.measure} judges classes, and '{request.target}' is a number.")
    estimator = record.load(task)
    owner = f"{estimator.__name__} (--algorithm {request.algorithm})"
    settings = parse_settings(request.settings, parameters_of(estimator), owner)
    settings = read_learners_in(settings, task)
    settings = {**_readable(request, record.readable, estimator, settings), **settings}
    if "prune" in settings:
        settings["prune"] = read_pruner(settings["prune"])
    return estimator(**settings, column_kinds=split_kinds(request.kinds) or None)


def _readable(request: Request, begins: Mapping[str, Any], estimator: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """What makes a tree that fits on a page, where nothing else is said about its size."""
    from treewright.prune.readable import Readable

    decided = [name for name in ("prune", "ccp_alpha", "max_leaf_nodes") if name in settings]
    for option, wish in (("--leaves", request.leaves), ("--measure", request.measure)):
        if wish is not None and decided:
            raise click.UsageError(
                f"{option} and --set {decided[0]} both say how large the tree is. Leave out one of them."
            )
    own = {name: value for name, value in begins.items() if name in parameters_of(estimator)}
    if "ccp_alpha" in settings:
        return {}
    if "prune" in own:
        most = {} if request.leaves is None else {"leaves": request.leaves}
        return {**own, "prune": Readable(**most, measure=request.measure)}
    if request.measure is not None:
        raise click.UsageError(f"--measure: {request.algorithm} is not cut by a measure. Choose --algorithm cart.")
    if request.leaves is None:
        return own
    if "max_leaf_nodes" not in parameters_of(estimator):
        raise click.UsageError(f"--leaves: {request.algorithm} has no limit of leaves. Choose --algorithm cart.")
    return {"max_leaf_nodes": max(request.leaves, 2)}


def _fit(model: Any, columns: pd.DataFrame, target: pd.Series) -> Any:
    """Fit a copy; a value that a parameter cannot take is a wrong --set, not a fault of the table."""
    from sklearn.base import clone

    from treewright.cli.settings import wrong_settings

    with wrong_settings():
        return clone(model).fit(columns, target)


def _cross_validate(model: Any, columns: pd.DataFrame, target: pd.Series, folds: int, notes: list[str]) -> Any:
    from treewright.cli.screen import progress
    from treewright.model_selection.cross_validation import cross_validate

    if folds == 0:
        return None
    if len(target) < 2:
        notes.append("No cross-validation: one row cannot be divided. Give more rows, or say --cv 0.")
        return None
    if len(target) < folds:
        notes.append(
            f"No cross-validation: {len(target)} rows make no {folds} folds. Choose --cv 2 to --cv {len(target)}."
        )
        return None
    seed = model.get_params().get("random_state") or 0
    with progress(f"Cross-validating on {folds} folds", folds) as step:
        return cross_validate(model, columns, target, folds, seed=seed, on_fold=step)


def _dates_used(fitted: Any) -> list[str]:
    from treewright.cli.dates_used import dates_note
    from treewright.cli.fitted_model import has_trees, schema_of
    from treewright.inspection.align import used_columns

    told = dates_note(schema_of(fitted), used_columns(fitted)) if has_trees(fitted) else None
    return [] if told is None else [told]


def _identifiers_used(fitted: Any, columns: pd.DataFrame, request: Request) -> list[str]:
    """Warn of columns that name a row rather than describe it, where the model asks for them."""
    from treewright.cli.fitted_model import has_trees
    from treewright.table.column_kinds import guess_kinds

    shares = fitted.feature_importances_ if has_trees(fitted) else [1.0] * len(columns.columns)
    used = {name for name, share in zip(columns.columns, shares, strict=True) if share > 0}
    return [
        f"The model uses '{report.name}', which looks like an identifier: it will tell nothing about new rows. "
        f"To leave it out: --ignore {report.name}."
        for report in guess_kinds(columns, split_kinds(request.kinds))
        if report.name in used and any("identifier" in remark for remark in report.remarks)
    ]
