"""An ordinal target whose order the user has written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest


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
