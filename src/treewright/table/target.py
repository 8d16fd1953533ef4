"""The target as the core takes it: class numbers, or numbers; and the weights."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from treewright.errors import DataError
from treewright.table.levels import find_levels

Target = NDArray[Any] | nw.Series[Any]
_FEW = 16  # so many classes of text are found by comparing
_WEIGHT_EXPONENT = 100  # weights between 2^-100 and 2^100 are taken as they are …
_WEIGHT_RATIO = 200  # … and none counts less than 2^-200 of the largest


def target_column(y: Any, n_rows: int, owner: str) -> Target:
    """Give y as one value a row, or say what is wrong with it.

    Examples
    --------
    >>> target_column([1, 2], 2, "DecisionTreeClassifier")
    array([1, 2])
    """
    if y is None:
        raise DataError(
            f"{owner} requires y to be passed, but the target y is None. Pass one target value for each row."
        )
    if isinstance(y, str):
        raise DataError(
            f"y is the text {y!r}, but {owner} takes the values themselves. For a column of a table pass "
            f"table.drop(columns={y!r}) as X and table[{y!r}] as y."
        )
    column: Target
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "fiub":
        column = y
    elif not isinstance(y, np.ndarray) and nw.dependencies.is_into_series(y):
        series = nw.from_native(y, series_only=True)
        column = series.to_numpy() if series.dtype.is_numeric() and not series.is_null().any() else series
    elif hasattr(y, "to_numpy") and not isinstance(y, np.ndarray):
        column = column_or_1d(y.to_numpy(), warn=True, dtype=None)
    else:
        column = column_or_1d(_keep_types(y), warn=True, dtype=None)
    if len(column) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and y has {len(column)}. "
            "Pass the same rows in both."
        )
    return column


def encode_classes(y: Target) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Find the classes, sorted, and the class number of every row.

    Examples
    --------
    >>> encode_classes(np.array(["yes", "no", "yes"]))
    (array(['no', 'yes'], dtype=object), array([1, 0, 1], dtype=int32))
    """
    if isinstance(y, np.ndarray) and y.dtype.kind in "iub":
        return _encode_integers(y)
    if isinstance(y, np.ndarray) and y.dtype.kind == "f":
        return _encode_whole_floats(y)
    if isinstance(y, np.ndarray) and y.dtype.kind == "U" and (found := _encode_few_texts(y)) is not None:
        return found
    return _encode_labels(_as_series(y))


def encode_known_classes(y: Target, known: NDArray[Any]) -> NDArray[np.int32]:
    """Give every row the number of its class among those that a model knows; -1 where it does not know the class.

    Examples
    --------
    >>> encode_known_classes(np.array(["b", "c", "a"]), np.array(["a", "b"]))
    array([ 1, -1,  0], dtype=int32)
    """
    classes, codes = encode_classes(y)
    number = {label: code for code, label in enumerate(known.tolist())}
    place = np.array([number.get(label, -1) for label in classes.tolist()], dtype=np.int32)
    if len(place) and (place < 0).all():
        shown = ", ".join(repr(label) for label in known.tolist()[:5])
        raise DataError(
            f"No class of y is one that the model knows: {classes.tolist()[0]!r} is not among its classes {shown}. "
            "Pass the column that the model was trained to predict."
        )
    return place[codes]


def encode_numbers(y: Target) -> NDArray[np.float64]:
    """Give a numeric target as doubles; text, holes and infinities are refused with the place.

    Examples
    --------
    >>> encode_numbers(np.array([1, 2]))
    array([1., 2.])
    """
    if not isinstance(y, np.ndarray):
        _refuse_missing(y.is_null().to_numpy())
        y = y.to_numpy()
    if y.dtype.kind in "mM":
        raise DataError(
            "The target holds dates or times, but a regressor needs numbers. Turn it into numbers of days first."
        )
    try:
        numbers = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        _refuse_missing(np.array([value is None for value in y], dtype=bool))
        row = next(i for i, value in enumerate(y) if not _is_number(value))
        raise DataError(
            f"The target must be numeric for a regressor, but row {row + 1} holds {y[row]!r}. "
            "Use the classifier for a target of classes."
        ) from None
    _refuse_holes(numbers)
    return numbers


