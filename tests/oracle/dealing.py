"""Rows dealt out to folds, or to the part that is held out, by the definition: one after the other in plain Python.

Rows stand in the order of their content, a row of weight 3 three times. Each gets a random word; by their words, and
class by class, they are dealt out like cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from oracle import keyed_words
from treewright import _core

FOLDS, PART = 33, 32  # what the words are drawn for


def order_of(X: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> list[int]:
    """The rows of a matrix by content: classes are whole numbers from 0 on, anything else is a number to be learnt."""
    if y.dtype.kind in "iu":
        target = _core.Target.classes(y.astype(np.int32), int(y.max()) + 1, weights)
    else:
        target = _core.Target.numbers(np.ascontiguousarray(y, dtype=np.float64), weights, False)
    table = _core.Table.from_matrix(np.ascontiguousarray(X, dtype=np.float64), 1)
    return [int(row) for row in _core.rows_by_content(table, target, 1)]


def dealt(n_units: int, classes: Sequence[int] | None, seed: int, purpose: int, deal: int) -> list[int]:
    """The places of the units in the order in which they are dealt."""
    stream = keyed_words.key_of(seed, purpose, deal)
    words = [keyed_words.drawn(stream, i) for i in range(n_units)]
    return sorted(range(n_units), key=lambda i: (0 if classes is None else classes[i], words[i], i))


def folds_by_definition(
    n_units: int, n_folds: int, seed: int, classes: Sequence[int] | None = None, deal: int = 0
) -> list[int]:
    """The fold of each unit."""
    folds = [0] * n_units
    for number, place in enumerate(dealt(n_units, classes, seed, FOLDS, deal)):
        folds[place] = number % n_folds
    return folds


def part_by_definition(n_units: int, share: float, seed: int, classes: Sequence[int] | None = None) -> list[bool]:
    """Which units are held out: one whenever the running share reaches the next whole number and a half."""
    held, so_far = [False] * n_units, 0
    for number, place in enumerate(dealt(n_units, classes, seed, PART, 0), start=1):
        if int(Fraction(share) * number + Fraction(1, 2)) > so_far and so_far < n_units - 1:
            held[place], so_far = True, so_far + 1
    return held


def held_rows(X: np.ndarray, y: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Which rows of a matrix a pruner holds out."""
    order = order_of(X, y)
    classes = [int(y[row]) for row in order] if y.dtype.kind in "iu" else None
    held = np.zeros(len(y), dtype=bool)
    held[order] = part_by_definition(len(order), share, seed, classes)
    return held


def folds_of_rows(X: np.ndarray, y: np.ndarray, n_folds: int, seed: int, deal: int = 0) -> np.ndarray:
    """The fold of every row of a matrix."""
    order = order_of(X, y)
    classes = [int(y[row]) for row in order] if y.dtype.kind in "iu" else None
    folds = np.zeros(len(y), dtype=np.int64)
    folds[order] = folds_by_definition(len(order), n_folds, seed, classes, deal)
    return folds
