"""A data frame on a sheet of an Excel workbook: texts as texts and numbers as numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")  # characters that a sheet cannot hold
_WIDEST = 80


def fill_sheet(sheet: Any, frame: pd.DataFrame) -> None:
    """Write a heading and a row for each row of the frame; `sheet` is one of openpyxl."""
    from openpyxl.styles import Font

    for place, name in enumerate(frame.columns, start=1):
        _write(sheet.cell(row=1, column=place), str(name))
        sheet.cell(row=1, column=place).font = Font(bold=True)
        longest = max([len(str(name)), *(len(str(value)) for value in frame[name].head(200))])
        sheet.column_dimensions[sheet.cell(row=1, column=place).column_letter].width = min(longest + 2, _WIDEST)
    for row, values in enumerate(frame.itertuples(index=False), start=2):
        for place, value in enumerate(values, start=1):
            _write(sheet.cell(row=row, column=place), value)
    sheet.freeze_panes = "A2"


def _write(cell: Any, value: Any) -> None:
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and plain != plain:
        return
    cell.value = _FORBIDDEN.sub("�", plain) if isinstance(plain, str) else plain
    if isinstance(plain, str):
        cell.data_type = "s"  # openpyxl takes a text that begins with "=" for a formula
