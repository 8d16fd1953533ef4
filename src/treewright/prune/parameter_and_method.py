"""One name for two things: `prune=` says at construction how to prune, and `model.prune(...)` prunes afterwards."""

from __future__ import annotations

from typing import Any


class ParameterAndMethod:
    """A parameter that is set and stored like any other, and whose name, asked of an object, is a method.

    The value is what `get_params()` gives; attribute access gives the method.
    """

    def __init__(self, name: str, method: str) -> None:
        self.name = name
        self.method = method

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__[self.name] = value

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else getattr(owner, self.method)
