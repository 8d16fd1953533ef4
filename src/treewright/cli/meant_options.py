"""Which option or choice was probably meant, where somebody gives one that a verb does not have."""

from __future__ import annotations

import re

import click

from treewright.errors import nearest

# What other tools, or other verbs of ours, have an option for.
_ANOTHER_WAY = {
    ("boundary", "--columns"): "The two columns are --x COLUMN and --y COLUMN.",
    ("boundary", "--out"): "OUT stands behind DATA, without an option.",
    ("curve", "--cv"): "A curve draws rows anew instead of dealing folds: --trials 20 says how often.",
    ("curve", "--folds"): "A curve draws rows anew instead of dealing folds: --trials 20 says how often.",
    ("export", "--to"): "The ending of OUT is the format: treewright export MODEL OUT.sql",
    ("export", "--format"): "The ending of OUT is the format: treewright export MODEL OUT.sql",
    ("export", "--out"): "OUT stands behind MODEL, without an option.",
    ("prune", "--leaves"): "The most leaves are --set leaves=N, of --method readable.",
}
_OTHER_WORDS_FOR_ALGORITHM = ("--learner", "--learners", "--model", "--method")


def meant(wrong: click.ClickException) -> str:
    """Give a sentence to end a message with, empty where nothing comes near."""
    return _another_way(wrong) or _meant(wrong) or _setting_meant(wrong)


def _another_way(wrong: click.ClickException) -> str:
    if not isinstance(wrong, click.NoSuchOption) or wrong.ctx is None:
        return ""
    command = wrong.ctx.command
    way = _ANOTHER_WAY.get((command.name or "", wrong.option_name))
    if way is None and wrong.option_name in _OTHER_WORDS_FOR_ALGORITHM:
        theirs = [option.opts[-1] for option in command.params if "--algorithm" in option.opts]
        way = f"The learner is {theirs[0]} NAME." if theirs else None
    if way is None:
        return ""
    object.__setattr__(wrong, "possibilities", None)
    return f" {way}"


_OTHER_WORDS_FOR_OUT = ("-o", "--output", "--save", "--out-file")


def _meant(wrong: click.ClickException) -> str:
    """Name the option or the choice that was probably meant."""
    if isinstance(wrong, click.NoSuchOption) and wrong.option_name in _OTHER_WORDS_FOR_OUT and wrong.ctx is not None:
        out = [option.metavar for option in wrong.ctx.command.params if "--out" in option.opts]
        object.__setattr__(wrong, "possibilities", None if out else wrong.possibilities)
        return f" A file to write is --out {out[0]}." if out else ""
    given = re.match("'([^']*)' is not one of ", wrong.message)
    choices = getattr(getattr(wrong, "param", None), "type", None)
    if given is None or not isinstance(choices, click.Choice):
        return ""
    near = nearest(given[1], [str(choice) for choice in choices.choices])
    return f" {near}" if near.startswith("Did you mean") else ""


def _setting_meant(wrong: click.ClickException) -> str:
    """Say how a parameter of a learner is given, where somebody gives it as an option: --max-depth 3."""
    if not isinstance(wrong, click.NoSuchOption) or wrong.ctx is None:
        return ""
    forms = [option.metavar for option in wrong.ctx.command.params if "--set" in option.opts]
    if not forms or f"{wrong.option_name}s" in (wrong.possibilities or ()):  # --algorithm, where there is --algorithms
        return ""
    import treewright
    from treewright.learners.registry import LEARNERS, parameters_of

    name = wrong.option_name.lstrip("-").replace("-", "_")
    owners = [
        record.name
        for record in LEARNERS.values()
        for kind in record.classes.values()
        if name in parameters_of(getattr(treewright, kind))
    ]
    if not owners:
        return ""
    owner = f"{owners[0]}." if "ALGORITHM" in (forms[0] or "") else ""
    object.__setattr__(wrong, "possibilities", None)
    return f" It is a parameter of the method: --set {owner}{name}=VALUE."
