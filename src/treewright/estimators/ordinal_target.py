"""An ordinal target: where its order comes from, and what its classes count as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.estimators.class_scores import scores_by_class


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
