"""The target as the core takes it: class numbers, or numbers; and the weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from treewright.errors import DataError


def to_one_dimension(y: Any, n_rows: int, owner: str) -> NDArray[Any]:
    """Give y as an array with one value a row, or say what is wrong with it."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    if hasattr(y, "to_numpy") and not isinstance(y, np.ndarray):
        y = y.to_numpy()
    y = column_or_1d(y, warn=True, dtype=None)
    if len(y) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(y)]}. X and y need the same rows."
        )
    return y


def encode_classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Find the classes, sorted, and the class number of every row.

    Examples
    --------
    >>> encode_classes(np.array(["yes", "no", "yes"]))
    (array(['no', 'yes'], dtype='<U3'), array([1, 0, 1], dtype=int32))
    """
    _refuse_missing(y)
    if y.dtype.kind in "iub":
        return _encode_integers(y)
    if y.dtype.kind == "f":
        if len(y) and not np.all(y == np.floor(y)):
            raise ValueError(
                "Unknown label type: continuous. A classifier needs classes, but y holds numbers with fractions. "
                "Use the regressor, or turn y into text or integers."
            )
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.int32)
    return _encode_objects(y)


def encode_numbers(y: NDArray[Any]) -> NDArray[np.float64]:
    """Give a numeric target as doubles; text, holes and infinities are refused with the place.

    Examples
    --------
    >>> encode_numbers(np.array([1, 2]))
    array([1., 2.])
    """
    try:
        numbers = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        row = next(i for i, value in enumerate(y) if not _is_number(value))
        raise DataError(
            f"The target must be numeric for a regressor, but row {row + 1} holds {y[row]!r}. "
            "Use the classifier for a target of classes."
        ) from None
    _refuse_missing(numbers)
    if not np.all(np.isfinite(numbers)):
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise DataError(f"Input y contains infinity (row {row + 1}). Remove the row or give it a finite value.")
    return numbers


def _encode_integers(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    if len(y) == 0:
        return y, np.zeros(0, dtype=np.int32)
    low, high = int(y.min()), int(y.max())
    if high - low > 4 * len(y) + 1000:
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.int32)
    shifted = np.subtract(y, low, dtype=np.int64) if low else y
    present = np.flatnonzero(np.bincount(shifted))  # counting is many times faster than sorting
    if len(present) == high - low + 1 and present[0] == 0:
        return (present + low).astype(y.dtype), np.ascontiguousarray(shifted, dtype=np.int32)
    code_of = np.zeros(high - low + 1, dtype=np.int32)
    code_of[present] = np.arange(len(present))
    return (present + low).astype(y.dtype), code_of[shifted]


def _encode_objects(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    import pandas as pd

    codes, uniques = pd.factorize(y)
    values = np.asarray(uniques)
    try:
        order = np.argsort(values, kind="stable")
    except TypeError:
        raise DataError("The target mixes text and numbers. Make all of its values text, or all of them numbers.") from None
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    return values[order], place[codes]


def _refuse_missing(y: NDArray[Any]) -> None:
    import pandas as pd

    if y.dtype.kind in "iubSU":
        return
    missing = pd.isna(y)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise DataError(
            f"Input y contains NaN: row {row + 1} has no target value ({int(missing.sum())} such rows). "
            "Drop the rows without a target before training."
        )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
