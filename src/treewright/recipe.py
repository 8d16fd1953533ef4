"""The vocabulary of choices: a Recipe names the parts of an algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Recipe:
    """What the growing loop is told: criterion, what to do about missing values, and when to stop."""

    criterion: str
    missing: str = "learn"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_variance_share: float = 0.0
    splitter: str | None = None  # None: exact binary splits; otherwise a splitter that reads tables of counts …
    options: Mapping[str, Any] = field(default_factory=dict)  # … and what it wants to know

    def for_core(self) -> dict[str, Any]:
        """The same choices as the core takes them."""
        return {name: value for name, value in asdict(self).items() if name != "min_weight_leaf" or value > 0}
