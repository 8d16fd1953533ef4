"""Which values in columns of text are numbers, by the same rule as in files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.read.number_text import is_number_text


def is_number(value: object) -> bool:
    """Tell whether a value is a number or the text of one.

    >>> is_number("1e5"), is_number(" 7 "), is_number("1,234"), is_number(3.5)
    (True, True, False, True)
    """
    return is_number_text(value) if isinstance(value, str) else not isinstance(value, bool)


def number_texts(values: Iterable[Any]) -> npt.NDArray[np.bool_]:
    """Tell for each value whether it is a number or the text of one.

    >>> number_texts(["1", "x"]).tolist()
    [True, False]
    """
    return np.fromiter((is_number(value) for value in values), dtype=np.bool_)


def first_text(values: Iterable[Any]) -> tuple[int, str] | None:
    """Find the first value that is neither missing nor a number: its place (from 0) and its text.

    >>> first_text(["1", None, "n/a"])
    (2, 'n/a')
    """
    for place, value in enumerate(values):
        # A hole is None, or NaN or NaT, which differ from themselves.
        if value is not None and value == value and not is_number(value):
            return place, str(value)
    return None
