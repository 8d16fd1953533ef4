"""A target of classes: what every classifier learns from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.encode.target import encode_classes, encode_weights, target_column
from treewright.estimators.class_weights import weights_by_class


class ClassTarget:
    """Encodes the classes and weighs the rows by them."""

    _predicts_classes = True

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any], NDArray[np.int32], Any]:
        classes, codes = encode_classes(target_column(y, n_rows, type(self).__name__))
        class_weight = getattr(self, "class_weight", None)  # not every algorithm has it
        if class_weight is not None:
            by_row = weights_by_class(class_weight, classes, codes)[codes]
            with np.errstate(over="ignore"):
                weights = encode_weights(by_row if weights is None else weights * by_row, n_rows)
        return classes, codes, weights
