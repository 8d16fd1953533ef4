"""Docstrings as the reference shows them.

The reference is read from the sources. Some docstrings are made when a class is made (`__doc__ = f"…"`) and are taken
from the class; short ones have examples without a heading of their own, which get a fence.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from griffe import Class, Docstring, Extension, Object

_EXAMPLE = re.compile(r"(?m)^>>> (?:.+\n?)+")


def fenced(text: str) -> str:
    """Put a fence around examples.

    >>> fenced("Add.\\n\\n>>> 1 + 1\\n2")
    'Add.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found.group().rstrip()}\n```\n", text).rstrip("\n")


class MadeDocstrings(Extension):
    """Is asked about every object that was read."""

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Take the docstring of the class itself."""
        made = vars(getattr(importlib.import_module(cls.module.path), cls.name, object)).get("__doc__")
        if made and cls.path == f"{cls.module.path}.{cls.name}":
            cls.docstring = Docstring(inspect.cleandoc(made), parent=cls, lineno=cls.lineno)
            cls.members.pop("__doc__", None)

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fence examples that have no heading."""
        if obj.docstring and "\nExamples\n-----" not in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)
