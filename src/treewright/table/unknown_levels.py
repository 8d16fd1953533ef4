"""Levels of new rows that training had not: each counts as missing, and a column full of them is told of loudly."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnWarning
from treewright.table.column_remarks import FEW_ROWS, is_told, lines_of_ours
from treewright.table.schema import Column

_EXAMPLES = 3


def level_key(text: str) -> str:
    """What levels have in common that differ by case or blanks only.

    >>> level_key(" New  York") == level_key("new york")
    True
    """
    return " ".join(text.split()).casefold()


def warn_of_unknown(column: Column, series: nw.Series[Any], codes: NDArray[Any]) -> None:
    """Warn where most cells of a column are levels never seen; a handful of rows is an example.

    Examples
    --------
    >>> import pandas as pd
    >>> colour = Column("colour", "nominal", "text", ("blue", "red"))
    >>> cells = nw.from_native(pd.Series(["Red"] * 20), series_only=True)
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     warn_of_unknown(colour, cells, np.zeros(20, np.int32))
    >>> print(told[0].message)
    Most cells of column 'colour' are levels never seen in training (20 of 20), such as 'Red', and count as missing. \
The model knows 'blue', 'red'. tw.align(table, model) matches levels that differ by case or blanks only.
    """
    if len(codes) < FEW_ROWS or 2 * np.count_nonzero(codes == 0) <= len(codes) or is_told():
        return
    given = ~series.is_null().to_numpy()
    unknown = np.flatnonzero(given & (codes == 0))
    if 2 * len(unknown) <= np.count_nonzero(given):
        return
    strange = list(dict.fromkeys(series[int(row)] for row in unknown[: 100 * _EXAMPLES]))[:_EXAMPLES]
    known = ", ".join(map(repr, column.levels[:_EXAMPLES])) + (" …" if len(column.levels) > _EXAMPLES else "")
    cure = "tw.align(table, model) matches levels that differ by case or blanks only."
    warnings.warn(
        ColumnWarning(
            f"Most cells of column '{column.name}' are levels never seen in training ({len(unknown):,} of "
            f"{np.count_nonzero(given):,}), such as {', '.join(map(repr, strange))}, and count as missing. The model "
            f"knows {known}. {cure if meant_levels(strange, column.levels) else 'Is it the right column?'}"
        ),
        stacklevel=lines_of_ours(),
    )


def meant_levels(given: Sequence[Any], levels: Collection[Any]) -> dict[str, str]:
    """Give the levels that are probably meant by texts which differ from them by case or blanks only.

    >>> meant_levels(["YES", "maybe"], ["No", "Yes"])
    {'YES': 'Yes'}
    """
    by_key: dict[str, list[str]] = {}
    for level in levels:
        by_key.setdefault(level_key(str(level)), []).append(str(level))
    texts = [text for text in given if isinstance(text, str) and text not in levels]
    return {text: found[0] for text in texts if len(found := by_key.get(level_key(text), [])) == 1}
