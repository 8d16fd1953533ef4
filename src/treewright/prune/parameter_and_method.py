"""`prune` is a parameter; until version 0.2 the name, asked of an object, is still the method now called `pruned`."""

from __future__ import annotations

import warnings
from typing import Any


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
            text = "model.prune(...) is now model.pruned(...); the old name goes in version 0.2."
            warnings.warn(text, FutureWarning, stacklevel=2)
            return owner.pruned(*rows, **named)

        return prune
