"""`treewright doctor`: is this installation in order. It writes nothing."""

from __future__ import annotations

import platform
from typing import Any

import click

from treewright.cli.options import every_verb
from treewright.errors import TreewrightError
from treewright.machine import processors

NEEDED = ("numpy", "scikit-learn", "narwhals", "pandas", "duckdb", "click", "rich", "matplotlib")
OPTIONAL = {"polars": "polars frames", "pyarrow": "pyarrow tables"}


@click.command("doctor", short_help="Check this installation.")
@every_verb
def command(as_json: bool) -> None:
    """Show versions, processors and optional packages, and fit a tiny tree to see that everything works."""
    from treewright.cli.screen import installed_version, print_json

    facts = {
        "treewright": installed_version("treewright"),
        "python": f"{platform.python_version()} ({platform.system()} {platform.machine()})",
        "processors": processors(),
        "core": _core_facts(),
        "packages": {name: installed_version(name) for name in NEEDED},
        "optional": {name: installed_version(name) for name in OPTIONAL},
    }
    problem = _self_test()
    if as_json:
        print_json({**facts, "self_test": problem or "passed"})
    else:
        _print_facts(facts, problem)
    if problem:
        raise TreewrightError(f"The self-test failed: {problem} Install treewright again from its sources.")


def _core_facts() -> dict[str, Any]:
    """Tell where the compiled part is and how it was built."""
    try:
        from treewright import _core
    except ImportError as error:
        return {"missing": str(error)}
    return {"file": _core.__file__, **getattr(_core, "build_info", dict)()}


def _self_test() -> str | None:
    """Learn exclusive-or, which no single split can: the whole way from a table to an answer. None if all is well."""
    try:
        import pandas as pd

        import treewright as tw

        table = pd.DataFrame({"a": ["no", "no", "yes", "yes"], "b": [0, 1, 0, 1]})
        truth = ["same", "different", "different", "same"]
        answers = list(tw.DecisionTreeClassifier().fit(table, truth).predict(table))
    except Exception as error:  # whatever is wrong, a doctor tells it and does not faint
        return f"{type(error).__name__}: {error}."
    return None if answers == truth else f"expected {truth}, got {answers}."


def _print_facts(facts: dict[str, Any], problem: str | None) -> None:
    for name in ("treewright", "python", "processors"):
        click.echo(f"{name:<13} {facts[name] or 'not installed as a package'}")
    for name, value in facts["core"].items():
        click.echo(f"{'core ' + name.partition('_')[0]:<13} {_told(name, value)}")
    for name, version in facts["packages"].items():
        click.echo(f"{name:<13} {version or 'MISSING: install it'}")
    for name, version in facts["optional"].items():
        click.echo(f"{name:<13} {version or f'not installed (only for {OPTIONAL[name]})'}")
    click.echo(f"{'self-test':<13} {'FAILED' if problem else 'passed: a tree fitted exclusive-or'}")


def _told(name: str, value: Any) -> Any:
    if name == "vectors_of_processor":
        return f"of this processor: {', '.join(value)} (TREEWRIGHT_VECTORS chooses)"
    return f"in use: {value}" if name == "vectors" else value
