"""Several learners on the command line: `--algorithms cart,forest --set forest.n_estimators=500`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from treewright.algorithms import ALGORITHMS, parameters_of
from treewright.cli.options import split_pairs

Command = Callable[..., Any]


def takes_learners(function: Command) -> Command:
    """Add --algorithms and --set algorithm.name=value."""
    function = click.option(
        "--set", "settings", multiple=True, metavar="ALGORITHM.NAME=VALUE",
        help="A parameter of one of them, such as forest.n_estimators=500. May be repeated.",
    )(function)  # fmt: skip
    return click.option(
        "--algorithms", multiple=True, metavar="NAME,…",
        help=f"Which learners: {', '.join(ALGORITHMS)}. May be repeated.",
    )(function)  # fmt: skip


def check_learners(names: Sequence[str]) -> None:
    """Refuse a name that does not exist, before anything is read."""
    from treewright.errors import nearest

    known = [*ALGORITHMS, "baseline"]
    for name in _split(names):
        if name not in known:
            raise click.UsageError(f"--algorithms {name}: there is no such algorithm. {nearest(name, known)}")


def read_learners(names: Sequence[str], settings: Sequence[str], task: str, seed: int) -> list[tuple[str, Any]]:
    """Make the learners that were named, or all for the task, with their settings.

    Examples
    --------
    >>> read_learners(["cart,forest"], ["forest.n_estimators=7"], "regression", seed=0)[1]
    ('forest', RandomForestRegressor(n_estimators=7, random_state=0))
    """
    from treewright.compare.contestants import algorithms_for, named_estimator

    wanted = _split(names) or algorithms_for(task)
    by_learner = _settings_by_learner(settings, wanted)
    learners = []
    for name in dict.fromkeys(wanted):
        plain = named_estimator(name, task, seed)
        learners.append((name, named_estimator(name, task, seed, **_parse(name, plain, by_learner.get(name, [])))))
    return learners


@contextmanager
def usage_errors() -> Iterator[None]:
    """A name that does not exist, or a value that a parameter cannot take, is wrong usage and no fault of the table."""
    from treewright.errors import DataError

    try:
        yield
    except DataError as error:
        raise click.UsageError(str(error)) from error


def _split(names: Sequence[str]) -> list[str]:
    return [name.strip() for part in names for name in part.split(",") if name.strip()]


def _settings_by_learner(settings: Sequence[str], wanted: Sequence[str]) -> dict[str, list[str]]:
    from treewright.errors import nearest

    found: dict[str, list[str]] = {}
    for key, value in split_pairs(settings, "--set").items():
        learner, dot, name = key.partition(".")
        if not dot:
            raise click.UsageError(f"--set {key}: say of which learner, for instance --set {wanted[0]}.{key}={value}.")
        if learner not in wanted:
            raise click.UsageError(f"--set {key}: '{learner}' takes no part. {nearest(learner, wanted)}")
        found.setdefault(learner, []).append(f"{name}={value}")
    return found


def _parse(name: str, estimator: Any, settings: Sequence[str]) -> dict[str, Any]:
    from sklearn.utils._param_validation import InvalidParameterError

    from treewright.cli.pruner_setting import read_pruner
    from treewright.cli.setting_values import parse_settings

    parsed = parse_settings(settings, parameters_of(type(estimator)), f"{type(estimator).__name__} ({name})")
    if "prune" in parsed:
        parsed["prune"] = read_pruner(parsed["prune"])
    try:
        estimator.set_params(**parsed)._validate_params()
    except InvalidParameterError as error:
        raise click.UsageError(f"--set: {error}") from error
    return parsed
