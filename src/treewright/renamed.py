"""Old names of public things: each still works until version 0.2, with a warning that tells the new one."""

from __future__ import annotations

import warnings
from typing import Any

# of the package: old → new
RENAMED = {"PriceOfTests": "DescriptionLength", "surrogate": "surrogate_model"}


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a name is an old one.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn_renamed("tw.surrogate", "tw.surrogate_model")
    >>> print(told[0].message)
    tw.surrogate is now tw.surrogate_model; the old name goes in version 0.2.
    """
    warnings.warn(f"{old} is now {new}; the old name goes in version 0.2.", FutureWarning, stacklevel=stacklevel)


class OldName:
    """The old name of a method or of an attribute, written in the class: ``honest = OldName("holdout_leaves")``."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = name

    def __get__(self, model: Any, kind: type | None = None) -> Any:
        if model is None:
            return self
        value = getattr(model, self.new)  # where it is not there, the error names the new one
        warn_renamed(f"model.{self.old}", f"model.{self.new}")
        return value


class ParameterAndMethod:
    """The parameter `prune`, set and stored like any other; `model.prune(...)` warns, and then does what `pruned` does.

    The value is what `get_params()` gives. In version 0.2 this class goes, and `model.prune` is the parameter.
    """

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__["prune"] = value

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self

        def prune(*rows: Any, **named: Any) -> Any:
            warn_renamed("model.prune(...)", "model.pruned(...)")
            return owner.pruned(*rows, **named)

        return prune
