"""A target of numbers: what every regressor learns from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.encode.target import encode_numbers, target_column


class NumberTarget:
    """Encodes the numbers."""

    _predicts_classes = False

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[None, NDArray[np.float64], Any]:
        return None, encode_numbers(target_column(y, n_rows, type(self).__name__)), weights
