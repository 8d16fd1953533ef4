"""The smallest change of one column that changes the answer of any model with trees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.change import plain_value
from treewright.explain.new_value import distance, nearest_value
from treewright.explain.row_values import RowValues, value_text
from treewright.explain.value_sets import LevelSet, NumberRange, ValueSet
from treewright.explain.wanted import Wanted
from treewright.tree.stored import HYPERPLANE, THRESHOLD
from treewright.tree.tree import Tree
from treewright.tree.wording import name_text

_MOST_CUTS = 5000  # tried in one column, the nearest of them


@dataclass(frozen=True)
class SingleChange:
    """One column with another value, and the answer to the row then."""

    column: int
    value: float
    size: float
    answer: Any
    before: RowValues

    @property
    def words(self) -> str:
        """What has to change, as the end of a sentence."""
        about = self.before.schema.columns[self.column]
        return f"{name_text(about.name)} goes from {self.before.shown(self.column)} to {value_text(about, self.value)}"

    @property
    def row(self) -> dict[str, Any]:
        """The whole row after the change, by column name."""
        names, about = self.before.schema.names, self.before.schema.columns[self.column]
        return {
            **dict(zip(names, self.before.given, strict=True)),
            about.name: plain_value(about, self.value),
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the change as plain values."""
        about = self.before.schema.columns[self.column]
        new = value_text(about, self.value)
        return {
            "column": about.name,
            "from": self.before.shown(self.column),
            "to": new,
            "answer": self.answer,
            "size": self.size,
        }


def cuts_by_column(trees: Iterable[Tree], n_columns: int) -> list[NDArray[np.float64]]:
    """Give the different cuts of each column in many trees, in order.

    >>> from treewright.tree import example_tree
    >>> [cuts.tolist() for cuts in cuts_by_column([example_tree()] * 2, 2)]
    [[], [82.5]]
    """
    places, cuts = [], []
    for tree in trees:
        arrays = tree.arrays
        asked = (arrays["kind"] == THRESHOLD) & np.isfinite(arrays["threshold"])
        places.append(arrays["column"][asked])
        cuts.append(arrays["threshold"][asked])
        if "interval_start" in arrays:
            places.append(np.repeat(arrays["column"], np.diff(arrays["interval_start"])))
            cuts.append(arrays["interval_upper"])
    place, cut = np.concatenate(places), np.concatenate(cuts)
    return [np.unique(cut[place == j]) for j in range(n_columns)]


def has_sums(trees: Iterable[Tree]) -> bool:
    """Whether one of the trees asks for weighted sums, whose cuts are no cuts of a column."""
    return any(bool((tree.arrays["kind"] == HYPERPLANE).any()) for tree in trees)


def single_change(
    row: RowValues,
    cuts: Sequence[NDArray[np.float64]],
    wanted: Wanted,
    fixed: Collection[int],
    answers: Callable[[list[list[Any]]], Sequence[Any]],
) -> SingleChange | None:
    """Try every cell between two cuts of each column, and every level; give the nearest with a wanted answer.

    Parameters
    ----------
    row : RowValues
    cuts : arrays
        The cuts of each column, in order.
    wanted : Wanted
    fixed : columns that may not change
    answers : function
        Answers a list of rows.
    """
    best: SingleChange | None = None
    for j, column in enumerate(row.schema.columns):
        if j in fixed:
            continue
        scale = _scale(cuts[j], row.numbers[j]) if column.kind == "numeric" else max(len(column.levels) - 1.0, 1.0)
        options = _options(row, j, cuts[j], scale)
        if best is not None:
            options = [option for option in options if option[0] < best.size]
        if not options:
            continue
        given = list(row.given)
        tried = [[*given[:j], plain_value(column, value), *given[j + 1 :]] for _, value in options]
        for (size, value), answer in zip(options, answers(tried), strict=True):
            if wanted.holds(answer):
                best = SingleChange(j, value, size, answer, row)
                break
    return best


def _options(row: RowValues, j: int, cuts: NDArray[np.float64], scale: float) -> list[tuple[float, float]]:
    """Give (size, new value) of all changes of a column, the smallest first."""
    column, old = row.schema.columns[j], row.numbers[j]
    sets: list[ValueSet] = []
    if column.kind == "numeric":
        nearest = cuts[np.argsort(np.abs(cuts - (old if old == old else 0.0)), kind="stable")[:_MOST_CUTS]]
        bounds = [None, *np.sort(nearest).tolist(), None]
        sets = [NumberRange(low, high) for low, high in pairwise(bounds) if len(cuts)]
    else:
        sets = [LevelSet.of([code], column) for code in range(1, len(column.levels) + 1)]
    options = []
    for allowed in sets:
        value = None if old in allowed else nearest_value(allowed, old, column, scale)
        if value is not None:
            options.append((distance(allowed, old, column, scale), value))
    return sorted(options)


def _scale(cuts: NDArray[np.float64], own: float) -> float:
    known = np.append(cuts, own) if np.isfinite(own) else cuts
    span = float(known.max() - known.min()) if len(known) else 0.0
    return span if span > 0 else 1.0
