"""From sums to answers: e to a power, sigmoids and softmax, by steps that are the same on every processor.

numpy's exp has other last bits on other processors, and shares are made of several of them. These come from the core
(`core/base/links.hpp`), and the exports write the same steps in their languages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core


def exp(numbers: NDArray[Any]) -> NDArray[Any]:
    """e to the power of each number.

    Examples
    --------
    >>> exp(np.array([0.0, 1.0, -800.0, 800.0])).tolist()
    [1.0, 2.718281828459045, 0.0, inf]
    """
    return _shaped(_core.powers_of_e(_doubles(numbers).reshape(-1)), numbers)


def expit(numbers: NDArray[Any]) -> NDArray[Any]:
    """1 / (1 + exp(-x)) of each number.

    Examples
    --------
    >>> expit(np.array([[0.0, 40.0], [-40.0, -800.0]])).tolist()
    [[0.5, 1.0], [4.248354255291589e-18, 0.0]]
    """
    return _shaped(_core.sigmoids(_doubles(numbers).reshape(-1)), numbers)


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """The shares of exp(x) in each row, which are added up from the first column to the last.

    Examples
    --------
    >>> softmax(np.array([[0.0, 0.0, 0.0, 0.0], [1000.0, 0.0, 0.0, 0.0]])).tolist()
    [[0.25, 0.25, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]]
    """
    return _shaped(_core.softmax(_doubles(scores)), scores)


def shares(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each number by the sum of its row, from the first to the last; equal shares where all are 0.

    Examples
    --------
    >>> shares(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    whole = np.cumsum(numbers, axis=1)[:, -1:]  # sum() takes another order from eight columns on
    return np.asarray(np.where(whole > 0, numbers / np.where(whole > 0, whole, 1.0), 1.0 / numbers.shape[1]))


def _doubles(numbers: NDArray[Any]) -> NDArray[np.float64]:
    return np.ascontiguousarray(numbers, dtype=np.float64)


def _shaped(answers: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """The answers in the shape and the precision of what was given."""
    return answers.reshape(given.shape).astype(given.dtype if given.dtype.kind == "f" else np.float64, copy=False)
