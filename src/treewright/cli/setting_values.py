"""From `--set name=value` to the parameters of an estimator or a pruner."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

import click

from treewright.cli.options import split_pairs
from treewright.errors import nearest

# What people write for these in other languages and in JSON.
_WORDS: dict[str, Any] = {"none": None, "null": None, "true": True, "false": False}


def parse_value(text: str) -> Any:
    """Read a value as a Python number, word, list or dictionary; anything else is text.

    Examples
    --------
    >>> [parse_value(text) for text in ("3", "0.5", "1e-3", "true", "None", "gini", "{'bad': 5}")]
    [3, 0.5, 0.001, True, None, 'gini', {'bad': 5}]
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def parse_settings(pairs: Iterable[str], known: Iterable[str], owner: str) -> dict[str, Any]:
    """Read every `name=value`, refusing names that the owner does not have.

    Examples
    --------
    >>> parse_settings(["max_depth=3"], ["max_depth", "criterion"], "the algorithm cart")
    {'max_depth': 3}
    """
    names = sorted(known)
    settings = {name: parse_value(value) for name, value in split_pairs(pairs, "--set").items()}
    for name in settings:
        if name not in names:
            raise click.UsageError(
                f"--set {name}: there is no such parameter of {owner}. {nearest(name, names)}\n"
                f"The parameters are: {', '.join(names)}."
            )
    return settings
