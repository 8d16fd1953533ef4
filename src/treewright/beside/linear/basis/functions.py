"""Any functions of a column, given as callables. They cannot be saved: a model file never holds code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.beside.columns import Floats
from treewright.errors import DataError


@dataclass(frozen=True)
class Functions:
    """Functions that take the column and give one column, or several, of the same length.

    Examples
    --------
    >>> basis = Functions((np.log, np.sqrt))
    >>> x = np.array([1.0, 4.0])
    >>> basis.labels("age", basis.learn(x, None)), basis.expand(x, np.ones(2)).round(3).tolist()
    (['log(age)', 'sqrt(age)'], [[0.0, 1.0], [1.386, 2.0]])
    """

    functions: tuple[Callable[[Floats], Any], ...]

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """How many columns each function gives."""
        return np.array([self._ask(function, values).shape[1] for function in self.functions], dtype=np.float64)

    def check(self, learnt: Floats) -> None:
        """Refuse what is no number of columns for each."""
        if learnt.shape != (len(self.functions),):
            raise ValueError("its functions are not those that it learnt with")

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """The columns of all functions side by side."""
        return np.hstack([self._ask(function, values) for function in self.functions])

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """log(age), …"""
        labels = []
        for place, (function, width) in enumerate(zip(self.functions, learnt, strict=True)):
            name = f"{_name(function, place)}({column})"
            labels += [name] if width == 1 else [f"{name} {k + 1}" for k in range(int(width))]
        return labels

    def _ask(self, function: Callable[[Floats], Any], values: Floats) -> Floats:
        with np.errstate(all="ignore"):
            made = np.asarray(function(values), dtype=np.float64)
        made = made[:, None] if made.ndim == 1 else made
        name = _name(function, self.functions.index(function))
        if made.ndim != 2 or len(made) != len(values):
            raise DataError(
                f"The basis function {name} gave an array of shape {made.shape} for {len(values)} rows. "
                "It has to give one number for each row, or one row of numbers."
            )
        wrong = ~np.isfinite(made).all(axis=1)
        if wrong.any():
            value = values[int(np.argmax(wrong))]
            raise DataError(
                f"The basis function {name} gives no finite number for {value:g}. Choose one that does, "
                "or change the column first."
            )
        return made


def _name(function: Any, place: int) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return f"function {place + 1}" if name == "<lambda>" else str(name)
