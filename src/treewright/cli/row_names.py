"""Columns that name or number the rows of a file rather than describe them: left out of training, with a note."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from treewright.table.column_kinds import ColumnReport

_NAMES = 0.9  # of the known texts of a column differ, then they are names
_FEWEST_NUMBERED = 20  # rows: a handful may count from 1 on by chance


def without_row_numbers(columns: pd.DataFrame, kept: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
    """Leave out columns that number the rows of the file from 0 or 1 on, whatever they are called.

    Examples
    --------
    >>> import pandas as pd
    >>> without_row_numbers(pd.DataFrame({"rownames": range(1, 51), "x": [1, 2] * 25}), [])[0].columns.tolist()
    ['x']
    """
    from treewright.wording import kind_words

    if len(columns) < _FEWEST_NUMBERED:
        return columns, []
    whole = [name for name in columns if name not in kept and columns[name].dtype.kind in "iu"]
    begins = {name: (columns[name] - columns.index).unique() for name in whole}
    numbered = {name: int(first[0]) for name, first in begins.items() if len(first) == 1 and first[0] in (0, 1)}
    if len(numbered) == columns.shape[1]:
        return columns, []
    return columns.drop(columns=list(numbered)), [
        f"Column '{name}' numbers the rows of the file from {first} on, which tells nothing about new rows: "
        f"it is left out. {kind_words(str(name), 'numeric')} keeps it."
        for name, first in numbered.items()
    ]


def without_names(columns: pd.DataFrame, kept: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
    """Leave out texts that mostly differ: they split rows that were seen in any way, and say nothing of others.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"name": [f"n{i}" for i in range(50)], "x": [1, 2] * 25})
    >>> without_names(rows, [])[0].columns.tolist(), without_names(rows, ["name"])[0].columns.tolist()
    (['x'], ['name', 'x'])
    """
    from treewright.table.column_kinds import guess_kinds
    from treewright.wording import kind_words

    texts = columns.loc[:, [name for name in columns if name not in kept and columns[name].dtype.kind not in "biufcmM"]]
    reports = {report.name: report for report in guess_kinds(texts)}
    names = {name: how for name, report in reports.items() if (how := _as_names(report, len(texts)))}
    if len(names) == columns.shape[1]:
        return columns, []
    return columns.drop(columns=list(names)), [
        f"Column '{name}' has another text in {how}, as names have, which tells nothing about new rows: "
        f"it is left out. {kind_words(name, 'nominal')} keeps it." + _what_else(reports[name])
        for name, how in names.items()
    ]


def _as_names(report: ColumnReport, n_rows: int) -> str:
    """In which rows a column of text has another text; none where it is not as names are.

    Codes and dates that stay text have a remark of their own.
    """
    if any("identifier" in remark for remark in report.remarks):
        return "(nearly) every row"
    if not any("as levels they tell little" in remark for remark in report.remarks):
        return ""
    return "(nearly) every row" if report.n_distinct > _NAMES * (n_rows - report.n_missing) else "most rows"


def _what_else(report: ColumnReport) -> str:
    """Names that are mostly dates or numbers were meant as such: tell what keeps them from it."""
    return "".join(f" It holds {remark}." for remark in report.remarks if remark.startswith(("dates in ", "numbers")))
