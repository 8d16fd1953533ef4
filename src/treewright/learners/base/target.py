"""The targets that estimators learn: classes with their weights, numbers, and classes with an order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.table.column_kinds import column_kind
from treewright.table.levels import find_levels
from treewright.table.target import comfortable

# How much each class counts.


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
        if not isinstance(weight, Real) or not 0 <= weight < np.inf:
            raise DataError(f"The class_weight of {name!r} is {weight!r}. Weights are finite numbers of 0 or more.")
        if name not in names:
            raise DataError(
                f"The class_weight names a class {name!r} that y does not have. {nearest(str(name), map(str, names))}"
            )
    return comfortable(np.array([class_weight.get(name, 1.0) for name in names], dtype=np.float64))


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


# What the classes of an ordinal target count as.


def scores_by_class(given: Mapping[Any, float] | None, y: Any, classes: NDArray[Any] | None) -> list[float]:
    """Give the score of every class, in the order of `classes`; an empty list where the target has no order.

    Examples
    --------
    >>> scores_by_class({"low": 1, "high": 5}, ["low", "high"], np.array(["high", "low"]))
    [5.0, 1.0]
    >>> scores_by_class(None, ["low", "high"], np.array(["high", "low"]))
    []
    """
    if classes is None:
        return []
    labels = classes.tolist()
    if given is None:
        return _scores_of_categories(y, labels)
    for label in labels:
        score = given.get(label)
        if isinstance(score, bool) or not isinstance(score, Real) or not np.isfinite(float(score)):
            raise DataError(
                f"class_scores needs a finite number for each class, but class {label!r} has {score!r}. "
                "Give every class of the target a score."
            )
    return [float(given[label]) for label in labels]


def _scores_of_categories(y: Any, labels: list[Any]) -> list[float]:
    if not nw.dependencies.is_into_series(y):
        return []
    series = nw.from_native(y, series_only=True)
    if series.dtype not in (nw.Categorical, nw.Enum) or column_kind(y)[0] != "ordinal":
        return []
    in_order = [level for level in find_levels(series, ordered=True)[1] if level in set(labels)]
    return [in_order.index(label) + 1.0 for label in labels]


# An ordinal target: where its order comes from, and what its classes count as.


def scores_of_target(
    order: Sequence[Any] | None, class_scores: Mapping[Any, float] | None, y: Any, classes: NDArray[Any] | None
) -> list[float]:
    """Give the score of each class: by `target_order`, by `class_scores`, or by ordered categories; else an empty list.

    Examples
    --------
    >>> scores_of_target(["low", "high"], None, ["low", "high"], np.array(["high", "low"]))
    [2.0, 1.0]
    >>> scores_of_target(None, None, ["low", "high"], np.array(["high", "low"]))
    []
    """
    if order is None:
        return scores_by_class(class_scores, y, classes)
    if class_scores is not None:
        raise DataError("Both target_order and class_scores put the classes in order. Give one of them.")
    return scores_by_order(order, classes)


def scores_by_order(order: Sequence[Any], classes: NDArray[Any] | None) -> list[float]:
    """Give 1 to the lowest class, 2 to the next …, in the order of `classes`; every class must be in the list once.

    Examples
    --------
    >>> scores_by_order(["low", "middle", "high"], np.array(["high", "low", "middle"]))
    [3.0, 1.0, 2.0]
    """
    labels = [] if classes is None else classes.tolist()
    given = np.asarray(order, dtype=object).tolist()
    for place, label in enumerate(given):
        if label in given[:place]:
            raise DataError(f"target_order has the class {label!r} twice. List every class once, from low to high.")
        if label not in labels:
            raise DataError(
                f"target_order has a class {label!r} with no rows. {nearest(str(label), map(str, labels))} "
                "Leave it out, or correct it."
            )
    for label in labels:
        if label not in given:
            raise DataError(f"target_order leaves out the class {label!r}. List every class once, from low to high.")
    return [given.index(label) + 1.0 for label in labels]
