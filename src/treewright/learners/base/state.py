"""What a model learnt beside its trees, to the header and the arrays of a model file and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PREFIX = "learnt_"


def fitted_numbers(model: Any, names: Iterable[str]) -> dict[str, float | int]:
    """Give the numbers that the model has, for the header; one that is not finite as no number at all.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> fitted_numbers(SimpleNamespace(oob_score_=0.5, n_iter_=7), ("oob_score_", "n_iter_", "score_"))
    {'oob_score_': 0.5, 'n_iter_': 7}
    """
    found = {name: getattr(model, name) for name in names if hasattr(model, name)}
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in found.items()}
    return {name: value for name, value in plain.items() if math.isfinite(value)}


def fitted_arrays(model: Any, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Give the arrays that the model has, by the names that they have in the file.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> fitted_arrays(SimpleNamespace(baseline_=np.zeros(1)), ("baseline_",))
    {'learnt_baseline_': array([0.])}
    """
    return {_PREFIX + name: getattr(model, name) for name in names if hasattr(model, name)}


def split_fitted(
    arrays: Mapping[str, NDArray[Any]], names: Iterable[str]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Part the arrays of a file into those that were learnt beside the trees, and those of the trees.

    Examples
    --------
    >>> split_fitted({"learnt_baseline_": np.zeros(1), "test": np.ones(1)}, ("baseline_",))
    ({'baseline_': array([0.])}, {'test': array([1.])})
    """
    beside = {name: arrays[_PREFIX + name] for name in names if _PREFIX + name in arrays}
    of_trees = {name: array for name, array in arrays.items() if name.removeprefix(_PREFIX) not in beside}
    return beside, of_trees
