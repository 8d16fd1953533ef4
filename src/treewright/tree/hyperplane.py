"""A test of a weighted sum of columns in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from treewright.encode.schema import Column
from treewright.tree.wording import name_text, number_text


def hyperplane_labels(
    arrays: Mapping[str, NDArray[Any]], node: int, columns: tuple[Column, ...], digits: int = 6
) -> list[str]:
    """Word the two branches of a test that asks for a weighted sum.

    Examples
    --------
    >>> import numpy as np
    >>> arrays = {"term_start": np.array([0, 2]), "term_column": np.array([0.0, 1.0]), "term_level": np.zeros(2)}
    >>> arrays |= {"term_weight": np.array([0.7, -1.0]), "threshold": np.array([41.0])}
    >>> hyperplane_labels(arrays, 0, (Column("age", "numeric"), Column("income", "numeric")))
    ['0.7·age - income <= 41', '0.7·age - income > 41']
    """
    words = hyperplane_words(arrays, node, columns, digits)
    shown = number_text(float(arrays["threshold"][node]), digits)
    return [f"{words} <= {shown}", f"{words} > {shown}"]


def hyperplane_words(
    arrays: Mapping[str, NDArray[Any]], node: int, columns: tuple[Column, ...], digits: int = 6
) -> str:
    """Word the weighted sum alone.

    >>> import numpy as np
    >>> arrays = {"term_start": np.array([0, 1]), "term_column": np.array([0.0]), "term_level": np.zeros(1)}
    >>> hyperplane_words(arrays | {"term_weight": np.array([0.7])}, 0, (Column("age", "numeric"),))
    '0.7·age'
    """
    part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
    words = ""
    fields = (arrays[f"term_{field}"][part].tolist() for field in ("column", "level", "weight"))
    for column, level, weight in zip(*fields, strict=True):
        sign = ("-" if not words else " - ") if weight < 0 else ("" if not words else " + ")
        asked = name_text(columns[int(column)].name)
        if level:
            asked = f"[{asked} is {columns[int(column)].show(int(level))}]"
        # Two digits fewer than thresholds get: a coefficient separates nothing by itself.
        size = number_text(abs(weight), digits if digits >= 17 else max(digits - 2, 1))
        words += f"{sign}{asked}" if size == "1" else f"{sign}{size}·{asked}"
    return words