def refuse_extremes(numbers: NDArray[np.float64], exponent: int, owner: str) -> None:
    """Refuse a numeric target whose largest number is beyond 2^exponent, or is not 0 and below 2^-exponent.

    Examples
    --------
    >>> refuse_extremes(np.array([0.0, -3e200]), 400, "LinearRegression")
    Traceback (most recent call last):
        ...
    treewright.errors.DataError: The target has a number of size 3e+200: squares or gradients that LinearRegression \
computes with are beyond the largest number. Divide the target by a constant, such as 1e200, and train again.
    """
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest == 0 or -exponent < np.frexp(largest)[1] <= exponent:
        return
    power = int(np.floor(np.log10(largest)))
    if largest < 1:
        raise DataError(
            f"The largest number of the target is of size {largest:g}: squares or gradients that {owner} computes "
            "with are too small to be numbers. "
            f"Multiply the target by a constant, such as 1e{min(-power, 300)}, and train again."
        )
    raise DataError(
        f"The target has a number of size {largest:g}: squares or gradients that {owner} computes with are beyond "
        f"the largest number. Divide the target by a constant, such as 1e{power}, and train again."
    )


def name_of(y: Any) -> str | None:
    """The name of a target column, if it has one."""
    name = getattr(y, "name", None)
    return None if name is None or name == "" else str(name)  # polars calls a column without a name ""


def encode_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Give the weights as doubles; None where every row counts the same.

    Examples
    --------
    >>> encode_weights([1, 0.5], 2)
    array([1. , 0.5])
    """
    if sample_weight is None:
        return None
    try:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # the last of a whole number that no double can hold
        raise DataError("Some sample_weight is not a number. Give every row a weight of 0 or more.") from None
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight.shape == {weights.shape}, expected ({n_rows},): pass one number for each row of X."
        )
    wrong = ~(weights >= 0) | np.isinf(weights)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "Negative values in" if weights[row] < 0 else "Input"
        raise DataError(
            f"{what} sample_weight: row {row + 1} has {weights[row]}. Weights are finite numbers of 0 or more."
        )
    if n_rows and weights.max() > np.finfo(np.float64).max / n_rows:
        raise DataError(
            "The sum of sample_weight is beyond the largest number. Divide all of the weights by one number."
        )
    if n_rows and not weights.any():
        raise DataError(
            "Every sample_weight is zero, so there is nothing to learn from. Give some rows a weight above 0."
        )
    return comfortable(weights)


def comfortable(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep weights where their squares and reciprocals are numbers: only their ratios count.

    Where the largest is beyond 2^100 or below 2^-100, all are multiplied by the power of two that brings it to 1 or
    just above it, which rounds nothing. A weight that is smaller than 2^-200 of the largest counts as so much: no sum
    of doubles can tell, and the row is still one that has been seen.

    Examples
    --------
    >>> comfortable(np.array([2.0**900, 2.0**899])).tolist()
    [1.0, 0.5]
    >>> comfortable(np.array([1.0, 5e-324, 0.0])).tolist() == [1.0, 2.0**-200, 0.0]
    True
    """
    largest = weights.max(initial=0.0)
    exponent = int(np.frexp(largest)[1])
    counts = weights > 0
    if abs(exponent) > _WEIGHT_EXPONENT:
        weights, exponent = np.ldexp(weights, 1 - exponent), 1
    least = np.ldexp(1.0, exponent - 1 - _WEIGHT_RATIO)
    tiny = (weights < least) & counts
    return np.where(tiny, least, weights) if tiny.any() else weights


