"""`treewright train` on rows that stay where they are: a tree of at most 16 leaves from counts, or any learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treewright.cli.in_place import open_in_place, shown_levels
from treewright.cli.inputs import decide_task, describe
from treewright.cli.options import split_kinds
from treewright.cli.settings import parse_settings, read_pruner, wrong_settings
from treewright.errors import nearest
from treewright.learners.registry import LEARNERS, parameters_of

if TYPE_CHECKING:
    from treewright.cli.train_report import Training
    from treewright.sources.source import Source

_LEAVES = 16  # that fit on a page
_NOT_SEEN = (
    "The rows stay where they are, so nothing was cross-validated. Keep rows aside and score them: treewright evaluate."
)


def train_in_place(request: Any) -> Training:
    """Fit a learner to the rows where they are."""
    from treewright.cli.train_report import Training
    from treewright.sources.gather import count_rows

    with open_in_place(request) as source:
        task, note = _prepare(request, source)
        model = _unfitted(request, task)
        with shown_levels(source, "Growing a tree" if hasattr(model, "max_depth") else "Learning"):
            _fit(model, source, request.target)
        n_rows = int(model.tree_.root.n) if hasattr(model, "tree_") else count_rows(source)
    return Training(
        source=describe(request.data),
        task=task,
        target=request.target,
        n_rows=n_rows,
        model=model,
        validation=None,
        notes=[*filter(None, [note]), _NOT_SEEN],
        out=request.out,
    )


def print_statements(request: Any) -> None:
    """Print the SQL of the first look, and what follows it."""
    from treewright.learners.trees.fit_source import wishes_of
    from treewright.sources.sql_profile import SqlProfile
    from treewright.sources.sql_source import SqlSource

    if request.algorithm != "cart":
        raise click.UsageError("--dry-run shows the SQL of --algorithm cart. Leave one of them out.")
    with open_in_place(request) as source:
        if not isinstance(source, SqlSource):
            raise click.UsageError("--dry-run shows SQL, and files are read without any. Leave it out.")
        task, _ = _prepare(request, source)
        profile = SqlProfile(source, wishes_of(_unfitted(request, task), source, request.target, None))
        for statement in filter(None, profile.statements()):
            click.echo(f"{statement};\n")
    click.echo(
        "-- Then two statements for each level of the tree, which the answers decide: one counts, one opens stretches."
    )


def _prepare(request: Any, source: Source) -> tuple[str, str | None]:
    """Look up the columns that options name, and tell the task by the values of the target."""
    import pandas as pd

    for option, name in [("--target", request.target), *(("--ignore", name) for name in request.ignore)]:
        if name not in source.names:
            raise click.UsageError(
                f"{option} {name}: {describe(request.data)} has no such column. {nearest(name, source.names)}"
            )
    source.left_out = frozenset(request.ignore)
    values = source.some_values(request.target, 11)
    return decide_task(pd.Series(values.to_pandas(), name=request.target), request.task)


def _unfitted(request: Any, task: str) -> Any:
    if request.measure is not None:
        raise click.UsageError(
            "--measure judges sizes by cross-validation, which rows in place have not. Leave it out."
        )
    if request.algorithm != "cart":
        from treewright.cli.verbs.train import unfitted  # what it would be for rows that are read

        return unfitted(request, task)
    estimator = LEARNERS["cart"].load(task)
    settings = parse_settings(
        request.settings, parameters_of(estimator), f"{estimator.__name__} (--algorithm {request.algorithm})"
    )
    decided = [name for name in ("prune", "ccp_alpha", "max_leaf_nodes", "max_depth") if name in settings]
    if request.leaves is not None and "max_leaf_nodes" in settings:
        raise click.UsageError("--leaves and --set max_leaf_nodes both say how large the tree is. Leave one out.")
    if request.leaves is not None or not decided:
        settings["max_leaf_nodes"] = request.leaves or _LEAVES
    if "prune" in settings:
        settings["prune"] = read_pruner(settings["prune"])
    return estimator(**settings, column_kinds=split_kinds(request.kinds) or None)


def _fit(model: Any, source: Source, target: str) -> None:
    """Fit it; a value that a parameter cannot take is a wrong --set, not a fault of the rows."""

    with wrong_settings():
        model.fit(source, target)
