"""Old names of public things: each still works until version 0.2, with a warning that tells the new one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
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


def with_new_names(
    renamed: Mapping[str, str], header: dict[str, Any], arrays: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give what a model file of an older version holds, by the names that things have now.

    >>> with_new_names({"lambda_": "alpha"}, {"params": {"lambda_": 1.0}}, {"learnt_coef_": 3})
    ({'params': {'alpha': 1.0}}, {'learnt_coef_': 3})
    """
    if not renamed:
        return header, arrays
    parts = {part: header[part] for part in ("params", "learnt") if isinstance(header.get(part), dict)}
    new = {part: {renamed.get(name, name): value for name, value in held.items()} for part, held in parts.items()}
    stored = {f"learnt_{old}": f"learnt_{name}" for old, name in renamed.items()}
    return {**header, **new}, {stored.get(name, name): array for name, array in arrays.items()}


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


def keep_old_names(cls: type, renamed: Mapping[str, str]) -> None:
    """Let the old names of parameters and attributes lead to the new ones."""
    for old, new in renamed.items():
        name = OldName(new)
        name.__set_name__(cls, old)
        setattr(cls, old, name)


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
