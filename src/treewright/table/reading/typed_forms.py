"""Tables that come with types: Parquet, JSON, ARFF, Feather, SPSS, Stata, SAS, databases. Text in them stays text.

But where the user says in which order dates are written, columns of text that are dates are read as in CSV files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.table.reading.reading_options import ReadingOptions
from treewright.wording import option_words

if TYPE_CHECKING:
    import pandas as pd

_OF_TEXT_FILES = ("decimal", "delimiter", "encoding")


def finish_typed(frame: pd.DataFrame, options: ReadingOptions, notes: list[str], shown: str) -> pd.DataFrame:
    """Do what the user's options ask for, and tell of those that say nothing of such a table.

    >>> import pandas as pd
    >>> notes = []
    >>> frame = pd.DataFrame({"day": ["31.12.2020", "1.2.2021"]})
    >>> finish_typed(frame, ReadingOptions(date_order="dmy", decimal=","), notes, "t.parquet")["day"].dt.year.tolist()
    [2020, 2021]
    >>> for note in notes:
    ...     print(note)
    t.parquet has types for its columns, so decimal=',' says nothing of it.
    Column 'day' holds dates in the order day, month, year: '31.12.2020' is read as 2020-12-31.
    """
    from treewright.table.column_kinds import check_column_kinds

    check_column_kinds(options.column_kinds, [str(name) for name in frame.columns])
    notes += [
        f"{shown} has types for its columns, so {option_words(name, getattr(options, name))} says nothing of it."
        for name in _OF_TEXT_FILES
        if getattr(options, name) is not None
    ]
    if options.sheet is not None:
        notes.append(f"{shown} is no workbook, so {option_words('sheet', str(options.sheet))} says nothing of it.")
    if options.date_order is not None:
        frame = _with_dates(frame, options, notes)
    return frame.mask(frame.isin(options.missing_values)) if options.missing_values else frame


def _with_dates(frame: pd.DataFrame, options: ReadingOptions, notes: list[str]) -> pd.DataFrame:
    from treewright.table.frame import WRITTEN
    from treewright.table.written.text_types import with_dates
    from treewright.table.written.written_columns import WrittenColumns

    names = [str(name) for name in frame.columns]
    kinds = options.kinds(names)
    asked = {i: kinds[name] for i, name in enumerate(names) if name in kinds}
    dated = with_dates(frame.copy(deep=False))  # ISO dates keep their time zone
    dated.columns = list(range(len(names)))
    found = WrittenColumns(names, asked, options)
    found.read_dates(dated)
    notes += found.notes()
    dated.columns = frame.columns
    if found.samples:
        dated.attrs[WRITTEN] = found.samples
    return dated
