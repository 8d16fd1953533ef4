"""From the declared parameters of a class to its constructor, its constraints and the section of its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, cast

from treewright.errors import nearest
from treewright.learners.base.parameters import Parameter, declares_parameters, parameters_in
from treewright.renamed import warn_renamed


def make_estimator(cls: type) -> None:
    """Give a class the constructor, the constraints and the docstring that follow from all declarations.

    A class that has an `__init__` or constraints of its own keeps them.
    """
    made = cast(Any, declares_parameters(cls))
    if made.__init__ is not object.__init__ and not hasattr(made.__init__, "__signature__"):
        return
    named = parameters_in(cls)
    made.__init__ = _constructor(cls, named)
    if "_parameter_constraints" not in vars(cls):
        made._parameter_constraints = {name: each.checks for name, each in named.items()}
    cls.__doc__ = _with_section(vars(cls).get("__doc__") or "", named)


def _constructor(cls: type, named: dict[str, Parameter]) -> Callable[..., None]:
    """Make `__init__`, which stores what it is given and nothing else."""
    by_place = [name for name, each in named.items() if each.positional]
    renamed = {old: new for old, new in getattr(cls, "_renamed", {}).items() if new in named}
    other_names = {name: own for name, own in getattr(cls, "_other_names", {}).items() if own in named}
    defaults = {name: named[name].default for name in (*by_place, *named)}

    def construct(self: Any, *given: Any, **others: Any) -> None:
        if len(given) > len(by_place):
            raise TypeError(f"{cls.__name__} takes its parameters by name. Write {cls.__name__}(name=value).")
        for name, value in zip(by_place, given, strict=False):
            if name in others:
                raise TypeError(f"{cls.__name__} was given its parameter {name!r} twice.")
            others[name] = value
        for name in list(others):
            if name in renamed:
                warn_renamed(f"The parameter {name!r}", repr(renamed[name]))
                others[renamed[name]] = others.pop(name)
            elif name in other_names and other_names[name] not in others:
                others[other_names[name]] = others.pop(name)
            elif name not in defaults:
                raise TypeError(f"{cls.__name__} has no parameter {name!r}. {nearest(name, defaults)}")
        for name, default in defaults.items():
            setattr(self, name, others.get(name, default))

    made: Any = construct
    made.__name__, made.__qualname__, made.__module__ = "__init__", f"{cls.__qualname__}.__init__", cls.__module__
    made.__doc__ = "Set the parameters; the class tells what they do."
    made.__signature__ = _signature(named, defaults)
    return construct


def _signature(named: dict[str, Parameter], defaults: dict[str, Any]) -> inspect.Signature:
    shown = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for name, default in defaults.items():
        by_place = named[name].positional
        how = inspect.Parameter.POSITIONAL_OR_KEYWORD if by_place else inspect.Parameter.KEYWORD_ONLY
        shown.append(inspect.Parameter(name, how, default=default, annotation=named[name].annotation))
    return inspect.Signature(shown, return_annotation=None)


_SECTION = re.compile(r"(?m)^\w[\w ]*\n---+$")


def _with_section(text: str, named: dict[str, Parameter]) -> str:
    """Put the section "Parameters" before the first of the others.

    Examples
    --------
    >>> from treewright.learners.base.parameters import whole
    >>> said = {"k": Parameter(5, whole(1), "How many neighbours are asked.")}
    >>> print(_with_section("Asks neighbours.\\n\\nNotes\\n-----\\nIt is slow.", said))
    Asks neighbours.
    <BLANKLINE>
    Parameters
    ----------
    k : int, default 5
        How many neighbours are asked.
    <BLANKLINE>
    Notes
    -----
    It is slow.
    """
    text = inspect.cleandoc(text)
    section = "\n".join(["Parameters", "----------", *(each.told(name) for name, each in named.items())])
    first = _SECTION.search(text)
    place = len(text) if first is None else first.start()
    parts = [text[:place].rstrip(), section, text[place:]]
    return "\n\n".join(part for part in parts if part)
