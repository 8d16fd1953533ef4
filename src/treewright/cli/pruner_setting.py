"""A pruner with its numbers on the command line: `--set "prune=reduced_error(share=0.3)"`."""

from __future__ import annotations

import ast
from typing import Any

import click

from treewright.algorithms import PRUNERS, parameters_of
from treewright.errors import nearest


def read_pruner(value: Any) -> Any:
    """Make a pruner of a text that looks like a call; anything else is left to the estimator.

    Examples
    --------
    >>> read_pruner("reduced_error(share=0.3)")
    ReducedError(share=0.3, greedy=False)
    >>> read_pruner("CostComplexity(cp=0.01)")
    CostComplexity(cp=0.01)
    >>> read_pruner("chi_square"), read_pruner(None)
    ('chi_square', None)
    """
    call = _call_in(value)
    if call is None:
        return value
    name, numbers = call
    return _make(name, numbers, str(value))


def _call_in(value: Any) -> tuple[str, dict[str, Any]] | None:
    """The name and the numbers of `name(number=…, …)`, read without running anything."""
    if not isinstance(value, str) or not value.endswith(")"):
        return None
    try:
        call = ast.parse(value, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(value)
        return call.func.id, {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise click.UsageError(
            f'--set prune={value}: a pruner is written as a name with its numbers, such as "reduced_error(share=0.3)".'
        ) from None


def _make(name: str, numbers: dict[str, Any], text: str) -> Any:
    import treewright as tw

    by_class: dict[str, tuple[str, dict[str, Any]]] = {kind: (kind, {}) for kind, _ in PRUNERS.values()}
    known = {**by_class, **PRUNERS}
    if name not in known:
        raise click.UsageError(f"--set prune={text}: there is no pruner {name!r}. {nearest(name, PRUNERS)}")
    kind, usual = getattr(tw, known[name][0]), known[name][1]
    for number in numbers:
        if number not in parameters_of(kind):
            raise click.UsageError(
                f"--set prune={text}: {kind.__name__} has no {number!r}. {nearest(number, parameters_of(kind))}"
            )
    try:
        return kind(**{**usual, **numbers})
    except (ValueError, TypeError) as error:
        raise click.UsageError(f"--set prune={text}: {error}") from error
