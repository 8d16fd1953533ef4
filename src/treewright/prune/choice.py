"""What `prune=` understands: pruners, names that stand for them, and pruners as plain values in a model file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.description_length import DescriptionLength, MinimumDescription
from treewright.prune.minimum_error import MergeEqualLeaves, MinimumError
from treewright.prune.pessimistic_error import PessimisticError
from treewright.prune.pruner import Pruner
from treewright.prune.readable import Readable
from treewright.prune.reduced_error import ReducedError, ValidationGain
from treewright.prune.significance import ChiSquare, CriticalValue
from treewright.renamed import RENAMED

_KINDS: tuple[type[Pruner], ...] = (
    CostComplexity,
    ReducedError,
    ValidationGain,
    PessimisticError,
    ChiSquare,
    MinimumError,
    MinimumDescription,
    CriticalValue,
    MergeEqualLeaves,
    DescriptionLength,
    Readable,
)
_BY_CLASS: dict[str, Callable[..., Pruner]] = {kind.__name__: kind for kind in _KINDS}
_BY_CLASS |= {old: _BY_CLASS[new] for old, new in RENAMED.items() if new in _BY_CLASS}  # in older model files
_BY_NAME: dict[str, Callable[[float], Pruner]] = {  # each is given `ccp_alpha`
    "cost_complexity": lambda alpha: CostComplexity(alpha=alpha),
    "cost_complexity_cv": lambda _: CostComplexity(cv=10),
    "reduced_error": lambda _: ReducedError(),
    "reduced_error_greedy": lambda _: ReducedError(greedy=True),
    "validation_gain": lambda _: ValidationGain(),
    "pessimistic": lambda _: PessimisticError(),
    "chi_square": lambda _: ChiSquare(),
    "minimum_error": lambda _: MinimumError(),
    "mdl": lambda _: MinimumDescription(),
    "merge_equal_leaves": lambda _: MergeEqualLeaves(),
    "price": lambda _: DescriptionLength(),
    "critical_value": lambda _: CriticalValue(),
    "readable": lambda _: Readable(),
}
PRUNER_NAMES = tuple(_BY_NAME)


def choose_pruner(choice: Pruner | str | None, ccp_alpha: float) -> Pruner | None:
    """Read a `prune=`: a pruner is itself, a name stands for one, and None prunes only where ccp_alpha asks for it.

    Examples
    --------
    >>> choose_pruner("cost_complexity_cv", 0.0)
    CostComplexity(cv=10, rule='1se')
    >>> choose_pruner("reduced", 0.0)
    Traceback (most recent call last):
    treewright.errors.DataError: 'reduced' is no way of pruning. Choose 'cost_complexity', 'cost_complexity_cv', ...
    """
    if isinstance(choice, Pruner):
        return choice
    if choice is None:
        return CostComplexity(alpha=float(ccp_alpha)) if ccp_alpha > 0 else None
    if isinstance(choice, str) and choice in _BY_NAME:
        return _BY_NAME[choice](ccp_alpha)
    names = ", ".join(f"'{name}'" for name in PRUNER_NAMES)
    raise DataError(f"{choice!r} is no way of pruning. Choose {names} or a pruner such as tw.CostComplexity(cp=0.01).")


def pruner_to_json(pruner: Pruner) -> dict[str, Any]:
    """Write a pruner as plain values.

    Examples
    --------
    >>> pruner_to_json(CostComplexity(cv=10))
    {'pruner': 'CostComplexity', 'alpha': None, 'cp': None, 'cv': 10, 'rule': '1se', 'repeats': None}
    """
    numbers = asdict(pruner)  # type: ignore[call-overload]
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in numbers.items()}
    return {"pruner": type(pruner).__name__, **plain}


def pruner_from_json(saved: dict[str, Any]) -> Pruner:
    """Read a pruner back.

    Examples
    --------
    >>> pruner_from_json({"pruner": "CostComplexity", "alpha": 0.1})
    CostComplexity(alpha=0.1)
    """
    values = dict(saved)
    name = values.pop("pruner", None)
    if not isinstance(name, str) or name not in _BY_CLASS:
        raise DataError(f"There is no pruner {name!r}. The pruners are: {', '.join(kind.__name__ for kind in _KINDS)}.")
    return _BY_CLASS[name](**values)
