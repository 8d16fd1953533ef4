"""What `--set name=value` means beyond numbers and words: other learners by name, and sentences for wrong values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from treewright.errors import nearest
from treewright.learners.registry import LEARNERS

_LEARNERS = ("estimator", "init")  # the parameters that take another learner
_MOST = "2147483647"
_WRONG = re.compile(
    r"The '(?P<name>\w+)' parameter of \w+ must be (?P<takes>.*)\. Got (?P<got>.*) instead\.", re.DOTALL
)

Replacement = str | Callable[[re.Match[str]], str]


def read_learners_in(settings: dict[str, Any], task: str) -> dict[str, Any]:
    """Make the learners that settings name, such as `--set init=forest` of boosting, `--set estimator=c45` of bagging.

    Examples
    --------
    >>> read_learners_in({"init": "forest", "n_estimators": 7}, "regression")
    {'init': RandomForestRegressor(), 'n_estimators': 7}
    """
    made = dict(settings)
    for name in _LEARNERS:
        wanted = settings.get(name)
        if not isinstance(wanted, str) or (name, wanted) == ("init", "zero"):
            continue
        able = [known for known, record in LEARNERS.items() if task in record.classes]
        if wanted not in able:
            raise click.UsageError(
                f"--set {name}={wanted}: there is no such algorithm for {task}. {nearest(wanted, able)}"
            )
        made[name] = LEARNERS[wanted].load(task)()
    return made


@contextmanager
def wrong_settings() -> Iterator[None]:
    """A value that a parameter cannot take is a wrong --set, not a fault of the table."""
    from sklearn.utils._param_validation import InvalidParameterError

    try:
        yield
    except InvalidParameterError as error:
        raise click.UsageError(in_words(str(error))) from error


def in_words(text: str) -> str:
    """Say what a parameter takes in the words of the command line.

    Examples
    --------
    >>> in_words("The 'criterion' parameter of Tree must be a str among {'gini', 'entropy'}. Got 'ginni' instead.")
    "--set criterion=ginni: it takes one of gini, entropy. Did you mean 'gini'?"
    >>> in_words("The 'seed' parameter of Tree must be an int in the range [1, 2147483647] or None. Got -1 instead.")
    '--set seed=-1: it takes a whole number from 1 on or None.'
    """
    found = _WRONG.search(text)
    if found is None:
        return f"--set: {text}"
    takes, got = found["takes"], found["got"].strip("'")
    words = [word for group in re.findall(r"a str among \{(.*?)\}", takes) for word in re.findall(r"'(.*?)'", group)]
    meant = nearest(got, words) if words else ""
    for pattern, replacement in _TAKES:
        takes = pattern.sub(replacement, takes)
    return f"--set {found['name']}={got}: it takes {takes}.{' ' + meant if 'Did you mean' in meant else ''}"


def _choice(found: re.Match[str]) -> str:
    words = re.findall(r"'(.*?)'", found[1])
    return words[0] if len(words) == 1 else f"one of {', '.join(words)}"


def _range(found: re.Match[str]) -> str:
    """`[1, 2147483647]` as "from 1 on", `(0.0, 1.0]` as "above 0 and up to 1"."""
    what = "a whole number" if found["type"] == "int" else "a number"
    low, high = (end.strip().removesuffix(".0") for end in (found["low"], found["high"]))
    is_open = low in ("-inf", f"-{_MOST}"), high in ("inf", _MOST)
    above = "above" if found["left"] == "(" else "from"
    below = "below" if found["right"] == ")" else "up to"
    if all(is_open):
        return what
    if is_open[1]:
        return f"{what} above {low}" if above == "above" else f"{what} from {low} on"
    if is_open[0]:
        return f"{what} {below} {high}"
    return f"{what} {above} {low} {'to' if (above, below) == ('from', 'up to') else f'and {below}'} {high}"


_TAKES: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    (re.compile(r"a str among \{(.*?)\}"), _choice),
    (
        re.compile(
            r"an? (?P<type>int|float) in the range (?P<left>[\[(])(?P<low>[^,]*),(?P<high>[^\])]*)(?P<right>[\])])"
        ),
        _range,
    ),
    (
        re.compile(r"an instance of 'treewright\.prune\.pruner\.Pruner'"),
        "one with numbers such as reduced_error(share=0.3)",
    ),
    (re.compile(r"an object implementing 'fit' and 'predict'"), "the name of another algorithm such as forest"),
    (
        re.compile(r"an instance of '(?:bool|numpy\.bool_?)'(?: or an instance of '(?:bool|numpy\.bool_?)')?"),
        "true or false",
    ),
    (re.compile(r"an instance of 'dict'"), "a dictionary such as \"{'yes': 5}\""),
    (re.compile(r"an instance of 'list'|an array-like"), "a list such as [1,0]"),
    (re.compile(r"a callable"), "a function of Python"),
)
