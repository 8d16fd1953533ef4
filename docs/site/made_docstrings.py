"""Docstrings and constructors as the reference shows them.

The reference is read from the sources. Some docstrings are made when a class is made (`__doc__ = f"…"`, and the section
"Parameters" of every estimator) and are taken from the class, and so is the constructor that is made of declared
parameters; short ones have examples without a heading of their own, which get a fence.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from griffe import Class, Docstring, Extension, Function, Object, Parameter, ParameterKind, Parameters

_EXAMPLE = re.compile(r"(?m)^>>> (?:.+\n?)+")


def fenced(text: str) -> str:
    """Put a fence around examples.

    >>> fenced("Add.\\n\\n>>> 1 + 1\\n2")
    'Add.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found.group().rstrip()}\n```\n", text).rstrip("\n")


def constructor(kind: type) -> Function:
    """Give the constructor of a class as its signature tells it.

    >>> class Point:
    ...     def __init__(self, x, *, y=0): ...
    >>> [(each.name, each.default) for each in constructor(Point).parameters]
    [('self', None), ('x', None), ('y', '0')]
    """
    shown = [Parameter("self", kind=ParameterKind.positional_or_keyword)]
    for name, each in inspect.signature(kind).parameters.items():
        default = None if each.default is each.empty else repr(each.default)
        shown.append(Parameter(name, kind=ParameterKind(each.kind.description), default=default))
    return Function("__init__", parameters=Parameters(*shown))


class MadeDocstrings(Extension):
    """Is asked about every object that was read."""

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Take the docstring of the class itself, and its constructor if its parameters are declared."""
        kind = getattr(importlib.import_module(cls.module.path), cls.name, object)
        if "_declared" in vars(kind):
            for name in [name for name, each in cls.members.items() if each.is_attribute and not hasattr(kind, name)]:
                del cls.members[name]
            if "__init__" in vars(kind):
                cls.set_member("__init__", constructor(kind))
        made = vars(kind).get("__doc__")
        if made and cls.path == f"{cls.module.path}.{cls.name}":
            cls.docstring = Docstring(inspect.cleandoc(made), parent=cls, lineno=cls.lineno)
            cls.members.pop("__doc__", None)

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fence examples that have no heading."""
        if obj.docstring and "\nExamples\n-----" not in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)