def _encode_integers(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    if len(y) == 0:
        return y, np.zeros(0, dtype=np.int32)
    low, high = int(y.min()), int(y.max())
    if high - low > 4 * len(y) + 1000:
        return _by_sorting(y)
    wide = y if y.dtype.itemsize == 8 else y.astype(np.int64)  # narrow integers could overflow in the difference
    offset = (wide - wide.dtype.type(low) if low else wide).astype(np.int32)
    present = np.flatnonzero(np.bincount(offset))  # counting is many times faster than sorting
    classes = (present.astype(wide.dtype) + wide.dtype.type(low)).astype(y.dtype)
    if len(present) == high - low + 1:
        return classes, offset
    code_of = np.zeros(high - low + 1, dtype=np.int32)
    code_of[present] = np.arange(len(present))
    return classes, code_of[offset]


def _encode_whole_floats(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    _refuse_holes(y)
    if not np.all(y == np.trunc(y)):
        raise DataError(
            "Unknown label type: continuous. A classifier needs classes, but y holds numbers with fractions. "
            "Use the regressor, or turn y into text or integers."
        )
    if len(y) and np.abs(y).max() >= 2**53:
        return _by_sorting(y)
    classes, codes = _encode_integers(y.astype(np.int64))
    return classes.astype(y.dtype), codes


def _by_sorting(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def _encode_few_texts(y: NDArray[np.str_]) -> tuple[NDArray[Any], NDArray[np.int32]] | None:
    """Texts of an array, by comparing with one text at a time: no sorting and no Python object a row. None if many."""
    codes = np.zeros(len(y), dtype=np.int32)
    left = np.ones(len(y), dtype=bool)
    texts: list[str] = []
    while left.any():
        if len(texts) == _FEW:
            return None
        texts.append(str(y[np.argmax(left)]))
        is_text = y == texts[-1]
        codes[is_text] = len(texts) - 1
        left &= ~is_text
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.zeros(len(texts), dtype=np.int32)
    place[order] = np.arange(len(texts))
    return np.array([texts[i] for i in order], dtype=object), place[codes]


def _encode_labels(y: nw.Series[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Text and categories, and Python objects that are all text, all whole numbers or all truth values."""
    if y.dtype.is_temporal():
        raise DataError("The target holds dates or times, but a classifier needs classes. Turn them into text first.")
    codes, levels = find_levels(y)
    _refuse_missing(codes == 0)
    if y.dtype == nw.Boolean:  # both truth values are levels of a column, but only those that occur are classes
        return _encode_integers(codes == 2)
    if len({isinstance(level, str) for level in levels}) == 2:
        raise DataError("The target mixes text and numbers. Make all of its values text, or all of them numbers.")
    if levels and isinstance(levels[0], str):
        classes = np.empty(len(levels), dtype=object)
        classes[:] = levels
    else:
        classes = np.array(levels)
    if classes.dtype.kind == "f":
        return _encode_whole_floats(classes[codes - 1])
    return classes, codes - 1


def _keep_types(y: Any) -> Any:
    """A list of numbers and text: numpy alone would turn the numbers into text."""
    is_mixed = (
        isinstance(y, list | tuple) and any(isinstance(v, str) for v in y) and not all(isinstance(v, str) for v in y)
    )
    return np.array(y, dtype=object) if is_mixed else y


def _as_series(y: Target) -> nw.Series[Any]:
    if not isinstance(y, np.ndarray):
        return y
    import pandas as pd

    return nw.from_native(pd.Series(y if y.dtype.kind in "mM" else y.astype(object), name="y"), series_only=True)


def _refuse_holes(y: NDArray[Any]) -> None:
    if np.isfinite(y).all():
        return
    _refuse_missing(np.isnan(y))
    row = int(np.argmax(np.isinf(y)))
    raise DataError(f"Input y contains infinity (row {row + 1}). Remove the row or give it a finite value.")


def _refuse_missing(missing: Any) -> None:
    if missing.any():
        row, count = int(np.argmax(missing)), int(np.count_nonzero(missing))
        rows = "1 such row" if count == 1 else f"{count:,} such rows"
        raise DataError(
            f"Input y contains NaN: row {row + 1} has no target value ({rows}). "
            "Drop the rows without a target before training."
        )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
