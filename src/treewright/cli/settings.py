"""What `--set name=value` means: numbers, words, pruners and other learners; and sentences for wrong values."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from treewright.cli.options import split_pairs
from treewright.errors import nearest
from treewright.learners.registry import LEARNERS, PRUNERS, parameters_of

_LEARNERS = ("estimator", "init")  # the parameters that take another learner
_MOST = "2147483647"
_WRONG = re.compile(
    r"The '(?P<name>\w+)' parameter of \w+ must be (?P<takes>.*)\. Got (?P<got>.*) instead\.", re.DOTALL
)

Replacement = str | Callable[[re.Match[str]], str]


# From `--set name=value` to the parameters of an estimator or a pruner.


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
            meant = nearest(name, names)
            is_near = meant.startswith("Did")  # otherwise it names the first of them, and all stand below
            raise click.UsageError(
                f"--set {name}: there is no such parameter of {owner}.{' ' + meant if is_near else ''}\n"
                f"The parameters are: {', '.join(names)}."
            )
    return settings


# A pruner with its numbers on the command line: `--set "prune=reduced_error(share=0.3)"`.


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


# Another learner, by its name; and values that a parameter cannot take.


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
