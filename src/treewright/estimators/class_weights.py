"""How much each class counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest


def weights_by_class(
    class_weight: Mapping[Any, float] | str, classes: NDArray[Any], codes: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Give the weight of each class: as the dict says (1 where it is silent), or so that all classes weigh the same.

    Examples
    --------
    >>> weights_by_class("balanced", np.array(["no", "yes"]), np.array([0, 1, 1, 1], dtype=np.int32)).tolist()
    [2.0, 0.6666666666666666]
    >>> weights_by_class({"yes": 5.0}, np.array(["no", "yes"]), np.zeros(1, dtype=np.int32)).tolist()
    [1.0, 5.0]
    """
    if not isinstance(class_weight, Mapping):
        return len(codes) / (len(classes) * np.bincount(codes, minlength=len(classes)))
    names = classes.tolist()
    for name, weight in class_weight.items():
        if not 0 <= weight < np.inf:
            raise DataError(f"The class_weight of {name!r} is {weight}. Weights are finite numbers of 0 or more.")
        if name not in names:
            raise DataError(
                f"The class_weight names a class {name!r} that y does not have. {nearest(str(name), map(str, names))}"
            )
    return np.array([class_weight.get(name, 1.0) for name in names], dtype=np.float64)


def weights_of_rows(
    class_weight: Mapping[Any, float] | str, classes: NDArray[Any], codes: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Give the weight of each row by its class; rows of a class that is not known (-1) count 1.

    Examples
    --------
    >>> weights_of_rows({"yes": 5.0}, np.array(["no", "yes"]), np.array([1, -1, 0], dtype=np.int32)).tolist()
    [5.0, 1.0, 1.0]
    """
    with np.errstate(divide="ignore"):  # a class without rows has no weight that anyone asks for
        weights = weights_by_class(class_weight, classes, codes[codes >= 0])
    return np.where(codes >= 0, weights[codes], 1.0)
