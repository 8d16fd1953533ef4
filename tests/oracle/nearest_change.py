"""The smallest change of a row that changes its answer, by trying every row there is.

Between two neighbouring cuts of a column all numbers are alike to a tree of thresholds, so one number a cell is enough.
A changed number costs its distance to the border of the cell in units of the column's scale; a changed level 1 (ordered
levels: their distance in codes, in units of the scale); a first value in place of a missing one 1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choices:
    """What one column may become: (new value, cost); the first is the row's own value."""

    options: tuple[tuple[float, float], ...]


def number_choices(cuts: Sequence[float], own: float, scale: float, fixed: bool) -> Choices:
    """One number for each cell between the cuts."""
    options = [(own, 0.0)]
    borders = [-math.inf, *sorted(set(cuts)), math.inf]
    for low, high in itertools.pairwise(borders):
        if fixed or low < own <= high:
            continue
        value = high if high < math.inf else low + 1
        gap = (low - own if own <= low else own - high) / scale
        options.append((value, 1.0 if own != own else gap))
    return Choices(tuple(options))


def level_choices(n_levels: int, own: float, is_ordinal: bool, scale: float, fixed: bool) -> Choices:
    """Every level."""
    options = [(own, 0.0)]
    for code in range(1, n_levels + 1):
        if not fixed and code != own:
            options.append((float(code), abs(code - own) / scale if is_ordinal and own == own else 1.0))
    return Choices(tuple(options))


def all_changes(columns: Sequence[Choices]) -> list[tuple[tuple[int, float], list[float]]]:
    """Every row that can be made, with the number of its changes and their cost."""
    found = []
    for row in itertools.product(*(choices.options for choices in columns)):
        changed = [pair is not choices.options[0] for pair, choices in zip(row, columns, strict=True)]
        found.append(((sum(changed), sum(cost for _, cost in row)), [value for value, _ in row]))
    return found


def least_change(
    rows: Sequence[tuple[tuple[int, float], list[float]]], answers: Sequence[object], wanted: Callable[[object], bool]
) -> tuple[int, float] | None:
    """The price of the cheapest row with a wanted answer."""
    return min((price for (price, _), answer in zip(rows, answers, strict=True) if wanted(answer)), default=None)
