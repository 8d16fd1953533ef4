"""What all pruners have in common: they look at a grown tree and mark the nodes that become leaves."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError

if TYPE_CHECKING:
    from treewright import _core
    from treewright.encode.schema import Schema
    from treewright.pruners.held_out import HeldOut

Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a tree was grown from, as the core takes them."""

    table: _core.Table
    target: _core.Target
    rows: NDArray[np.uint32]  # those with a weight
    threads: int


@dataclass(frozen=True)
class Grown:
    """A grown tree with all that a pruner may look at."""

    tree: _core.Tree
    schema: Schema
    criterion: str
    held_out: HeldOut | None = None  # what rows tell that had no part in growing the tree
    training: TrainingRows | None = None


class Pruner:
    """A way of pruning with its own numbers. Subclasses are frozen dataclasses."""

    prunes_numbers: ClassVar[bool] = True

    @property
    def looks_at_training_rows(self) -> bool:
        """Whether it makes use of the rows that the tree was grown from."""
        return False

    def becomes_leaf(self, grown: Grown) -> Marks:
        """Mark the nodes that become leaves; whatever stands below a marked node goes, marked or not."""
        raise NotImplementedError

    def cut(self, grown: Grown) -> _core.Tree:
        """Give the smaller tree."""
        if not self.prunes_numbers and grown.tree.n_classes == 0:
            raise DataError(
                f"{type(self).__name__} counts classes, so it cannot prune a regression tree. Use CostComplexity, "
                "ReducedError, ValidationGain, MinimumError, CriticalValue or MergeEqualLeaves."
            )
        return grown.tree.cut_at(self.becomes_leaf(grown).astype(np.uint8))

    def _refuse(self, name: str, rule: str) -> None:
        value = getattr(self, name)
        raise DataError(f"The '{name}' of {type(self).__name__} must be {rule}. Got {value!r} instead.")

    def _check_number(self, name: str, rule: str, low: float, high: float, open_ends: bool = True) -> None:
        """Refuse what is no number, or lies outside (low, high); the low end itself may be allowed."""
        value: Any = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, Real):
            self._refuse(name, rule)
        if not (low < value < high or (not open_ends and value == low)):
            self._refuse(name, rule)

    def _check_word(self, name: str, words: tuple[str, ...]) -> None:
        if getattr(self, name) not in words:
            self._refuse(name, " or ".join(repr(word) for word in words))


class JudgedByRows(Pruner):
    """A pruner that looks at rows that had no part in growing the tree."""

    share: float  # of the training rows, where pruning is part of the training

    def rows_of(self, grown: Grown) -> HeldOut:
        """Give what the held-out rows tell about the tree."""
        if grown.held_out is None:
            raise DataError(
                f"{type(self).__name__} judges a tree by rows that it was not trained on: pass them as X and y."
            )
        return grown.held_out
